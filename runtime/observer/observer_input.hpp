#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/settings/run_settings.hpp"
#include "runtime/wire/agreement.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What the session of the observer must know of a run.
struct ObserverInput {
  Agreement agreement;
  PeerId peer_count = 0;
  std::uint64_t iterations = 0;
  std::uint64_t evaluate_every = 1;
  Duration evaluate_period{0};  ///< time between evaluations, if verdicts announce them; else 0
  RunSettings::Failure failure;
  /// data.samples. The run ends if the peers train on another number of samples.
  std::optional<std::uint64_t> samples = {};
  std::string method;                       ///< name of the method, for messages to the user
  bool may_be_joined = false;               ///< true if a peer may join the run in its middle
  bool has_hub = false;                     ///< true if the run ends if peer 0, the hub, is lost
  bool rounds_close = false;                ///< true if the hub waits for no answer longer than a round takes
  Duration start_patience{0};               ///< how long peers may take to be ready
  std::vector<std::string> addresses = {};  ///< of the peers, for messages; empty if nobody has to know them
};

template <class Scalar>
ObserverInput observer_input(const Experiment<Scalar>& experiment, Duration start_patience,
                             const std::vector<std::string>& addresses = {}) {
  return {.agreement = agreement_of(experiment),
          .peer_count = experiment.peer_count(),
          .iterations = experiment.iterations,
          .evaluate_every = experiment.settings.run.evaluate_every,
          .evaluate_period = experiment.settings.run.evaluate_period,
          .failure = experiment.settings.failure,
          .samples = experiment.settings.data.samples,
          .method = experiment.method->name +
                    (experiment.settings.failure.hub_standby ? " with failure.hub_standby" : ""),
          .may_be_joined = model_bytes_of(experiment).has_value(),
          .has_hub = experiment.method->pattern.has_hub,
          .rounds_close = experiment.settings.topology.rounds_close(),
          .start_patience = start_patience,
          .addresses = addresses};
}

}  // namespace hearsay
