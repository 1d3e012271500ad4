#include "runtime/settings/sweep_settings.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/settings/run_file.hpp"
#include "runtime/settings/sweep_folders.hpp"
#include "runtime/settings/sweep_table.hpp"
#include "runtime/toml/document.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

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
    if (is_unset(setting))
      std::erase_if(sweep, [&](const Setting& earlier) { return earlier.key == setting.key; });
    else if (old == sweep.end())
      sweep.push_back(std::move(setting));
    else
      *old = std::move(setting);
  }
  return rest;
}

/// Returns the values of all axes in one of their combinations. The last axis changes fastest.
std::vector<Setting> values_in(const SweepTable& table, std::size_t combination) {
  std::vector<Setting> values;
  for (auto axis = table.axes.rbegin(); axis != table.axes.rend(); ++axis) {
    values.insert(values.begin(), axis->values[combination % axis->values.size()]);
    combination /= axis->values.size();
  }
  return values;
}

/// Returns the name of a folder for these values of axes.
std::string slug_of(const std::vector<std::pair<std::string, std::string>>& values) {
  std::string words;
  for (const auto& [key, value] : values) words += (words.empty() ? "" : "_") + slug(value);
  return words;
}

/// Makes the points of a sweep, with the folders for their results.
class PointMaker {
 public:
  /// `base` is the run file without its [sweep], `assigned` the command line. Fills in the sweep's output and
  /// points.
  PointMaker(const SweepTable& table, const RunFile& base, const std::vector<Setting>& assigned,
             const fs::path& directory, Sweep& sweep)
      : table_(table),
        base_(base),
        assigned_(assigned),
        directory_(directory),
        sweep_(sweep),
        kept_axes_(table.axes.size() - table.tuned_axes) {
    for (std::size_t k = kept_axes_; k < table.axes.size(); ++k) candidates_ *= table.axes[k].values.size();
  }

  /// Adds the points of a variant, one for each of the `combinations` of the axes' values.
  void add(const SweepVariant& variant, std::size_t combinations) {
    fs::path variant_folder;
    fs::path folder;
    SweepFolders folders;
    SweepFolders tuned_folders;
    for (std::size_t combination = 0; combination < combinations; ++combination) {
      SweepPoint point = point_of(variant, combination);
      sweep_.output = point.run.run.output;
      // A variant's folder is chosen at its first point, so that all its points share it.
      if (combination == 0) variant_folder = folder_of(variant);
      if (combination % candidates_ == 0) {
        const std::string words = slug_of(point.axes);
        folder = words.empty() ? variant_folder : folders.take(variant_folder / words);
        tuned_folders = {};
      }
      const std::string tuned_words = slug_of(point.tuned);
      if (!tuned_words.empty()) point.tuned_folder = tuned_folders.take(tuned_words);
      add_repetitions(std::move(point), folder);
    }
  }

 private:
  SweepPoint point_of(const SweepVariant& variant, std::size_t combination) const {
    const std::vector<Setting> values = values_in(table_, combination);
    RunFile file = base_;
    file.assign(variant.settings);
    file.assign(values);
    file.assign(assigned_);
    SweepPoint point{variant.name, {}, {}, {}, file.resolve(directory_), {}};
    for (const Setting& value : values) {
      auto& place = point.axes.size() == kept_axes_ ? point.tuned : point.axes;
      place.emplace_back(value.key, as_written(value.value));
    }
    return point;
  }

  fs::path folder_of(const SweepVariant& variant) {
    if (sweep_.points.empty() && table_.tuned_axes > 0) variant_folders_.take(sweep_.output / tuning_folder);
    if (!variant.name.empty()) return variant_folders_.take(sweep_.output / slug(variant.name));
    // Beside the folder "tuning", not around it.
    return table_.tuned_axes > 0 ? sweep_.output / "tuned" : sweep_.output;
  }

  void add_repetitions(SweepPoint point, const fs::path& folder) {
    const std::uint64_t first_seed = point.run.run.seed;
    for (std::size_t repetition = 0; repetition < sweep_.repeats; ++repetition) {
      point.repetition = repetition;
      point.run.run.seed = table_.seed_of(first_seed, repetition);
      point.folder = sweep_.repeats == 1 ? folder : folder / ("seed-" + std::to_string(point.run.run.seed));
      point.run.run.output = point.folder;
      sweep_.points.push_back(point);
    }
  }

  const SweepTable& table_;
  const RunFile& base_;
  const std::vector<Setting>& assigned_;
  const fs::path& directory_;
  Sweep& sweep_;
  std::size_t kept_axes_;       // those that are not tuned away
  std::size_t candidates_ = 1;  // points that differ in tuned axes only
  SweepFolders variant_folders_;
};

/// Returns the setting without which a run does not have the figure; empty if it has it.
std::string missing_for(const std::string& figure, const RunSettings::Run& run) {
  if (figure.ends_with("_to_target") && !run.target_loss) return "run.target_loss";
  const bool is_of_peers = figure == "loss_worst" || figure == "loss_spread";
  if (is_of_peers && run.evaluate != RunSettings::Run::Evaluate::peers) return "run.evaluate = \"peers\"";
  return "";
}

bool is_about(const SweepClaim& claim, const SweepPoint& point) {
  const auto is_there = [&](const auto& at) {
    const auto axis = std::ranges::find(point.axes, at.first, [](const auto& one) { return one.first; });
    return axis == point.axes.end() || std::ranges::find(at.second, axis->second) != at.second.end();
  };
  return (std::ranges::find(claim.ascending, point.variant, &ClaimTerm::variant) != claim.ascending.end() ||
          claim.minus.variant == point.variant) &&
         std::ranges::all_of(claim.at, is_there);
}

/// Throws Misuse for a claim of a figure that a run of the sweep does not have. Without it, the user would
/// learn of that once all runs are done.
void require_figures(const Sweep& sweep) {
  for (const SweepClaim& claim : sweep.claims)
    for (const SweepPoint& point : sweep.points)
      if (const std::string missing = missing_for(claim.figure, point.run.run);
          !missing.empty() && is_about(claim, point))
        throw Misuse("the claim " + toml_text(claim.says) + " is of " + claim.figure + ", which " +
                     toml_text(point.variant) + " does not have without " + missing + "; expected " +
                     missing);
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
  const SweepTable table = read_sweep_table(sweep_settings);
  refuse_assigned_axes(table, assigned);

  const std::size_t combinations = table.combinations();
  Sweep sweep{.driver = table.driver,
              .baseline = table.baseline ? table.baseline->name() : "",
              .output = {},
              .points = {},
              .repeats = table.repeats(),
              .tuned = {},
              .title = table.title.value_or(""),
              .about = table.about,
              .claims = table.claims,
              .not_reproduced = table.not_reproduced};
  for (std::size_t k = table.axes.size() - table.tuned_axes; k < table.axes.size(); ++k) {
    sweep.tuned.push_back({table.axes[k].key, {}});
    for (const Setting& value : table.axes[k].values)
      sweep.tuned.back().values.push_back(as_written(value.value));
  }
  PointMaker points(table, base, assigned, directory, sweep);
  for (const SweepVariant& variant : table.variants) points.add(variant, combinations);
  require_figures(sweep);
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
