#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hearsay {

/// Returns the path of Chart.js in Debian's package libjs-chart.js.
std::filesystem::path chart_library_file();

/// Returns the text of the plotting library, to be inlined. Throws Misuse with the name of the package if it
/// is not installed.
std::string chart_library(const std::filesystem::path& file = chart_library_file());

enum class PageKind {
  file,  ///< opened from a disk; asks for nothing over any network
  live,  ///< served while a run goes on; asks for /data.json again and again
};

/// Returns a whole page: one HTML document with its style, its script, the plotting library and the data (of
/// ReportData). Strings in the data are untrusted. They reach the page as JSON in which no HTML tag can
/// begin, and the script shows them as text only.
std::string page(PageKind kind, const nlohmann::ordered_json& data, const std::string& chart_library);

/// The beginning of every page, which tells a report from other files.
extern const std::string page_mark;

}  // namespace hearsay
