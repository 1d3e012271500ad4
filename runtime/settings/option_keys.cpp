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
std::string expectation(const OptionKey::Number& of) {
  const std::string least = of.least == 0.0     ? "of at least 0"
                            : of.least < 1e-300 ? "greater than 0"
                                                : "of at least " + toml_number(of.least);
  const double rounded = std::round(of.most);
  if (rounded > 1e300) return "number " + least;
  return "number " + least + (of.most < rounded ? " and less than " : " and at most ") + toml_number(rounded);
}

ValueKind<double> kind_of(const OptionKey::Number& of) {
  ValueKind<double> kind = kinds::number().named(expectation(of));
  kind.read = [of](const Setting& setting, const fs::path&) {
    const double value = setting.number();
    if (value < of.least || value > of.most) setting.refuse("a " + expectation(of));
    return value;
  };
  return kind;
}

ValueKind<std::uint64_t> kind_of(const OptionKey::Count& of) { return kinds::count(of.least); }

ValueKind<std::string> kind_of(const OptionKey::Text& of) {
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
std::string default_of(const OptionKey& option) {
  std::vector<std::string> spellings;
  std::vector<double> numbers;
  for (const MethodInfo& method : methods()) {
    if (!option.set_in(method.options)) continue;
    const std::string spelling = option.text(method.options);
    const bool is_text = std::holds_alternative<OptionKey::Text>(option.kind);
    if (const auto* const number = std::get_if<OptionKey::Number>(&option.kind))
      numbers.push_back(*(method.options.*number->member));
    spellings.push_back(is_text ? toml_text(spelling) : spelling);
  }
  if (std::ranges::adjacent_find(spellings, std::ranges::not_equal_to()) == spellings.end())
    return spellings.empty() ? "" : spellings.front();
  if (numbers.empty()) return "the method's own";
  const auto [least, most] = std::ranges::minmax(numbers);
  return "the method's own, " + toml_number(least) + " to " + toml_number(most);
}

KeyRow<MethodOptions> option_row(const OptionKey& option) {
  return std::visit(
      [&](const auto& kind) {
        return KeyRow<MethodOptions>(
                   option.name, kind.member, kinds::optional(kind_of(kind)),
                   methods_that([&](const MethodInfo& method) { return option.set_in(method.options); }),
                   option.description)
            .by_default(default_of(option));
      },
      option.kind);
}

}  // namespace

std::vector<KeyRow<MethodOptions>> method_option_keys() {
  std::vector<KeyRow<MethodOptions>> rows;
  for (const OptionKey& option : option_keys()) rows.push_back(option_row(option));
  return rows;
}

}  // namespace hearsay
