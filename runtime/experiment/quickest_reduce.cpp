#include "runtime/experiment/quickest_reduce.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/network/message_time.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

namespace {

/// What passes between the peers of a run, each message alone on its way.
class Messages {
 public:
  explicit Messages(const RunSettings& settings)
      : settings_(settings), scalar_bytes_(size_in_bytes(settings.run.scalar)) {}

  PeerId peers() const { return settings_.topology.peers; }
  /// How long a message of so many scalars takes.
  Duration time(PeerId from, PeerId to, std::uint64_t length) const {
    return message_time(settings_, from, to, header_bytes + length * scalar_bytes_);
  }

 private:
  const RunSettings& settings_;
  std::uint64_t scalar_bytes_;
};

/// RingSum: 2(n-1) steps, each as long as the slowest link takes for the longest chunk.
Duration ring_time(const Messages& messages, std::uint64_t length) {
  const PeerId n = messages.peers();
  Duration step{0};
  for (PeerId peer = 0; peer < n; ++peer)
    step = std::max(step, messages.time(peer, (peer + 1) % n, (length + n - 1) / n));
  return 2 * (n - 1) * step;
}

/// DoublingSum: each step of a peer begins when its step before has ended.
Duration doubling_time(const Messages& messages, std::uint64_t length) {
  const PeerId n = messages.peers();
  const PeerId power = std::bit_floor(n);
  std::vector<Duration> ready(power, Duration{0});
  for (PeerId peer = power; peer < n; ++peer) ready[peer - power] = messages.time(peer, peer - power, length);
  for (PeerId bit = 1; bit < power; bit *= 2) {
    const std::vector<Duration> before = ready;
    for (PeerId peer = 0; peer < power; ++peer) {
      const PeerId other = peer ^ bit;
      ready[peer] = std::max(before[peer], before[other] + messages.time(other, peer, length));
    }
  }
  Duration end = *std::ranges::max_element(ready);
  for (PeerId peer = power; peer < n; ++peer)
    end = std::max(end, ready[peer - power] + messages.time(peer - power, peer, length));
  return end;
}

}  // namespace

std::optional<ReduceTimes> reduce_times(const RunSettings& settings, const SegmentTable& segments) {
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (!method.summed) return std::nullopt;
  ReduceTimes times{};
  if (settings.topology.peers < 2) return times;
  const Messages messages(settings);
  const auto dimension = static_cast<std::uint64_t>(segments.back().end());
  for (const std::uint64_t length : method.summed(settings.algorithm.options, dimension, segments)) {
    times.ring += ring_time(messages, length);
    times.doubling += doubling_time(messages, length);
  }
  return times;
}

std::optional<std::string> chosen_reduce(const MethodOptions& set, const RunSettings& settings,
                                         const SegmentTable& segments) {
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (!method.summed) return std::nullopt;
  const std::string way = set.find(option::reduce).value_or(method.options[option::reduce]);
  return way == "auto" ? reduce_times(settings, segments)->quickest() : way;
}

}  // namespace hearsay
