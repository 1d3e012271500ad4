#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <string>
#include <utility>
#include <vector>

#include "runtime/survey/survey_desk.hpp"
#include "runtime/survey/surveyed_peer.hpp"

namespace hearsay::test {

/// A survey in virtual time: its peers, its desk, and links that carry one frame after the other.
class SurveyWorld {
 public:
  /// What a link does with the frames of one direction.
  struct Link {
    double bytes_per_s;
    Duration latency;
    /// So many bytes pass at ten times the bandwidth, as the bucket of many a rented port lets them.
    std::uint64_t burst_bytes = 0;
  };
  using LinkOf = std::function<Link(PeerId from, PeerId to)>;

  SurveyWorld(PeerId peers, const SurveyLimits& limits, LinkOf link_of)
      : link_of_(std::move(link_of)),
        steps_(steps_of(peers)),
        desk_(peers, steps_, now() + std::chrono::seconds(30)) {
    for (PeerId id = 0; id < peers; ++id) peers_.emplace_back(id, steps_, limits);
    free_.resize(peers);
    dead_.resize(peers);
  }

  Instant now() const { return now_; }
  SurveyedPeer& peer(PeerId id) { return peers_[id]; }
  SurveyDesk& desk() { return desk_; }

  void get_ready(PeerId id) { peers_[id].get_ready(now_); }
  void get_all_ready() {
    for (PeerId id = 0; id < peers_.size(); ++id) get_ready(id);
  }
  void kill(PeerId id) { dead_[id] = true; }
  /// Frames from now on are lost with this probability.
  double loss = 0.0;
  /// Called before each event.
  std::function<void()> watch = [] {};
  std::uint64_t unfit = 0;
  std::uint64_t loads = 0;
  /// The payload that a peer has sent to another.
  std::map<std::pair<PeerId, PeerId>, std::uint64_t> payload;

  /// Runs until all that live have ended, or `most` is over. Returns true if all have ended.
  bool run(Duration most = std::chrono::minutes(10)) {
    const Instant end = now_ + most;
    while (now_ < end) {
      watch();
      pump();
      if (all_have_ended()) return true;
      Instant next = end;
      for (PeerId id = 0; id < peers_.size(); ++id)
        if (!dead_[id]) next = std::min(next, std::max(peers_[id].next(), now_ + step_));
      next = std::min(next, std::max(desk_.next(), now_ + step_));
      for (PeerId id = 0; id < peers_.size(); ++id)
        if (!dead_[id] && peers_[id].source().next()) next = std::min(next, std::max(free_[id], now_));
      if (!flight_.empty()) next = std::min(next, flight_.top().at);
      now_ = std::max(now_, next);
      while (!flight_.empty() && flight_.top().at <= now_) {
        const Flying frame = flight_.top();
        flight_.pop();
        frame.arrive();
      }
    }
    return false;
  }

 private:
  static constexpr Duration step_ = std::chrono::microseconds(1);
  static constexpr Duration control_latency_ = std::chrono::milliseconds(1);
  static std::vector<SurveyStep> steps_of(PeerId peers) {
    std::vector<std::string> hosts;
    for (PeerId id = 0; id < peers; ++id) hosts.push_back(std::to_string(id));
    return survey_steps(hosts);
  }

  struct Flying {
    Instant at;
    std::uint64_t number;
    std::function<void()> arrive;
    bool operator<(const Flying& other) const {
      return std::pair(at, number) > std::pair(other.at, other.number);
    }
  };

  void fly(Instant at, std::function<void()> arrive) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    if (static_cast<double>(state_ >> 11) * 0x1p-53 < loss) return;
    flight_.push({at, numbers_++, std::move(arrive)});
  }

  bool all_have_ended() const {
    for (PeerId id = 0; id < peers_.size(); ++id)
      if (!dead_[id] && !peers_[id].end()) return false;
    return dead_[0] || desk_.has_ended(now_);
  }

  void pump() {
    if (!dead_[0]) {
      desk_.tick(now_);
      if (desk_.is_complete()) {
        links = desk_.links();
        desk_.dismiss(now_);
      }
      for (SurveyDesk::Word& word : desk_.take_words()) {
        word.header.sender = 0;
        fly(now_ + control_latency_, [this, word] {
          if (dead_[word.to]) return;
          count(peers_[word.to].hear_observer(word.header, std::as_bytes(std::span(word.payload)), now_));
        });
      }
    }
    for (PeerId id = 0; id < peers_.size(); ++id) {
      if (dead_[id]) continue;
      peers_[id].tick(now_);
      for (SurveyedPeer::Word& word : peers_[id].take_words()) say(id, std::move(word));
      send_loads(id);
    }
  }

  void say(PeerId from, SurveyedPeer::Word word) {
    word.header.sender = from;
    word.header.incarnation = from + 1;
    if (word.to) {
      fly(now_ + link_of_(from, *word.to).latency, [this, word] {
        if (!dead_[*word.to]) count(peers_[*word.to].hear_peer(word.header, 0, now_));
      });
    } else {
      fly(now_ + control_latency_, [this, word] {
        if (!dead_[0]) count(desk_.hear(word.header, std::as_bytes(std::span(word.payload)), now_));
      });
    }
  }

  void send_loads(PeerId from) {
    while (free_[from] <= now_) {
      const auto piece = peers_[from].source().next();
      if (!piece) return;
      peers_[from].source().sent();
      const Link link = link_of_(from, piece->to);
      std::uint64_t& sent = payload[{from, piece->to}];
      const double rate = link.bytes_per_s * (sent < link.burst_bytes ? 10.0 : 1.0);
      sent += piece->bytes;
      ++loads;
      const double frame_s = static_cast<double>(header_bytes + piece->bytes) / rate;
      free_[from] = now_ + Duration(static_cast<std::int64_t>(1e9 * frame_s));
      FrameHeader header;
      put(piece->load, header);
      header.sender = from;
      fly(free_[from] + link.latency, [this, header, to = piece->to, bytes = piece->bytes] {
        if (!dead_[to]) count(peers_[to].hear_peer(header, bytes, now_));
      });
    }
  }

  void count(bool fits) { unfit += fits ? 0 : 1; }

  Instant now_{std::chrono::hours(1)};
  LinkOf link_of_;
  std::vector<SurveyStep> steps_;
  SurveyDesk desk_;
  std::vector<SurveyedPeer> peers_;
  std::vector<Instant> free_;  // the port of each
  std::vector<bool> dead_;
  std::priority_queue<Flying> flight_;
  std::uint64_t numbers_ = 0;
  std::uint64_t state_ = 7;

 public:
  std::vector<MeasuredLink> links;  ///< empty if the survey had no result
};

}  // namespace hearsay::test
