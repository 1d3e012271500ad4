#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "runtime/transfer/transfers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test {

inline constexpr std::uint32_t run = 77;
inline constexpr std::size_t limit = 64 << 20;
inline constexpr std::uint32_t incarnation = 5;

struct Sent {
  FrameHeader header;
  std::vector<std::byte> payload;
};

inline FrameHeader header_of(FrameKind kind, std::uint64_t iteration, PeerId sender) {
  FrameHeader header;
  header.kind = kind;
  header.iteration = iteration;
  header.run_id = run;
  header.sender = sender;
  header.incarnation = kind == FrameKind::question ? 0 : incarnation;
  return header;
}

/// No two positions near each other, and no two seeds, have the same bytes.
inline std::vector<std::byte> model(std::size_t bytes, std::uint64_t seed) {
  std::vector<std::byte> made(bytes);
  std::uint64_t state = seed;
  for (std::byte& byte : made) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    byte = static_cast<std::byte>(state >> 56);
  }
  return made;
}

/// Peers and the observer, whose port has a rate in each direction, in virtual time. Frames of one connection
/// keep their order; a connection that breaks loses what is under way in it.
class Network {
 public:
  /// `uplink_bytes_per_s`: of each peer; 0: as quick as it likes.
  Network(std::size_t peers, double bytes_per_s, Duration latency, double uplink_bytes_per_s = 0)
      : spool_(ModelSpool::make(folder_.path(), peers, longest_spooled_bytes, no_notice)),
        observer_(peers, limit, {run, 0, 0}, spool_.get()),
        bytes_per_s_(bytes_per_s),
        latency_(latency),
        uplink_bytes_per_s_(uplink_bytes_per_s),
        uplink_free_(peers) {
    for (std::size_t k = 0; k < peers; ++k)
      peers_.push_back(
          std::make_unique<Transfers>(1, limit, Transfers::Self{run, static_cast<PeerId>(k), incarnation}));
  }

  void report(std::size_t peer, FrameHeader header, const std::vector<std::byte>& payload) {
    if (peers_[peer]->carries(0, header.kind, payload.size()))
      peers_[peer]->send(0, header, payload);
    else
      post(true, peer, header, payload);
  }
  void ask(std::size_t peer, FrameHeader header, const std::vector<std::byte>& payload) {
    observer_.send(peer, header, payload);
  }
  /// The verdict on the evaluation at `iteration` is said to peer `peer`, and comes if `is_heard`.
  void say_verdict(std::size_t peer, std::uint64_t iteration, bool is_heard) {
    observer_.close(peer, iteration);
    if (is_heard) peers_[peer]->close(0, iteration);
  }
  /// The observer hears nothing and says nothing for so long.
  void stop_observer(Duration time) { observer_goes_on_ = now + time; }
  void break_connection(std::size_t peer) {
    std::erase_if(under_way_, [&](const auto& entry) { return entry.second.peer == peer; });
  }
  /// Its process has forgotten what it was sending.
  void silence_peer(std::size_t peer) {
    break_connection(peer);
    peers_[peer]->forget(0);
  }
  void restart_peer(std::size_t peer) {
    break_connection(peer);
    peers_[peer] = std::make_unique<Transfers>(1, limit, Transfers::Self{run, static_cast<PeerId>(peer), 6});
    observer_.forget(peer);
  }
  /// Nothing of the peer comes any more, nor reaches it.
  void kill_peer(std::size_t peer) { dead_.insert(peer); }
  /// The observer goes on without the peer.
  void drop_peer(std::size_t peer) { observer_.forget(peer); }
  /// Other traffic through the port of the observer, in both directions.
  void fill_port(Duration up_to) {
    for (Instant& free : port_free_) free = std::max(free, now + up_to);
  }
  void occupy_port(Duration time) { port_free_[1] = std::max(port_free_[1], now) + time; }

  /// Runs until `done` or `end`. Returns whether it is done.
  bool run_until(Instant end, const std::function<bool()>& done, bool training_waits = false) {
    for (;;) {
      carry_out(training_waits);
      if (done()) return true;
      const Instant wakes_at = std::min(wakes(), end);
      if (under_way_.empty() || under_way_.begin()->first > wakes_at) {
        now = std::max(now, wakes_at);
      } else {
        now = std::max(now, under_way_.begin()->first);
        const Frame frame = std::move(under_way_.begin()->second);
        under_way_.erase(under_way_.begin());
        if (frame.to_observer && now < observer_goes_on_)
          under_way_.emplace(observer_goes_on_, frame);
        else
          deliver(frame);
      }
      if (now >= end) return false;
    }
  }

  /// When something is to be done, if no frame comes before.
  Instant wakes() const {
    Instant first = std::max(observer_.next(), observer_goes_on_);
    for (const auto& peer : peers_) first = std::min(first, peer->next());
    return first;
  }

  Instant now{std::chrono::seconds(1)};
  std::map<std::size_t, std::vector<Sent>> at_observer, at_peers;
  std::uint64_t most_under_way_bytes = 0;
  std::uint64_t bytes_to_observer = 0, bytes_to_peers = 0;
  std::size_t longest_piece_bytes = 0;
  std::size_t delivered = 0;

 private:
  struct Frame {
    bool to_observer;
    std::size_t peer;
    Sent sent;
  };

  static Duration time_of(double bytes, double bytes_per_s) {
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(bytes / bytes_per_s));
  }

  void post(bool to_observer, std::size_t peer, FrameHeader header, std::span<const std::byte> payload) {
    header.payload_bytes = static_cast<std::uint32_t>(payload.size());
    header.payload_checksum = payload_checksum(payload);
    const double bytes = static_cast<double>(header_bytes + payload.size());
    Instant& free = port_free_[to_observer];
    // The port is at the observer: what comes has flown before, what leaves flies after it.
    Instant left = now;
    if (to_observer && uplink_bytes_per_s_ > 0)
      left = uplink_free_[peer] = std::max(uplink_free_[peer], now) + time_of(bytes, uplink_bytes_per_s_);
    const Instant at_port = to_observer ? left + latency_ : now;
    free = std::max(free, at_port) + time_of(bytes, bytes_per_s_);
    under_way_.emplace(to_observer ? free : free + latency_,
                       Frame{to_observer, peer, {header, {payload.begin(), payload.end()}}});
    (to_observer ? bytes_to_observer : bytes_to_peers) += header_bytes + payload.size();
    longest_piece_bytes = std::max(longest_piece_bytes, payload.size());
    std::uint64_t all = 0;
    for (const auto& [due, frame] : under_way_) all += frame.sent.payload.size();
    most_under_way_bytes = std::max(most_under_way_bytes, all);
  }

  void deliver(const Frame& frame) {
    ++delivered;
    if (dead_.contains(frame.peer)) return;
    Transfers& hears = frame.to_observer ? observer_ : *peers_[frame.peer];
    auto& arrived = frame.to_observer ? at_observer : at_peers;
    if (!Transfers::is_word(frame.sent.header.kind)) {
      arrived[frame.peer].push_back(frame.sent);
      return;
    }
    const auto whole =
        hears.hear(frame.to_observer ? frame.peer : 0, frame.sent.header, frame.sent.payload, now);
    if (whole)
      arrived[frame.peer].push_back({whole->header, {whole->payload().begin(), whole->payload().end()}});
  }

  bool waits_at_observer() const {
    return !under_way_.empty() && under_way_.begin()->first <= now && under_way_.begin()->second.to_observer;
  }

  void carry_out(bool training_waits) {
    if (now >= observer_goes_on_)
      observer_.carry_out(
          {now, training_waits, !waits_at_observer()},
          [&](std::size_t to, const FrameHeader& header, auto payload) { post(false, to, header, payload); });
    for (std::size_t k = 0; k < peers_.size(); ++k)
      peers_[k]->carry_out({now}, [&](std::size_t, const FrameHeader& header, auto payload) {
        post(true, k, header, payload);
      });
  }

  /// Models that are longer are put together in memory, and so are those of which two others are not closed.
  static constexpr std::size_t longest_spooled_bytes = 250'000;

  TemporaryFolder folder_{"hearsay_transfer"};
  std::unique_ptr<ModelSpool> spool_;
  Transfers observer_;
  std::vector<std::unique_ptr<Transfers>> peers_;
  double bytes_per_s_;
  Duration latency_;
  double uplink_bytes_per_s_;
  std::vector<Instant> uplink_free_;    // by peer
  std::array<Instant, 2> port_free_{};  // by direction
  std::set<std::size_t> dead_;
  Instant observer_goes_on_ = Instant::min();
  std::multimap<Instant, Frame> under_way_;
};

}  // namespace hearsay::test
