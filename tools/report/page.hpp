#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace hearsay {

/// Where Debian's libjs-chart.js has Chart.js.
std::filesystem::path chart_library_file();

/// The text of the plotting library, to be inlined. Throws Misuse, which names the package, where it is not
/// installed.
std::string chart_library(const std::filesystem::path& file = chart_library_file());

enum class PageKind {
  file,  ///< opened from a disk; asks for nothing over any network
  live,  ///< served while a run goes on; asks for /data.json again and again
};

/// A whole page: one HTML document that holds its style, its script, the plotting library and the data (of
/// ReportData). Strings of the data are untrusted: they reach the page as JSON in which no tag can begin, and
/// its script shows them as text.
std::string page(PageKind kind, const nlohmann::ordered_json& data, const std::string& chart_library);

/// The beginning of every page, by which a report is told from other files.
extern const std::string page_mark;

}  // namespace hearsay
