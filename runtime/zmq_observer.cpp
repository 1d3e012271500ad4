#include "runtime/zmq_observer.hpp"

#include <algorithm>
#include <zmq.hpp>

#include "runtime/observer.hpp"
#include "runtime/records.hpp"
#include "runtime/zmq_clock.hpp"
#include "runtime/zmq_frames.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

constexpr Duration patience_after_stop = std::chrono::seconds(5);
constexpr std::chrono::milliseconds look_around_every{50};
// Room for meters or an outcome, besides a model.
constexpr std::size_t record_limit_bytes = 1 << 20;

}  // namespace

template <class Scalar>
class ObserverServer<Scalar>::Server {
 public:
  Server(const Experiment<Scalar>& experiment, Agreement agreement, const std::string& bind_address)
      : experiment_(experiment),
        agreement_(std::move(agreement)),
        observer_(experiment.problem, experiment.settings.run.target_loss),
        payload_limit_bytes_(static_cast<std::size_t>(experiment.problem.dimension()) * sizeof(Scalar) +
                             record_limit_bytes),
        peers_(experiment.peer_count()) {
    router_.set(zmq::sockopt::linger, 1000);  // ms, for the last words
    router_.set(zmq::sockopt::router_mandatory, true);
    router_.set(zmq::sockopt::router_handover, true);
    router_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(payload_limit_bytes_));
    try {
      router_.bind(bind_address);
    } catch (const zmq::error_t& error) {
      throw Misuse("observer", bind_address, "cannot listen there (" + std::string(error.what()) + ")");
    }
    bound_address = router_.get(zmq::sockopt::last_endpoint);
  }

  RunOutcome<Scalar> serve(const RunControl& control,
                           const std::function<std::optional<std::string>()>& lost) {
    try {
      return observe(control, lost);
    } catch (const Misuse&) {  // the caller could not take note of an evaluation
      stop();
      throw;
    }
  }

  std::string bound_address;

 private:
  RunOutcome<Scalar> observe(const RunControl& control,
                             const std::function<std::optional<std::string>()>& lost) {
    std::optional<Instant> give_up;
    while (ended_ < peers_.size()) {
      zmq::pollitem_t item{router_.handle(), 0, ZMQ_POLLIN, 0};
      try {
        zmq::poll(&item, 1, look_around_every);
      } catch (const zmq::error_t& error) {
        if (error.num() != EINTR) throw;
      }
      receive(control);
      if (ended_ == peers_.size()) break;
      if (const std::optional<std::string> how = lost()) {
        stop();
        return outcome(RunStatus::lost, *how);
      }
      if ((control.is_interrupted() || interrupted_by_peer_) && !give_up) {
        stop();
        give_up = monotonic_now() + patience_after_stop;
      }
      if (give_up && (monotonic_now() > *give_up || !started_)) break;
    }
    for (PeerId id = 0; id < peers_.size(); ++id) say(id, FrameKind::bye);
    if (give_up) return outcome(RunStatus::interrupted, "interrupted");
    return outcome(std::nullopt, "");
  }

  struct PeerSeen {
    bool welcomed = false;
    bool ready = false;
    std::optional<std::uint64_t> evaluated;
    std::optional<PeerOutcome> outcome;
  };

  void receive(const RunControl& control) {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_router(router_, payload_limit_bytes_, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage || frame.header.sender >= peers_.size()) continue;
      PeerSeen& peer = peers_[frame.header.sender];
      const std::span<const std::byte> payload{frame.payload.data<std::byte>(), frame.payload.size()};
      switch (frame.header.kind) {
        case FrameKind::hello:
          answer_hello(frame.header.sender, peer, payload);
          break;
        case FrameKind::ready:
          if (peer.welcomed) peer.ready = true;
          start_when_ready(control);
          break;
        case FrameKind::evaluation:
          evaluate(frame.header, peer, payload, control);
          break;
        case FrameKind::result:
          end(peer, payload);
          break;
        case FrameKind::stop:
          if (peer.welcomed) interrupted_by_peer_ = true;
          break;
        default:
          break;
      }
    }
  }

  void answer_hello(PeerId sender, PeerSeen& peer, std::span<const std::byte> payload) {
    const std::optional<Agreement> theirs = decode_agreement(payload);
    const std::optional<std::string> difference =
        theirs ? disagreement(*theirs, agreement_, "the observer")
               : std::optional<std::string>("the observer cannot read the hello of this peer");
    if (!difference) {
      peer.welcomed = true;
      return say(sender, FrameKind::welcome);
    }
    send_frame(router_, routing_id(sender), header(FrameKind::refuse), std::as_bytes(std::span(*difference)));
  }

  void start_when_ready(const RunControl& control) {
    if (started_ ||
        !std::all_of(peers_.begin(), peers_.end(), [](const PeerSeen& peer) { return peer.ready; }))
      return;
    started_ = true;
    const Verdict verdict = observer_.begin();
    control.on_evaluation(observer_.evaluations().back());
    origin_ = monotonic_now();
    for (PeerId id = 0; id < peers_.size(); ++id) {
      FrameHeader head = header(FrameKind::start);
      head.due_ns = origin_.time_since_epoch().count();
      send_frame(router_, routing_id(id), head, {});
    }
    announce(verdict);
  }

  void evaluate(const FrameHeader& head, PeerSeen& peer, std::span<const std::byte> payload,
                const RunControl& control) {
    if (!started_ || (peer.evaluated && *peer.evaluated >= head.iteration)) return;
    const auto snapshot = decode_snapshot<Scalar>(payload, experiment_.problem.dimension());
    if (!snapshot) return;
    peer.evaluated = head.iteration;
    const auto verdict = observer_.take(head.sender, head.iteration, snapshot->model, snapshot->meters);
    if (!verdict) return;
    announce(*verdict);
    control.on_evaluation(observer_.evaluations().back());
  }

  void announce(const Verdict& verdict) {
    for (PeerId id = 0; id < peers_.size(); ++id) {
      FrameHeader word = header(FrameKind::verdict);
      word.iteration = verdict.evaluated;
      word.slot = verdict.go_on ? 1 : 0;
      send_frame(router_, routing_id(id), word, {});
    }
  }

  void end(PeerSeen& peer, std::span<const std::byte> payload) {
    if (peer.outcome) return;
    peer.outcome = decode_outcome(payload);
    if (!peer.outcome) return;
    ++ended_;
    if (peer.outcome->divergence) stop();
  }

  void stop() {
    if (stopped_) return;
    stopped_ = true;
    for (PeerId id = 0; id < peers_.size(); ++id) say(id, FrameKind::stop);
  }

  void say(PeerId id, FrameKind kind) { send_frame(router_, routing_id(id), header(kind), {}); }

  FrameHeader header(FrameKind kind) const {
    FrameHeader result;
    result.kind = kind;
    result.run_id = run_id(agreement_);
    return result;
  }

  RunOutcome<Scalar> outcome(std::optional<RunStatus> status, std::string reason) const {
    std::vector<PeerOutcome> outcomes;
    Duration last{0};
    for (const PeerSeen& peer : peers_) {
      outcomes.push_back(peer.outcome.value_or(PeerOutcome{}));
      last = std::max(last, outcomes.back().meters.now);
    }
    RunOutcome<Scalar> result = conclude(observer_, std::move(outcomes));
    if (status) {
      result.status = *status;
      result.reason = std::move(reason);
    }
    result.seconds = seconds(last);
    return result;
  }

  const Experiment<Scalar>& experiment_;
  Agreement agreement_;
  Observer<Scalar> observer_;
  std::size_t payload_limit_bytes_;
  std::vector<PeerSeen> peers_;
  std::size_t ended_ = 0;
  bool started_ = false;
  bool stopped_ = false;
  bool interrupted_by_peer_ = false;
  Instant origin_{};
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
};

template <class Scalar>
ObserverServer<Scalar>::ObserverServer(const Experiment<Scalar>& experiment, Agreement agreement,
                                       const std::string& bind_address)
    : server_(std::make_unique<Server>(experiment, std::move(agreement), bind_address)) {}

template <class Scalar>
ObserverServer<Scalar>::~ObserverServer() = default;

template <class Scalar>
const std::string& ObserverServer<Scalar>::bound_address() const {
  return server_->bound_address;
}

template <class Scalar>
RunOutcome<Scalar> ObserverServer<Scalar>::serve(const RunControl& control,
                                                 const std::function<std::optional<std::string>()>& lost) {
  return server_->serve(control, lost);
}

template class ObserverServer<float>;
template class ObserverServer<double>;

}  // namespace hearsay
