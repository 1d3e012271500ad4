#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/settings/sweep_claims.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "runtime/toml/key_row.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

struct SweepVariant {
  std::string name;
  std::vector<Setting> settings;
};

struct SweepAxis {
  std::string key;
  std::vector<Setting> values;
};

/// The keys of [sweep], before the points are made of them.
struct SweepTable {
  Sweep::Driver driver = Sweep::Driver::run;
  std::optional<Setting> baseline;
  std::uint64_t repeat = 1;
  std::optional<SweepAxis> seeds;  ///< instead of those that count on from run.seed
  std::optional<Setting> tune;
  std::optional<std::string> title;
  std::vector<std::string> not_reproduced;
  std::vector<std::string> about;
  std::vector<SweepClaim> claims;
  std::vector<SweepVariant> variants;
  std::vector<SweepAxis> axes;  ///< those that are tuned away last
  std::size_t tuned_axes = 0;   ///< how many of them

  /// How many seeds every point is run with.
  std::size_t repeats() const { return seeds ? seeds->values.size() : static_cast<std::size_t>(repeat); }
  /// Returns the seed of a repetition of a run whose own seed is `first`.
  std::uint64_t seed_of(std::uint64_t first, std::size_t repetition) const;
  /// Returns the number of combinations of axis values. Throws Misuse if there are too many points.
  std::size_t combinations() const;
};

/// Returns the keys of [sweep] that are no axes. They are never written, because a resolved run has no sweep.
const std::vector<KeyRow<SweepTable>>& sweep_rows();

/// Reads the settings of [sweep]. Throws Misuse as `load_sweep` does.
SweepTable read_sweep_table(const std::vector<Setting>& settings);

/// Throws Misuse if a variant or the command line (`assigned`) sets a key that is an axis.
void refuse_assigned_axes(const SweepTable& table, const std::vector<Setting>& assigned);

/// Returns a value as it stands in the file, text without quotes.
std::string as_written(const TomlValue& value);

}  // namespace hearsay
