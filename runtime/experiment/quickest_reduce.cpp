#include "runtime/experiment/quickest_reduce.hpp"

#include <cstdint>
#include <numeric>
#include <vector>

#include "algorithms/methods/parts/doubling_sum.hpp"
#include "algorithms/methods/parts/ring_sum.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/network/exchange_time.hpp"
#include "runtime/network/message_time.hpp"
#include "runtime/network/ring_time.hpp"
#include "runtime/settings/link_settings.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

namespace {

std::uint64_t frame_bytes(const RunSettings& settings, std::uint64_t length) {
  return header_bytes + length * size_in_bytes(settings.run.scalar);
}

/// All chunks of all sums count as equally long: as the longest of a sum of the mean length.
double time_by_ring(const RunSettings& settings, const std::vector<std::uint64_t>& lengths) {
  const PeerId n = settings.topology.peers;
  const std::uint64_t chunks = std::uint64_t{n} * lengths.size();
  const std::uint64_t scalars = std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0});
  const std::uint64_t bytes = frame_bytes(settings, (scalars + chunks - 1) / chunks);
  std::vector<RingLink> links;
  for (PeerId peer = 0; peer < n; ++peer) {
    const PeerId next = RingSum(peer, n).next();
    links.push_back({link_settings(settings, peer, next).latency, busy_time(settings, peer, next, bytes)});
  }
  return ring_seconds(links, std::uint64_t{RingSum(0, n).steps()} * lengths.size());
}

double time_by_doubling(const RunSettings& settings, const std::vector<std::uint64_t>& lengths) {
  const PeerId n = settings.topology.peers;
  const Slot steps = DoublingSum(0, n).steps();
  const auto of_iteration = static_cast<std::uint32_t>(steps * lengths.size());
  const auto seconds_of = [&](std::uint32_t iterations) {
    return exchange_seconds(settings, n, iterations * of_iteration, [&](PeerId peer, std::uint32_t step) {
      const DoublingSum sum(peer, n);
      return ExchangeStep{.to = sum.receiver_in(step % steps),
                          .from = sum.sender_in(step % steps),
                          .frame_bytes = frame_bytes(settings, lengths[step % of_iteration / steps])};
    });
  };
  // Peers that are through begin the next iteration while others still wait. That settles in the first.
  return (seconds_of(3) - seconds_of(1)) / 2.0;
}

}  // namespace

std::optional<ReduceTimes> reduce_times(const RunSettings& settings, const SegmentTable& segments) {
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (!method.summed) return std::nullopt;
  if (settings.topology.peers < 2) return ReduceTimes{};
  const auto dimension = static_cast<std::uint64_t>(segments.back().end());
  const auto lengths = method.summed(settings.algorithm.options, dimension, segments);
  return ReduceTimes{.ring = time_by_ring(settings, lengths),
                     .doubling = time_by_doubling(settings, lengths)};
}

bool leaves_reduce_open(const MethodInfo& method, const MethodOptions& set) {
  return method.summed && set.find(option::reduce).value_or(method.options[option::reduce]) == "auto";
}

std::optional<std::string> chosen_reduce(const MethodOptions& set, const RunSettings& settings,
                                         const SegmentTable& segments) {
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (!method.summed) return std::nullopt;
  if (leaves_reduce_open(method, set)) return reduce_times(settings, segments)->quickest();
  return set.find(option::reduce).value_or(method.options[option::reduce]);
}

}  // namespace hearsay
