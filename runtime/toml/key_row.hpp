#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/toml/value_kind.hpp"

namespace hearsay {

/// What the table of all keys says about one key, as text for users.
struct KeyInfo {
  std::string key;            ///< "run.seed"
  std::string type;           ///< "whole number >= 0"
  std::string default_value;  ///< spelled as in a file, or a word: "unset"
  std::string read_by;        ///< commands or methods: "all", "run", "choco-sgd"
  std::string description;    ///< one clause
  std::string link = {};      ///< to the page that says more, relative to runtime/settings/; may be empty
};

/// One row of a file's format: a key, and how it is read into the settings struct `Of` and written from it.
///
///     {"seed", &Run::seed, count(0), "all", "of all random streams"}
template <class Of>
struct KeyRow {
  using Read = std::function<void(const Setting& setting, const std::filesystem::path& directory, Of& to)>;
  using Write = std::function<std::string(const Of& of)>;

  KeyInfo info;
  Read read;    ///< relative paths start at `directory`
  Write write;  ///< returns the TOML value; empty if the key is left out (unset, or implied by another key)

  /// A key that sets one member.
  template <class Value>
  KeyRow(std::string name, Value Of::*member, ValueKind<std::type_identity_t<Value>> kind,
         std::string read_by = {}, std::string description = {})
      : info{std::move(name), std::move(kind.type), {}, std::move(read_by), std::move(description)},
        read([member, from = std::move(kind.read)](const Setting& setting, const auto& directory, Of& to) {
          to.*member = from(setting, directory);
        }),
        write([member, spelled = std::move(kind.write)](const Of& of) { return spelled(of.*member); }) {}

  /// A key that is not simply one member.
  KeyRow(KeyInfo about, Read reads, Write writes)
      : info(std::move(about)), read(std::move(reads)), write(std::move(writes)) {}

  const std::string& name() const { return info.key; }

  /// Returns the row, which now calls `also` after it has read its key.
  KeyRow then(void (*also)(Of& to)) && {
    read = [first = std::move(read), also](const Setting& setting, const auto& directory, Of& to) {
      first(setting, directory, to);
      also(to);
    };
    return std::move(*this);
  }
  /// Returns the row, which now writes nothing if `is_implied`.
  KeyRow unless(bool (*is_implied)(const Of& of)) && {
    write = [first = std::move(write), is_implied](const Of& of) {
      return is_implied(of) ? std::string() : first(of);
    };
    return std::move(*this);
  }
  /// Returns the row with `words` as its default in the table of keys, instead of what a default `Of` writes.
  KeyRow by_default(std::string words) && {
    info.default_value = std::move(words);
    return std::move(*this);
  }
  /// Returns the row with `link` as KeyInfo::link.
  KeyRow see(std::string link) && {
    info.link = std::move(link);
    return std::move(*this);
  }
};

/// Appends the rows for the member `part` of `Whole` to the rows for `Whole`. Their names get the prefix
/// "TABLE." unless `table` is empty.
template <class Whole, class Part>
void add_table(std::vector<KeyRow<Whole>>& rows, const std::string& table, Part Whole::*part,
               std::vector<KeyRow<Part>> rows_of_part) {
  for (KeyRow<Part>& row : rows_of_part) {
    if (!table.empty()) row.info.key = table + "." + row.info.key;
    rows.emplace_back(
        std::move(row.info),
        [part, read = std::move(row.read)](const Setting& setting, const std::filesystem::path& directory,
                                           Whole& to) { read(setting, directory, to.*part); },
        [part, write = std::move(row.write)](const Whole& of) { return write(of.*part); });
  }
}

template <class Of>
std::vector<std::string> names_of(const std::vector<KeyRow<Of>>& rows) {
  std::vector<std::string> names;
  for (const KeyRow<Of>& row : rows) names.push_back(row.name());
  return names;
}

/// Reads `setting` with the row of its key; does nothing if no row has that key.
template <class Of>
void read_key(const std::vector<KeyRow<Of>>& rows, const Setting& setting,
              const std::filesystem::path& directory, Of& to) {
  const auto row = std::ranges::find(rows, setting.key, &KeyRow<Of>::name);
  if (row != rows.end()) row->read(setting, directory, to);
}

}  // namespace hearsay
