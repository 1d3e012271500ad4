#include "runtime/settings/data_source_key.hpp"

#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "runtime/toml/document.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

struct Scheme {
  std::string_view name;
  int paths;
};
constexpr std::array schemes = {Scheme{"libsvm", 1}, Scheme{"idx", 2}, Scheme{"cifar10", 1},
                                Scheme{"csv", 1},    Scheme{"npy", 2}, Scheme{"npz", 1}};

/// Returns the scheme of a data source and the text after its colon; empty for "synthetic(...)" and the like.
std::optional<std::pair<Scheme, std::string_view>> split_source(std::string_view source) {
  for (const Scheme& scheme : schemes)
    if (source.starts_with(scheme.name) && source.substr(scheme.name.size()).starts_with(':'))
      return std::pair{scheme, source.substr(scheme.name.size() + 1)};
  return std::nullopt;
}

std::string resolve_source(const Setting& setting, const std::string& source, const fs::path& directory) {
  const auto split = split_source(source);
  if (!split) return source;
  const auto& [scheme, paths] = *split;
  std::string resolved = std::string(scheme.name) + ":";
  if (scheme.paths == 1) return resolved + setting.resolve_path(paths, directory).string();
  const std::size_t comma = paths.find(',');
  if (comma == std::string_view::npos || paths.find(',', comma + 1) != std::string_view::npos)
    setting.refuse("two paths, " + resolved + "FEATURES,LABELS");
  const std::string features = setting.resolve_path(trimmed(paths.substr(0, comma)), directory).string();
  const std::string labels = setting.resolve_path(trimmed(paths.substr(comma + 1)), directory).string();
  // The comma separates the two paths, so neither path may contain one.
  if ((features + labels).find(',') != std::string::npos) setting.refuse("two paths without a comma in them");
  return resolved + features + "," + labels;
}

std::string spelled_source(const std::string& source) {
  return toml_text(split_source(source) ? spelled_path(source) : source);
}

}  // namespace

ValueKind<std::string> data_source() {
  return {"spelling",
          [](const Setting& setting, const fs::path& directory) {
            return resolve_source(setting, setting.name(), directory);
          },
          spelled_source};
}

ValueKind<std::string> data_source_or_none() {
  return {"spelling",
          [](const Setting& setting, const fs::path& directory) {
            return resolve_source(setting, setting.text(), directory);
          },
          spelled_source};
}

}  // namespace hearsay
