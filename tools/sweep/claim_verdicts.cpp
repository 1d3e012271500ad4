#include "tools/sweep/claim_verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include "tools/sweep/sweep_cells.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;
using Axes = decltype(SweepPoint::axes);

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Returns the figure of one run. What a run that diverged, or missed its target, lacks is as bad as can be.
double figure_of(const SweepRow& row, const std::string& figure) {
  const bool diverged = row.exit_code == exit_diverged;
  if (figure.ends_with("_to_target"))
    return row.value(figure.c_str()).is_number() ? row.number(figure.c_str()) : infinity;
  if (diverged && figure == "accuracy") return -infinity;
  if (diverged && (figure.starts_with("loss") || figure == "consensus_distance")) return infinity;
  return row.number(figure.c_str());
}

/// Returns the mean over the seeds.
double figure_of(const SweepCell& cell, const std::string& figure) {
  double sum = 0.0;
  for (const SweepRow* const row : cell.rows) sum += figure_of(*row, figure);
  return sum / static_cast<double>(cell.rows.size());
}

/// The cells of the sweep, found by variant and place. Cells in which a seed is missing are left out.
class Cells {
 public:
  Cells(const Sweep& sweep, const std::vector<SweepRow>& rows) : cells_(cells_of(sweep, rows)) {
    for (const SweepCell& cell : cells_)
      if (cell.rows.size() == sweep.repeats) by_place_[{cell.point().variant, cell.point().axes}] = &cell;
  }

  const SweepCell* find(const std::string& variant, const Axes& axes) const {
    const auto found = by_place_.find({variant, axes});
    return found == by_place_.end() ? nullptr : found->second;
  }

 private:
  std::vector<SweepCell> cells_;
  std::map<std::pair<std::string, Axes>, const SweepCell*> by_place_;
};

/// Returns the places on the axes that a claim is about, in the order of the points.
std::vector<Axes> places_of(const Sweep& sweep, const SweepClaim& claim) {
  const auto counts = [&](const Axes& axes) {
    return std::ranges::all_of(claim.at, [&](const auto& wanted) {
      return std::ranges::any_of(axes, [&](const auto& axis) {
        return axis.first == wanted.first &&
               std::ranges::find(wanted.second, axis.second) != wanted.second.end();
      });
    });
  };
  std::vector<Axes> places;
  for (const SweepPoint& point : sweep.points)
    if (counts(point.axes) && std::ranges::find(places, point.axes) == places.end())
      places.push_back(point.axes);
  return places;
}

std::string axes_text(const Axes& axes) {
  std::string text;
  for (const auto& [key, value] : axes) text += (text.empty() ? "" : ", ") + key + " = " + value;
  return text.empty() ? text : text + ": ";
}

std::string value_text(double value, int digits) {
  return std::isinf(value) ? "infinite" : significant(value, digits);
}

/// Returns with how many digits neighbors that differ look different: four, or as many more as it takes.
int digits_for(const std::vector<double>& values) {
  constexpr int least = 4;
  constexpr int most = std::numeric_limits<double>::max_digits10;
  for (int digits = least; digits < most; ++digits)
    if (std::ranges::adjacent_find(values, [&](double one, double next) {
          return one != next && value_text(one, digits) == value_text(next, digits);
        }) == values.end())
      return digits;
  return most;
}

/// "2 * DCD": the factor, unless it is 1, and the variant.
std::string term_name(const ClaimTerm& term) {
  return (term.factor == 1.0 ? "" : significant(term.factor, 6) + " * ") + term.variant;
}

/// "2 * DCD 0.62": the factor, the variant, and the figure times the factor.
std::string term_text(const ClaimTerm& term, double value, int digits) {
  if (term.variant.empty()) return value_text(value, digits);
  return term_name(term) + " " + value_text(value, digits);
}

/// Returns the figure of a variant times the factor, or the factor alone. Empty if it was not tried.
std::optional<double> value_of(const ClaimTerm& term, const std::string& figure, const Cells& cells,
                               const Axes& axes) {
  if (term.variant.empty()) return term.factor;
  const SweepCell* const cell = cells.find(term.variant, axes);
  if (cell == nullptr) return std::nullopt;
  return term.factor * figure_of(*cell, figure);
}

/// What one place says of a claim: whether it holds there, and what was measured. Empty if it was not tried.
struct AtPlace {
  Verdict verdict = Verdict::not_tried;
  std::string measured;
};

AtPlace ascends(const SweepClaim& claim, const Cells& cells, const Axes& axes) {
  const std::optional<double> minus = value_of(claim.minus, claim.figure, cells, axes);
  if (!minus) return {};
  std::vector<double> values;
  for (const ClaimTerm& term : claim.ascending) {
    const std::optional<double> figure = value_of(term, claim.figure, cells, axes);
    if (!figure) return {};
    values.push_back(term.variant.empty() ? *figure : *figure - term.factor * *minus);
  }
  const int digits = digits_for(values);
  AtPlace place{std::isnan(values.front()) ? Verdict::fails : Verdict::holds,
                axes_text(axes) + term_text(claim.ascending.front(), values.front(), digits)};
  for (std::size_t k = 1; k < values.size(); ++k) {
    const bool is_more = values[k - 1] < values[k];
    place.measured += (is_more ? " < " : " not < ") + term_text(claim.ascending[k], values[k], digits);
    if (!is_more) place.verdict = Verdict::fails;
  }
  return place;
}

AtPlace diverges(const SweepClaim& claim, const Cells& cells, const Axes& axes) {
  AtPlace place{Verdict::holds, axes_text(axes)};
  for (const std::string& variant : claim.diverge) {
    const SweepCell* const cell = cells.find(variant, axes);
    if (cell == nullptr) return {};
    const auto diverged = static_cast<std::size_t>(std::ranges::count(
        cell->rows, static_cast<int>(exit_diverged), [](const SweepRow* row) { return row->exit_code; }));
    if (diverged < cell->rows.size()) place.verdict = Verdict::fails;
    place.measured += (&variant == &claim.diverge.front() ? "" : ", ") + variant +
                      (diverged == cell->rows.size() ? " diverged"
                       : cell->rows.size() == 1      ? " ended as " + cell->rows.front()->status
                                                     : " diverged with " + std::to_string(diverged) + " of " +
                                                      counted(cell->rows.size(), "seed"));
  }
  return place;
}

/// Returns what is taken from the figures: a variant or a number; null if nothing is.
Json minus_of(const SweepClaim& claim) {
  if (!claim.minus.variant.empty()) return term_name(claim.minus);
  return claim.minus.factor == 0.0 ? Json(nullptr) : Json(claim.minus.factor);
}

/// "loss", "bytes sent by all peers": a figure in words that say whose it is.
std::string words_for(const std::string& figure) {
  if (figure == "bytes_sent") return "bytes sent by all peers";
  if (figure == "messages_sent") return "messages sent by all peers";
  if (figure == "bytes_to_target") return "bytes sent per peer to the target";
  std::string words = figure;
  std::ranges::replace(words, '_', ' ');
  return words;
}

/// "loss minus that of gradient descent"; nothing for a claim that has no figure.
std::string words_for(const SweepClaim& claim) {
  if (claim.figure.empty()) return "";
  const Json minus = minus_of(claim);
  return words_for(claim.figure) + (minus.is_string()   ? " minus that of " + minus.get<std::string>()
                                    : minus.is_number() ? " minus " + significant(claim.minus.factor, 9)
                                                        : "");
}

/// Returns the places that the claim is about: {"topology.kind": ["ring"]}.
Json at_of(const SweepClaim& claim) {
  Json at = Json::object();
  for (const auto& [key, values] : claim.at) at[key] = values;
  return at;
}

/// Returns the numbers among the terms.
Json bounds_of(const SweepClaim& claim) {
  Json bounds = Json::array();
  for (const ClaimTerm& term : claim.ascending)
    if (term.variant.empty()) bounds.push_back(term.factor);
  return bounds;
}

const char* verdict_text(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return "holds";
    case Verdict::fails:
      return "FAILS";
    case Verdict::not_tried:
      return "not tried";
  }
  return "";
}

}  // namespace

std::vector<ClaimVerdict> verdicts_on(const Sweep& sweep, const std::vector<SweepRow>& rows) {
  const Cells cells(sweep, rows);
  std::vector<ClaimVerdict> verdicts;
  for (const SweepClaim& claim : sweep.claims) {
    ClaimVerdict verdict{&claim, Verdict::holds, {}};
    bool is_tried = true;
    for (const Axes& axes : places_of(sweep, claim)) {
      AtPlace place = claim.diverge.empty() ? ascends(claim, cells, axes) : diverges(claim, cells, axes);
      if (place.verdict == Verdict::fails) verdict.verdict = Verdict::fails;
      if (place.verdict == Verdict::not_tried)
        is_tried = false;
      else
        verdict.measured.push_back(std::move(place.measured));
    }
    if (!is_tried && verdict.verdict == Verdict::holds) verdict.verdict = Verdict::not_tried;
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

std::string text_of(const std::vector<ClaimVerdict>& verdicts) {
  std::string text;
  for (const ClaimVerdict& verdict : verdicts) {
    text += std::string("\n") + verdict_text(verdict.verdict) + ": " + verdict.claim->says + "\n";
    const std::string words = words_for(*verdict.claim);
    for (const std::string& line : verdict.measured)
      text += "    " + (words.empty() ? "" : words + ": ") + line + "\n";
  }
  return text;
}

std::string not_reproduced_text(const Sweep& sweep) {
  std::string text;
  for (const std::string& sentence : sweep.not_reproduced)
    text += (text.empty() ? "\nDid not reproduce:\n    " : "    ") + sentence + "\n";
  return text;
}

Json record_of(const std::vector<ClaimVerdict>& verdicts) {
  Json record = Json::array();
  for (const ClaimVerdict& verdict : verdicts)
    record.push_back(
        {{"says", verdict.claim->says},
         {"holds",
          verdict.verdict == Verdict::not_tried ? Json(nullptr) : Json(verdict.verdict == Verdict::holds)},
         {"figure", verdict.claim->figure.empty() ? Json(nullptr) : Json(verdict.claim->figure)},
         {"minus", minus_of(*verdict.claim)},
         {"of", words_for(*verdict.claim)},
         {"at", at_of(*verdict.claim)},
         {"bounds", bounds_of(*verdict.claim)},
         {"measured", verdict.measured}});
  return record;
}

}  // namespace hearsay
