#pragma once

#include <string_view>

namespace hearsay {

// The files of tools/report/page/, compiled into the program (embed.cmake).
extern const std::string_view page_html;
extern const std::string_view page_style;
extern const std::string_view page_script;

}  // namespace hearsay
