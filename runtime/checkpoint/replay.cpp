#include "runtime/checkpoint/replay.hpp"

#include <algorithm>

#include "runtime/network/link.hpp"
#include "runtime/record/json.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

namespace {

template <class Scalar>
class Replay {
 public:
  Replay(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, SessionState known, PeerMeters& meters)
      : in_a_ring_(experiment.method->pattern == Pattern::ring),
        staleness_(staleness_of(experiment.settings)),
        restored_after_(peer.iteration()),
        peer_(peer),
        state_(std::move(known)),
        meters_(meters) {}

  SessionState run(const std::vector<Heard>& log) {
    peer_.start();
    settle();
    for (const Heard& heard : log) {
      if (const auto* data = std::get_if<HeardData>(&heard)) {
        meters_.bytes_received += header_bytes + data->packet->size();
        forget(data->key);
        peer_.deliver(data->key, data->packet);
      } else if (const auto& verdict = std::get<HeardVerdict>(heard); is_news(verdict.evaluated)) {
        peer_.verdict(verdict.evaluated, verdict.go_on, verdict.checkpoint_every);
      }
      settle();
    }
    state_.next_needed = first_needed_in(peer_.iteration() + 1, staleness_);
    state_.last_verdict = peer_.last_verdict();
    std::erase_if(state_.untold, [&](const Told& told) { return !is_news(told.iteration); });
    return std::move(state_);
  }

 private:
  bool is_news(std::uint64_t evaluated) const {
    return !peer_.last_verdict() || *peer_.last_verdict() < evaluated;
  }

  /// Acts on what the peer asks for, until it has to wait for others.
  void settle() {
    for (;;) {
      for (Outgoing& outgoing : peer_.outbox()) {
        if (outgoing.key.iteration > restored_after_)  // else it says it again
          meters_.count_sent(outgoing.to, header_bytes + outgoing.packet->size());
        state_.retained.push_back(std::move(outgoing));
      }
      peer_.outbox().clear();
      switch (peer_.state()) {
        case PeerState::checkpoint_due:
          peer_.checkpoint_taken();  // the next one, after the replay, is soon enough
          break;
        case PeerState::evaluation_due:
          meters_.counters = peer_.counters();
          state_.untold.push_back(
              {FrameKind::evaluation, peer_.iteration(), encode_snapshot(meters_, peer_.model())});
          peer_.evaluation_taken();
          break;
        case PeerState::needs_gradient:
          peer_.compute_gradient();
          peer_.gradient_arrived();
          break;
        case PeerState::idle:
        case PeerState::needs_messages:
        case PeerState::needs_verdict:
        case PeerState::needs_agreement:
        case PeerState::finished:
        case PeerState::diverged:
          return;
      }
    }
  }

  /// A neighbor that speaks in an iteration is past those before it, but for the staleness; in a ring, everybody is.
  void forget(const MessageKey& heard) {
    for (auto& [to, next_needed] : state_.released)
      if (to == heard.sender)
        next_needed = std::max(next_needed, first_needed_in(heard.iteration, staleness_));
    const std::uint64_t first =
        in_a_ring_ ? heard.iteration - 1 : first_needed_in(heard.iteration, staleness_);
    std::erase_if(state_.retained, [&](const Outgoing& message) {
      return (in_a_ring_ || message.to == heard.sender) && message.key.iteration < first;
    });
  }

  bool in_a_ring_;
  std::uint64_t staleness_;
  std::uint64_t restored_after_;
  Peer<Scalar>& peer_;
  SessionState state_;
  PeerMeters& meters_;
};

}  // namespace

template <class Scalar>
SessionState replay(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, SessionState known,
                    const std::vector<Heard>& log, PeerMeters& meters) {
  return Replay<Scalar>(experiment, peer, std::move(known), meters).run(log);
}

template SessionState replay<float>(const Experiment<float>&, Peer<float>&, SessionState,
                                    const std::vector<Heard>&, PeerMeters&);
template SessionState replay<double>(const Experiment<double>&, Peer<double>&, SessionState,
                                     const std::vector<Heard>&, PeerMeters&);

}  // namespace hearsay
