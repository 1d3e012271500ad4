#include "runtime/settings/sweep_claims.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <variant>

#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/nearest_name.hpp"

namespace hearsay {

namespace {

/// The numbers of summary.json that can be compared from one variant to another.
constexpr std::array<std::string_view, 16> figures = {"loss",
                                                      "accuracy",
                                                      "loss_worst",
                                                      "loss_spread",
                                                      "consensus_distance",
                                                      "seconds",
                                                      "iterations",
                                                      "bytes_sent",
                                                      "messages_sent",
                                                      "gossip_rounds",
                                                      "seconds_to_target",
                                                      "bytes_to_target",
                                                      "rounds_to_target",
                                                      "spectral_gap",
                                                      "bits_per_parameter_and_gradient",
                                                      "computing_share"};

/// Returns the number that `text` begins with, and moves behind it and the " * " that follows. Empty if it
/// does not begin so.
std::optional<double> taken_factor(std::string_view& text) {
  double factor = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), factor);
  if (error != std::errc() || !std::isfinite(factor)) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  constexpr std::string_view times = " * ";
  if (!rest.starts_with(times)) return std::nullopt;
  text = rest.substr(times.size());
  return factor;
}

ClaimTerm term_of(const Setting& term) {
  if (!std::holds_alternative<std::string>(term.value.data)) return {term.number(), {}};
  std::string_view variant = term.name();
  const double factor = taken_factor(variant).value_or(1.0);
  if (factor == 0.0) term.refuse("a factor other than 0, since a figure times 0 says nothing");
  return {factor, std::string(variant)};
}

std::vector<ClaimTerm> terms_of(const Setting& setting) {
  const auto* const elements = std::get_if<TomlArray>(&setting.value.data);
  if (elements == nullptr || elements->size() < 2)
    setting.refuse("an array of variants and numbers, each less than the next, such as [\"DCD\", 0.5]");
  std::vector<ClaimTerm> terms;
  for (const TomlValue& element : *elements) terms.push_back(term_of({setting.key, element}));
  if (std::ranges::all_of(terms, [](const ClaimTerm& term) { return term.variant.empty(); }))
    setting.refuse("at least one variant among the numbers");
  return terms;
}

std::string text_of(const TomlValue& value) {
  const auto* const text = std::get_if<std::string>(&value.data);
  return text ? *text : toml_text(value);
}

/// The value of an axis, or an array of them.
std::vector<std::string> values_of(const Setting& setting) {
  const auto* const elements = std::get_if<TomlArray>(&setting.value.data);
  if (elements == nullptr) return {text_of(setting.value)};
  if (elements->empty()) setting.refuse("at least one value");
  std::vector<std::string> values;
  for (const TomlValue& element : *elements) values.push_back(text_of(element));
  return values;
}

SweepClaim claim_of(const SettingTable& table) {
  const std::string own = table.array + ".";
  const std::string at = own + "at.";
  SweepClaim claim{table.required("says").name(), {}, {0.0, {}}, {}, {}, {}};
  for (const Setting& setting : table.settings) {
    if (setting.key == own + "figure") {
      claim.figure = setting.name();
      if (std::ranges::find(figures, claim.figure) == figures.end()) {
        std::string names;
        for (const std::string_view figure : figures)
          names += (names.empty() ? "" : ", ") + std::string(figure);
        setting.refuse("one of " + names);
      }
    } else if (setting.key == own + "minus") {
      claim.minus = term_of(setting);
    } else if (setting.key == own + "ascending") {
      claim.ascending = terms_of(setting);
    } else if (setting.key == own + "diverge") {
      claim.diverge = setting.texts();
    } else if (setting.key.starts_with(at)) {
      claim.at.emplace_back(setting.key.substr(at.size()), values_of(setting));
    } else {
      require_known_keys({setting}, {own + "says", own + "figure", own + "minus", own + "ascending",
                                     own + "diverge", own + "at.KEY"});
    }
  }
  if (claim.ascending.empty() == claim.diverge.empty())
    table.required("says").refuse(
        "that the claim has either ascending = [..] with a figure, or diverge = [..]");
  if (!claim.ascending.empty() && claim.figure.empty()) static_cast<void>(table.required("figure"));
  return claim;
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + toml_text(name);
  return text;
}

}  // namespace

std::vector<SweepClaim> read_claims(const Setting& array) {
  std::vector<SweepClaim> claims;
  for (const SettingTable& table : tables_of(array)) claims.push_back(claim_of(table));
  return claims;
}

void require_claims_are_of(const std::string& label, const std::vector<SweepClaim>& claims,
                           const std::vector<std::string>& variants,
                           const std::vector<std::pair<std::string, std::vector<std::string>>>& axes) {
  for (const SweepClaim& claim : claims) {
    std::vector<std::string> named = claim.diverge;
    for (const ClaimTerm& term : claim.ascending)
      if (!term.variant.empty()) named.push_back(term.variant);
    if (!claim.minus.variant.empty()) named.push_back(claim.minus.variant);
    for (const std::string& name : named)
      if (std::ranges::find(variants, name) == variants.end())
        throw Misuse(label + ": the claim " + toml_text(claim.says) + " is of " + toml_text(name) +
                     ", which is no variant" + did_you_mean(name, variants, "\""));
    for (const auto& [key, values] : claim.at) {
      const auto axis = std::ranges::find(axes, key, [](const auto& one) { return one.first; });
      if (axis == axes.end())
        throw Misuse(label + ": the claim " + toml_text(claim.says) + " is of places on " + key +
                     ", which is no axis of the sweep");
      for (const std::string& value : values)
        if (std::ranges::find(axis->second, value) == axis->second.end())
          throw Misuse(label + ": the claim " + toml_text(claim.says) + " is of " + key + " = " + value +
                       ", where the sweep has " + listed(axis->second));
    }
  }
}

}  // namespace hearsay
