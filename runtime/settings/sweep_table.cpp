#include "runtime/settings/sweep_table.hpp"

#include <algorithm>
#include <set>
#include <utility>
#include <variant>

#include "runtime/settings/former_keys.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// A sweep of more runs is most likely a mistake: an axis too many.
constexpr std::size_t most_points = 10'000;

/// Throws Misuse for run.name and run.output, which belong to the whole sweep: its folders are made of them.
void refuse_the_sweeps_own(const Setting& setting) {
  if (setting.key == "run.name" || setting.key == "run.output")
    throw Misuse(setting.label() + ": the same for all points of a sweep, so it belongs in [run]");
}

std::vector<SweepVariant> read_variants(const Setting& array) {
  std::vector<SweepVariant> variants;
  for (SettingTable& table : tables_of(array)) {
    const Setting& name = table.required("name");
    if (std::ranges::find(variants, name.name(), &SweepVariant::name) != variants.end())
      name.refuse("a name of its own for each variant");
    SweepVariant variant{name.name(), {}};
    for (Setting& setting : table.settings) {
      if (&setting == &name) continue;
      setting.key.erase(0, array.key.size() + 1);
      refuse_the_sweeps_own(setting);
      variant.settings.push_back(setting);
    }
    variants.push_back(std::move(variant));
  }
  return variants;
}

}  // namespace

std::string as_written(const TomlValue& value) {
  const auto* const text = std::get_if<std::string>(&value.data);
  return text ? *text : toml_text(value);
}

const std::vector<KeyRow<SweepTable>>& sweep_rows() {
  const auto not_written = [](const auto&) { return std::string(); };
  const auto as_it_stands = [](const Setting& setting, const fs::path&) { return setting; };
  static const std::vector<KeyRow<SweepTable>> rows = {
      {"sweep.driver", &SweepTable::driver, kinds::choice<Sweep::Driver>({"run", "simulate"}), "sweep",
       "real processes, or virtual time"},
      {"sweep.baseline",
       &SweepTable::baseline,
       {"name of a variant", as_it_stands, not_written},
       "sweep",
       "what the other variants are compared with"},
      {"sweep.repeat", &SweepTable::repeat, kinds::count(1), "sweep",
       "runs of every point, with the seeds run.seed, run.seed + 1, ...; figures get 95 % intervals"},
      {"sweep.tune",
       &SweepTable::tune,
       {"array of keys of axes", as_it_stands, not_written},
       "sweep",
       "axes that are tuned away: every variant gets the best value, chosen on seeds of its own"},
      {"sweep.variant",
       &SweepTable::variants,
       {"tables: name, and any key of a run",
        [](const Setting& setting, const fs::path&) { return read_variants(setting); }, not_written},
       "sweep",
       "rows of the sweep's table"},
      {"sweep.title", &SweepTable::title, kinds::optional(kinds::name()), "sweep",
       "the heading of the sweep on a page"},
      {"sweep.about", &SweepTable::about, kinds::texts(), "sweep",
       "paragraphs over the sweep's figures on a page"},
      {"sweep.claim",
       &SweepTable::claims,
       {"tables: says, figure, ascending, ...",
        [](const Setting& setting, const fs::path&) { return read_claims(setting); }, not_written},
       "sweep",
       "what the results have to show; a claim that does not hold is said, and is exit code 5"},
      {"sweep.not_reproduced", &SweepTable::not_reproduced, kinds::texts(), "sweep",
       "sentences below the claims: what of a paper the results do not show"},
  };
  return rows;
}

namespace {

SweepAxis read_axis(const Setting& setting) {
  if (setting.key.find('.') == std::string::npos)
    require_known_keys({{"sweep." + setting.key, setting.value}}, names_of(sweep_rows()));
  refuse_former_keys({setting}, "");
  require_known_keys({setting}, run_file_keys());
  refuse_the_sweeps_own(setting);
  const auto* const elements = std::get_if<TomlArray>(&setting.value.data);
  if (elements != nullptr && elements->empty())
    setting.refuse("at least one value: a list in [sweep] must not be empty");
  if (elements == nullptr)
    setting.refuse("an array with the axis's values, such as [1, 2], since " + setting.key +
                   " is in [sweep]");
  SweepAxis axis{setting.key, {}};
  std::set<std::string> seen;
  for (const TomlValue& element : *elements) {
    if (!seen.insert(toml_text(element)).second) setting.refuse("each value once");
    axis.values.push_back({setting.key, element});
  }
  return axis;
}

void require_baseline_is_variant(const Setting& baseline, const std::vector<SweepVariant>& variants) {
  if (std::ranges::find(variants, baseline.name(), &SweepVariant::name) != variants.end()) return;
  std::string names;
  for (const SweepVariant& variant : variants) names += (names.empty() ? "" : ", ") + toml_text(variant.name);
  if (names.empty()) baseline.refuse("variants to choose it from, [[sweep.variant]]");
  baseline.refuse("the name of a variant: " + names);
}

/// Throws Misuse for a claim of what the sweep has not.
void require_claims(const std::string& label, const SweepTable& table) {
  std::vector<std::string> variants;
  for (const SweepVariant& variant : table.variants) variants.push_back(variant.name);
  std::vector<std::pair<std::string, std::vector<std::string>>> axes;
  for (std::size_t k = 0; k + table.tuned_axes < table.axes.size(); ++k) {
    axes.emplace_back(table.axes[k].key, std::vector<std::string>());
    for (const Setting& value : table.axes[k].values) axes.back().second.push_back(as_written(value.value));
  }
  require_claims_are_of(label, table.claims, variants, axes);
}

/// Moves the axes that sweep.tune names behind the others, in the order of its keys.
void read_tune(const Setting& tune, SweepTable& table) {
  const auto* const elements = std::get_if<TomlArray>(&tune.value.data);
  if (elements == nullptr || elements->empty())
    tune.refuse("an array of keys of axes, such as [\"algorithm.step_size\"]");
  for (const TomlValue& element : *elements) {
    const Setting key{tune.key, element};
    const auto axis = std::ranges::find(table.axes, key.name(), &SweepAxis::key);
    if (axis == table.axes.end())
      key.refuse("the key of an axis of [sweep], such as algorithm.step_size = [0.05, 0.1, 0.2]");
    if (axis >= table.axes.end() - static_cast<std::ptrdiff_t>(table.tuned_axes)) key.refuse("each key once");
    if (axis->values.size() < 2) key.refuse("an axis with at least two values to choose from");
    if (axis->key == "run.iterations" || axis->key == "run.epochs")
      key.refuse("another axis, since the longest run would mostly be the best");
    std::rotate(axis, axis + 1, table.axes.end());
    ++table.tuned_axes;
  }
}

}  // namespace

SweepTable read_sweep_table(const std::vector<Setting>& settings) {
  SweepTable table;
  for (const Setting& setting : settings) {
    const Setting own{"sweep." + setting.key, setting.value};
    if (std::ranges::find(sweep_rows(), own.key, &KeyRow<SweepTable>::name) != sweep_rows().end())
      read_key(sweep_rows(), own, {}, table);
    else if (setting.key == "run.seed")
      table.seeds = read_axis(setting);
    else
      table.axes.push_back(read_axis(setting));
  }
  if (table.seeds && std::ranges::find(settings, "repeat", &Setting::key) != settings.end())
    throw Misuse(table.seeds->values.front().label() +
                 ": it lists the seeds of the repeats, so give it or sweep.repeat, not both");
  if (table.baseline) require_baseline_is_variant(*table.baseline, table.variants);
  if (table.tune) read_tune(*table.tune, table);
  if (const auto claim = std::ranges::find(settings, "claim", &Setting::key); claim != settings.end())
    require_claims(Setting{"sweep.claim", claim->value}.label(), table);
  if (table.variants.empty()) table.variants.emplace_back();
  return table;
}

std::uint64_t SweepTable::seed_of(std::uint64_t first, std::size_t repetition) const {
  if (seeds) return seeds->values[repetition].count(0);
  if (first > Setting::largest_count - repetition)
    throw Misuse("run.seed", std::to_string(first),
                 "the seeds of sweep.repeat = " + std::to_string(repeat) +
                     " count on from it; expected at most " +
                     std::to_string(Setting::largest_count - repeat + 1));
  return first + repetition;
}

std::size_t SweepTable::combinations() const {
  const auto refuse_many = [&](const std::string& label) {
    throw Misuse(label + ": more than " + std::to_string(most_points) +
                 " points, expected fewer axes, values or repeats");
  };
  std::size_t combinations = 1;
  if (repeats() > most_points / variants.size()) refuse_many("sweep.repeat = " + std::to_string(repeats()));
  for (const SweepAxis& axis : axes) {
    combinations *= axis.values.size();
    if (combinations > most_points / (variants.size() * repeats())) refuse_many(axis.values.front().label());
  }
  return combinations;
}

void refuse_assigned_axes(const SweepTable& table, const std::vector<Setting>& assigned) {
  const auto check = [&](const std::vector<Setting>& settings) {
    for (const Setting& setting : settings)
      if ((table.seeds && setting.key == table.seeds->key) ||
          std::ranges::find(table.axes, setting.key, &SweepAxis::key) != table.axes.end())
        throw Misuse(setting.label() + ": an axis of the sweep already sets it");
  };
  for (const SweepVariant& variant : table.variants) {
    check(variant.settings);
    for (const Setting& setting : variant.settings)
      if (setting.key == "run.seed" && table.repeats() > 1)
        throw Misuse(setting.label() +
                     ": variants that are repeated are compared seed by seed, so give it in [run]");
  }
  check(assigned);
}

}  // namespace hearsay
