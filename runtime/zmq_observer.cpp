#include "runtime/zmq_observer.hpp"

#include <algorithm>
#include <zmq.hpp>

#include "runtime/observer_session.hpp"
#include "runtime/zmq_clock.hpp"
#include "runtime/zmq_frames.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::chrono::milliseconds look_around_every{50};
// Room for meters or an outcome, besides a model.
constexpr std::size_t record_limit_bytes = 1 << 20;

}  // namespace

template <class Scalar>
class ObserverServer<Scalar>::Server {
 public:
  Server(const Experiment<Scalar>& experiment, Agreement agreement, const std::string& bind_address,
         Duration start_patience, const std::vector<Evaluation>& record)
      : payload_limit_bytes_(static_cast<std::size_t>(experiment.problem.dimension()) * sizeof(Scalar) +
                             record_limit_bytes),
        session_(experiment, std::move(agreement), start_patience, monotonic_now(), record) {
    router_.set(zmq::sockopt::linger, last_words_linger_ms);
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
    while (!session_.over()) {
      // One frame a turn: an evaluation may take longer than the peers need for the next one, and the user, the lost and
      // the clock must not wait until nothing waits any more.
      const bool heard = receive(control);
      if (session_.over()) break;
      if (const std::optional<std::string> how = lost()) session_.lose(*how);
      if (control.is_interrupted()) session_.interrupt(monotonic_now());
      session_.tick(monotonic_now());
      if (!heard) session_.judge_silence(monotonic_now());
      send_outbox();
      if (!heard && !session_.over()) wait();
    }
    if (session_.lost_by_misuse()) throw Misuse(session_.outcome().reason);
    return session_.outcome();
  }

  std::string bound_address;

 private:
  void wait() {
    zmq::pollitem_t item{router_.handle(), 0, ZMQ_POLLIN, 0};
    try {
      zmq::poll(&item, 1, look_around_every);
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }

  /// One frame; false where none waits.
  bool receive(const RunControl& control) {
    ReceivedFrame frame;
    const Reception reception = receive_at_router(router_, payload_limit_bytes_, frame);
    if (reception == Reception::nothing) return false;
    if (reception == Reception::garbage) return true;
    session_.hear(frame.header, bytes_of(frame.payload), monotonic_now());
    report_evaluations(control);
    send_outbox();
    return true;
  }

  void report_evaluations(const RunControl& control) {
    if (session_.started()) reported_ = std::max(reported_, session_.recorded());
    while (session_.started() && reported_ < session_.evaluations().size()) try {
        control.on_evaluation(session_.evaluations()[reported_++]);
      } catch (const Misuse& misuse) {  // the caller cannot take note of it
        session_.lose(misuse.what());
        send_outbox();
        throw;
      }
  }

  void send_outbox() {
    for (const ObserverWord& word : session_.outbox())
      send_frame(router_, routing_id(word.to), word.header, word.payload);
    session_.outbox().clear();
  }

  std::size_t payload_limit_bytes_;
  ObserverSession<Scalar> session_;
  std::size_t reported_ = 0;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
};

template <class Scalar>
ObserverServer<Scalar>::ObserverServer(const Experiment<Scalar>& experiment, Agreement agreement,
                                       const std::string& bind_address, Duration start_patience,
                                       const std::vector<Evaluation>& record)
    : server_(
          std::make_unique<Server>(experiment, std::move(agreement), bind_address, start_patience, record)) {}

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
