#include "runtime/network/exchange_time.hpp"

#include <algorithm>
#include <cstddef>
#include <queue>
#include <tuple>
#include <vector>

#include "runtime/network/message_time.hpp"

namespace hearsay {

namespace {

using StepOf = std::function<ExchangeStep(PeerId, std::uint32_t)>;

struct Message {
  Instant due;
  PeerId from;
  PeerId to;
  std::uint32_t step;
  std::uint64_t frame_bytes;

  bool operator>(const Message& other) const {
    return std::tie(due, from, step) > std::tie(other.due, other.from, other.step);
  }
};

class Exchange {
 public:
  Exchange(const RunSettings& settings, PeerId peers, std::uint32_t steps, const StepOf& step_of)
      : steps_(steps),
        step_of_(step_of),
        ports_(settings, peers),
        peers_(peers),
        heard_(std::size_t{peers} * steps, not_yet) {}

  double seconds_to_end() {
    for (PeerId peer = 0; peer < peers_.size(); ++peer) {
      begin_step(peer);
      go_on(peer);
    }
    while (!under_way_.empty()) {
      const Message message = under_way_.top();
      under_way_.pop();
      heard(message.to, message.step) =
          ports_.release(message.due, message.from, message.to, message.frame_bytes);
      go_on(message.to);
    }
    Instant end{};
    for (const Place& place : peers_) end = std::max(end, place.since);
    return seconds(end - Instant{});
  }

 private:
  /// Where a peer is: in which step, and since when.
  struct Place {
    std::uint32_t step = 0;
    Instant since{};
  };
  static constexpr Instant not_yet = Instant::max();

  Instant& heard(PeerId peer, std::uint32_t step) { return heard_[std::size_t{peer} * steps_ + step]; }

  void begin_step(PeerId peer) {
    const Place& at = peers_[peer];
    if (at.step == steps_) return;
    const ExchangeStep step = step_of_(peer, at.step);
    if (!step.to) return;
    const Instant due = ports_.send(at.since, peer, *step.to, step.frame_bytes);
    under_way_.push({due, peer, *step.to, at.step, step.frame_bytes});
  }
  /// Ends the steps whose message is there.
  void go_on(PeerId peer) {
    Place& at = peers_[peer];
    while (at.step < steps_) {
      if (step_of_(peer, at.step).from) {
        if (heard(peer, at.step) == not_yet) return;
        at.since = std::max(at.since, heard(peer, at.step));
      }
      ++at.step;
      begin_step(peer);
    }
  }

  std::uint32_t steps_;
  const StepOf& step_of_;
  Ports ports_;
  std::vector<Place> peers_;
  std::vector<Instant> heard_;  // when the message of a step was there, by peer and step
  std::priority_queue<Message, std::vector<Message>, std::greater<>> under_way_;
};

}  // namespace

double exchange_seconds(const RunSettings& settings, PeerId peers, std::uint32_t steps,
                        const StepOf& step_of) {
  return Exchange(settings, peers, steps, step_of).seconds_to_end();
}

}  // namespace hearsay
