#pragma once

#include <algorithm>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/network/link.hpp"
#include "runtime/network/partitions.hpp"
#include "runtime/simulator/simulated_peer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// The ports of all peers and their links, in virtual time, which outlive processes; and who is cut off.
class VirtualNetwork {
 public:
  template <class Scalar>
  explicit VirtualNetwork(const Experiment<Scalar>& experiment)
      : partitions_(faults_of(experiment.settings.faults, experiment.peer_count())) {
    const RunSettings& settings = experiment.settings;
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      const NetworkSettings& network = network_of(settings, id);
      ports_.push_back({EgressPort(sending_rate(network), settings.framing),
                        IngressPort(receiving_rate(network), settings.framing)});
      for (const PeerId to : partners_of(experiment, id).destinations)
        ports_.back().links.push_back({to, Link(settings.run.seed, id, to, link_settings(settings, id, to)),
                                       arrival_rate(settings, id, to)});
    }
  }

  /// A frame leaves the port of `from`. Returns when it is due at the port of `to`.
  Instant send(PeerId from, PeerId to, std::uint64_t frame_bytes, Instant now) {
    return ports_[from].egress.send(now, frame_bytes, link(from, to).link).due;
  }
  /// A frame of `from` is due now. Returns when `to` has it.
  Instant receive(PeerId from, PeerId to, std::uint64_t frame_bytes, Instant now) {
    return ports_[to].ingress.release(now, frame_bytes, link(from, to).arrival);
  }

  /// `since_start`: of the run.
  bool is_cut(PeerId a, PeerId b, Duration since_start) const {
    return partitions_.is_cut(a, b, since_start);
  }

 private:
  struct Port {
    EgressPort egress;
    IngressPort ingress;
    std::vector<LinkTo> links = {};  // by destination, ascending
  };

  LinkTo& link(PeerId from, PeerId to) {
    const auto found = std::ranges::lower_bound(ports_[from].links, to, {}, &LinkTo::to);
    ensure(found != ports_[from].links.end() && found->to == to, "a method sends only to its destinations");
    return *found;
  }

  std::vector<Port> ports_;
  Partitions partitions_;
};

}  // namespace hearsay
