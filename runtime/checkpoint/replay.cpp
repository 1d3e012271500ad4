#include "runtime/checkpoint/replay.hpp"

#include <algorithm>

#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/record/evaluation_payload.hpp"
#include "runtime/session/retention.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

namespace {

template <class Scalar>
class Replay {
 public:
  Replay(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, SessionState known, PeerMeters& meters)
      : experiment_(experiment),
        pattern_(pattern_of(experiment)),
        staleness_(staleness_of(experiment.settings)),
        restored_after_(peer.iteration()),
        destinations_(partners_of(experiment, peer.id()).destinations),
        retention_(destinations_, experiment.method->asynchronous),
        peer_(peer),
        unacknowledged_reports_(std::move(known.unacknowledged_reports)),
        meters_(meters) {
    for (const auto& [to, next_needed] : known.released) retention_.release(to, next_needed);
    for (Outgoing& message : known.retained) keep(std::move(message));
  }

  SessionState run(const std::vector<LogRecord>& log) {
    peer_.start();
    settle();
    for (const LogRecord& heard : log) {
      if (const auto* data = std::get_if<LoggedData>(&heard)) {
        meters_.bytes_received += header_bytes + data->packet->size();
        release(data->key);
        peer_.deliver(data->key, data->packet);
      } else if (const auto& verdict = std::get<LoggedVerdict>(heard); is_news(verdict.evaluated)) {
        peer_.verdict(verdict.evaluated, verdict.proceed, verdict.announced);
      }
      settle();
    }
    std::erase_if(unacknowledged_reports_, [&](const Report& report) { return !is_news(report.iteration); });
    SessionState state{first_needed_in(peer_.iteration() + 1, staleness_),
                       peer_.last_verdict(),
                       {},
                       {},
                       std::move(unacknowledged_reports_),
                       meters_.now};
    for (const PeerId to : destinations_) {
      state.released.emplace_back(to, retention_.floor(to));
      for (RetainedMessage& message : retention_.of(to))
        state.retained.push_back({to, message.key, std::move(message.packet), message.metadata});
    }
    return state;
  }

 private:
  bool is_news(std::uint64_t evaluated) const {
    return !peer_.last_verdict() || *peer_.last_verdict() < evaluated;
  }

  /// Does what the peer asks for, until the peer must wait for others.
  void settle() {
    for (;;) {
      for (Outgoing& outgoing : peer_.outbox()) {
        if (outgoing.key.iteration > restored_after_)  // earlier messages are sent again
          meters_.count_sent(outgoing.to, header_bytes + outgoing.packet->size());
        keep(std::move(outgoing));
      }
      peer_.outbox().clear();
      switch (peer_.state()) {
        case PeerState::checkpoint_due:
          peer_.checkpoint_taken();  // not written: the next one after the replay is early enough
          break;
        case PeerState::evaluation_due:
          meters_.counters = peer_.counters();
          unacknowledged_reports_.push_back({FrameKind::evaluation, peer_.iteration(),
                                             evaluation_payload(experiment_.problem, experiment_.settings.run,
                                                                peer_.id(), peer_.model(), meters_)});
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
        case PeerState::needs_copies:
        case PeerState::finished:
        case PeerState::diverged:
          return;
      }
    }
  }

  void keep(Outgoing message) {
    retention_.keep(message.to, {message.key, std::move(message.packet), 0, message.metadata});
  }

  void release(const MessageKey& heard) {
    const SenderProgress progress{heard.sender, heard.iteration,
                                  first_needed_in(heard.iteration, staleness_)};
    for (const PeerId to : destinations_) retention_.release(to, pattern_.forgets(to, progress));
  }

  const Experiment<Scalar>& experiment_;
  const Pattern& pattern_;  // which messages the method sends to whom
  std::uint64_t staleness_;
  std::uint64_t restored_after_;
  std::vector<PeerId> destinations_;
  Retention retention_;
  Peer<Scalar>& peer_;
  std::vector<Report> unacknowledged_reports_;
  PeerMeters& meters_;
};

}  // namespace

template <class Scalar>
SessionState replay(const Experiment<Scalar>& experiment, Peer<Scalar>& peer, SessionState known,
                    const std::vector<LogRecord>& log, PeerMeters& meters) {
  return Replay<Scalar>(experiment, peer, std::move(known), meters).run(log);
}

template SessionState replay<float>(const Experiment<float>&, Peer<float>&, SessionState,
                                    const std::vector<LogRecord>&, PeerMeters&);
template SessionState replay<double>(const Experiment<double>&, Peer<double>&, SessionState,
                                     const std::vector<LogRecord>&, PeerMeters&);

}  // namespace hearsay
