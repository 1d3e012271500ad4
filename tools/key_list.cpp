#include "tools/key_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "runtime/settings/key_reference.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

constexpr std::size_t width = 110;
constexpr std::size_t indent = 28;

/// Returns the text in lines of at most `width` columns, each behind `indent` blanks.
std::string indented(const std::string& text) {
  const std::string blanks(indent, ' ');
  std::string lines;
  std::string line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && indent + line.size() + 1 + word.size() > width) {
      lines += blanks + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + blanks + line + "\n";
}

/// The descriptions are Markdown.
std::string plain(std::string text) {
  std::erase(text, '`');
  return text;
}

}  // namespace

std::vector<KeyInfo> keys_named(const std::string& table_or_key) {
  std::vector<KeyInfo> keys;
  std::vector<std::string> names;
  std::vector<std::string> tables;
  for (const KeyInfo& info : key_reference()) {
    if (table_or_key.empty() || info.key == table_or_key || info.key.starts_with(table_or_key + "."))
      keys.push_back(info);
    names.push_back(info.key);
    const std::string table = info.key.substr(0, info.key.find('.'));
    if (std::ranges::find(tables, table) == tables.end()) tables.push_back(table);
  }
  names.insert(names.end(), tables.begin(), tables.end());
  const std::string likely = likely_name(table_or_key, names);
  // Of a hundred keys only a likely one is named, else the tables.
  if (keys.empty())
    throw Misuse("TABLE", table_or_key,
                 "there is no such table or key" + (likely.empty() ? did_you_mean(table_or_key, tables)
                                                                   : ", did you mean " + likely + "?"));
  return keys;
}

std::string keys_text(const std::vector<KeyInfo>& keys) {
  std::string text;
  std::string table;
  for (const KeyInfo& info : keys) {
    const std::string of = info.key.substr(0, info.key.find('.'));
    if (of != table) text += (text.empty() ? "" : "\n") + std::string("[") + of + "]\n";
    table = of;
    const std::string facts = indented(plain(info.type) + "; default " + info.default_value);
    const std::string name = "  " + info.key;
    text += name.size() + 2 > indent ? name + "\n" + facts
                                     : name + std::string(indent - name.size(), ' ') + facts.substr(indent);
    text += indented(plain(info.description));
    if (info.read_by != "all") text += indented("read by " + info.read_by);
  }
  return text;
}

nlohmann::ordered_json keys_json(const std::vector<KeyInfo>& keys) {
  auto record = nlohmann::ordered_json::array();
  for (const KeyInfo& info : keys)
    record.push_back({{"key", info.key},
                      {"type", plain(info.type)},
                      {"default", info.default_value},
                      {"read_by", info.read_by},
                      {"description", plain(info.description)},
                      {"link", info.link}});
  return record;
}

}  // namespace hearsay
