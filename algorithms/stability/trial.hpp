#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/typical_omega.hpp"

namespace hearsay {

// What the trials of gossip alone and of trackers have in common: a ring of a few peers, for some rounds.

constexpr int trial_peers = 8;
/// The most coordinates of a trial; more would take longer than a user would wait.
constexpr std::size_t most_trial_coordinates = 400;

/// Returns a compressor of `coordinates` coordinates, in one segment, if it keeps about the share of a vector
/// that the run's compressor keeps (`of_run`), which has the same spelling. Else null.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> trial_compressor(const std::string& spelling, const LinearError& of_run,
                                                     std::size_t coordinates);

/// Judges a trial of so many rounds by a size that vanishes if the trial settles. It settles if the size
/// falls below `vanished`, or is smaller in the last quarter than in the quarter before the middle, and does
/// not reach `exploded`.
class TrialJudge {
 public:
  TrialJudge(std::uint64_t rounds, double vanished, double exploded)
      : rounds_(rounds), vanished_(vanished), exploded_(exploded) {}

  /// Takes in the size of the next round. Returns whether the trial settles, if that is known already.
  std::optional<bool> note(double size) {
    // The negation makes NaN diverge, too.
    if (!(size < exploded_)) return false;
    if (size < vanished_) return true;
    if (round_ >= rounds_ / 4 && round_ < rounds_ / 2) before_ += size;
    if (round_ >= rounds_ - rounds_ / 4) last_ += size;
    ++round_;
    return std::nullopt;
  }
  /// Valid after the last round.
  bool settles() const { return last_ < before_; }

 private:
  std::uint64_t rounds_;
  double vanished_;
  double exploded_;
  std::uint64_t round_ = 0;
  double before_ = 0.0;
  double last_ = 0.0;
};

}  // namespace hearsay
