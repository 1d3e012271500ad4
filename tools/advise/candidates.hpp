#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/seam/method_options.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// A method with a compressor that is the best choice on some network, and why it may be.
struct MethodChoice {
  std::string method;
  std::string compressor;
  std::string because;
  double iterations;  ///< times those of all-reduce until its models agree, usually: who is tried first
  MethodOptions options = {};  ///< beside the method's own defaults
  std::string weights = {};    ///< topology.weights that it needs; empty: the user's
};

/// A method that is never advised, and why.
struct UnadvisedMethod {
  std::string method;
  std::string because;
};

/// A method that is in neither is not advised: nobody has tried yet what it is best for. If a method is sound
/// with a compressor on some topologies only, the validator says so (soundness.hpp).
std::span<const MethodChoice> method_choices();
std::span<const UnadvisedMethod> unadvised_methods();

/// Who may be linked with whom, and when, where the network lets everybody reach everybody.
struct TopologyChoice {
  std::string kind;
  std::string schedule;
  std::string because;
};

/// The families worth a try with so many peers, sparse ones first. Not those that such a one beats in
/// spectral gap at the same degree (path, grid, random ones), nor a star, whose hub says everything.
std::vector<TopologyChoice> topology_choices(PeerId peers);

/// A candidate, and what its method's choice says of its iterations.
struct Candidate {
  RunSettings settings;
  double iterations;
};

/// What may be tried instead of the user's own method, compressor and topology: `method_choices` on
/// `topology_choices`, the user's topology among them. Everything else is as in `yours`; of the options of
/// [algorithm], what the peers do between two messages (optimizer, local_steps) stays where a method reads
/// it. Only the user's topology where that is a file, or links have a network of their own: it is the one
/// there is.
std::vector<Candidate> candidates_beside(const RunSettings& yours);

}  // namespace hearsay
