#include "runtime/zmq/observer_server.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <utility>
#include <zmq.hpp>

#include "runtime/observer/observer_session.hpp"
#include "runtime/record/json.hpp"
#include "runtime/transfer/transfers.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/evaluation_place.hpp"
#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/peer_routes.hpp"
#include "runtime/zmq/zap_server.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::chrono::milliseconds poll_interval{50};
// The most unread frames of one peer. Evaluations come in while an earlier one is computed.
constexpr int queue_frames = 1000;

}  // namespace

class ObserverServer::Server {
 public:
  Server(const ObserverInput& input, Evaluator& evaluator, const std::string& bind_address,
         const SharedCredentials& credentials, const std::string& congestion, const RunRecord& earlier,
         std::optional<ObserverNetwork> network, const TrainingTraffic* training, const SharedSlots* slots,
         ModelSpool* spool)
      : payload_limit_bytes_(evaluator.model_bytes() + meters_limit_bytes),
        run_id_(run_id(input.agreement)),
        lost_after_(input.failure.lost_after),
        heartbeat_(heartbeat_interval(lost_after_)),
        evaluator_(evaluator),
        session_(input, evaluator, monotonic_now(), earlier),
        routes_(input.peer_count),
        spool_(spool),
        slots_(slots),
        training_(training),
        transfers_(input.peer_count, payload_limit_bytes_, {run_id_, observer_peer, 0}, spool),
        transfers_to_(input.peer_count),
        zap_server_(context_, router_, credentials) {
    if (network) port_.emplace(std::move(*network));
    bound_address =
        listen(context_, router_, {payload_limit_bytes_, queue_frames, last_words_linger_ms, congestion},
               "observer", bind_address);
    zap_server_.begin();
  }

  RunResult serve(const RunControl& control, const std::function<std::optional<LostPeer>()>& lost) {
    while (!session_.over()) {
      // Receives one frame a turn. An evaluation may take longer than the peers need to send the next one, so
      // to receive until no frame waits could keep the user, lost peers and the clock waiting forever.
      const bool received = receive(control);
      const bool heard = hear_held(control) || received;
      if (session_.over()) break;
      if (const auto loss = lost()) lose(*loss);
      if (control.is_interrupted()) session_.interrupt(monotonic_now());
      if (control.is_asked_to_leave()) session_.leave(monotonic_now());
      const bool starts_before = session_.started();
      session_.tick(monotonic_now());
      note_start(starts_before);
      report_evaluations(control);
      if (!heard && session_.silent_peer(monotonic_now()))
        show_life_during([&] { session_.judge_silence(monotonic_now()); });
      send_outbox();
      end_transfers_with_the_gone();
      send_pieces(!received);
      if (!heard && !session_.over()) wait();
    }
    for (const PeerId id : session_.did_not_confirm())
      control.notice("peer " + std::to_string(id) + " did not confirm the end of the run within " +
                     to_text(lost_after_));
    if (session_.lost_by_misuse()) throw Misuse(session_.outcome().reason);
    RunResult result = session_.outcome();
    // The peers have ended before their last models have come.
    if (port_ && port_->last_come())
      result.seconds = std::max(result.seconds, seconds(*port_->last_come() - session_.origin()));
    return result;
  }

  void turn_away(const std::string& why, const RunControl& control) {
    session_.turn_away(why);
    serve(control, [] { return std::optional<LostPeer>(); });
  }

  std::string bound_address;

 private:
  void wait() {
    timer_.set(std::min(port_ ? port_->next() : Instant::max(), transfers_.next()));
    std::array<zmq::pollitem_t, 2> items{
        {{router_.handle(), 0, ZMQ_POLLIN, 0}, {nullptr, timer_.fd(), ZMQ_POLLIN, 0}}};
    try {
      zmq::poll(items.data(), items.size(), poll_interval);
      if (items[1].revents != 0) timer_.clear();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }

  /// Receives and handles one frame. Returns false if none waits.
  bool receive(const RunControl& control) {
    ReceivedFrame frame;
    const Reception reception = receive_at_router(router_, payload_limit_bytes_, frame);
    if (reception == Reception::nothing) return false;
    if (reception == Reception::garbage) return true;
    const PeerId sender = frame.header.sender;
    if (frame.header.run_id == run_id_ && sender < routes_.size())
      routes_[sender].note(frame.header.incarnation, frame.from, session_.incarnation_of(sender));
    if (frame.header.run_id == run_id_ && Transfers::is_word(frame.header.kind)) {
      hear_piece(frame, control);
      return true;
    }
    if (port_ && session_.started() && frame.header.run_id == run_id_ && port_->holds(frame.header)) {
      port_->hold(frame.header, packet_of(std::move(frame.payload)), monotonic_now());
      return true;
    }
    const auto in_spool = moved_to_spool(frame);
    hear(frame.header, in_spool.empty() ? bytes_of(frame.payload) : in_spool, frame.host);
    report_evaluations(control);
    refuse_hello(frame.from);
    send_outbox();
    return true;
  }

  /// The model of the peer in this process comes whole, and waits for the others where they do. Returns where
  /// it is; nothing if the frame is another one, or there is no room.
  std::span<const std::byte> moved_to_spool(ReceivedFrame& frame) {
    const FrameHeader& header = frame.header;
    const bool is_own = header.kind == FrameKind::evaluation && header.sender == observer_peer &&
                        header.incarnation == session_.incarnation_of(observer_peer) &&
                        header.run_id == run_id_ && !tells_place(header);
    if (!spool_ || !is_own) return {};
    const auto room = spool_->begin(observer_peer, header.iteration, header.payload_bytes);
    if (room.empty() || !spool_->write(bytes_of(frame.payload), room.data())) {
      spool_->give_up(room);
      return {};
    }
    frame.payload.rebuild();
    return room;
  }

  void hear_piece(const ReceivedFrame& frame, const RunControl& control) {
    const PeerId sender = frame.header.sender;
    if (sender >= routes_.size() || session_.is_gone(sender) ||
        frame.header.incarnation != session_.incarnation_of(sender))
      return;
    begin_transfers_with(sender);
    const auto whole = transfers_.hear(sender, frame.header, bytes_of(frame.payload), monotonic_now());
    send_pieces(false);  // the sender need not wait until the models are evaluated
    if (!whole) return;
    hear(whole->header, whole->payload(), {});
    report_evaluations(control);
    send_outbox();
  }

  /// A new process of a peer knows nothing of what was under way to and from an earlier one.
  void begin_transfers_with(PeerId id) {
    const std::uint32_t now = session_.incarnation_of(id);
    if (std::exchange(transfers_to_[id], now) != now) transfers_.forget(id);
  }

  /// Nobody waits for a model of a peer that the run goes on without.
  void end_transfers_with_the_gone() {
    for (PeerId id = 0; id < routes_.size(); ++id)
      if (session_.is_gone(id)) transfers_.forget(id);
  }

  void send_pieces(bool all_is_read) {
    const bool training_waits = training_ && training_->is_awaited();
    transfers_.carry_out({monotonic_now(), training_waits, all_is_read},
                         [this](std::size_t id, const FrameHeader& header, auto payload) {
                           const PeerId to = static_cast<PeerId>(id);
                           const std::string way = routes_[to].to({}, session_.incarnation_of(to));
                           if (!way.empty()) send_frame(router_, way, header, payload);
                         });
  }

  /// Hears what has come through the emulated network; all that is on the way, if the run is being stopped.
  /// Returns false if there is nothing.
  bool hear_held(const RunControl& control) {
    if (!port_) return false;
    const auto come = port_->released(
        monotonic_now(), session_.is_open() ? ObserverPort::Which::due : ObserverPort::Which::all);
    for (const HoldQueue::Held& held : come) {
      if (session_.over()) break;
      hear(*held.word, held.packet->bytes(), {});
      report_evaluations(control);
      send_outbox();
    }
    return !come.empty();
  }

  void hear(const FrameHeader& header, std::span<const std::byte> payload, const std::string& host) {
    if (tells_place(header)) {
      const auto content = at_told_place(slots_, header, payload);
      if (!content) return;
      payload = *content;
    }
    const auto by_session = [&] { session_.hear(header, payload, monotonic_now(), host); };
    const bool starts_before = session_.started();
    if (header.kind == FrameKind::evaluation)
      show_life_during(by_session);
    else
      by_session();
    note_start(starts_before);
  }

  void note_start(bool starts_before) {
    if (port_ && !starts_before && session_.started()) port_->begin(session_.origin());
  }

  void lose(const LostPeer& peer) {
    if (!peer.id) return session_.lose(peer.how);
    if (peer.on_its_host) return session_.note_end_seen(*peer.id, peer.how);
    show_life_during([&] { session_.lose_peer(*peer.id, monotonic_now(), peer.how, peer.to_others); });
  }

  /// Runs `work` in another thread, and sends the peers a heartbeat until it is done. `work` may evaluate
  /// models, which takes as long as a pass over all data; without heartbeats the peers would take the
  /// observer for lost.
  void show_life_during(const std::function<void()>& work) {
    auto done = std::async(std::launch::async, work);
    while (done.wait_for(heartbeat_) == std::future_status::timeout)
      for (const PeerRoutes& routes : routes_)
        for (const PeerRoutes::Way& way : routes.ways)
          if (!way.to.empty()) send_frame(router_, way.to, session_.busy_sign(), {});
    done.get();
  }

  void report_evaluation(const RunControl& control, const Evaluation& evaluation) {
    control.on_evaluation(evaluation);
    if (control.on_meters) control.on_meters(evaluator_.last_meters());
  }

  void report_evaluations(const RunControl& control) {
    if (const auto& lost = session_.lost_evaluations(); lost && !std::exchange(announced_.loss, true))
      control.notice("the record of the run ends at iteration " + std::to_string(lost->first) +
                     ", and its peers have passed evaluations up to iteration " +
                     std::to_string(lost->second) + ": those stay missing");
    if (session_.resumed_from() && !std::exchange(announced_.resume, true))
      control.on_resume(*session_.resumed_from(), session_.resume_text());
    if (!session_.started()) return;
    reported_ = std::max(reported_, session_.recorded());
    try {
      if (!std::exchange(announced_.start, true)) {
        if (const std::string builds = session_.different_builds(); !builds.empty()) control.notice(builds);
        const auto& known = session_.evaluations();
        const std::size_t recorded = session_.recorded();
        control.on_start(recorded == 0 ? 0 : known[recorded - 1].iteration + 1);
      }
      while (reported_ < session_.evaluations().size())
        report_evaluation(control, session_.evaluations()[reported_++]);
      for (const ModelSet& models : evaluator_.take_models_to_keep()) control.on_models(models);
      if (control.on_best && reported_best_ != evaluator_.best_iteration()) {
        control.on_best(evaluator_.best());
        reported_best_ = evaluator_.best_iteration();
      }
    } catch (const Misuse& misuse) {  // from on_evaluation: the caller cannot record the evaluation
      session_.lose(misuse.what());
      send_outbox();
      throw;
    }
  }

  /// Sends refusals over the connection from which the hello came, since the caller may have claimed the id
  /// of another peer.
  void refuse_hello(const std::string& from) {
    std::erase_if(session_.outbox(), [&](const ObserverFrame& word) {
      if (word.header.kind != FrameKind::refuse || word.only_to) return false;
      send_frame(router_, from, word.header, word.payload);
      return true;
    });
  }

  void send_outbox() {
    // A frame that does not reach its process may make the session put further frames into its outbox.
    for (std::vector<ObserverFrame> words; !session_.outbox().empty(); words.clear()) {
      words.swap(session_.outbox());
      for (ObserverFrame& word : words) {
        const std::string to = routes_[word.to].to(word.only_to, session_.incarnation_of(word.to));
        if (port_ && !to.empty() && !pass_port(word)) continue;
        begin_transfers_with(word.to);
        if (word.header.kind == FrameKind::verdict) transfers_.close(word.to, word.header.iteration);
        if (travels_in_pieces(word)) {
          transfers_.send(word.to, word.header, word.payload);
          continue;
        }
        const bool sent = !to.empty() && send_shared(router_, to, word.header, word.payload);
        if (sent) continue;
        word.only_to ? session_.note_unreachable(word.to, *word.only_to) : session_.note_unreachable(word.to);
      }
    }
  }

  /// To peers on other hosts, but for the one in this process.
  bool travels_in_pieces(const ObserverFrame& word) const {
    return training_ && !port_ && word.to != observer_peer && !word.only_to &&
           transfers_.carries(word.to, word.header.kind, word.payload.size());
  }

  /// False if the frame need not be sent.
  bool pass_port(ObserverFrame& word) {
    const std::uint32_t incarnation = session_.incarnation_of(word.to);
    if (word.header.kind == FrameKind::alive) port_->complete(word.header, word.to, incarnation);
    return port_->send(word.header, word.to, incarnation, monotonic_now());
  }

  std::size_t payload_limit_bytes_;
  std::uint32_t run_id_;
  Duration lost_after_;
  Duration heartbeat_;
  Evaluator& evaluator_;
  ObserverSession session_;
  std::vector<PeerRoutes> routes_;
  ModelSpool* spool_;                        // where long evaluations are put together; may be null
  const SharedSlots* slots_;                 // with evaluations of peers on this machine; may be null
  const TrainingTraffic* training_;          // of the peer in this process; null if all peers are here
  Transfers transfers_;                      // long frames
  std::vector<std::uint32_t> transfers_to_;  // by peer: the process that they are with
  std::optional<ObserverPort> port_;         // if the emulated network shapes evaluations
  AbsoluteTimer timer_;                      // for what the port holds
  std::size_t reported_ = 0;
  std::optional<std::uint64_t> reported_best_;  // the iteration of the best evaluation
  struct Announced {
    bool start = false;
    bool loss = false;
    bool resume = false;
  };
  Announced announced_;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  ZapServer zap_server_;
};

ObserverServer::ObserverServer(const ObserverInput& input, Evaluator& evaluator,
                               const std::string& bind_address, const SharedCredentials& credentials,
                               const std::string& congestion, const RunRecord& earlier,
                               std::optional<ObserverNetwork> network, const TrainingTraffic* training,
                               const SharedSlots* slots, ModelSpool* spool)
    : server_(std::make_unique<Server>(input, evaluator, bind_address, credentials, congestion, earlier,
                                       std::move(network), training, slots, spool)) {}

ObserverServer::~ObserverServer() = default;

const std::string& ObserverServer::bound_address() const { return server_->bound_address; }

RunResult ObserverServer::serve(const RunControl& control,
                                const std::function<std::optional<LostPeer>()>& lost) {
  return server_->serve(control, lost);
}

void ObserverServer::turn_away(const std::string& why, const RunControl& control) {
  server_->turn_away(why, control);
}

}  // namespace hearsay
