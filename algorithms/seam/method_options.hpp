#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace hearsay {

struct RunView;
class Advice;

using OptionValue = std::variant<double, std::uint64_t, std::string>;

/// An option of methods: a key of [algorithm] that only some methods read, with the values that it may have.
/// A row is a constant, which stands in the file of the method that reads it. Those that several methods read
/// stand in parts/shared_options.hpp. A row is known by its address, so there is one of each name.
struct OptionRow {
  struct Number {
    using Value = double;
    double least;
    double most;  ///< inclusive
  };
  struct Count {
    using Value = std::uint64_t;
    std::uint64_t least = 0;
  };
  struct Text {
    using Value = std::string;
    std::vector<std::string> choices = {};  ///< if empty, the method parses the text itself
    bool may_be_count = false;              ///< a whole number may be written without quotes
    bool may_be_number = false;             ///< any number may
  };
  std::string name;  ///< "consensus_step"
  std::variant<Number, Count, Text> values;
  std::string description;  ///< one clause, for the reference of keys

  /// Judges the value in a run whose method reads the option. Null if nothing is to be said of it.
  void (*check)(const RunView& view, Advice& advice);

  OptionRow(std::string of_key, std::variant<Number, Count, Text> permitted, std::string says,
            void (*judge)(const RunView&, Advice&) = nullptr)
      : name(std::move(of_key)), values(std::move(permitted)), description(std::move(says)), check(judge) {}
  OptionRow(const OptionRow&) = delete;
  OptionRow& operator=(const OptionRow&) = delete;
};

// Bounds of OptionRow::Number.
inline constexpr double above_0 = std::numeric_limits<double>::min();
inline constexpr double below_1 = 1.0 - std::numeric_limits<double>::epsilon();
inline constexpr double any_number = std::numeric_limits<double>::max();

/// A row whose values are of one type, by which a method reads it: `options[option::consensus_step]`.
template <class Kind>
struct Option : OptionRow {
  using Value = typename Kind::Value;
  Option(std::string of_key, Kind permitted, std::string says,
         void (*judge)(const RunView&, Advice&) = nullptr)
      : OptionRow(std::move(of_key), std::move(permitted), std::move(says), judge) {}
};
using NumberOption = Option<OptionRow::Number>;
using CountOption = Option<OptionRow::Count>;
using TextOption = Option<OptionRow::Text>;

/// Values of options. A MethodOptions holds what the user set, or the defaults of all that a method reads
/// (MethodInfo::options), or the complete options from which a method is built.
///
///     MethodOptions{{option::local_steps, 4}, {option::outer, "none(1)"}}
///
/// Two are equal if they have the same values, in whatever order these were set.
class MethodOptions {
 public:
  struct Entry {
    const OptionRow* row;
    OptionValue value;

    template <class Kind>
    Entry(const Option<Kind>& of, std::type_identity_t<typename Kind::Value> to)
        : row(&of), value(std::move(to)) {}
    Entry(const OptionRow& of, OptionValue to) : row(&of), value(std::move(to)) {}
    /// Returns the value as a user would write it.
    std::string text() const;
    bool operator==(const Entry&) const = default;
  };

  MethodOptions() = default;
  /// Each row at most once.
  MethodOptions(std::initializer_list<Entry> entries);

  bool has(const OptionRow& row) const { return entry(row) != nullptr; }
  /// Returns the value of an option that is set.
  template <class Kind>
  const typename Kind::Value& operator[](const Option<Kind>& row) const {
    return *std::get_if<typename Kind::Value>(&set_entry(row).value);
  }
  /// Returns the value; empty if it is not set.
  template <class Kind>
  std::optional<typename Kind::Value> find(const Option<Kind>& row) const {
    return has(row) ? std::optional((*this)[row]) : std::nullopt;
  }
  /// Returns the value of an option that is set, as a user would write it.
  std::string text(const OptionRow& row) const { return set_entry(row).text(); }

  template <class Kind>
  void set(const Option<Kind>& row, std::type_identity_t<typename Kind::Value> value) {
    put({row, std::move(value)});
  }
  void put(Entry entry);
  void clear(const OptionRow& row);

  auto begin() const { return entries_.begin(); }  ///< in the order in which they were first set
  auto end() const { return entries_.end(); }
  bool empty() const { return entries_.empty(); }

  bool operator==(const MethodOptions& other) const;

 private:
  const Entry* entry(const OptionRow& row) const;
  const Entry& set_entry(const OptionRow& row) const;

  std::vector<Entry> entries_ = {};
};

}  // namespace hearsay
