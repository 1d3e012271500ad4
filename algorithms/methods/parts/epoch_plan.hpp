#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hearsay {

/// More of them in one step would be a slip of the keyboard: on a ring of 100 peers 10,000 leave 2e-6 of the
/// disagreement.
constexpr std::uint64_t most_consensus_rounds = 10'000;

/// c(k), how many gossip rounds the k-th step of an epoch takes, k = 1, 2, ...
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

/// Where iteration t = 1, 2, ... of a method with epochs s = 1, 2, ... of K_s = ceil(beta^s n_0) steps
/// stands. Pure, so that every peer works it out for itself, and an iteration can be asked for out of order.
class EpochPlan {
 public:
  /// Epochs that grow more slowly would be too many to count up.
  static constexpr double least_growth = 1.001;

  struct Position {
    std::uint64_t step;             ///< k = 1 ... K_s
    std::uint64_t length;           ///< K_s
    std::uint64_t previous_length;  ///< K_{s-1}; 0 in the first epoch
    std::uint64_t rounds;           ///< c(k)
    std::uint64_t
        rounds_before;  ///< gossip rounds of all iterations before t: the schedule goes on from there
  };

  /// beta = `growth`, 1 or at least `least_growth`, n_0 = `first_length` >= 1. Throws Misuse (key
  /// algorithm.inner_growth).
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
  mutable Epoch last_;  ///< that of the last answer: the next is asked for next, and is there already
};

}  // namespace hearsay
