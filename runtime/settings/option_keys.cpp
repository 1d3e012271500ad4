#include "runtime/settings/option_keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <variant>

#include "algorithms/methods/registry.hpp"
#include "runtime/toml/document.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

/// Returns the bounds in words: a least value of 2.2e-308 is "greater than 0".
std::string expectation(const OptionRow::Number& of) {
  const std::string least = of.least == 0.0     ? "of at least 0"
                            : of.least < 1e-300 ? "greater than 0"
                                                : "of at least " + toml_number(of.least);
  const double rounded = std::round(of.most);
  if (rounded > 1e300) return "number " + least;
  return "number " + least + (of.most < rounded ? " and less than " : " and at most ") + toml_number(rounded);
}

ValueKind<double> kind_of(const OptionRow::Number& of) {
  ValueKind<double> kind = kinds::number().named(expectation(of));
  kind.read = [of](const Setting& setting, const fs::path&) {
    const double value = setting.number();
    if (value < of.least || value > of.most) setting.refuse("a " + expectation(of));
    return value;
  };
  return kind;
}

ValueKind<std::uint64_t> kind_of(const OptionRow::Count& of) { return kinds::count(of.least); }

ValueKind<std::string> kind_of(const OptionRow::Text& of) {
  std::string names;
  std::string quoted;
  for (const std::string& choice : of.choices) {
    names += (names.empty() ? "" : ", ") + choice;
    quoted += (quoted.empty() ? "" : " or ") + toml_text(choice);
  }
  ValueKind<std::string> kind = kinds::name().named(!quoted.empty()    ? quoted
                                                    : of.may_be_number ? "spelling or number"
                                                    : of.may_be_count  ? "spelling or whole number"
                                                                       : "spelling");
  kind.read = [of, names](const Setting& setting, const fs::path&) {
    const bool is_count = std::holds_alternative<std::int64_t>(setting.value.data);
    const bool is_number = is_count || std::holds_alternative<double>(setting.value.data);
    const bool permitted = is_count ? of.may_be_count : is_number && of.may_be_number;
    std::string text = permitted ? toml_number(setting.number()) : setting.name();
    if (!of.choices.empty() && std::ranges::find(of.choices, text) == of.choices.end())
      setting.refuse("one of " + names);
    return text;
  };
  return kind;
}

/// Returns the default of the methods that read the option: "0.9", or "the method's own, 0.05 to 1" if they
/// differ.
std::string default_of(const OptionRow& row) {
  std::vector<std::string> spellings;
  std::vector<double> numbers;
  for (const MethodInfo& method : methods()) {
    if (!method.options.has(row)) continue;
    const std::string spelling = method.options.text(row);
    const bool is_text = std::holds_alternative<OptionRow::Text>(row.values);
    if (std::holds_alternative<OptionRow::Number>(row.values))
      numbers.push_back(method.options[static_cast<const NumberOption&>(row)]);
    spellings.push_back(is_text ? toml_text(spelling) : spelling);
  }
  if (std::ranges::adjacent_find(spellings, std::ranges::not_equal_to()) == spellings.end())
    return spellings.empty() ? "" : spellings.front();
  if (numbers.empty()) return "the method's own";
  const auto [least, most] = std::ranges::minmax(numbers);
  return "the method's own, " + toml_number(least) + " to " + toml_number(most);
}

template <class Kind>
KeyRow<MethodOptions> option_key(const OptionRow& row, const Kind& permitted) {
  const auto& typed = static_cast<const Option<Kind>&>(row);
  ValueKind<typename Kind::Value> kind = kind_of(permitted);
  return KeyRow<MethodOptions>(
             {row.name, std::move(kind.type), {}, readers_of(row), row.description},
             [&typed, read = std::move(kind.read)](const Setting& setting, const fs::path& directory,
                                                   MethodOptions& to) {
               to.set(typed, read(setting, directory));
             },
             [&typed, write = std::move(kind.write)](const MethodOptions& of) {
               return of.has(typed) ? write(of[typed]) : std::string();
             })
      .by_default(default_of(row));
}

}  // namespace

std::vector<KeyRow<MethodOptions>> method_option_keys() {
  std::vector<KeyRow<MethodOptions>> keys;
  for (const OptionRow* const row : option_rows())
    keys.push_back(
        std::visit([&](const auto& permitted) { return option_key(*row, permitted); }, row->values));
  return keys;
}

}  // namespace hearsay
