#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds a README.md in the root of more than 200 lines.
Violations front_page_is_short(const SourceTree& tree);

/// Finds links of Markdown pages to files of the project, or to headings of its pages, that do not exist.
Violations links_lead_somewhere(const SourceTree& tree);

}  // namespace hearsay
