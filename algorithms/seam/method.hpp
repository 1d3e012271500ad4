#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "algorithms/seam/gossip_model.hpp"
#include "algorithms/seam/method_options.hpp"
#include "algorithms/seam/pattern.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What one peer's copy of a method is built from.
template <class Scalar>
struct MethodInput {
  PeerId self = 0;
  PeerId peer_count = 1;
  const Vector<Scalar>& initial;     ///< x_0 in R^d, common to all peers
  std::vector<PeerId> neighbors;     ///< whom it hears in any round, ascending
  bool links_vary = false;           ///< whether W changes from round to round
  std::vector<PeerId> hearers = {};  ///< who hears it in any round, ascending; where links vary only
  std::string compressor = "none";   ///< spelling
  const SegmentTable& segments;      ///< for bucket=layer
  MethodOptions options = {};        ///< all that the method reads, set
  double rho = 0.0;  ///< max(|lambda_2|, |lambda_n|) of W; where options.gossip is "chebyshev" only
  const Regularizer<Scalar>* regularizer = nullptr;  ///< h; methods with MethodInfo::composite only
};

/// Which compressors a method is sound with (design: which noise it tolerates).
enum class CompressorNeed {
  none,         ///< full precision only
  any,          ///< takes any; makes no promise
  unbiased,     ///< relative error: E C(z) = z, E ||C(z) - z||^2 <= omega ||z||^2 with omega below a limit
  absolute,     ///< unbiased, with an error bound that does not grow with z
  contracting,  ///< E ||C(z) - z||^2 <= (1 - delta) ||z||^2 with delta > 0, bias allowed
  damped,       ///< unbiased, or contracting mildly: damping and a small consensus step make up for either
  corrected,    ///< unbiased, or one whose error the feedback makes up for (algorithm.feedback)
};

/// What becomes of a method when a neighbor is gone for good, and its edge is taken out of W.
enum class Membership {
  /// it goes on, but models that have been apart may be farther from each other than its messages reach
  exact,  ///< it goes on by the narrower W, as if that had been W all along, and takes neighbors back
  no_return,
  /// it keeps sums over all peers (trackers, duals, push-sum weights): all would have to begin anew at once
  reinitialise,
  refuse,  ///< it cannot do without any peer
};

/// Options that go unread because of another one.
struct UnreadOptions {
  std::vector<std::string> names = {};
  std::string because_of = {};  ///< that other one: "estimator = saga"
};

/// Makes one peer's copy of a method, in float or in double; `factory` in method_factory.hpp gives that of a
/// class.
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

/// What the manual's table of methods says of one, in Markdown, beside what the rest of its MethodInfo says.
struct MethodManual {
  std::string iteration = {};   ///< one iteration in full; empty if `equation` is that
  std::string bytes_note = {};  ///< behind MethodInfo::bytes
  std::string memory = {};      ///< vectors of a peer, in d
  std::string needs = {};       ///< of W and of the compressor
  std::string related = {};     ///< papers beside the source
};

/// A method as the user sees it: what it is called, what it needs, where it comes from. The registry holds
/// one for each.
struct MethodInfo {
  std::string name;                       ///< algorithm.kind; also the stem of its file
  std::vector<std::string> aliases = {};  ///< other names that users know it by
  std::string summary;                    ///< one line
  std::string equation;                   ///< one line
  std::string bytes;                      ///< what a peer sends per iteration, a formula
  std::string source;                     ///< paper and algorithm number
  CompressorNeed compressor;              ///< what it is sound with
  Membership membership = Membership::refuse;
  /// A peer may begin it at any iteration, from a neighbor's model alone: nothing else that it keeps is of
  /// all peers, or of a stage of the run. Where membership is exact.
  bool may_be_joined = false;
  std::string default_compressor = "none";
  Pattern pattern = Pattern::gossip;
  bool needs_symmetric_mixing = false;
  bool permits_negative_weights = false;
  bool permits_time_varying = false;  ///< W may change from round to round, and peers may sit out
  bool counts_rounds = false;         ///< an iteration takes several rounds of the schedule, or none
  bool trains = true;                 ///< otherwise it averages
  bool composite = false;             ///< minimises f + h, h by its proximal map
  bool push_sum = false;              ///< reads of W who hears whom only, which need not be mutual
  /// Peers do not wait for each other's iterations, so bits depend on when messages come: the same seed gives
  /// the same bits in the simulator only. Reads of W who hears whom only.
  bool asynchronous = false;
  /// What lambda_n of a static W must stay above; above -1 it is with every W that averages.
  double smallest_eigenvalue_above = -1.0;
  MethodOptions options = {};  ///< what it reads of [algorithm], with the defaults
  /// Which of those it does not read where they are all as given; nothing where it reads them all in any
  /// case.
  UnreadOptions (*unread_options)(const MethodOptions&) = nullptr;
  /// Its consensus along an eigenvector, where that is linear: (options, keep, mu) as in gossip_model.hpp.
  GossipModel (*gossip_model)(const MethodOptions&, double keep, double mu) = nullptr;

  MethodManual manual = {};
  MethodFactory make = {};
};

}  // namespace hearsay
