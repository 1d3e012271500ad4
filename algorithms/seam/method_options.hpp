#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace hearsay {

/// What only some methods read of a run file's [algorithm]. Three uses: what the user set; what a method
/// reads, each with its default (MethodInfo::options); what a method is built from, complete.
struct MethodOptions {
  std::optional<std::uint64_t> restart_every = {};  ///< iterations between restarts; 0 = never
  std::optional<std::string> feedback = {};         ///< see FeedbackRule
  std::optional<double> consensus_step = {};        ///< gamma: how much of a gossip step is taken
  std::optional<double> damping = {};         ///< a: how much of a compressed difference moves the reference
  std::optional<double> momentum = {};        ///< beta
  std::optional<std::string> optimizer = {};  ///< see LocalOptimizer
  std::optional<std::uint64_t> local_steps = {};   ///< H: local steps to a gossip round
  std::optional<std::uint64_t> staleness = {};     ///< s: what is mixed is of s iterations before
  std::optional<double> trigger = {};              ///< c_0: a peer is silent while its news are smaller
  std::optional<std::uint64_t> rank = {};          ///< of what an edge exchanges of a matrix
  std::optional<std::string> memory = {};          ///< what is kept of the neighbors' replicas
  std::optional<std::string> form = {};            ///< in which order a method takes its steps
  std::optional<std::string> estimator = {};       ///< how stochastic gradients are corrected
  std::optional<std::uint64_t> inner_length = {};  ///< n_0: steps of the first epoch
  std::optional<double> inner_growth = {};         ///< how much longer each epoch is than the one before
  std::optional<std::string> snapshot = {};        ///< where an epoch's full gradient is taken
  std::optional<std::string> consensus = {};       ///< c(k): gossip rounds of the k-th step of an epoch
  std::optional<std::string> gossip = {};          ///< how those rounds mix
  std::optional<std::string> prox_order = {};      ///< whether the proximal map comes before or after them
  bool operator==(const MethodOptions&) const = default;
};

/// One of them as a key of [algorithm]: what it may be.
struct OptionKey {
  struct Number {
    std::optional<double> MethodOptions::*member;
    double least;
    double most;  ///< itself allowed
  };
  struct Count {
    std::optional<std::uint64_t> MethodOptions::*member;
    std::uint64_t least;
  };
  struct Text {
    std::optional<std::string> MethodOptions::*member;
    std::vector<std::string> choices;  ///< none: the method reads it by itself
    bool may_be_count = false;         ///< a whole number needs no quotes
  };
  std::string name;  ///< "consensus_step"
  std::variant<Number, Count, Text> kind;
  std::string description;  ///< one clause, for the reference of keys

  bool set_in(const MethodOptions& options) const;
  /// As a user would write it; where it is set.
  std::string text(const MethodOptions& options) const;
  void copy(const MethodOptions& from, MethodOptions& to) const;
};

/// In the order of the struct.
std::span<const OptionKey> option_keys();

}  // namespace hearsay
