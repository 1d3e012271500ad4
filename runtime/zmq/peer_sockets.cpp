#include "runtime/zmq/peer_sockets.hpp"

#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <zmq.hpp>

#include "runtime/network/hold_queue.hpp"
#include "runtime/transfer/transfers.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/evaluation_place.hpp"
#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/outlets.hpp"
#include "runtime/zmq/zap_server.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

class PeerSockets::Server {
 public:
  Server(SocketInput input, const std::string& bind_address)
      : input_(std::move(input)),
        zap_server_(context_, router_, input_.credentials),
        egress_(input_.egress, input_.same_machine),
        handshakes_(input_.credentials != nullptr, input_.congestion, input_.port),
        routes_(input_.sources.size()),
        hold_(input_.ingress),
        with_observer_(1, input_.payload_limit_bytes, {input_.run_id, input_.self, input_.incarnation}),
        timeline_(input_.timeline, input_.self) {
    bound_address =
        listen(context_, router_,
               {source_limit_bytes(), source_queue_frames(), last_words_linger_ms, input_.congestion},
               "address", bind_address);
    zap_server_.begin();
  }

  void connect(std::vector<Destination> destinations, const std::string& observer_address) {
    outlets_.connect(context_, input_, std::move(destinations));
    set_up_dealer(observer_, input_.self, input_.payload_limit_bytes, observer_address, input_.credentials,
                  observer_peer);
    // What the observer asks for at once must not take the places of other words.
    observer_.set(zmq::sockopt::sndhwm, high_water_mark + static_cast<int>(TakeWindow::most_pieces));
    handshakes_.connect(context_, observer_, "the observer (" + observer_address + ")", observer_address);
  }

  void begin(PeerSession& session) {
    session_ = &session;
    session_->begin(monotonic_now());
    for (const int fd : {nobody, timer_.fd(), wakes_of(router_), wakes_of(observer_)})
      polled_.push_back({fd, POLLIN, 0});
    for (Outlet& outlet : outlets_) polled_.push_back({wakes_of(outlet.socket), POLLIN, 0});
  }

  void serve(Instant until, int also) {
    polled_[also_place].fd = also;
    // The driver may have been away: what waits is read before it counts as lost.
    observer_may_be_ready_ |= with_observer_.next() != Instant::max();
    const std::size_t known = session_->events().size();
    bool continues = true;
    do {
      const Instant now = monotonic_now();
      look_at_handshakes(now);
      const Instant next_word = session_->tick(now);
      attend();
      if (session_->events().size() != known) return;
      timer_.set(std::min(
          {hold_.next(), next_word, with_observer_.next(), outlets_.next(now), handshakes_.next_pace()}));
      continues = wait(until);
      attend();
    } while (continues && session_->events().size() == known && monotonic_now() < until);
  }

  SocketCounters counters() const {
    SocketCounters counters = counters_;
    counters.refused = zap_server_.refused();
    counters.emulated_losses = outlets_.emulated_losses();
    return counters;
  }

  std::vector<std::string> congestions() const {
    std::set<std::string> names;
    for (std::size_t k = 0; k < outlets_.count(); ++k) names.insert(handshakes_.congestion(k));
    names.erase("");
    return {names.begin(), names.end()};
  }

  /// Sends the frames in the outbox of the session.
  void carry_out() {
    for (PeerFrame& word : session_->outbox()) {
      if (is_cut_off(word.way == PeerFrame::Way::observer ? observer_peer : word.to))
        continue;
      else if (word.packet)
        send_data(word);
      else if (word.way == PeerFrame::Way::observer)
        send_to_observer(word);
      else if (word.way == PeerFrame::Way::reply)
        reply(word);
      else
        outlets_.say(word);
    }
    session_->outbox().clear();
    egress_.forget_packet();
    handshakes_.pace_connections(monotonic_now());
    if (!has_begun_ && session_->origin()) begin_time(*session_->origin());
    if (session_->last_verdict() > closed_) with_observer_.close(0, *(closed_ = session_->last_verdict()));
  }

  std::string bound_address;

 private:
  static constexpr int nobody = -1;
  static constexpr std::size_t also_place = 0, timer_place = 1, router_place = 2, observer_place = 3,
                               outlets_place = 4;

  /// The longest payload of a source: long messages come in pieces, and what else a source says is short.
  std::size_t source_limit_bytes() const {
    constexpr std::size_t longest_word = 65'536;
    return std::min(input_.payload_limit_bytes, input_.piece_bytes + longest_word);
  }

  /// Few, if they are long: what waits there takes memory.
  int source_queue_frames() const {
    constexpr int pieces = 4;
    return input_.payload_limit_bytes > source_limit_bytes() ? pieces : high_water_mark;
  }

  static int wakes_of(zmq::socket_t& socket) { return socket.get(zmq::sockopt::fd); }

  /// The times of bandwidth traces and of the timeline count from `start_of_run`.
  void begin_time(Instant start_of_run) {
    has_begun_ = true;
    egress_.begin(start_of_run);
    hold_.begin(start_of_run);
    timeline_.start(start_of_run);
  }

  bool is_cut_off(PeerId other) const {
    return has_begun_ && !input_.partitions.empty() &&
           input_.partitions.is_cut(input_.self, other, monotonic_now() - *session_->origin());
  }

  void look_at_handshakes(Instant now) {
    const HandshakeWatch::News news = handshakes_.look(now);
    if (news.doubt) session_->doubt(*news.doubt);
    if (news.refusal) session_->shut_out(*news.refusal);
  }

  void reply(const PeerFrame& word) {
    const std::string& route = routes_[place_of(find_source(word.to))];
    if (!route.empty()) answer(route, word);
  }

  void answer(const std::string& route, const PeerFrame& word) {
    router_may_be_ready_ = true;
    send_frame(router_, route, word.header, word.payload);
  }

  void send_to_observer(PeerFrame& word) {
    observer_may_be_ready_ = true;
    FrameHeader header = word.header;
    if (input_.observer_lane) input_.observer_lane->complete(header, egress_, monotonic_now());
    if (const auto place = told_place(input_.slots, input_.self, word.payload, header))
      return void(send_frame(observer_, {}, header, *place));
    if (is_far_from_observer() && with_observer_.carries(0, header.kind, word.payload.size()))
      return with_observer_.send(0, header, std::move(word.payload));
    give_observer(word.payload.size());
    send_shared(observer_, {}, header, word.payload);
  }

  /// For its share of the port.
  void give_observer(std::size_t payload_bytes) {
    handshakes_.gives(outlets_.count(), header_bytes + payload_bytes, monotonic_now());
  }

  /// Then long frames travel in pieces; over the emulated network they are whole.
  bool is_far_from_observer() const {
    return !input_.same_machine && !input_.observer_lane && input_.self != observer_peer;
  }

  /// No training of this process gives way: the observer asks for the pieces when its own one permits it.
  void send_pieces() {
    with_observer_.carry_out({.now = monotonic_now()},
                             [this](std::size_t, const FrameHeader& header, auto payload) {
                               observer_may_be_ready_ = true;
                               give_observer(payload.size());
                               send_frame(observer_, {}, header, payload);
                             });
  }

  /// Sends refusals over the connection from which the hello came, since the caller may have claimed the id
  /// of a source.
  void refuse_hello(const std::string& from) {
    std::erase_if(session_->outbox(), [&](const PeerFrame& word) {
      if (word.way != PeerFrame::Way::reply || word.header.kind != FrameKind::refuse) return false;
      answer(from, word);
      return true;
    });
  }

  void send_data(const PeerFrame& word) {
    ensure(word.packet.packet->size() <= input_.payload_limit_bytes,
           "no message is longer than its receiver reads");
    outlets_.send(word);
  }

  /// Waits until a socket, the timer or the descriptor `also` has something, at most until `until` and at
  /// most a second. Returns false if `also` is readable or a signal came.
  ///
  /// The descriptor of a ZeroMQ socket reports news only once, and any use of the socket may consume the
  /// report. So a socket that was used may be ready: it is read before the next wait. So is a socket whose
  /// descriptor is readable, until it has nothing more.
  bool wait(Instant until) {
    const bool may_be_ready = router_may_be_ready_ || observer_may_be_ready_ ||
                              std::ranges::any_of(outlets_, &Outlet::may_be_ready);
    const int count = poll(polled_.data(), polled_.size(), may_be_ready ? 0 : milliseconds_to(until));
    ensure(count >= 0 || errno == EINTR, "what is polled is open");
    if (count <= 0) return count == 0;
    const auto readable = [this](std::size_t place) { return polled_[place].revents != 0; };
    if (readable(timer_place)) timer_.clear();
    router_may_be_ready_ |= readable(router_place);
    observer_may_be_ready_ |= readable(observer_place);
    std::size_t place = outlets_place;
    for (Outlet& outlet : outlets_) outlet.may_be_ready |= readable(place++);
    return !readable(also_place);
  }

  /// Returns the time until `until` in ms, rounded up, at least 0 and at most 1,000.
  static int milliseconds_to(Instant until) {
    const std::int64_t ms = std::chrono::ceil<std::chrono::milliseconds>(until - monotonic_now()).count();
    return static_cast<int>(std::clamp<std::int64_t>(ms, 0, 1'000));
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

  void receive_from_sources() {
    ReceivedFrame frame;
    for (int k = 0; k < frames_per_turn; ++k) {
      const Reception reception = receive_at_router(router_, source_limit_bytes(), frame);
      if (reception == Reception::nothing) {
        router_may_be_ready_ = false;
        return;
      }
      if (reception == Reception::garbage)
        ++counters_.garbage;
      else
        hear_source(frame);
    }
  }

  void hear_source(ReceivedFrame& frame) {
    const FrameHeader& head = frame.header;
    const auto source = find_source(head.sender);
    const bool is_source = source != input_.sources.end();
    if (is_source && head.run_id == input_.run_id) routes_[place_of(source)] = frame.from;
    // What the session has heard is never sent again. What it has not heard is missing to it, and it asks.
    if (carries_message(head.kind) && holds_all_it_may()) {
      ++counters_.garbage;
      return;
    }
    const Instant now = monotonic_now();
    const FrameUse heard = session_->hear_source(head, bytes_of(frame.payload), now);
    refuse_hello(frame.from);
    if (heard == FrameUse::garbage) {
      ++counters_.garbage;
      return;
    }
    if (heard != FrameUse::data) return;
    if (head.kind == FrameKind::message_piece) {
      WholeMessage whole = session_->take_whole();
      hold(whole.header, std::move(whole.packet), whole.frame_bytes, due_instant(head, now), *source);
    } else {
      hold(head, packet_of(std::move(frame.payload)), header_bytes + head.payload_bytes,
           due_instant(head, now), *source);
    }
  }

  bool holds_all_it_may() const {
    const std::size_t words = input_.observer_lane ? input_.observer_lane->held() : 0;
    return hold_.size() - words >= input_.held_frames_limit;
  }

  void hold(const FrameHeader& head, PacketRef packet, std::uint64_t frame_bytes, Instant due,
            const Source& source) {
    hold_.add({due,
               head.sequence,
               frame_bytes,
               source.arrival,
               {head.iteration, head.slot, head.sender},
               std::move(packet),
               {head.degree, head.replica_digest}});
  }

  /// Receives from the may_be_ready sockets, then sends.
  void attend() {
    if (router_may_be_ready_) receive_from_sources();
    for (Outlet& outlet : outlets_)
      if (outlet.may_be_ready) attend(outlet);
    if (observer_may_be_ready_) receive_from_observer();
    carry_out();
    outlets_.send_waiting();
    send_pieces();
    release_held();
  }

  void attend(Outlet& outlet) {
    do receive_replies(outlet);
    while (outlet.send_backlog());
    outlet.may_be_ready = false;
  }

  void receive_replies(Outlet& outlet) {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(outlet.socket, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage ||
          session_->hear_destination(outlet.id, frame.header, bytes_of(frame.payload)) == FrameUse::garbage)
        ++counters_.garbage;
    }
  }

  void receive_from_observer() {
    ReceivedFrame frame;
    for (;;) {
      const Reception reception = receive_at_dealer(observer_, input_.payload_limit_bytes, frame);
      if (reception == Reception::nothing) {
        observer_may_be_ready_ = false;
        return;
      }
      if (is_cut_off(observer_peer)) continue;
      const Instant now = monotonic_now();
      if (reception == Reception::frame && frame.header.run_id == input_.run_id &&
          is_from_observer(frame.header)) {
        if (frame.header.kind == FrameKind::welcome) with_observer_.forget(0);
        if (Transfers::is_word(frame.header.kind)) {
          hear_piece(frame, now);
          continue;
        }
      }
      if (reception == Reception::frame && input_.observer_lane && frame.header.run_id == input_.run_id &&
          input_.observer_lane->holds(frame.header)) {
        session_->note_life_of_observer(now);
        input_.observer_lane->hold(frame.header, packet_of(std::move(frame.payload)), now, hold_);
      } else if (reception == Reception::garbage ||
                 session_->hear_observer(frame.header, bytes_of(frame.payload), now) == FrameUse::garbage) {
        ++counters_.garbage;
      }
    }
  }

  void hear_piece(const ReceivedFrame& frame, Instant now) {
    session_->note_life_of_observer(now);
    const auto whole = with_observer_.hear(0, frame.header, bytes_of(frame.payload), now);
    if (whole && session_->hear_observer(whole->header, whole->payload(), now) == FrameUse::garbage)
      ++counters_.garbage;
  }

  void release_held() {
    const Instant now = monotonic_now();
    hold_.release(now, [&](const HoldQueue::Held& held) {
      if (held.word) return hear_word(held, now);
      timeline_.receives(held.key, held.frame_bytes, held.begin, held.end);
      session_->release({held.key, held.packet, held.metadata});
    });
    carry_out();
  }

  void hear_word(const HoldQueue::Held& held, Instant now) {
    input_.observer_lane->release(*held.word);
    if (session_->hear_observer(*held.word, held.packet->bytes(), now) == FrameUse::garbage)
      ++counters_.garbage;
  }

  SocketInput input_;
  zmq::context_t context_;
  zmq::socket_t router_{context_, zmq::socket_type::router};
  zmq::socket_t observer_{context_, zmq::socket_type::dealer};
  ZapServer zap_server_;
  Egress egress_;
  Outlets outlets_{egress_, handshakes_};
  HandshakeWatch handshakes_;            // of the outlets and the observer
  std::vector<std::string> routes_;      // by source: the routing id of its last frame
  PeerSession* session_ = nullptr;       // from `begin` on
  bool has_begun_ = false;               // the run's time
  std::optional<std::uint64_t> closed_;  // the evaluation up to which the exchange with the observer is over
  SocketCounters counters_{};            // apart from those that others count
  HoldQueue hold_;
  Transfers with_observer_;  // long frames
  PeerTimeline timeline_;
  AbsoluteTimer timer_;
  std::vector<pollfd> polled_;
  bool router_may_be_ready_ = true;
  bool observer_may_be_ready_ = true;
};

PeerSockets::PeerSockets(SocketInput input, const std::string& bind_address)
    : server_(std::make_unique<Server>(std::move(input), bind_address)) {}

PeerSockets::~PeerSockets() = default;

void PeerSockets::start(PeerSession& session, std::vector<Destination> destinations,
                        const std::string& observer_address) {
  server_->connect(std::move(destinations), observer_address);
  server_->begin(session);
}

const std::string& PeerSockets::bound_address() const { return server_->bound_address; }
void PeerSockets::carry_out() { server_->carry_out(); }
void PeerSockets::serve(Instant until, int also) { server_->serve(until, also); }
SocketCounters PeerSockets::counters() const { return server_->counters(); }
std::vector<std::string> PeerSockets::congestions() const { return server_->congestions(); }

}  // namespace hearsay
