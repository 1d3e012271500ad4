#include "tests/world/faulty_cluster.hpp"

// The network between the processes: its cuts, and the faults of frames.

namespace hearsay {

namespace {

constexpr Duration latency = std::chrono::milliseconds(1);

}  // namespace

void FaultyCluster::cut(PeerId a, PeerId b, Duration from, Duration until) {
  cuts_.push_back({a, b, Instant(from), Instant(until)});
}

bool FaultyCluster::is_cut(PeerId a, PeerId b) const {
  for (const Cut& cut : cuts_)
    if (((cut.a == a && cut.b == b) || (cut.a == b && cut.b == a)) && cut.from <= now_ && now_ < cut.until)
      return true;
  return false;
}

/// Carries a frame over the network, unless a cut or the weather loses it.
void FaultyCluster::send(PeerId from, PeerId to, Frame frame, std::function<void(const Frame&)> arrive) {
  if (overhears) overhears(from, to, frame.header, frame.payload);
  if (is_cut(from, to) || random_.uniform() < weather_.loss) {
    ++lost;
    return;
  }
  Instant& previous = previous_arrival_[std::size_t{from} * (nodes_.size() + 1) + to];
  Instant arrival = std::max(previous, now_ + latency);
  if (random_.uniform() < weather_.overtake) {
    ++overtaken;
    arrival += 3 * latency;  // this frame leaves the FIFO order
  } else {
    previous = arrival;
  }
  const auto carried = std::make_shared<Frame>(std::move(frame));
  // A dead process loses the frame; a frozen one gets it later.
  const auto event = [this, to, carried, arrive] {
    if (to == observer_place()) return arrive(*carried);
    Node& node = nodes_[to];
    if (node.frozen)
      node.held_up.push_back([carried, arrive] { arrive(*carried); });
    else if (node.is_up())
      arrive(*carried);
  };
  at(arrival, event);
  if (random_.uniform() < weather_.repeat) {
    ++repeated;
    at(arrival + latency / 2, event);
  }
}

}  // namespace hearsay
