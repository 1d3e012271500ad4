#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "runtime/experiment/experiment.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// What all peers of a run have to agree on beside the settings.
struct AgreedProblem {
  std::uint64_t dimension = 0;
  std::uint64_t model_digest = 0;            ///< of the initial parameters and the layers
  std::optional<std::uint64_t> data_digest;  ///< of the loaded data, after scaling; empty: they are at home
  DataNames names = {};                      ///< of data at home
  /// The peer whose data are here, and on how many samples it trains; empty: not of one peer alone, or its
  /// samples do not weigh (data.samples).
  std::optional<std::pair<PeerId, std::uint64_t>> home_samples = {};
  bool has_long_messages = false;  ///< some may travel in pieces
  std::string build = {};          ///< of hearsay; empty: not stated
};

/// Returns the settings on which all peers of a run have to agree. Paths are not among them.
/// `topology_digest` covers peers, edges and weights. Throws Misuse if a value is longer than 1,024 bytes
/// or has control characters.
Agreement make_agreement(const RunSettings& settings, const AgreedProblem& problem,
                         std::uint64_t topology_digest);

/// The same for an experiment.
template <class Scalar>
Agreement agreement_of(const Experiment<Scalar>& experiment);

}  // namespace hearsay
