#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace hearsay {

/// The keys of [algorithm] that only some methods read. A MethodOptions holds what the user set, or the
/// defaults of all that a method reads (MethodInfo::options), or the complete options from which a method is
/// built.
struct MethodOptions {
  std::optional<std::uint64_t> restart_every = {};  ///< iterations between restarts; 0 = never
  std::optional<std::string> feedback = {};         ///< see FeedbackRule
  std::optional<double> consensus_step = {};        ///< gamma: factor of a gossip step
  std::optional<double> damping = {};   ///< a: share of a compressed difference by which the reference moves
  std::optional<double> momentum = {};  ///< beta
  std::optional<std::string> optimizer = {};       ///< see LocalOptimizer
  std::optional<std::uint64_t> local_steps = {};   ///< H: local steps to a gossip round
  std::optional<std::uint64_t> staleness = {};     ///< s: models are mixed s iterations later
  std::optional<double> trigger = {};              ///< c_0: a peer sends nothing while its change is smaller
  std::optional<std::uint64_t> rank = {};          ///< rank of the matrix difference that an edge exchanges
  std::optional<std::string> memory = {};          ///< replicas of the neighbors, or only their weighted sum
  std::optional<std::string> form = {};            ///< order of the steps in an iteration
  std::optional<std::string> estimator = {};       ///< how stochastic gradients are corrected
  std::optional<std::uint64_t> inner_length = {};  ///< n_0: steps of the first epoch
  std::optional<double> inner_growth = {};         ///< how much longer each epoch is than the one before
  std::optional<std::string> snapshot = {};        ///< where an epoch's full gradient is taken
  std::optional<std::string> consensus = {};       ///< c(k): gossip rounds of the k-th step of an epoch
  std::optional<std::string> gossip = {};          ///< how these gossip rounds mix
  std::optional<std::string> prox_order = {};      ///< proximal map before or after the gossip rounds
  std::optional<std::string> outer = {};           ///< see OuterRule
  std::optional<std::string> inner_state = {};     ///< what becomes of the local optimizer's state in a round
  std::optional<double> error_decay = {};  ///< beta: share of a message's error that the next round takes
  std::optional<std::uint64_t> fragments = {};  ///< F: parts of the model, summed one after the other
  std::optional<std::uint64_t> overlap = {};    ///< tau: local steps during which a fragment's sum travels
  std::optional<double> own_share = {};         ///< alpha: share of the own model in what a merge leaves
  std::optional<std::string> aggregate = {};    ///< over whom gathered coefficients are averaged
  std::optional<std::string> down_compressor = {};   ///< of what a hub says to its workers
  std::optional<double> proximal = {};               ///< mu: pull of local steps to where they began
  std::optional<std::string> memory_step = {};       ///< alpha: how far memories follow; a number or auto
  std::optional<std::string> down_memory_step = {};  ///< the same for what a hub says
  std::optional<double> control = {};                ///< kappa: share of an owed error in a message
  std::optional<std::string> worker_steps = {};      ///< H_i: local steps of each peer
  std::optional<std::uint64_t> dense_rounds = {};    ///< rounds in full precision, before it compresses
  std::optional<std::uint64_t> rounds = {};          ///< R: compressions of one vector, one after the other
  std::optional<std::string> threshold = {};         ///< eps_1: censors small changes; a number or auto
  std::optional<std::string> vote = {};              ///< how many values a vote on a weight has
  std::optional<std::string> trust = {};             ///< how a hub weighs the votes of its workers
  std::optional<std::string> predictors = {};        ///< what a worker may predict its local model by
  std::optional<double> rate_weight = {};            ///< lambda: what a bit costs, in error of a coordinate
  std::optional<std::uint64_t> quantizers = {};      ///< Q: how many quantizers a worker may choose from
  std::optional<std::string> side_information = {};  ///< what a receiver reads the codes of a message near
  bool operator==(const MethodOptions&) const = default;
};

/// A member of MethodOptions as a key of [algorithm], with the values that it may have.
struct OptionKey {
  struct Number {
    std::optional<double> MethodOptions::*member;
    double least;
    double most;  ///< inclusive
  };
  struct Count {
    std::optional<std::uint64_t> MethodOptions::*member;
    std::uint64_t least;
  };
  struct Text {
    std::optional<std::string> MethodOptions::*member;
    std::vector<std::string> choices;  ///< if empty, the method parses the text itself
    bool may_be_count = false;         ///< a whole number may be written without quotes
    bool may_be_number = false;        ///< any number may
  };
  std::string name;  ///< "consensus_step"
  std::variant<Number, Count, Text> kind;
  std::string description;  ///< one clause, for the reference of keys

  bool set_in(const MethodOptions& options) const;
  /// Returns the value as a user would write it. The option must be set.
  std::string text(const MethodOptions& options) const;
  void copy(const MethodOptions& from, MethodOptions& to) const;
};

/// All keys, in the order of the members of MethodOptions.
std::span<const OptionKey> option_keys();

}  // namespace hearsay
