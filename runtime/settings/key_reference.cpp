#include "runtime/settings/key_reference.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/settings/run_keys.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/settings/with_all_methods.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {
namespace {

std::vector<KeyInfo> make_reference() {
  std::vector<KeyInfo> reference;
  const RunSettings defaults;
  for (const KeyRow<RunSettings>& key : run_keys()) {
    KeyInfo info = key.info;
    if (info.default_value.empty()) info.default_value = key.write(defaults);
    if (info.default_value.empty()) info.default_value = "unset";
    reference.push_back(std::move(info));
  }
  reference.push_back(
      {"network.peer",
       "tables: id, and any key of [network] but framing, evaluations, transport, congestion, pace and links",
       "none", "all", "the network of one peer; what a table leaves out is as [network] says"});
  reference.push_back(
      {"network.link", "tables: from, to, latency, bandwidth", "none", "all",
       "the latency and bandwidth of one directed link, instead of those of the topology file"});
  reference.push_back({"fault", "tables: at, peer, kind, for; or random = {kills, seed, within}, for", "none",
                       "run, simulate", "what happens to the processes of the run, and when", "#faults"});
  for (KeyInfo& info : sweep_keys()) reference.push_back(std::move(info));
  return reference;
}

/// Returns `text` as a table cell: text in double quotes becomes code, and | outside of quotes is escaped.
std::string cell(std::string_view text) {
  std::string result;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"' && !quoted) result += '`';
    if (c == '|' && !quoted) result += '\\';
    result += c;
    if (c == '"' && quoted) result += '`';
    quoted ^= c == '"';
  }
  return result;
}

/// Returns who reads a key: a long list of methods as their number.
std::string readers_text(const std::string& read_by) {
  constexpr std::size_t longest = 60;
  if (read_by.size() <= longest) return read_by;
  return std::to_string(1 + std::ranges::count(read_by, ',')) + " methods";
}

std::string code_if_toml(const std::string& text) {
  return parse_toml_value(text, "default") ? "`" + text + "`" : cell(text);
}

}  // namespace

std::span<const KeyInfo> key_reference() {
  return with_all_methods([] { return make_reference(); });
}

const KeyInfo& key_named(const std::string& key) {
  const std::span<const KeyInfo> all = key_reference();
  const auto found = std::ranges::find(all, key, &KeyInfo::key);
  ensure(found != all.end(), "the reference has every key");
  return *found;
}

std::string cell_text(const std::string& text) {
  constexpr std::size_t longest = 110;
  constexpr std::size_t shortest_clause = 20;  // "eta_t: ..." is none
  if (text.size() <= longest) return text;
  int depth = 0;
  bool is_code = false;
  for (std::size_t at = 0; at + 1 < text.size(); ++at) {
    const char c = text[at];
    is_code ^= c == '`';
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool ends_sentence = c == '.' && at > 0 && text[at - 1] != '.';  // "1, 2, 4, ..." ends none
    const bool ends_clause = (c == ';' || c == ':' || ends_sentence) && text[at + 1] == ' ';
    if (ends_clause && depth == 0 && !is_code && at >= shortest_clause) return text.substr(0, at) + " ...";
  }
  return text;
}

std::string keys_markdown() {
  std::string text = "| key | type | default | read by | what it says |\n| --- | --- | --- | --- | --- |\n";
  for (const KeyInfo& info : key_reference())
    text += "| `" + info.key + "` | " + cell(info.type) + " | " + code_if_toml(info.default_value) + " | " +
            cell(readers_text(info.read_by)) + " | " + cell(cell_text(info.description)) +
            (info.link.empty() ? "" : " ([more](" + info.link + "))") + " |\n";
  return text;
}

}  // namespace hearsay
