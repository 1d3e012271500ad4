#pragma once

#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// A topology and its schedule, for a network in which every peer can reach every other peer.
struct TopologyChoice {
  std::string kind;
  std::string schedule;
  std::string because;
};

/// Returns the families that are worth a try with `peers` peers, sparse ones first. Leaves out families that
/// another one beats in spectral gap at the same degree (path, grid, random graphs), and the star, which only
/// methods with a hub take.
std::vector<TopologyChoice> topology_choices(PeerId peers);

/// A candidate, and the usual iterations of its method over those of all-reduce.
struct Candidate {
  RunSettings settings;
  double iterations;
};

/// Returns the candidates that may replace the user's method, compressor and topology: the trials of every
/// method that is known (MethodInfo::trials) on `topology_choices` and on the user's topology, methods with a
/// hub on a star, a trial with `only_on` on that. A method that says nothing of trials is tried with its
/// defaults. If a method is sound with a compressor on some topologies only, the validator refuses the others
/// (soundness.hpp). All other settings are those of `yours`. Of the options of [algorithm], optimizer and
/// local_steps are kept if the candidate's method reads them. Only the user's topology is tried if it is a
/// file, or if links have a network of their own: such a topology cannot be changed.
std::vector<Candidate> candidates_beside(const RunSettings& yours);

}  // namespace hearsay
