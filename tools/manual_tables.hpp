#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hearsay {

/// A table of the manual that the registries say: `hearsay list --markdown NAME` prints it, and a README
/// holds it between
///
///     <!-- generated: hearsay list --markdown NAME -->
///     <!-- end of what is generated -->
struct ManualTable {
  std::string_view name;    ///< "methods"
  std::string_view readme;  ///< where it stands
  std::string (*text)();    ///< in Markdown, ends with a newline
};

std::span<const ManualTable> manual_tables();

}  // namespace hearsay
