#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "algorithms/seam/gossip_model.hpp"
#include "algorithms/seam/method_options.hpp"
#include "algorithms/seam/method_trial.hpp"
#include "algorithms/seam/pattern.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What one peer's copy of a method is built from.
template <class Scalar>
struct MethodInput {
  PeerId self = 0;
  PeerId peer_count = 1;
  PeerId worker_count = 1;           ///< n, the peers with data: all of them, unless a hub has none
  const Vector<Scalar>& initial;     ///< x_0 in R^d, common to all peers
  std::vector<PeerId> neighbors;     ///< the peers it hears in some round, ascending
  bool has_groups = false;           ///< peers between a hub and its workers answer for these, too
  bool links_vary = false;           ///< whether W changes from round to round
  bool peers_may_leave = false;      ///< a peer that is lost is gone for good (failure.policy = "drop")
  std::vector<PeerId> hearers = {};  ///< the peers that hear it in some round, ascending; read if links vary
  std::string compressor = "none";   ///< spelling
  const SegmentTable& segments;      ///< the layers of the model
  MethodOptions options = {};        ///< every option that the method reads has a value
  std::uint64_t seed = 0;            ///< run.seed
  double rho = 0.0;  ///< max(|lambda_2|, |lambda_n|) of W; set only if MethodInfo::reads_rho says so
  const Regularizer<Scalar>* regularizer = nullptr;  ///< h; for methods with MethodInfo::composite only
};

/// The compressors with which a method is sound.
enum class CompressorNeed {
  none,         ///< full precision only
  any,          ///< accepts any, and promises nothing
  unbiased,     ///< relative error: E C(z) = z, E ||C(z) - z||^2 <= omega ||z||^2 with omega below a limit
  absolute,     ///< unbiased, with an error bound that does not grow with z
  bounded,      ///< an error bound that does not grow with z, bias allowed
  contracting,  ///< E ||C(z) - z||^2 <= (1 - delta) ||z||^2 with delta > 0, bias allowed
  damped,       ///< unbiased, or mildly contracting: damping and a small consensus step make up for the error
  corrected,    ///< unbiased, or with an error for which algorithm.feedback makes up
};

/// What becomes of a method when a neighbor is gone for good, and its edge is taken out of W.
enum class Membership {
  /// It continues with the remaining edges, as if there had never been others, and readmits neighbors.
  exact,
  /// It continues, but readmits no neighbor: models that were apart may be too far apart for its messages.
  no_return,
  /// It has a hub, which keeps the contributions of each worker, and discards those of a lost one. So all
  /// take part in every round, and no worker is readmitted.
  forgotten,
  /// Every iteration takes a part of each peer. The peers that are left agree on who they are, and form the
  /// iteration anew in which one was lost.
  by_agreement,
  /// It keeps sums over all peers (trackers, duals, push-sum weights): all peers would have to start again.
  reinitialise,
  /// It needs every peer.
  refuse,
};

/// True if a method goes on without a peer that is gone.
constexpr bool goes_on_without(Membership membership) {
  return membership != Membership::reinitialise && membership != Membership::refuse;
}

/// Options that a method does not read because of the value of another option.
struct UnreadOptions {
  std::vector<const OptionRow*> rows = {};
  std::string because_of = {};  ///< the other option and its value: "estimator = saga"
};

/// What the sizes of messages depend on, if they are not known before the run.
struct UnknownSizes {
  std::string depends_on = {};     ///< "the gradients"; empty if they are known
  const OptionRow* row = nullptr;  ///< the option because of which they do; null if they always do
};

/// Makes one peer's copy of a method, in float or in double. `factory` (method_factory.hpp) returns the
/// MethodFactory of a class.
struct MethodFactory {
  std::unique_ptr<Algorithm<float>> (*in_float)(const MethodInput<float>&) = nullptr;
  std::unique_ptr<Algorithm<double>> (*in_double)(const MethodInput<double>&) = nullptr;

  template <class Scalar>
  std::unique_ptr<Algorithm<Scalar>> operator()(const MethodInput<Scalar>& input) const {
    if constexpr (std::is_same_v<Scalar, float>)
      return in_float(input);
    else
      return in_double(input);
  }
};

/// How much of the time of messages is hidden by gradients that take as long: by the order in which a method,
/// with its defaults, computes, sends and waits.
enum class Overlap {
  none,  ///< the next gradient needs what the messages bring, or they need the gradient
  some,
  all,  ///< an iteration takes as long as the gradient, or as its messages, whichever is longer
};
constexpr const char* overlap_text(Overlap overlap) {
  return overlap == Overlap::all ? "all" : overlap == Overlap::some ? "some" : "none";
}

/// The entries of the manual's table of methods that no other member of MethodInfo provides, in Markdown.
struct MethodManual {
  Overlap overlap = Overlap::none;
  std::string iteration = {};   ///< one iteration in full; if empty, MethodInfo::equation
  std::string bytes_note = {};  ///< printed after MethodInfo::bytes
  std::string memory = {};      ///< of a peer, in vectors of R^d
  std::string needs = {};       ///< conditions on W and on the compressor
  std::string related = {};     ///< papers besides MethodInfo::source
};

/// A method as the user sees it: its names, its requirements, its source. The registry holds one per method.
struct MethodInfo {
  std::string name;                       ///< algorithm.kind; also the stem of its file
  std::vector<std::string> aliases = {};  ///< other names that users know it by
  std::string summary;                    ///< one line
  std::string equation;                   ///< one line
  std::string bytes;                      ///< what a peer sends per iteration, a formula
  std::string source;                     ///< paper and algorithm number
  CompressorNeed compressor;              ///< the compressors with which it is sound
  /// The same for the messages of a hub (algorithm.down_compressor); for methods that read this option.
  CompressorNeed down_compressor = CompressorNeed::none;
  Membership membership = Membership::refuse;
  /// True if a peer may join at any iteration, given a neighbor's model alone. Then none of the method's
  /// other state depends on all peers, or on the stage of the run. Only with Membership::exact.
  bool may_be_joined = false;
  std::string default_compressor = "none";
  double default_step_size = 0.1;                   ///< of algorithm.step_size in a run file
  std::optional<std::uint64_t> default_batch = 32;  ///< of algorithm.batch in a run file; empty: "full"
  Pattern pattern = Pattern::gossip;
  bool needs_symmetric_mixing = false;
  bool permits_negative_weights = false;
  bool permits_time_varying = false;  ///< W may change from round to round, and peers may sit out
  /// True if a hub may close a round before all have answered (topology.round_deadline): a worker needs no
  /// more than the newest model, and keeps no state that an answer which does not count would make wrong.
  bool answers_may_be_late = false;
  bool permits_tree = false;       ///< peers between the hub and its workers may add up what these say
  bool counts_rounds = false;      ///< the method counts rounds of the schedule itself (Iteration::turn_to)
  bool trains = true;              ///< if false, it only averages
  bool needs_all_samples = false;  ///< it takes gradients of all samples of a peer, too
  bool composite = false;          ///< minimises f + h, h by its proximal map
  /// True if the trackers of the mean gradient pass the compressor, too. Then algorithm.step_size,
  /// consensus_step and damping are bound to each other (stability/tracker_trial.hpp).
  bool compresses_trackers = false;
  bool push_sum = false;  ///< of W it reads the links only, which may be one-way
  /// Peers do not wait for each other's iterations, so the bits depend on when messages arrive. The same seed
  /// gives the same bits in the simulator only. Of W the method reads the links only.
  bool asynchronous = false;
  /// Exclusive lower bound on the smallest eigenvalue of a static W; 0 itself is permitted if it is the bound
  /// (W is semidefinite). The default excludes no W with which gossip converges.
  double smallest_eigenvalue_above = -1.0;
  /// Why clipped gradients (algorithm.clip) would break the method. Empty if they would not.
  std::string unclippable_because = {};
  /// The options that it reads, with their defaults. Their rows make the keys of run files and of the manual.
  MethodOptions options = {};
  /// The values of algorithm.order that it knows. Empty if it does not read this option. If one of them is
  /// "adapt-then-combine", it is the default of a run with local steps: models drift apart in H steps, and
  /// what mixes before them leaves the drift unmixed.
  std::vector<std::string> orders = {};
  /// Returns the options that the method does not read, given the values of all. Null if it always reads
  /// every option.
  UnreadOptions (*unread_options)(const MethodOptions&) = nullptr;
  /// Checks what no other member of this struct covers: the method's own options, its step size, its
  /// compressor. Called after the checks of these members and of the options' rows. Null if there is nothing.
  void (*check)(const RunView& view, Advice& advice) = nullptr;
  /// Returns what divides by the step size of an iteration, which then must not be 0; empty if nothing does.
  /// Null if nothing ever does.
  std::string (*divides_by_step)(const MethodOptions&) = nullptr;
  /// Null if the sizes of all messages are known before the run, given a compressor with messages of known
  /// size.
  UnknownSizes (*unknown_sizes)(const MethodOptions&) = nullptr;
  /// Returns why, with these options, it cannot lose a neighbor although `membership` permits it; empty if it
  /// can. Null if it always can.
  std::string (*keeps_all_because)(const MethodOptions&) = nullptr;
  /// Returns who talks to whom with these options, if that depends on them. It differs from `pattern` in
  /// partners only. Null if it does not depend on them.
  const Pattern& (*pattern_with)(const MethodOptions&) = nullptr;
  /// Returns how long the vectors are that all peers sum in an iteration, one after the other, for a model in
  /// R^d with these layers. Null if it does not read algorithm.reduce.
  std::vector<std::uint64_t> (*summed)(const MethodOptions&, std::uint64_t d, const SegmentTable&) = nullptr;
  /// True if it reads the spectrum of W with these options (MethodInput::rho). Null if it never does.
  bool (*reads_rho)(const MethodOptions&) = nullptr;
  /// The model of its consensus along an eigenvector of W, from (options, keep, mu) as in gossip_model.hpp.
  /// Null if its consensus is not linear.
  GossipModel (*gossip_model)(const MethodOptions&, double keep, double mu) = nullptr;

  /// The same for a method whose peers keep a momentum over rounds. Null for others.
  OuterGossip (*outer_gossip)(const MethodOptions&) = nullptr;

  MethodTrials trials = {};  ///< of `hearsay advise`
  MethodManual manual = {};
  MethodFactory make = {};
};

/// Returns who talks to whom with the method's complete options.
inline const Pattern& pattern_of(const MethodInfo& method, const MethodOptions& options) {
  return method.pattern_with ? method.pattern_with(options) : method.pattern;
}

}  // namespace hearsay
