#include "runtime/experiment/traffic_forecast.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/methods/parts/backlog.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

std::uint64_t bytes_of(const Traffic& traffic) {
  return traffic.messages * header_bytes + traffic.payload_bytes;
}

/// Limit on the iterations, summed over all peers, that are computed one by one if peers catch up, or if
/// rounds are drawn anew: about a second of computing.
constexpr std::uint64_t most_iterations = 200'000;
/// As many are computed at least.
constexpr std::uint64_t least_iterations = 16;

/// Sums over iterations of one peer.
template <class Scalar>
class PeerForecast {
 public:
  PeerForecast(PeerRows rows, const Algorithm<Scalar>& algorithm, TrafficForecast& forecast)
      : rows_(rows), algorithm_(algorithm), forecast_(forecast) {}

  /// Returns the traffic of iterations 1 ... `last`.
  PeerTraffic up_to(std::uint64_t last) {
    first_bytes_ = last == 0 ? 0 : bytes_of(algorithm_.traffic(1, rows_));
    if (const std::optional<Traffic> all = algorithm_.traffic_up_to(last, rows_)) {
      forecast_.exact = forecast_.exact && all->exact;
      forecast_.steady = forecast_.steady && bytes_of(*all) == last * first_bytes_;
      return {all->messages, bytes_of(*all)};
    }
    const std::uint64_t in_time = std::max(least_iterations, most_iterations / rows_.peer_count());
    if (algorithm_.catches_up() && iterations_to_sum(last) > in_time) return at_most(last);
    if (!rows_.period() && last > in_time) return like_the_first(in_time, last);
    if (!rows_.period() || (algorithm_.catches_up() && !rows_.repeats_in_order())) return sum(1, last);
    // Traffic repeats with the schedule and the method: every period holds the same rounds, in some order.
    // Only in the first period have neighbors that catch up missed less.
    const std::uint64_t cycle = std::lcm(*rows_.period(), algorithm_.traffic_period());
    const PeerTraffic first = sum(1, std::min(cycle, last));
    if (last <= cycle) return first;
    const std::uint64_t cycles = (last - cycle) / cycle;
    const PeerTraffic per_cycle = cycles > 0 ? sum(cycle + 1, 2 * cycle) : PeerTraffic{};
    const PeerTraffic rest = sum((cycles + 1) * cycle + 1, last);
    return {first.messages + cycles * per_cycle.messages + rest.messages,
            first.bytes + cycles * per_cycle.bytes + rest.bytes};
  }

 private:
  /// Returns how many iterations are computed one by one: two cycles and a rest, or all.
  std::uint64_t iterations_to_sum(std::uint64_t last) const {
    const std::uint64_t own = algorithm_.traffic_period();
    const std::uint64_t period = rows_.period().value_or(last);
    if (!rows_.repeats_in_order() || own >= last || period >= last / own) return last;
    return std::min(last, 3 * std::lcm(period, own));
  }

  /// Returns an estimate: as if the first iterations repeated.
  PeerTraffic like_the_first(std::uint64_t looked_at, std::uint64_t last) {
    const PeerTraffic first = sum(1, looked_at);
    const PeerTraffic rest = sum(1, last % looked_at);
    forecast_.exact = forecast_.steady = false;
    const std::uint64_t times = last / looked_at;
    return {times * first.messages + rest.messages, times * first.bytes + rest.bytes};
  }

  /// Returns the traffic if every message held the whole vector: an upper bound, but for the number of
  /// messages if rounds are drawn anew.
  PeerTraffic at_most(std::uint64_t last) {
    forecast_.exact = forecast_.steady = false;
    const std::uint64_t period =
        rows_.period().value_or(std::max(least_iterations, most_iterations / rows_.peer_count()));
    std::uint64_t in_a_period = 0;
    for (std::uint64_t round = 0; round < period; ++round) in_a_period += rows_.at(round).heard_by.size();
    // An unfinished last period counts as a whole one.
    const std::uint64_t messages =
        rows_.period() ? (last + period - 1) / period * in_a_period
                       : static_cast<std::uint64_t>(
                             std::llround(static_cast<double>(last) / static_cast<double>(period) *
                                          static_cast<double>(in_a_period)));
    return {messages, messages * (header_bytes + dense_backlog_bytes(view(algorithm_.model()).size_bytes()))};
  }

  PeerTraffic sum(std::uint64_t first, std::uint64_t last) {
    PeerTraffic sum;
    for (std::uint64_t number = first; number <= last; ++number) {
      const Traffic traffic = algorithm_.traffic(number, rows_);
      sum.messages += traffic.messages;
      sum.bytes += bytes_of(traffic);
      forecast_.exact = forecast_.exact && traffic.exact;
      forecast_.steady = forecast_.steady && bytes_of(traffic) == first_bytes_;
    }
    return sum;
  }

  PeerRows rows_;
  const Algorithm<Scalar>& algorithm_;
  TrafficForecast& forecast_;
  std::uint64_t first_bytes_ = 0;
};

/// Under a hub with a standby every worker sends its answers to both. The hub sends a roster in every
/// iteration.
void add_standby(PeerId standby, std::uint64_t iterations, std::vector<PeerTraffic>& peers) {
  const std::uint64_t workers = peers.size() - 1;
  for (PeerId id = 0; id < peers.size(); ++id) {
    PeerTraffic& traffic = peers[id];
    if (id == hub_id)
      traffic = {traffic.messages + iterations,
                 traffic.bytes + iterations * (header_bytes + workers * sizeof(std::uint32_t))};
    else if (id != standby)
      traffic = {2 * traffic.messages, 2 * traffic.bytes};
  }
}

}  // namespace

std::uint64_t TrafficForecast::total_bytes() const {
  return std::accumulate(peers.begin(), peers.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const PeerTraffic& peer) { return sum + peer.bytes; });
}

template <class Scalar>
TrafficForecast forecast_traffic(const Experiment<Scalar>& experiment) {
  TrafficForecast forecast;
  PacketPool packets;
  for (PeerId id = 0; id < experiment.peer_count(); ++id) {
    const auto peer = make_peer(experiment, id, packets);
    PeerForecast<Scalar> of_peer(PeerRows(*experiment.schedule, id), peer->algorithm(), forecast);
    forecast.peers.push_back(of_peer.up_to(experiment.iterations));
  }
  if (const std::optional<PeerId> standby = experiment.settings.failure.hub_standby)
    add_standby(*standby, experiment.iterations, forecast.peers);
  if (experiment.settings.topology.rounds_close()) forecast.exact = false;  // who is late sits rounds out
  return forecast;
}

template TrafficForecast forecast_traffic<float>(const Experiment<float>&);
template TrafficForecast forecast_traffic<double>(const Experiment<double>&);

}  // namespace hearsay
