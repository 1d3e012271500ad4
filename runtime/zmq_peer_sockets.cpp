#include "runtime/zmq_peer_sockets.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <zmq.hpp>

#include "runtime/hold_queue.hpp"
#include "runtime/zmq_clock.hpp"
#include "runtime/zmq_frames.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

// Messages that ZeroMQ may queue per connection; beyond it they wait here. A synchronous method keeps far fewer under way.
constexpr int high_water_mark = 64;

std::string_view text_of(const zmq::message_t& message) { return {message.data<char>(), message.size()}; }

}  // namespace

class PeerSockets::Server {
 public:
  Server(PeerSocketsInput input, const std::string& bind_address)
      : input_(std::move(input)), run_id_(run_id(input_.agreement)), hold_(input_.ingress) {
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
    for (const Source& source : input_.sources) unheard_.insert(source.id);
  }

  void connect(std::vector<Destination> destinations, const std::string& observer_address) {
    for (Destination& destination : destinations) {
      outlets_.push_back({destination.id,
                          destination.address,
                          zmq::socket_t(context_, zmq::socket_type::dealer),
                          std::move(destination.link),
                          {},
                          false});
      connect(outlets_.back().socket, destination.address);
    }
    connect(observer_, observer_address);
  }

  void serve() {
    say_hello();
    const Instant give_up = monotonic_now() + input_.start_patience;
    while (!quit_) {
      if (!ready_ && monotonic_now() > give_up) return give_up_waiting();
      timer_.set(std::min(hold_.next(), ready_ ? Instant::max() : give_up));
      wait();
      receive_from_sources();
      for (Outlet& outlet : outlets_) receive_replies(outlet);
      receive_from_observer();
      obey_commands();
      for (Outlet& outlet : outlets_) send_backlog(outlet);
      release_held();
    }
  }

  std::string bound_address;
  Handover<SocketCommand> commands;
  Handover<SocketEvent> events;
  std::atomic<std::uint64_t> garbage{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> retransmissions{0};

 private:
  /// The way to one destination.
  struct Outlet {
    PeerId id;
    std::string address;
    zmq::socket_t socket;
    Link link;
    std::deque<std::pair<FrameHeader, PacketRef>> backlog;  // what the high-water mark kept back
    bool welcomed;
  };

  void connect(zmq::socket_t& dealer, const std::string& address) {
    dealer.set(zmq::sockopt::linger, 0);
    dealer.set(zmq::sockopt::routing_id, routing_id(input_.self));
    dealer.set(zmq::sockopt::sndhwm, high_water_mark);
    dealer.set(zmq::sockopt::reconnect_ivl, 20);  // ms; peers come up in any order
    dealer.set(zmq::sockopt::reconnect_ivl_max, 500);
    dealer.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(input_.payload_limit_bytes));
    try {
      dealer.connect(address);
    } catch (const zmq::error_t& error) {
      throw Misuse("address", address, "cannot connect there (" + std::string(error.what()) + ")");
    }
  }

  FrameHeader header(FrameKind kind) const {
    FrameHeader result;
    result.kind = kind;
    result.run_id = run_id_;
    result.sender = input_.self;
    return result;
  }

  void say_hello() {
    const std::vector<std::byte> agreement = encode_agreement(input_.agreement);
    for (Outlet& outlet : outlets_) send_frame(outlet.socket, {}, header(FrameKind::hello), agreement);
    send_frame(observer_, {}, header(FrameKind::hello), agreement);
    tell_when_ready();
  }

  void give_up_waiting() {
    for (const Outlet& outlet : outlets_)
      if (!outlet.welcomed)
        return fail(3, "peer " + std::to_string(outlet.id) + " (" + outlet.address +
                           ") did not come up within " + to_text(input_.start_patience));
    if (!unheard_.empty())
      return fail(3, "peer " + std::to_string(*unheard_.begin()) + " did not call within " +
                         to_text(input_.start_patience));
    fail(3, "the observer did not answer within " + to_text(input_.start_patience));
  }

  void fail(int exit_code, std::string reason) { events.push(TakesNoPart{exit_code, std::move(reason)}); }

  void wait() {
    poll_.clear();
    poll_.push_back({nullptr, commands.fd(), ZMQ_POLLIN, 0});
    poll_.push_back({nullptr, timer_.fd(), ZMQ_POLLIN, 0});
    poll_.push_back({router_.handle(), 0, ZMQ_POLLIN, 0});
    poll_.push_back({observer_.handle(), 0, ZMQ_POLLIN, 0});
    for (Outlet& outlet : outlets_) {
      const int wanted = outlet.backlog.empty() ? ZMQ_POLLIN : ZMQ_POLLIN | ZMQ_POLLOUT;
      poll_.push_back({outlet.socket.handle(), 0, static_cast<short>(wanted), 0});
    }
    try {
      zmq::poll(poll_.data(), poll_.size(), std::chrono::milliseconds{-1});
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
    timer_.clear();
  }

  void receive_from_sources() {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_router(router_, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage) {
        ++garbage;
        continue;
      }
      const Instant received = monotonic_now();
      const auto source =
          std::lower_bound(input_.sources.begin(), input_.sources.end(), frame.header.sender,
                           [](const Source& candidate, PeerId id) { return candidate.id < id; });
      const bool known = source != input_.sources.end() && source->id == frame.header.sender;
      if (known && frame.header.kind == FrameKind::hello) {
        answer_hello(frame);
      } else if (known && frame.header.kind == FrameKind::data && frame.header.run_id == run_id_ &&
                 !unheard_.contains(frame.header.sender)) {
        hold_.add({due_instant(frame.header, received),
                   frame.header.sequence,
                   header_bytes + frame.header.payload_bytes,
                   source->arrival,
                   {frame.header.iteration, frame.header.slot, frame.header.sender},
                   packet_of(std::move(frame.payload))});
      } else {
        ++garbage;
      }
    }
  }

  void answer_hello(const ReceivedFrame& hello) {
    const PeerId sender = hello.header.sender;
    const std::optional<Agreement> theirs =
        decode_agreement({hello.payload.data<std::byte>(), hello.payload.size()});
    const std::optional<std::string> difference =
        theirs ? disagreement(input_.agreement, *theirs, "peer " + std::to_string(sender))
               : std::optional<std::string>("peer " + std::to_string(sender) + " sent an unreadable hello");
    if (!difference) {
      send_frame(router_, routing_id(sender), header(FrameKind::welcome), {});
      unheard_.erase(sender);
      return tell_when_ready();
    }
    ++refused;
    const std::string sentence =
        theirs ? *disagreement(*theirs, input_.agreement, "peer " + std::to_string(input_.self))
               : *difference;
    send_frame(router_, routing_id(sender), header(FrameKind::refuse), std::as_bytes(std::span(sentence)));
    if (!ready_) fail(2, *difference);
  }

  void receive_replies(Outlet& outlet) {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(outlet.socket, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::frame && frame.header.kind == FrameKind::welcome &&
          frame.header.sender == outlet.id) {
        outlet.welcomed = true;
        tell_when_ready();
      } else if (reception == Reception::frame && frame.header.kind == FrameKind::refuse) {
        fail(2, std::string(text_of(frame.payload)));
      } else {
        ++garbage;
      }
    }
  }

  void tell_when_ready() {
    if (ready_ || !unheard_.empty()) return;
    for (const Outlet& outlet : outlets_)
      if (!outlet.welcomed) return;
    ready_ = true;
    send_frame(observer_, {}, header(FrameKind::ready), {});
  }

  void receive_from_observer() {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(observer_, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage) {
        ++garbage;
        continue;
      }
      switch (frame.header.kind) {
        case FrameKind::welcome:
          break;
        case FrameKind::refuse:
          fail(2, std::string(text_of(frame.payload)));
          break;
        case FrameKind::start:
          // Between hosts there is no common clock: the run begins when the word arrives.
          events.push(
              RunStarts{input_.same_machine ? Instant(Duration(frame.header.due_ns)) : monotonic_now()});
          break;
        case FrameKind::verdict:
          events.push(VerdictArrived{frame.header.iteration, frame.header.slot == 1});
          break;
        case FrameKind::stop:
          events.push(RunStops{});
          break;
        case FrameKind::bye:
          events.push(EveryPeerEnded{});
          break;
        default:
          ++garbage;
      }
    }
  }

  void obey_commands() {
    commands.drain(drained_);
    for (SocketCommand& command : drained_) {
      if (auto* data = std::get_if<SendData>(&command)) {
        send(*data);
      } else if (auto* word = std::get_if<TellObserver>(&command)) {
        FrameHeader head = header(word->kind);
        head.iteration = word->iteration;
        send_frame(observer_, {}, head, word->payload);
      } else {
        quit_ = true;
      }
    }
    drained_.clear();
  }

  void send(SendData& data) {
    const auto outlet =
        std::lower_bound(outlets_.begin(), outlets_.end(), data.message.to,
                         [](const Outlet& candidate, PeerId to) { return candidate.id < to; });
    ensure(outlet != outlets_.end() && outlet->id == data.message.to,
           "a method sends only to its destinations");
    const PacketRef& packet = data.message.packet;
    if (packet != checked_) {  // all sends of a packet follow one another: one checksum serves them
      checked_ = packet;
      checksum_ = payload_checksum(packet->bytes());
    }
    const Departure departure = input_.egress.send(data.posted, header_bytes + packet->size(), outlet->link);
    retransmissions += departure.losses;

    FrameHeader head = header(FrameKind::data);
    head.iteration = data.message.key.iteration;
    head.slot = data.message.key.slot;
    head.sequence = departure.sequence;
    head.degree = static_cast<std::uint32_t>(outlets_.size());
    if (input_.same_machine) {
      head.due_ns = departure.due.time_since_epoch().count();
    } else {
      head.flags = flag_remaining_hold;
      head.due_ns = std::max(Duration{0}, departure.due - monotonic_now()).count();
    }
    if (!outlet->backlog.empty() || !send_packet(outlet->socket, head, packet, checksum_))
      outlet->backlog.emplace_back(head, packet);
  }

  void send_backlog(Outlet& outlet) {
    while (!outlet.backlog.empty()) {
      const auto& [head, packet] = outlet.backlog.front();
      if (!send_packet(outlet.socket, head, packet, payload_checksum(packet->bytes()))) return;
      outlet.backlog.pop_front();
    }
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
  std::vector<Outlet> outlets_;  // ascending id
  std::set<PeerId> unheard_;     // sources that have not yet said hello
  HoldQueue hold_;
  AbsoluteTimer timer_;
  std::vector<zmq::pollitem_t> poll_;
  std::vector<SocketCommand> drained_;
  PacketRef checked_;
  std::uint32_t checksum_ = 0;
  bool ready_ = false;
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
std::uint64_t PeerSockets::garbage_frames() const { return server_->garbage; }
std::uint64_t PeerSockets::refused_handshakes() const { return server_->refused; }
std::uint64_t PeerSockets::retransmissions() const { return server_->retransmissions; }

}  // namespace hearsay
