#include "runtime/settings/sweep_settings.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/settings/former_keys.hpp"
#include "runtime/settings/run_file.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/settings/sweep_folders.hpp"
#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

/// A sweep of more runs is most likely a mistake: an axis too many.
constexpr std::size_t most_points = 10'000;

struct Variant {
  std::string name;
  std::vector<Setting> settings;
};

struct Axis {
  std::string key;
  std::vector<Setting> values;
};

/// The keys of [sweep], before the points are made of them.
struct SweepTable {
  Sweep::Driver driver = Sweep::Driver::run;
  std::optional<Setting> baseline;
  std::uint64_t repeat = 1;
  std::optional<Axis> seeds;  ///< instead of those that count on from run.seed
  std::optional<Setting> tune;
  std::optional<std::string> title;
  std::vector<std::string> not_reproduced;
  std::vector<std::string> about;
  std::vector<SweepClaim> claims;
  std::vector<Variant> variants;
  std::vector<Axis> axes;      ///< those that are tuned away last
  std::size_t tuned_axes = 0;  ///< how many of them
};

std::string as_written(const TomlValue& value) {
  const auto* const text = std::get_if<std::string>(&value.data);
  return text ? *text : toml_text(value);
}

/// Throws Misuse for run.name and run.output, which belong to the whole sweep: its folders are made of them.
void refuse_the_sweeps_own(const Setting& setting) {
  if (setting.key == "run.name" || setting.key == "run.output")
    throw Misuse(setting.label() + ": the same for all points of a sweep, so it belongs in [run]");
}

std::vector<Variant> read_variants(const Setting& array) {
  std::vector<Variant> variants;
  for (SettingTable& table : tables_of(array)) {
    const Setting& name = table.required("name");
    if (std::ranges::find(variants, name.name(), &Variant::name) != variants.end())
      name.refuse("a name of its own for each variant");
    Variant variant{name.name(), {}};
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

/// Returns the keys of [sweep] that are no axes. They are never written, because a resolved run has no sweep.
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
       "axes that are tuned, not compared: every variant gets its best value, chosen on separate seeds"},
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
       "what the results have to show; a claim that does not hold is reported, and gives exit code 5"},
      {"sweep.not_reproduced", &SweepTable::not_reproduced, kinds::texts(), "sweep",
       "sentences below the claims: what of a paper the results do not show"},
  };
  return rows;
}

Axis read_axis(const Setting& setting) {
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
  Axis axis{setting.key, {}};
  std::set<std::string> seen;
  for (const TomlValue& element : *elements) {
    if (!seen.insert(toml_text(element)).second) setting.refuse("each value once");
    axis.values.push_back({setting.key, element});
  }
  return axis;
}

void require_baseline_is_variant(const Setting& baseline, const std::vector<Variant>& variants) {
  if (std::ranges::find(variants, baseline.name(), &Variant::name) != variants.end()) return;
  std::string names;
  for (const Variant& variant : variants) names += (names.empty() ? "" : ", ") + toml_text(variant.name);
  if (names.empty()) baseline.refuse("variants to choose it from, [[sweep.variant]]");
  baseline.refuse("the name of a variant: " + names);
}

/// Throws Misuse for a claim of what the sweep has not.
void require_claims(const std::string& label, const SweepTable& table) {
  std::vector<std::string> variants;
  for (const Variant& variant : table.variants) variants.push_back(variant.name);
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
    const auto axis = std::ranges::find(table.axes, key.name(), &Axis::key);
    if (axis == table.axes.end())
      key.refuse("the key of an axis of [sweep], such as algorithm.step_size = [0.05, 0.1, 0.2]");
    if (axis >= table.axes.end() - static_cast<std::ptrdiff_t>(table.tuned_axes)) key.refuse("each key once");
    if (axis->values.size() < 2) key.refuse("an axis with at least two values to choose from");
    std::rotate(axis, axis + 1, table.axes.end());
    ++table.tuned_axes;
  }
}

SweepTable read_table(const std::vector<Setting>& settings) {
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

/// How many seeds every point is run with.
std::size_t repeats_of(const SweepTable& table) {
  return table.seeds ? table.seeds->values.size() : static_cast<std::size_t>(table.repeat);
}

/// Returns the seed of a repetition of a run whose own seed is `first`.
std::uint64_t seed_of(const SweepTable& table, std::uint64_t first, std::size_t repetition) {
  if (table.seeds) return table.seeds->values[repetition].count(0);
  if (first > Setting::largest_count - repetition)
    throw Misuse("run.seed", std::to_string(first),
                 "the seeds of sweep.repeat = " + std::to_string(table.repeat) +
                     " count on from it; expected at most " +
                     std::to_string(Setting::largest_count - table.repeat + 1));
  return first + repetition;
}

void refuse_assigned_axes(const SweepTable& table, const std::vector<Setting>& assigned) {
  const auto check = [&](const std::vector<Setting>& settings) {
    for (const Setting& setting : settings)
      if ((table.seeds && setting.key == table.seeds->key) ||
          std::ranges::find(table.axes, setting.key, &Axis::key) != table.axes.end())
        throw Misuse(setting.label() + ": an axis of the sweep already sets it");
  };
  for (const Variant& variant : table.variants) {
    check(variant.settings);
    for (const Setting& setting : variant.settings)
      if (setting.key == "run.seed" && repeats_of(table) > 1)
        throw Misuse(setting.label() +
                     ": variants that are repeated are compared seed by seed, so give it in [run]");
  }
  check(assigned);
}

/// Returns the number of combinations of axis values. Throws Misuse if there are too many points.
std::size_t combinations_of(const SweepTable& table) {
  const auto refuse_many = [&](const std::string& label) {
    throw Misuse(label + ": more than " + std::to_string(most_points) +
                 " points, expected fewer axes, values or repeats");
  };
  std::size_t combinations = 1;
  if (repeats_of(table) > most_points / table.variants.size())
    refuse_many("sweep.repeat = " + std::to_string(repeats_of(table)));
  for (const Axis& axis : table.axes) {
    combinations *= axis.values.size();
    if (combinations > most_points / (table.variants.size() * repeats_of(table)))
      refuse_many(axis.values.front().label());
  }
  return combinations;
}

/// Moves the command line's "sweep." settings into `sweep`, where they replace earlier ones. Returns the
/// rest.
std::vector<Setting> assign_to_sweep(std::vector<Setting> assigned, std::vector<Setting>& sweep) {
  const std::string prefix = "sweep.";
  std::vector<Setting> rest;
  for (Setting& setting : assigned) {
    if (setting.key == "sweep") setting.refuse("a key of [sweep], such as sweep.repeat=10");
    if (!setting.key.starts_with(prefix)) {
      rest.push_back(std::move(setting));
      continue;
    }
    setting.key.erase(0, prefix.size());
    const auto old = std::ranges::find(sweep, setting.key, &Setting::key);
    if (old == sweep.end())
      sweep.push_back(std::move(setting));
    else
      *old = std::move(setting);
  }
  return rest;
}

}  // namespace

Sweep load_sweep(const fs::path& file, const std::vector<std::string>& assignments) {
  return parse_sweep(read_text_file(file), fs::absolute(file).parent_path(), assignments, file);
}

Sweep parse_sweep(std::string_view toml_text, const fs::path& directory,
                  const std::vector<std::string>& assignments, const std::string& file_name_for_messages) {
  RunFile base(toml_text, file_name_for_messages);
  std::vector<Setting> sweep_settings = base.take_sweep();
  const std::vector<Setting> assigned = assign_to_sweep(parse_assignments(assignments), sweep_settings);
  const SweepTable table = read_table(sweep_settings);
  refuse_assigned_axes(table, assigned);

  const std::size_t combinations = combinations_of(table);
  const std::size_t repeats = repeats_of(table);
  const std::size_t kept_axes = table.axes.size() - table.tuned_axes;
  Sweep sweep{.driver = table.driver,
              .baseline = table.baseline ? table.baseline->name() : "",
              .output = {},
              .points = {},
              .repeats = repeats,
              .tuned = {},
              .title = table.title.value_or(""),
              .about = table.about,
              .claims = table.claims,
              .not_reproduced = table.not_reproduced};
  std::size_t candidates = 1;
  for (std::size_t k = kept_axes; k < table.axes.size(); ++k) {
    candidates *= table.axes[k].values.size();
    sweep.tuned.push_back({table.axes[k].key, {}});
    for (const Setting& value : table.axes[k].values)
      sweep.tuned.back().values.push_back(as_written(value.value));
  }
  // A variant's folder is chosen at its first point, so that all its points share it.
  SweepFolders variant_folders;
  for (const Variant& variant : table.variants) {
    fs::path variant_folder;
    fs::path folder;
    SweepFolders folders;
    SweepFolders tuned_folders;
    for (std::size_t combination = 0; combination < combinations; ++combination) {
      std::vector<Setting> axis_layer;
      std::size_t remaining = combination;
      for (auto axis = table.axes.rbegin(); axis != table.axes.rend(); ++axis) {
        axis_layer.insert(axis_layer.begin(), axis->values[remaining % axis->values.size()]);
        remaining /= axis->values.size();
      }
      RunFile file = base;
      file.assign(variant.settings);
      file.assign(axis_layer);
      file.assign(assigned);
      SweepPoint point{variant.name, {}, {}, {}, file.resolve(directory), {}};
      const std::uint64_t first_seed = point.run.run.seed;
      sweep.output = point.run.run.output;
      if (combination == 0) {
        if (&variant == &table.variants.front() && table.tuned_axes > 0)
          variant_folders.take(sweep.output / tuning_folder);
        variant_folder =
            variant.name.empty() ? sweep.output : variant_folders.take(sweep.output / slug(variant.name));
        // Beside the folder "tuning", not around it.
        if (variant.name.empty() && table.tuned_axes > 0) variant_folder /= "tuned";
      }
      std::string axis_slug;
      std::string tuned_slug;
      for (const Setting& setting : axis_layer) {
        const bool is_tuned = point.axes.size() == kept_axes;
        auto& place = is_tuned ? point.tuned : point.axes;
        std::string& words = is_tuned ? tuned_slug : axis_slug;
        place.emplace_back(setting.key, as_written(setting.value));
        words += (words.empty() ? "" : "_") + slug(place.back().second);
      }
      if (combination % candidates == 0) {
        folder = axis_slug.empty() ? variant_folder : folders.take(variant_folder / axis_slug);
        tuned_folders = {};
      }
      if (!tuned_slug.empty()) point.tuned_folder = tuned_folders.take(tuned_slug);
      for (std::size_t repetition = 0; repetition < repeats; ++repetition) {
        point.repetition = repetition;
        point.run.run.seed = seed_of(table, first_seed, repetition);
        point.folder = repeats == 1 ? folder : folder / ("seed-" + std::to_string(point.run.run.seed));
        point.run.run.output = point.folder;
        sweep.points.push_back(point);
      }
    }
  }
  return sweep;
}

std::vector<KeyInfo> sweep_keys() {
  std::vector<KeyInfo> keys;
  for (const KeyRow<SweepTable>& row : sweep_rows()) {
    keys.push_back(row.info);
    keys.back().link = "../../tools/sweep/README.md";
    keys.back().default_value = row.write({});
    if (keys.back().default_value.empty()) keys.back().default_value = "none";
  }
  keys.push_back({"sweep.KEY", "array of values of KEY, any key of a run", "none", "sweep",
                  "an axis: every value with every variant", "../../tools/sweep/README.md"});
  return keys;
}

}  // namespace hearsay
