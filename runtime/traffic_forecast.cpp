#include "runtime/traffic_forecast.hpp"

#include <algorithm>
#include <numeric>

#include "runtime/wire.hpp"

namespace hearsay {

namespace {

std::uint64_t bytes_of(const Traffic& traffic) {
  return traffic.messages * header_bytes + traffic.payload_bytes;
}

/// Sums over iterations first ... last of one peer.
template <class Scalar>
class PeerForecast {
 public:
  PeerForecast(PeerRows rows, Algorithm<Scalar>& algorithm, TrafficForecast& forecast)
      : rows_(rows), algorithm_(algorithm), forecast_(forecast) {}

  PeerTraffic sum(std::uint64_t first, std::uint64_t last) {
    PeerTraffic sum;
    for (std::uint64_t number = first; number <= last; ++number) {
      const Traffic traffic = algorithm_.traffic(number, rows_);
      sum.messages += traffic.messages;
      sum.bytes += bytes_of(traffic);
      forecast_.exact = forecast_.exact && traffic.exact;
      if (number == first && first == 1) first_bytes_ = bytes_of(traffic);
      forecast_.steady = forecast_.steady && bytes_of(traffic) == first_bytes_;
    }
    return sum;
  }

 private:
  PeerRows rows_;
  Algorithm<Scalar>& algorithm_;
  TrafficForecast& forecast_;
  std::uint64_t first_bytes_ = 0;
};

}  // namespace

std::uint64_t TrafficForecast::total_bytes() const {
  return std::accumulate(peers.begin(), peers.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const PeerTraffic& peer) { return sum + peer.bytes; });
}

template <class Scalar>
TrafficForecast forecast_traffic(const Experiment<Scalar>& experiment) {
  const std::uint64_t iterations = experiment.iterations;
  TrafficForecast forecast;
  PacketPool packets;
  for (PeerId id = 0; id < experiment.peer_count(); ++id) {
    const auto peer = make_peer(experiment, id, packets);
    // What is sent repeats with the schedule and the method: a period holds the same rounds, in whatever order.
    const std::uint64_t cycle = std::lcm(experiment.schedule->period(), peer->algorithm().traffic_period());
    const std::uint64_t cycles = cycle == 0 ? 0 : iterations / cycle;
    PeerForecast<Scalar> of_peer(PeerRows(*experiment.schedule, id), peer->algorithm(), forecast);
    PeerTraffic total;
    if (cycles > 0) {
      const PeerTraffic per_cycle = of_peer.sum(1, cycle);
      total = {cycles * per_cycle.messages, cycles * per_cycle.bytes};
    }
    const PeerTraffic rest = of_peer.sum(cycles * cycle + 1, iterations);
    forecast.peers.push_back({total.messages + rest.messages, total.bytes + rest.bytes});
  }
  return forecast;
}

template TrafficForecast forecast_traffic<float>(const Experiment<float>&);
template TrafficForecast forecast_traffic<double>(const Experiment<double>&);

}  // namespace hearsay
