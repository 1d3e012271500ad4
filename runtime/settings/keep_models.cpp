#include "runtime/settings/keep_models.hpp"

#include <string_view>

#include "runtime/toml/document.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

std::string keep_models_text(const RunSettings::Run::KeepModels& keep) {
  if (keep.every == 0) return "never";
  return "every " + std::to_string(keep.every) + (keep.of_peers ? ", peers" : "");
}

ValueKind<RunSettings::Run::KeepModels> keep_models_kind() {
  using KeepModels = RunSettings::Run::KeepModels;
  return {"\"never\", \"every N\" or \"every N, peers\"",
          [](const Setting& setting, const std::filesystem::path&) {
            constexpr std::string_view every = "every ";
            std::string_view text = setting.name();
            KeepModels keep;
            if (text == "never") return keep;
            const std::size_t comma = text.find(',');
            keep.of_peers = comma != text.npos && trimmed(text.substr(comma + 1)) == "peers";
            const bool known = text.starts_with(every) && (comma == text.npos || keep.of_peers);
            if (!known || !parse_whole(trimmed(text.substr(0, comma).substr(every.size())), keep.every) ||
                keep.every == 0)
              setting.refuse("\"never\", \"every 10\", or \"every 10, peers\"");
            return keep;
          },
          [](const KeepModels& keep) { return toml_text(keep_models_text(keep)); }};
}

}  // namespace hearsay
