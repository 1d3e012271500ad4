#include "runtime/zmq_peer_sockets.hpp"

#include <algorithm>
#include <optional>
#include <zmq.hpp>

#include "runtime/egress.hpp"
#include "runtime/greetings.hpp"
#include "runtime/hold_queue.hpp"
#include "runtime/zmq_clock.hpp"
#include "runtime/zmq_frames.hpp"
#include "runtime/zmq_outlet.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

// The observer names who is missing; a peer that is ready gives it this much longer to do so.
constexpr Duration grace_for_the_observer = std::chrono::seconds(5);

/// Of a stop frame: 2 where somebody's input is wrong, 3 where a peer is lost, 130 where the user stopped one before the run
/// began; 0 where the user wants it.
int exit_code_of(const FrameHeader& stop) {
  if (stop.payload_bytes == 0) return 0;
  return stop.slot == 2 || stop.slot == 130 ? static_cast<int>(stop.slot) : 3;
}

}  // namespace

class PeerSockets::Server {
 public:
  Server(PeerSocketsInput input, const std::string& bind_address)
      : input_(std::move(input)),
        run_id_(run_id(input_.agreement)),
        heard_at_(input_.sources.size()),
        egress_(input_.egress, input_.same_machine),
        hold_(input_.ingress) {
    router_.set(zmq::sockopt::linger, 0);
    router_.set(zmq::sockopt::router_mandatory, true);
    router_.set(zmq::sockopt::router_handover, true);
    router_.set(zmq::sockopt::rcvhwm, high_water_mark);
    router_.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(input_.payload_limit_bytes));
    try {
      router_.bind(bind_address);
    } catch (const zmq::error_t& error) {
      throw Misuse("address", bind_address, "cannot listen there (" + std::string(error.what()) + ")");
    }
    bound_address = router_.get(zmq::sockopt::last_endpoint);
  }

  void connect(std::vector<Destination> destinations, const std::string& observer_address) {
    std::vector<PeerId> source_ids, destination_ids;
    for (const Source& source : input_.sources) source_ids.push_back(source.id);
    for (Destination& destination : destinations) {
      destination_ids.push_back(destination.id);
      outlets_.emplace_back(context_, input_.self, input_.payload_limit_bytes, std::move(destination));
    }
    greetings_.emplace(std::move(source_ids), std::move(destination_ids));
    connect_dealer(observer_, input_.self, input_.payload_limit_bytes, observer_address);
  }

  void serve() {
    say_hello();
    neighbors_deadline_ = monotonic_now() + input_.start_patience;
    start_deadline_ = neighbors_deadline_ + grace_for_the_observer;
    while (!quit_) {
      watch_the_clock();
      wait();
      receive_from_sources();
      for (Outlet& outlet : outlets_) receive_replies(outlet);
      receive_from_observer();
      obey_commands();
      for (Outlet& outlet : outlets_) outlet.send_backlog();
      release_held();
    }
  }

  Instant last_heard_from(PeerId id) const {
    const auto source = find_source(id);
    ensure(source != input_.sources.end(), "a peer waits for its sources only");
    return Instant(Duration(heard_at_[static_cast<std::size_t>(source - input_.sources.begin())]));
  }

  Instant last_heard_from_observer() const { return Instant(Duration(observer_heard_at_)); }

  std::string bound_address;
  Handover<SocketCommand> commands;
  Handover<SocketEvent> events;
  std::atomic<std::uint64_t> garbage{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> retransmissions{0};

 private:
  FrameHeader header(FrameKind kind) const {
    FrameHeader result;
    result.kind = kind;
    result.run_id = run_id_;
    result.sender = input_.self;
    result.incarnation = input_.incarnation;
    return result;
  }

  void say_hello() {
    for (Outlet& outlet : outlets_) say_hello_to(outlet.socket);
    say_hello_to(observer_);
    tell_when_ready();
  }

  void say_hello_to(zmq::socket_t& socket) {
    send_frame(socket, {}, header(FrameKind::hello), encode_agreement(input_.agreement));
  }

  /// Gives up on peers that do not come up, and lets the neighbors know that this one is alive.
  void watch_the_clock() {
    const Instant now = monotonic_now();
    if (!started_ && !failed_) {
      if (!ready_ && now >= neighbors_deadline_) fail(3, missing_neighbor());
      if (ready_ && now >= start_deadline_)
        fail(3, "the observer did not start the run within " + to_text(input_.start_patience));
    }
    if (now >= next_heartbeat_) {
      next_heartbeat_ = now + heartbeat_interval;
      if (ready_) {
        for (Outlet& outlet : outlets_) send_frame(outlet.socket, {}, header(FrameKind::alive), {});
        send_frame(observer_, {}, header(FrameKind::alive), {});
      }
    }
    const Instant deadline = started_ || failed_ ? Instant::max()
                             : ready_            ? start_deadline_
                                                 : neighbors_deadline_;
    timer_.set(std::min({hold_.next(), next_heartbeat_, deadline}));
  }

  std::string missing_neighbor() {
    const std::string within = " within " + to_text(input_.start_patience);
    if (const auto id = greetings_->first_reserved())
      return "peer " + std::to_string(*id) + " (" + find_outlet(*id).address + ") did not come up" + within;
    return "peer " + std::to_string(*greetings_->first_silent()) + " did not call" + within;
  }

  /// This peer takes no part, and the others are told why.
  void fail(int exit_code, const std::string& reason) {
    if (failed_) return;
    failed_ = true;
    events.push(TakesNoPart{exit_code, reason});
    say_stop({exit_code, reason});
  }

  void say_stop(const SayStop& stop) {
    FrameHeader head = header(FrameKind::stop);
    head.slot = static_cast<Slot>(stop.exit_code);
    const auto reason = std::as_bytes(std::span(stop.reason));
    send_frame(observer_, {}, head, reason);
    for (Outlet& outlet : outlets_) send_frame(outlet.socket, {}, head, reason);
  }

  void wait() {
    poll_.clear();
    poll_.push_back({nullptr, commands.fd(), ZMQ_POLLIN, 0});
    poll_.push_back({nullptr, timer_.fd(), ZMQ_POLLIN, 0});
    poll_.push_back({router_.handle(), 0, ZMQ_POLLIN, 0});
    poll_.push_back({observer_.handle(), 0, ZMQ_POLLIN, 0});
    for (Outlet& outlet : outlets_) poll_.push_back({outlet.socket.handle(), 0, outlet.poll_events(), 0});
    try {
      zmq::poll(poll_.data(), poll_.size(), std::chrono::milliseconds{-1});
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
    timer_.clear();
  }

  std::vector<Source>::const_iterator find_source(PeerId id) const {
    const auto found =
        std::lower_bound(input_.sources.begin(), input_.sources.end(), id,
                         [](const Source& candidate, PeerId wanted) { return candidate.id < wanted; });
    return found != input_.sources.end() && found->id == id ? found : input_.sources.end();
  }

  Outlet& find_outlet(PeerId id) {
    const auto found = std::ranges::lower_bound(outlets_, id, {}, &Outlet::id);
    ensure(found != outlets_.end() && found->id == id, "a method sends only to its destinations");
    return *found;
  }

  void receive_from_sources() {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_router(router_, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage)
        ++garbage;
      else if (frame.header.kind == FrameKind::hello)
        answer_hello(frame);
      else
        hear_source(frame);
    }
  }

  /// Nothing but a hello is heard from a stranger, from another run, or before a hello.
  void hear_source(ReceivedFrame& frame) {
    const FrameHeader& head = frame.header;
    const auto source = find_source(head.sender);
    if (source == input_.sources.end() || head.run_id != run_id_ || !greetings_->has_called(head.sender)) {
      ++garbage;
      return;
    }
    const Instant now = monotonic_now();
    heard_at_[static_cast<std::size_t>(source - input_.sources.begin())] = now.time_since_epoch().count();
    if (head.kind == FrameKind::data && hold_.size() < input_.held_frames_limit)
      hold_.add({due_instant(head, now),
                 head.sequence,
                 header_bytes + head.payload_bytes,
                 source->arrival,
                 {head.iteration, head.slot, head.sender},
                 packet_of(std::move(frame.payload))});
    else if (head.kind == FrameKind::stop)
      events.push(RunStops{exit_code_of(head), printable_text(bytes_of(frame.payload))});
    else if (head.kind != FrameKind::alive)
      ++garbage;
  }

  void answer_hello(const ReceivedFrame& hello) {
    const PeerId sender = hello.header.sender;
    HelloVerdict verdict = judge_hello(input_.agreement, input_.self, bytes_of(hello.payload), sender,
                                       find_source(sender) != input_.sources.end());
    if (verdict.welcome()) {
      const auto call = greetings_->called(sender, hello.header.incarnation);
      if (call == Greetings::Call::by_successor && started_)
        verdict.for_the_caller = "the run has begun with peer " + std::to_string(sender) +
                                 ", and one that was started anew cannot take its place";
      else if (call == Greetings::Call::
                           by_successor)  // whoever welcomed this peer has gone: greet its successor, too
        for (Outlet& outlet : outlets_)
          if (outlet.id == sender) say_hello_to(outlet.socket);
    }
    if (verdict.welcome()) {
      send_frame(router_, routing_id(sender), header(FrameKind::welcome), {});
      return tell_when_ready();
    }
    ++refused;
    send_frame(router_, routing_id(sender), header(FrameKind::refuse),
               std::as_bytes(std::span(verdict.for_the_caller)));
    if (!ready_ && !verdict.for_me.empty()) fail(2, verdict.for_me);
  }

  void receive_replies(Outlet& outlet) {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(outlet.socket, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      const bool expected = reception == Reception::frame && frame.header.sender == outlet.id && !started_;
      if (expected && frame.header.kind == FrameKind::welcome) {
        greetings_->welcomed_by(outlet.id);
        tell_when_ready();
      } else if (expected && frame.header.kind == FrameKind::refuse) {
        fail(2, printable_text(bytes_of(frame.payload)));
      } else {
        ++garbage;
      }
    }
  }

  void tell_when_ready() {
    if (ready_ || !greetings_->complete()) return;
    ready_ = true;
    send_frame(observer_, {}, header(FrameKind::ready), {});
  }

  void receive_from_observer() {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(observer_, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::frame && frame.header.kind == FrameKind::refuse && !started_)
        fail(2, printable_text(bytes_of(frame.payload)));
      else if (reception == Reception::garbage || frame.header.run_id != run_id_ || !hear_observer(frame))
        ++garbage;
    }
  }

  /// False where the frame does not belong here and now.
  bool hear_observer(const ReceivedFrame& frame) {
    const FrameHeader& head = frame.header;
    observer_heard_at_ = monotonic_now().time_since_epoch().count();
    switch (head.kind) {
      case FrameKind::welcome:
      case FrameKind::alive:
        return true;
      case FrameKind::start:
        if (started_) return false;
        if (head.iteration != input_.iterations)
          fail(2, "peer 0 runs " + std::to_string(head.iteration) + " iterations, peer " +
                      std::to_string(input_.self) + " " + std::to_string(input_.iterations) +
                      "; give both the same run.iterations");
        started_ = true;
        // Between hosts there is no common clock: the run begins when the word arrives.
        events.push(RunStarts{input_.same_machine ? Instant(Duration(head.due_ns)) : monotonic_now()});
        return true;
      case FrameKind::verdict:
        if (last_verdict_ && head.iteration <= *last_verdict_) return false;
        last_verdict_ = head.iteration;
        events.push(VerdictArrived{head.iteration, head.slot == 1});
        return true;
      case FrameKind::stop:
        events.push(RunStops{exit_code_of(head), printable_text(bytes_of(frame.payload))});
        return true;
      case FrameKind::bye:
        events.push(EveryPeerEnded{head.slot == 4 ? 4 : head.slot == 130 ? 130 : 0});
        return true;
      default:
        return false;
    }
  }

  void obey_commands() {
    commands.drain(drained_);
    for (SocketCommand& command : drained_) {
      if (auto* data = std::get_if<SendData>(&command)) {
        send(*data);
      } else if (const auto* word = std::get_if<TellObserver>(&command)) {
        FrameHeader head = header(word->kind);
        head.iteration = word->iteration;
        send_frame(observer_, {}, head, word->payload);
      } else if (const auto* stop = std::get_if<SayStop>(&command)) {
        say_stop(*stop);
      } else if (std::holds_alternative<AskWhenObeyed>(command)) {
        events.push(CommandsObeyed{});
      } else {
        quit_ = true;
      }
    }
    drained_.clear();
  }

  void send(SendData& data) {
    Outlet& outlet = find_outlet(data.message.to);
    FrameHeader head = header(FrameKind::data);
    head.degree = static_cast<std::uint32_t>(outlets_.size());
    const Egress::Frame frame = egress_.frame(head, data.message, data.posted, monotonic_now(), outlet.link);
    retransmissions += frame.losses;
    outlet.send(frame.header, data.message.packet);
  }

  void release_held() {
    hold_.release(monotonic_now(), [&](const HoldQueue::Held& held) {
      events.push(DataArrived{held.key, held.packet});
    });
  }

  PeerSocketsInput input_;
  std::uint32_t run_id_;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  zmq::socket_t observer_{context_, zmq::socket_type::dealer};
  std::vector<Outlet> outlets_;                      // ascending id
  std::optional<Greetings> greetings_;               // from `connect` on
  std::vector<std::atomic<std::int64_t>> heard_at_;  // ns; of each source
  std::atomic<std::int64_t> observer_heard_at_{0};
  Egress egress_;
  HoldQueue hold_;
  AbsoluteTimer timer_;
  std::vector<zmq::pollitem_t> poll_;
  std::vector<SocketCommand> drained_;
  Instant neighbors_deadline_{};
  Instant start_deadline_{};
  Instant next_heartbeat_{};
  std::optional<std::uint64_t> last_verdict_;
  bool ready_ = false;    // all neighbors have welcomed this peer and called it
  bool started_ = false;  // the observer has said so
  bool failed_ = false;
  bool quit_ = false;
};

PeerSockets::PeerSockets(PeerSocketsInput input, const std::string& bind_address)
    : server_(std::make_unique<Server>(std::move(input), bind_address)) {}

PeerSockets::~PeerSockets() {
  if (!thread_.joinable()) return;
  commands().push(Quit{});
  thread_.join();
}

void PeerSockets::start(std::vector<Destination> destinations, const std::string& observer_address) {
  server_->connect(std::move(destinations), observer_address);
  thread_ = std::thread([this] { server_->serve(); });
}

const std::string& PeerSockets::bound_address() const { return server_->bound_address; }
Handover<SocketCommand>& PeerSockets::commands() { return server_->commands; }
Handover<SocketEvent>& PeerSockets::events() { return server_->events; }
Instant PeerSockets::last_heard_from(PeerId source) const { return server_->last_heard_from(source); }
Instant PeerSockets::last_heard_from_observer() const { return server_->last_heard_from_observer(); }
SocketCounters PeerSockets::counters() const {
  return {server_->garbage, server_->refused, server_->retransmissions};
}

}  // namespace hearsay
