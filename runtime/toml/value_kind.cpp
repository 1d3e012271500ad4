#include "runtime/toml/value_kind.hpp"

#include "runtime/toml/document.hpp"

namespace hearsay::kinds {

namespace {

namespace fs = std::filesystem;

/// A kind whose values are read by an accessor of Setting.
template <class Value, class Result>
ValueKind<Value> accessed(std::string type, Result (Setting::*accessor)() const,
                          std::string (*write)(const Value&)) {
  return {std::move(type),
          [accessor](const Setting& setting, const fs::path&) { return (setting.*accessor)(); }, write};
}

std::string number_as_toml(const double& number) { return toml_number(number); }
std::string text_as_toml(const std::string& text) { return toml_text(text); }

}  // namespace

ValueKind<double> number() { return accessed("number", &Setting::number, number_as_toml); }
ValueKind<double> positive() { return accessed("number > 0", &Setting::positive, number_as_toml); }
ValueKind<double> non_negative() { return accessed("number >= 0", &Setting::non_negative, number_as_toml); }
ValueKind<double> share() { return accessed("share", &Setting::share, number_as_toml); }

ValueKind<bool> flag() {
  return accessed<bool>("true or false", &Setting::flag,
                        [](const bool& flag) { return std::string(flag ? "true" : "false"); });
}

ValueKind<Bandwidth> bandwidth() {
  return accessed<Bandwidth>("bandwidth", &Setting::bandwidth,
                             [](const Bandwidth& rate) { return toml_text(to_text(rate)); });
}

ValueKind<Duration> duration() {
  return accessed<Duration>("time", &Setting::duration,
                            [](const Duration& time) { return toml_text(to_text(time)); });
}

ValueKind<std::string> text() { return accessed("text", &Setting::text, text_as_toml); }
ValueKind<std::string> name() { return accessed("name", &Setting::name, text_as_toml); }
ValueKind<std::string> spelling() { return name().named("spelling"); }

ValueKind<std::vector<std::string>> texts() {
  return accessed<std::vector<std::string>>(
      "array of texts", &Setting::texts,
      [](const std::vector<std::string>& texts) { return texts.empty() ? std::string() : toml_list(texts); });
}

ValueKind<fs::path> path() {
  return {"path", [](const Setting& setting, const fs::path& directory) { return setting.path(directory); },
          [](const fs::path& path) { return path.empty() ? std::string() : toml_text(spelled_path(path)); }};
}

ValueKind<std::vector<PeerId>> peer_ids() {
  return accessed<std::vector<PeerId>>(
      "array of ids", &Setting::distinct_ids,
      [](const std::vector<PeerId>& ids) { return ids.empty() ? std::string() : toml_list(ids); });
}

}  // namespace hearsay::kinds
