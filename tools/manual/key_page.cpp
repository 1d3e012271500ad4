#include "tools/manual/key_page.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/settings/run_keys.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "tools/manual/key_examples.hpp"
#include "tools/manual/method_page.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

std::string table_of(const std::string& key) { return key.substr(0, key.find('.')); }

/// Returns the option that the key sets; null if it is a key of all methods.
const OptionRow* option_of(const KeyInfo& key) {
  for (const OptionRow* const row : option_rows())
    if (key.key == "algorithm." + row->name) return row;
  return nullptr;
}

/// Calls `take` with every word of the text as a name may be spelled, and where it begins.
void for_each_name(std::string_view text, const std::function<void(std::string_view, std::size_t)>& take) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
  };
  for (std::size_t begin = 0; begin < text.size();) {
    if (!is_part(text[begin])) {
      ++begin;
      continue;
    }
    std::size_t end = begin;
    while (end < text.size() && is_part(text[end])) ++end;
    const std::size_t next = end;
    while (end > begin && text[end - 1] == '.') --end;
    take(text.substr(begin, end - begin), begin);
    begin = next;
  }
}

/// Returns the text with each of the names in code marks, unless it stands in some already.
std::string with_marks(const std::string& text, const std::set<std::string, std::less<>>& names) {
  std::string marked;
  std::size_t done = 0;
  for_each_name(text, [&](std::string_view name, std::size_t at) {
    const bool is_marked =
        std::ranges::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '`') % 2 == 1;
    if (is_marked || !names.contains(name)) return;
    marked += text.substr(done, at - done) + code(std::string(name));
    done = at + name.size();
  });
  return marked + text.substr(done);
}

std::set<std::string, std::less<>> key_names() {
  std::set<std::string, std::less<>> names;
  for (const KeyInfo& key : key_reference()) names.insert(key.key);
  return names;
}

std::set<std::string, std::less<>> method_names() {
  std::set<std::string, std::less<>> names;
  for (const MethodInfo& method : methods()) names.insert(method.name);
  return names;
}

/// True if what is said of `one` names the other: in full, or by its last part, if that is no common word.
bool names_it(const KeyInfo& one, const KeyInfo& other) {
  const std::string last = other.key.substr(other.key.find('.') + 1);
  const bool is_known_by_last =
      table_of(one.key) == table_of(other.key) && last.find('_') != std::string::npos;
  bool found = false;
  for (const std::string* text : {&one.description, &one.type, &one.read_by})
    for_each_name(*text, [&](std::string_view name, std::size_t) {
      found = found || name == other.key || (is_known_by_last && name == last);
    });
  return found;
}

/// Returns the keys that say the same thing in other words, so that a file has one of them.
std::vector<std::string> excluded_by(const std::string& key) {
  std::vector<std::string> excluded;
  for (const std::string& other : replaced_keys(key)) {
    const std::vector<std::string> back = replaced_keys(other);
    if (std::ranges::find(back, key) != back.end()) excluded.push_back(other);
  }
  return excluded;
}

/// Returns who reads a key of all methods: the words of its row, and which methods they are.
std::string readers_words(const KeyInfo& key) {
  static const std::map<std::string_view, bool (*)(const MethodInfo&)> groups = {
      {"methods with a hub", [](const MethodInfo& method) { return method.pattern.has_hub; }},
      {"composite methods", [](const MethodInfo& method) { return method.composite; }},
      {"methods whose hub may close a round",
       [](const MethodInfo& method) { return method.answers_may_be_late; }},
  };
  const std::set<std::string, std::less<>> names = method_names();
  const auto group = groups.find(key.read_by);
  return with_marks(
      with_marks(key.read_by + (group == groups.end() ? "" : ": " + methods_that(group->second)), names),
      key_names());
}

PagePart facts_part(const KeyInfo& key, const OptionRow* option) {
  Entries facts{.headings = {"what", "of this key"}, .entries = {}};
  facts.entries.push_back({"type", {}, with_marks(key.type, key_names())});
  facts.entries.push_back({"default", {}, with_marks(key.default_value, method_names())});
  if (!option) facts.entries.push_back({"read by", {}, readers_words(key)});
  std::string excluded;
  for (const std::string& other : excluded_by(key.key))
    excluded += (excluded.empty() ? "" : ", ") + code(other);
  if (!excluded.empty())
    facts.entries.push_back(
        {"excludes",
         {},
         excluded + "; a later layer (a variant, an axis, `--set`) replaces one by the other"});
  if (!key.link.empty()) {
    const std::string target =
        (std::filesystem::path("runtime/settings") / key.link).lexically_normal().string();
    facts.entries.push_back({"more", {}, "[" + target.substr(0, target.find('#')) + "](" + target + ")"});
  }
  return {"What it may be", {facts}};
}

/// Returns the values of other options with which the method does not read the option:
/// "estimator = saga or estimator = loopless-svrg".
std::string unread_with(const MethodInfo& method, const OptionRow& option) {
  if (!method.unread_options) return {};
  std::string conditions;
  for (const MethodOptions::Entry& entry : method.options) {
    const auto* const text = std::get_if<OptionRow::Text>(&entry.row->values);
    if (!text) continue;
    for (const std::string& choice : text->choices) {
      MethodOptions options = method.options;
      options.put({*entry.row, choice});
      const UnreadOptions unread = method.unread_options(options);
      if (std::ranges::find(unread.rows, &option) != unread.rows.end())
        conditions += (conditions.empty() ? "" : " or ") + unread.because_of;
    }
  }
  return conditions;
}

PagePart readers_part(const OptionRow& option, const KeyInfo& key) {
  Entries readers{.headings = {"method", "its default"}, .entries = {}, .are_code = true};
  for (const MethodInfo& method : methods())
    for (const MethodOption& own : options_of(method)) {
      if (own.name != option.name) continue;
      const std::string unread = unread_with(method, option);
      readers.entries.push_back({method.name,
                                 {},
                                 code(own.default_value) + (own.type == key.type ? "" : "; " + own.type) +
                                     (unread.empty() ? "" : "; not read with " + code(unread))});
    }
  return {"Methods that read it", {readers}};
}

/// Returns nothing if no other key is named here, or names this one. Keys that exclude it have an entry of
/// its facts.
std::vector<PagePart> neighbors_parts(const KeyInfo& key) {
  const std::vector<std::string> excluded = excluded_by(key.key);
  Entries beside{.headings = {"key", "what it says"}, .entries = {}, .are_code = true};
  for (const KeyInfo& other : key_reference())
    if (other.key != key.key && std::ranges::find(excluded, other.key) == excluded.end() &&
        (names_it(key, other) || names_it(other, key)))
      beside.entries.push_back({other.key, {}, other.description});
  if (beside.entries.empty()) return {};
  return {{"Keys that go with it", {beside}}};
}

/// Returns what is said of a run file with these lines, from the name of the key on; empty if nothing is
/// wrong.
std::string refusal(const std::string& toml, const std::string& key) {
  try {
    if (key.starts_with("sweep."))
      parse_sweep(toml, ".", {}, "");
    else
      parse_run(toml, ".", {}, "");
  } catch (const Misuse& misuse) {
    const std::string sentence = misuse.what();
    const std::size_t begin = sentence.find(key);
    return begin == std::string::npos ? sentence : sentence.substr(begin);
  }
  return {};
}

/// Returns what is said of a value that the key cannot have; empty if any is read, and judged later. Of
/// several refusals the longest says most.
std::string refusal_of_value(const KeyInfo& key) {
  std::string longest;
  for (const std::string value : {"-1", "\"?\"", "true"}) {
    if (key.type == "path" && value.front() == '"') continue;
    const std::string sentence = refusal(key.key + " = " + value + "\n", key.key);
    const std::string begin = key.key + " = " + value;
    if (sentence.starts_with(begin) && sentence.size() - begin.size() > longest.size())
      longest = sentence.substr(begin.size()).insert(0, begin);
  }
  return longest;
}

/// Returns what is said if the option is set for a method that does not read it; empty if all read it.
std::string refusal_of_reader(const OptionRow& option) {
  const auto reader =
      std::ranges::find_if(methods(), [&](const MethodInfo& method) { return method.options.has(option); });
  for (const MethodInfo& method : methods()) {
    if (method.options.has(option)) continue;
    MethodOptions set;
    for (const MethodOptions::Entry& entry : reader->options)
      if (entry.row == &option) set.put(entry);
    try {
      resolved_options(set, method);
    } catch (const Misuse& misuse) {
      return misuse.what();
    }
  }
  return {};
}

/// Returns nothing if the key has no refusal of its own.
std::vector<PagePart> refusals_parts(const KeyInfo& key, const OptionRow* option) {
  std::vector<std::string> sentences = {refusal_of_value(key)};
  for (const std::string& other : excluded_by(key.key)) {
    const std::string lines = key_example(key_named(other));
    sentences.push_back(refusal(key_example(key) + lines.substr(lines.find('\n') + 1), key.key));
  }
  if (option) sentences.push_back(refusal_of_reader(*option));
  Paragraphs refusals;
  for (const std::string& sentence : sentences)
    if (!sentence.empty()) refusals.texts.push_back("* " + code(sentence));
  if (option && option->check)
    refusals.texts.push_back(
        "* A value that the run of its file cannot work with: `hearsay check FILE` says so.");
  if (refusals.texts.empty()) return {};
  return {{"What is refused", {refusals}}};
}

}  // namespace

Page key_page(const KeyInfo& key) {
  const OptionRow* const option = option_of(key);
  Page page{.title = key.key,
            .kind = "key of [" + table_of(key.key) + "]",
            .summary = with_marks(key.description, key_names()) + ".",
            .parts = {facts_part(key, option)}};
  const auto add = [&](std::vector<PagePart> parts) {
    for (PagePart& part : parts) page.parts.push_back(std::move(part));
  };
  if (option) page.parts.push_back(readers_part(*option, key));
  add(neighbors_parts(key));
  page.parts.push_back({"An example", {Listing{"toml", key_example(key)}}});
  add(refusals_parts(key, option));
  return page;
}

}  // namespace hearsay
