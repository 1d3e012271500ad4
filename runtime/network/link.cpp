#include "runtime/network/link.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {
namespace {

using namespace std::chrono_literals;

/// The latest due time that a header can carry. Later times are replaced by it.
constexpr Instant last_instant{Duration{due_limit_ns - 1}};

Instant later(Instant instant, Duration wait) {
  return wait < last_instant - instant ? instant + wait : last_instant;
}

Duration times(std::uint32_t count, Duration duration) {
  const Duration longest = last_instant.time_since_epoch();
  return count == 0 || duration <= longest / count ? count * duration : longest;
}

}  // namespace

bool is_emulated(const RunSettings& settings) {
  const auto names_one = [](NetworkSettings network) {
    network.compute = {};
    return network != NetworkSettings{};
  };
  return names_one(settings.network) || !settings.link_overrides.empty() || !settings.pair_links.empty() ||
         !settings.availability.empty() ||
         std::ranges::any_of(settings.peer_networks,
                             [&](const auto& of_peer) { return names_one(of_peer.second); });
}

PortRate sending_rate(const NetworkSettings& network) { return {network.bandwidth_up, network.trace}; }
PortRate receiving_rate(const NetworkSettings& network) { return {network.bandwidth_down, network.trace}; }

ArrivalRate arrival_rate(const RunSettings& settings, PeerId from, PeerId to) {
  const LinkSettings link = link_settings(settings, from, to);
  return {sending_rate(network_of(settings, from)), link.bandwidth, link.latency};
}

std::uint64_t wire_bytes(Framing framing, std::uint64_t frame_bytes) {
  if (framing == Framing::none) return frame_bytes;
  constexpr std::uint64_t segment_bytes = 1448;
  constexpr std::uint64_t overhead_bytes = 66;
  const std::uint64_t segments = frame_bytes / segment_bytes + (frame_bytes % segment_bytes != 0);
  return frame_bytes + overhead_bytes * segments;
}

Link::Link(std::uint64_t run_seed, PeerId from, PeerId to, const LinkSettings& settings)
    : settings_(settings), from_(from) {
  ensure(settings.latency >= 0ns && settings.jitter >= 0ns, "a link's latency and jitter are not negative");
  ensure(settings.message_loss >= 0.0 && settings.message_loss <= max_message_loss,
         "a link loses at most 99 % of its messages");
  // A random stream is keyed by a peer and one 64-bit number. That number is the sequence, so the receiver
  // goes into the seed.
  stream_seed_ = RandomStream(run_seed, from, to, Purpose::network).bits64();
}

Link::LinkDraw Link::draw(std::uint64_t sequence) const {
  if (settings_.jitter == 0ns && settings_.message_loss == 0.0) return {};
  RandomStream stream(stream_seed_, from_, sequence, Purpose::network);
  LinkDraw draw;
  draw.jitter = Duration(stream.below(static_cast<std::uint64_t>(settings_.jitter.count()) + 1));
  while (stream.uniform() < settings_.message_loss) ++draw.losses;
  return draw;
}

Duration Link::retransmission_timeout() const {
  return std::max<Duration>(200ms, times(3, settings_.latency));
}

Departure Link::carry(Instant start, Instant end, std::uint64_t bytes_on_wire) {
  if (!settings_.bandwidth.unlimited()) {
    end = std::max(end, later(std::max(start, free_), settings_.bandwidth.time_for(bytes_on_wire)));
    free_ = end;
  }
  const std::uint64_t sequence = next_sequence_++;
  const auto [jitter, losses] = draw(sequence);
  const Instant due =
      later(later(later(end, settings_.latency), jitter), times(losses, retransmission_timeout()));
  previous_due_ = std::max(previous_due_, due);
  return {previous_due_, sequence, losses};
}

Departure EgressPort::send(Instant now, std::uint64_t frame_bytes, Link& link) {
  const std::uint64_t bytes = wire_bytes(framing_, frame_bytes);
  const Instant start = availability_.from(std::max(now, free_), begin_);
  free_ = takes_no_time(up_) ? start : later(start, up_.time_from(start - begin_, bytes));
  return link.carry(start, free_, bytes);
}

Duration SendingTime::of(Duration since_start, std::uint64_t frame_bytes) {
  const Instant start = availability_.from(std::max(Instant(since_start), free_), Instant{});
  if (takes_no_time(up_)) {
    free_ = start;
    return Duration{0};
  }
  const Duration takes = up_.time_from(start - Instant{}, wire_bytes(framing_, frame_bytes));
  free_ = later(start, takes);
  return takes;
}

Instant IngressPort::release(Instant due, std::uint64_t frame_bytes, const ArrivalRate& fed) {
  const std::uint64_t bytes = wire_bytes(framing_, frame_bytes);
  const Instant first_byte = due - fed.time_until(due - begin_, bytes);
  began_ = std::max(free_, first_byte);
  free_ = takes_no_time(down_) ? std::max(due, began_)
                               : std::max(due, later(began_, down_.time_from(began_ - begin_, bytes)));
  return availability_.from(free_, begin_);
}

}  // namespace hearsay
