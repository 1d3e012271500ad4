#include "runtime/zmq_peer_sockets.hpp"

#include <algorithm>
#include <optional>
#include <zmq.hpp>

#include "runtime/egress.hpp"
#include "runtime/hold_queue.hpp"
#include "runtime/peer_session.hpp"
#include "runtime/zmq_clock.hpp"
#include "runtime/zmq_frames.hpp"
#include "runtime/zmq_handshake_watch.hpp"
#include "runtime/zmq_listening.hpp"
#include "runtime/zmq_outlet.hpp"
#include "runtime/zmq_security.hpp"

namespace hearsay {

class PeerSockets::Server {
 public:
  Server(PeerSocketsInput input, const std::string& bind_address)
      : input_(std::move(input)),
        run_id_(run_id(input_.agreement)),
        door_(context_, router_, input_.credentials),
        handshakes_(input_.credentials != nullptr),
        routes_(input_.sources.size()),
        heard_at_(input_.sources.size()),
        egress_(input_.egress, input_.same_machine),
        hold_(input_.ingress) {
    bound_address =
        listen(router_, {input_.payload_limit_bytes, high_water_mark, 0}, "address", bind_address);
  }

  void connect(std::vector<Destination> destinations, const std::string& observer_address) {
    PeerSessionInput of_session{.self = input_.self,
                                .incarnation = input_.incarnation,
                                .agreement = input_.agreement,
                                .iterations = input_.iterations,
                                .sources = {},
                                .destinations = {},
                                .addresses = {},
                                .same_machine = input_.same_machine,
                                .asynchronous = input_.asynchronous,
                                .staleness = input_.staleness,
                                .start_patience = input_.start_patience,
                                .heartbeat = input_.heartbeat,
                                .holds = input_.holds,
                                .largest_lead = input_.largest_lead,
                                .model_bytes = input_.model_bytes,
                                .absent = input_.absent,
                                .observer_address = observer_address};
    for (const Source& source : input_.sources) of_session.sources.push_back(source.id);
    for (Destination& destination : destinations) {
      of_session.destinations.push_back(destination.id);
      of_session.addresses.push_back(destination.address);
      Outlet& outlet = outlets_.emplace_back(context_, std::move(destination));
      handshakes_.watch(context_, outlet.socket, outlet.name());
      outlet.connect(input_.self, input_.payload_limit_bytes, input_.credentials);
    }
    session_.emplace(std::move(of_session));
    handshakes_.watch(context_, observer_, "the observer (" + observer_address + ")");
    connect_dealer(observer_, input_.self, input_.payload_limit_bytes, observer_address, input_.credentials,
                   observer_peer);
  }

  void serve() {
    session_->begin(monotonic_now());
    while (!quit_) {
      look_at_handshakes();
      timer_.set(std::min(hold_.next(), session_->tick(monotonic_now())));
      carry_out();
      wait();
      receive_from_sources();
      for (Outlet& outlet : outlets_) receive_replies(outlet);
      receive_from_observer();
      obey_commands();
      carry_out();
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
  SocketCounters counters() const {
    return {garbage_, refused_ + door_.refused(), gaps_, repeated_, emulated_losses_ + retransmitted_};
  }

 private:
  /// Sends what the session wants sent, and hands on what it has to tell.
  void carry_out() {
    for (PeerWord& word : session_->outbox()) {
      if (word.packet)
        send_data(word);
      else if (word.way == PeerWord::Way::observer)
        send_frame(observer_, {}, word.header, word.payload);
      else if (word.way == PeerWord::Way::reply)
        reply(word);
      else
        find_outlet(word.to).say(word.header, word.payload);
    }
    session_->outbox().clear();
    for (SocketEvent& event : session_->events()) {
      if (const auto* const start = std::get_if<RunStarts>(&event)) begin_traces(start->origin);
      events.push(std::move(event));
    }
    session_->events().clear();
    refused_ = session_->counters().refused;
    gaps_ = session_->counters().gaps;
    repeated_ = session_->counters().repeated;
    retransmitted_ = session_->counters().retransmitted;
  }

  /// What changes with the time of the run does so from now on.
  void begin_traces(Instant start_of_run) {
    egress_.begin(start_of_run);
    hold_.begin(start_of_run);
  }

  void look_at_handshakes() {
    const HandshakeWatch::News news = handshakes_.look(monotonic_now());
    if (news.doubt) session_->doubt(*news.doubt);
    if (news.refusal) session_->shut_out(*news.refusal);
  }

  void reply(const PeerWord& word) {
    const std::string& route = routes_[place_of(find_source(word.to))];
    if (!route.empty()) send_frame(router_, route, word.header, word.payload);
  }

  /// Whoever is refused is answered where it spoke: it may have taken a source's name.
  void refuse_hello(const std::string& from) {
    std::erase_if(session_->outbox(), [&](const PeerWord& word) {
      if (word.way != PeerWord::Way::reply || word.header.kind != FrameKind::refuse) return false;
      send_frame(router_, from, word.header, word.payload);
      return true;
    });
  }

  void send_data(const PeerWord& word) {
    Outlet& outlet = find_outlet(word.to);
    const Egress::Frame frame =
        egress_.frame(word.header, word.packet, word.posted, monotonic_now(), outlet.link);
    emulated_losses_ += frame.losses;
    outlet.send(frame.header, word.packet);
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

  std::size_t place_of(std::vector<Source>::const_iterator source) const {
    ensure(source != input_.sources.end(), "a peer speaks back to its sources only");
    return static_cast<std::size_t>(source - input_.sources.begin());
  }

  Outlet& find_outlet(PeerId id) {
    const auto found = std::ranges::lower_bound(outlets_, id, {}, &Outlet::id);
    ensure(found != outlets_.end() && found->id == id, "a method sends only to its destinations");
    return *found;
  }

  void receive_from_sources() {
    ReceivedFrame frame;
    for (int k = 0; k < frames_per_turn; ++k) {
      const Reception reception = receive_at_router(router_, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage)
        ++garbage_;
      else
        hear_source(frame);
    }
  }

  void hear_source(ReceivedFrame& frame) {
    const FrameHeader& head = frame.header;
    const auto source = find_source(head.sender);
    const bool is_source = source != input_.sources.end();
    if (is_source && head.run_id == run_id_) routes_[place_of(source)] = frame.from;
    const PeerSession::Heard heard = session_->hear_source(head, bytes_of(frame.payload));
    refuse_hello(frame.from);
    if (heard == PeerSession::Heard::garbage) {
      ++garbage_;
      return;
    }
    if (!is_source) return;  // a hello that was refused
    const Instant now = monotonic_now();
    heard_at_[place_of(source)] = now.time_since_epoch().count();
    if (heard != PeerSession::Heard::data) return;
    if (hold_.size() >= input_.held_frames_limit) {
      ++garbage_;
      return;
    }
    hold_.add({due_instant(head, now),
               head.sequence,
               header_bytes + head.payload_bytes,
               source->arrival,
               {head.iteration, head.slot, head.sender},
               packet_of(std::move(frame.payload)),
               {head.degree, head.replica_digest}});
  }

  void receive_replies(Outlet& outlet) {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(outlet.socket, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage ||
          session_->hear_destination(outlet.id, frame.header, bytes_of(frame.payload)) ==
              PeerSession::Heard::garbage)
        ++garbage_;
    }
  }

  void receive_from_observer() {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(observer_, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      const Instant now = monotonic_now();
      if (reception == Reception::garbage ||
          session_->hear_observer(frame.header, bytes_of(frame.payload), now) == PeerSession::Heard::garbage)
        ++garbage_;
      else
        observer_heard_at_ = now.time_since_epoch().count();
    }
  }

  void obey_commands() {
    commands.drain(drained_);
    for (SocketCommand& command : drained_) {
      if (auto* data = std::get_if<SendData>(&command)) {
        session_->send(std::move(data->message), data->posted);
      } else if (const auto* begun = std::get_if<NeedsFrom>(&command)) {
        session_->needs_from(begun->iteration);
      } else if (const auto* wish = std::get_if<EdgeWish>(&command)) {
        session_->obey(*wish);
      } else if (const auto* gift = std::get_if<GiveModel>(&command)) {
        session_->give(gift->copy);
      } else if (auto* word = std::get_if<TellObserver>(&command)) {
        session_->tell_observer(std::move(word->told));
      } else if (const auto* turn = std::get_if<TurnFromObserver>(&command)) {
        session_->turn_from_observer(turn->completed);
      } else if (const auto* stop = std::get_if<SayStop>(&command)) {
        session_->say_stop(stop->exit_code, stop->reason);
      } else if (std::holds_alternative<AskState>(command)) {
        events.push(StateTold{session_->state()});
      } else if (auto* life = std::get_if<GoOn>(&command)) {
        session_->go_on(std::move(life->state));
      } else if (std::holds_alternative<AskWhenObeyed>(command)) {
        carry_out();
        events.push(CommandsObeyed{});
      } else {
        quit_ = true;
      }
    }
    drained_.clear();
  }

  void release_held() {
    hold_.release(monotonic_now(), [&](const HoldQueue::Held& held) {
      events.push(DataArrived{held.key, held.packet, held.marks});
    });
  }

  PeerSocketsInput input_;
  std::uint32_t run_id_;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  zmq::socket_t observer_{context_, zmq::socket_type::dealer};
  Door door_;
  std::vector<Outlet> outlets_;                      // ascending id
  HandshakeWatch handshakes_;                        // of the outlets and the observer
  std::vector<std::string> routes_;                  // where each source spoke last
  std::optional<PeerSession> session_;               // from `connect` on
  std::vector<std::atomic<std::int64_t>> heard_at_;  // ns; of each source
  std::atomic<std::int64_t> observer_heard_at_{0};
  std::atomic<std::uint64_t> garbage_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> gaps_{0};
  std::atomic<std::uint64_t> repeated_{0};
  std::atomic<std::uint64_t> retransmitted_{0};
  std::atomic<std::uint64_t> emulated_losses_{0};
  Egress egress_;
  HoldQueue hold_;
  AbsoluteTimer timer_;
  std::vector<zmq::pollitem_t> poll_;
  std::vector<SocketCommand> drained_;
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
SocketCounters PeerSockets::counters() const { return server_->counters(); }

}  // namespace hearsay
