#pragma once

#include <algorithm>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/network/link.hpp"
#include "runtime/simulator/simulated_peer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// The ports of all peers and their links, in virtual time, which outlive processes; and who is cut off.
class VirtualNetwork {
 public:
  template <class Scalar>
  explicit VirtualNetwork(const Experiment<Scalar>& experiment) {
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

  /// Until `until`, no frame passes between `peers`, ascending, and all others.
  void cut_off(std::vector<PeerId> peers, Instant until) { cuts_.push_back({std::move(peers), until}); }
  bool is_cut(PeerId a, PeerId b, Instant now) const {
    return std::ranges::any_of(cuts_, [&](const Cut& cut) {
      return now < cut.until &&
             std::ranges::binary_search(cut.peers, a) != std::ranges::binary_search(cut.peers, b);
    });
  }

 private:
  struct Port {
    EgressPort egress;
    IngressPort ingress;
    std::vector<LinkTo> links = {};  // by destination, ascending
  };
  struct Cut {
    std::vector<PeerId> peers;
    Instant until;
  };

  LinkTo& link(PeerId from, PeerId to) {
    const auto found = std::ranges::lower_bound(ports_[from].links, to, {}, &LinkTo::to);
    ensure(found != ports_[from].links.end() && found->to == to, "a method sends only to its destinations");
    return *found;
  }

  std::vector<Port> ports_;
  std::vector<Cut> cuts_;
};

}  // namespace hearsay
