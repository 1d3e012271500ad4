#include "runtime/settings/sweep_settings.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <variant>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/settings/run_file.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/setting_table.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

/// A sweep of more runs is most likely a mistake: an axis too many.
constexpr std::size_t most_points = 10'000;
constexpr std::size_t longest_slug = 100;

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
  std::vector<Variant> variants;
  std::vector<Axis> axes;
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
  static const std::vector<KeyRow<SweepTable>> rows = {
      {"sweep.driver", &SweepTable::driver, kinds::choice<Sweep::Driver>({"run", "simulate"}), "sweep",
       "real processes, or virtual time"},
      {"sweep.baseline",
       &SweepTable::baseline,
       {"name of a variant", [](const Setting& setting, const fs::path&) { return setting; }, not_written},
       "sweep",
       "what the other variants are compared with"},
      {"sweep.variant",
       &SweepTable::variants,
       {"tables: name, and any key of a run",
        [](const Setting& setting, const fs::path&) { return read_variants(setting); }, not_written},
       "sweep",
       "rows of the sweep's table"},
  };
  return rows;
}

Axis read_axis(const Setting& setting) {
  if (setting.key.find('.') == std::string::npos)
    require_known_keys({{"sweep." + setting.key, setting.value}}, names_of(sweep_rows()));
  require_known_keys({setting}, run_file_keys());
  refuse_the_sweeps_own(setting);
  const auto* const elements = std::get_if<TomlArray>(&setting.value.data);
  if (elements == nullptr || elements->empty())
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

SweepTable read_table(const std::vector<Setting>& settings) {
  SweepTable table;
  for (const Setting& setting : settings) {
    const Setting own{"sweep." + setting.key, setting.value};
    if (std::ranges::find(sweep_rows(), own.key, &KeyRow<SweepTable>::name) != sweep_rows().end())
      read_key(sweep_rows(), own, {}, table);
    else
      table.axes.push_back(read_axis(setting));
  }
  if (table.baseline) require_baseline_is_variant(*table.baseline, table.variants);
  if (table.variants.empty()) table.variants.emplace_back();
  return table;
}

/// Returns a folder name for any text: "5-mbit-s" for "5 Mbit/s".
std::string slug(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool upper = c >= 'A' && c <= 'Z';
    const bool kept = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_';
    if (upper)
      result += static_cast<char>(c - 'A' + 'a');
    else if (kept)
      result += c;
    else if (!result.empty() && result.back() != '-')
      result += '-';
  }
  result.resize(std::min(result.size(), longest_slug));
  while (!result.empty() && (result.back() == '-' || result.back() == '.')) result.pop_back();
  result.erase(0, result.find_first_not_of('.'));
  return result.empty() ? "x" : result;
}

/// Makes folder names unique: if two values have the same slug, the later folder gets a number, "5-mbit-s-2".
class Folders {
 public:
  fs::path take(const fs::path& wanted) {
    fs::path folder = wanted;
    for (std::size_t number = 2; !taken_.insert(folder).second; ++number)
      folder = wanted.string() + "-" + std::to_string(number);
    return folder;
  }

 private:
  std::set<fs::path> taken_;
};

void refuse_assigned_axes(const SweepTable& table, const std::vector<Setting>& assigned) {
  const auto check = [&](const std::vector<Setting>& settings) {
    for (const Setting& setting : settings)
      if (std::ranges::find(table.axes, setting.key, &Axis::key) != table.axes.end())
        throw Misuse(setting.label() + ": an axis of the sweep already sets it");
  };
  for (const Variant& variant : table.variants) check(variant.settings);
  check(assigned);
}

/// Moves the command line's "sweep." settings into `sweep`, where they replace earlier ones. Returns the
/// rest.
std::vector<Setting> assign_to_sweep(std::vector<Setting> assigned, std::vector<Setting>& sweep) {
  const std::string prefix = "sweep.";
  std::vector<Setting> rest;
  for (Setting& setting : assigned) {
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

  std::size_t combinations = 1;
  for (const Axis& axis : table.axes) {
    combinations *= axis.values.size();
    if (combinations * table.variants.size() > most_points)
      throw Misuse(axis.values.front().label() + ": more than " + std::to_string(most_points) +
                   " points, expected fewer axes or values");
  }

  Sweep sweep{table.driver, table.baseline ? table.baseline->name() : "", {}, {}};
  // A variant's folder is chosen at its first point, so that all its points share it.
  Folders variant_folders;
  for (const Variant& variant : table.variants) {
    fs::path variant_folder;
    Folders folders;
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
      SweepPoint point{variant.name, {}, file.resolve(directory), {}};
      sweep.output = point.run.run.output;
      if (combination == 0)
        variant_folder =
            variant.name.empty() ? sweep.output : variant_folders.take(sweep.output / slug(variant.name));
      std::string axis_slug;
      for (const Setting& setting : axis_layer) {
        point.axes.emplace_back(setting.key, as_written(setting.value));
        axis_slug += (axis_slug.empty() ? "" : "_") + slug(point.axes.back().second);
      }
      point.folder = axis_slug.empty() ? variant_folder : folders.take(variant_folder / axis_slug);
      point.run.run.output = point.folder;
      sweep.points.push_back(std::move(point));
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
