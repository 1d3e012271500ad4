#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hearsay {

/// The most gossip rounds of a step. A larger number would be a typing error: on a ring of 100 peers 10,000
/// rounds leave 2e-6 of the disagreement.
constexpr std::uint64_t most_consensus_rounds = 10'000;

/// c(k), the number of gossip rounds in step k = 1, 2, ... of an epoch.
///
///   "k"            k
///   "5"            5
///   "min(k, 20)"   k, but at most 20
class ConsensusRule {
 public:
  /// Throws Misuse (key algorithm.consensus).
  static ConsensusRule parse(const std::string& spelling);

  std::uint64_t rounds(std::uint64_t k) const;
  /// c(1) + ... + c(k)
  std::uint64_t rounds_up_to(std::uint64_t k) const;

 private:
  bool grows_ = true;
  std::optional<std::uint64_t> most_;
};

/// The position of iteration t = 1, 2, ... in epochs s = 1, 2, ... of K_s = ceil(beta^s n_0) steps. A
/// function of t alone: every peer computes it for itself, and for iterations in any order.
class EpochPlan {
 public:
  /// With slower growth there would be too many epochs to count.
  static constexpr double least_growth = 1.001;

  struct Position {
    std::uint64_t step;             ///< k = 1 ... K_s
    std::uint64_t length;           ///< K_s
    std::uint64_t previous_length;  ///< K_{s-1}; 0 in the first epoch
    std::uint64_t rounds;           ///< c(k)
    std::uint64_t rounds_before;    ///< gossip rounds of all iterations before t
  };

  /// beta = `growth`, n_0 = `first_length` >= 1. Throws Misuse (key algorithm.inner_growth) unless beta is 1
  /// or at least `least_growth`.
  EpochPlan(std::uint64_t first_length, double growth, ConsensusRule consensus);

  Position at(std::uint64_t iteration) const;

 private:
  struct Epoch {
    std::uint64_t number = 1;
    std::uint64_t length = 0;
    std::uint64_t previous_length = 0;
    std::uint64_t iterations_before = 0;
    std::uint64_t rounds_before = 0;
  };
  std::uint64_t length(std::uint64_t epoch) const;

  std::uint64_t first_length_;
  double growth_;
  ConsensusRule consensus_;
  mutable Epoch last_;  ///< cache: the epoch of the last call of `at`
};

}  // namespace hearsay
