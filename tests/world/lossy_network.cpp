#include "tests/world/lossy_network.hpp"

#include <algorithm>
#include <utility>

namespace hearsay {

namespace {

constexpr Duration latency = std::chrono::milliseconds(1);

}  // namespace

LossyNetwork::LossyNetwork(Timetable& time, RandomStream& random, Weather weather, PeerId peer_count)
    : time_(time),
      random_(random),
      weather_(weather),
      places_(peer_count + 1),
      previous_arrival_(std::size_t{places_} * places_) {}

void LossyNetwork::cut(PeerId a, PeerId b, Duration from, Duration until) {
  cuts_.push_back({a, b, Instant(from), Instant(until)});
}

bool LossyNetwork::is_cut(PeerId a, PeerId b) const {
  return std::ranges::any_of(cuts_, [&](const Cut& cut) {
    const bool is_between = (cut.a == a && cut.b == b) || (cut.a == b && cut.b == a);
    return is_between && cut.from <= time_.now() && time_.now() < cut.until;
  });
}

void LossyNetwork::carry(const VirtualFrame& frame, Arrival arrives) {
  if (overhears) overhears(frame.from, frame.to, frame.header, frame.payload);
  if (is_cut(frame.from, frame.to) || random_.uniform() < weather_.loss) {
    ++lost;
    return;
  }
  Instant& previous = previous_arrival_[std::size_t{frame.from} * places_ + frame.to];
  Instant arrival = std::max(previous, time_.now() + latency);
  if (random_.uniform() < weather_.overtake) {
    ++overtaken;
    arrival += 3 * latency;  // this frame leaves the FIFO order
  } else {
    previous = arrival;
  }
  const auto event = [arrives = std::move(arrives)] { arrives(std::nullopt); };
  time_.at(arrival, event);
  if (random_.uniform() < weather_.repeat) {
    ++repeated;
    time_.at(arrival + latency / 2, event);
  }
}

}  // namespace hearsay
