#include "tools/report/page.hpp"

#include <nlohmann/json.hpp>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/toml/document.hpp"
#include "tools/report/page_parts.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/markup.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// Replaces each < by \u003c. In JSON it stands in strings only, where both mean the same. So no string can
/// end the script element that holds the JSON.
std::string inert(const std::string& json) {
  std::string escaped;
  for (const char letter : json) {
    if (letter == '<')
      escaped += "\\u003c";
    else
      escaped += letter;
  }
  return escaped;
}

}  // namespace

const std::string page_mark = "<!doctype html>\n<!-- made by hearsay -->\n";

fs::path chart_library_file() { return "/usr/share/javascript/chart.js/chart.min.js"; }

std::string chart_library(const fs::path& file) {
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored))
    throw Misuse("the page is drawn by Chart.js, and " + file.string() +
                 " is not there: install it (apt-get install libjs-chart.js)");
  std::string library = read_text_file(file);
  if (library.find("</script") != library.npos)
    throw Misuse(file.string() + ": this is no Chart.js that a page could hold");
  return library;
}

std::string page(PageKind kind, const nlohmann::ordered_json& data, const std::string& chart_library) {
  std::string text = page_mark;
  std::string_view rest = page_html;
  // Puts each part in place of {{name}} in the document. The inserted text is not searched for further names.
  const auto put = [&](std::string_view name, std::string_view part) {
    const std::string place = "{{" + std::string(name) + "}}";
    const std::size_t begin = rest.find(place);
    ensure(begin != rest.npos, "the document has every part in its order");
    text.append(rest.substr(0, begin)).append(part);
    rest.remove_prefix(begin + place.size());
  };
  put("connect", kind == PageKind::live ? "'self'" : "'none'");
  put("title", markup_text(data.value("title", "")));
  put("style", page_style);
  put("data", inert(json_text(data)));
  put("chart library", chart_library);
  put("script", page_script);
  text.append(rest);
  return text;
}

}  // namespace hearsay
