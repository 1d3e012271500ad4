#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/network/link.hpp"
#include "runtime/network/partitions.hpp"
#include "runtime/simulator/simulated_peer.hpp"
#include "runtime/simulator/timetable.hpp"
#include "runtime/simulator/virtual_network.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// The emulated network of `hearsay run` in virtual time, which outlives processes: messages of the method
/// pass ports and links, all other frames take no time. Partitions cut peers off.
class ShapedNetwork final : public VirtualNetwork {
 public:
  /// `origin` returns when the run's time began; empty before. All must outlive the network.
  template <class Scalar>
  ShapedNetwork(const Experiment<Scalar>& experiment, Timetable& time,
                std::function<std::optional<Instant>()> origin)
      : time_(time),
        origin_(std::move(origin)),
        partitions_(faults_of(experiment.settings.faults, experiment.peer_count())) {
    const RunSettings& settings = experiment.settings;
    for (PeerId id = 0; id < experiment.peer_count(); ++id) {
      const NetworkSettings& network = network_of(settings, id);
      const Availability there = availability_of(settings, id);
      ports_.push_back({EgressPort(sending_rate(network), settings.framing, there),
                        IngressPort(receiving_rate(network), settings.framing, there)});
      const Partners partners = partners_of(experiment, id);
      ports_.back().links.reserve(partners.destinations.size());
      for (const PeerId to : partners.destinations)
        ports_.back().links.push_back({to, Link(settings.run.seed, id, to, link_settings(settings, id, to)),
                                       arrivals_.keep(arrival_rate(settings, id, to))});
    }
  }

  /// A message passes the port of its sender at once. Its receiver holds it until it is due, as in
  /// `hearsay run`.
  void carry(const VirtualFrame& frame, Arrival arrives) override {
    std::optional<Instant> due;
    if (frame.is_message)
      due =
          ports_[frame.from]
              .egress.send(time_.now(), header_bytes + frame.payload.size(), link(frame.from, frame.to).link)
              .due;
    if (!frame.has_connection || is_cut(frame.from, frame.to)) return;
    time_.at(time_.now(), [arrives = std::move(arrives), due] { arrives(due); });
  }

  Instant release(PeerId from, PeerId to, std::uint64_t frame_bytes) override {
    return ports_[to].ingress.release(time_.now(), frame_bytes, *link(from, to).arrival);
  }

 private:
  struct Port {
    EgressPort egress;
    IngressPort ingress;
    std::vector<LinkTo> links = {};  // by destination, ascending
  };

  /// True if no frame passes between a and b now. The observer is at the place of peer 0.
  bool is_cut(PeerId a, PeerId b) const {
    if (partitions_.empty()) return false;
    const std::optional<Instant> origin = origin_();
    const auto place_of = [this](PeerId id) { return id == observer_id(peer_count()) ? observer_peer : id; };
    return origin && partitions_.is_cut(place_of(a), place_of(b), time_.now() - *origin);
  }
  PeerId peer_count() const { return static_cast<PeerId>(ports_.size()); }

  LinkTo& link(PeerId from, PeerId to) {
    const auto found = std::ranges::lower_bound(ports_[from].links, to, {}, &LinkTo::to);
    ensure(found != ports_[from].links.end() && found->to == to, "a method sends only to its destinations");
    return *found;
  }

  Timetable& time_;
  std::function<std::optional<Instant>()> origin_;
  ArrivalRates arrivals_;
  std::vector<Port> ports_;
  Partitions partitions_;
};

}  // namespace hearsay
