#include "runtime/process/drive_peer.hpp"

#include "runtime/process/peer_driver.hpp"

namespace hearsay {

template <class Scalar>
PeerEnd drive_peer(const Experiment<Scalar>& experiment, PeerId id, PeerSockets& sockets,
                   const Addresses& addresses, const std::string& observer_address,
                   const RunControl& control) {
  const RunSettings& settings = experiment.settings;
  std::vector<Destination> destinations;
  for (const PeerId to : partners_of(experiment, id).destinations)
    destinations.push_back(
        {to, addresses[to], Link(settings.run.seed, id, to, link_settings(settings, id, to))});
  sockets.start(std::move(destinations), observer_address);
  std::vector<WatchedPeer> watched;
  for (const PeerId source : partners_of(experiment, id).sources)
    watched.push_back({source, addresses[source]});
  const bool drops = settings.failure.drops();
  SilenceWatch watch(id, settings.failure.lost_after,
                     drops ? AfterSilence::drops_it : AfterSilence::ends_the_run, std::move(watched));
  return PeerDriver<Scalar>(experiment, id, sockets, std::move(watch), control).run();
}

#define HEARSAY_ZMQ_DRIVER(Scalar)                                                                       \
  template PeerEnd drive_peer<Scalar>(const Experiment<Scalar>&, PeerId, PeerSockets&, const Addresses&, \
                                      const std::string&, const RunControl&);
HEARSAY_ZMQ_DRIVER(float)
HEARSAY_ZMQ_DRIVER(double)
#undef HEARSAY_ZMQ_DRIVER

}  // namespace hearsay
