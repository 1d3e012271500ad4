#include "runtime/zmq/connection_check.hpp"

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/probed_connections.hpp"

namespace hearsay {

template <class Scalar>
std::vector<CheckedEdge> check_connections(const Experiment<Scalar>& experiment, PeerId id,
                                           const Placement& place, Duration patience,
                                           const std::function<void()>& on_listening, const Notice& notice) {
  const SharedCredentials credentials =
      load_credentials(experiment.settings.security, experiment.topology.peers, id, notice);
  ProbedConnections connections({id, incarnation_of_process(), agreement_of(experiment)},
                                partners_of(experiment, id), experiment.topology, place, credentials,
                                experiment.settings.congestion);
  on_listening();
  const Instant deadline = monotonic_now() + patience;
  while (monotonic_now() < deadline && !connections.decided()) connections.turn(deadline);
  connections.confirm();
  return connections.verdicts();
}

template std::vector<CheckedEdge> check_connections<float>(const Experiment<float>&, PeerId, const Placement&,
                                                           Duration, const std::function<void()>&,
                                                           const Notice&);
template std::vector<CheckedEdge> check_connections<double>(const Experiment<double>&, PeerId,
                                                            const Placement&, Duration,
                                                            const std::function<void()>&, const Notice&);

}  // namespace hearsay
