#include "runtime/zmq/probed_connections.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/outlet.hpp"
#include "runtime/zmq/tcp_attempt.hpp"

namespace hearsay {

namespace {

constexpr std::size_t payload_limit_bytes = 1 << 20;
constexpr Duration look_at_handshakes_every = std::chrono::milliseconds(50);
constexpr Duration tcp_patience = std::chrono::seconds(2);

}  // namespace

/// The listening port of this peer or of its observer, which answers probes.
struct ProbedConnections::Listener {
  Listener(const Prober& self, const std::vector<PeerId>& callers, const std::string& key,
           const std::string& address, const SharedCredentials& credentials, const std::string& congestion)
      : door(context, router, credentials), server(self, callers) {
    listen(context, router, {payload_limit_bytes, high_water_mark, last_words_linger_ms, congestion}, key,
           address);
    door.begin();
  }

  zmq::context_t context;
  zmq::socket_t router{context, zmq::socket_type::router};
  ZapServer door;
  ProbeServer server;
  std::map<PeerId, std::string> routes;  // over which each peer sent its last frame
};

/// The connection to the port of another peer or of the observer, which sends probes.
struct ProbedConnections::Call {
  Call(zmq::context_t& context, const Prober& self, PeerId to, std::string name, std::string where,
       const SharedCredentials& credentials, const std::string& congestion)
      : id(to),
        who(std::move(name)),
        address(std::move(where)),
        dealer(context, zmq::socket_type::dealer),
        handshakes(credentials != nullptr, congestion),
        caller(self, to) {
    set_up_dealer(dealer, self.id, payload_limit_bytes, address, credentials, to);
    handshakes.connect(context, dealer, who, address);
  }

  void speak(Instant now) {
    while (const auto word = caller.tick(now)) send_frame(dealer, {}, word->header, word->payload);
  }

  void look_at_handshakes(Instant now) {
    const HandshakeWatch::News news = handshakes.look(now);
    if (news.refusal) refusal = *news.refusal;
    if (news.doubt) doubt = news.doubt->substr(2);  // without the "; " in front
  }

  bool decided() const { return caller.satisfied() || !caller.complaint().empty() || !refusal.empty(); }

  PeerId id;
  std::string who;
  std::string address;
  zmq::socket_t dealer;
  HandshakeWatch handshakes;  // declared after the socket that it watches
  ProbeCaller caller;
  std::string refusal;
  std::string doubt;
};

ProbedConnections::ProbedConnections(const Prober& self, const Partners& peers, const NamedTopology& topology,
                                     const Placement& place, const SharedCredentials& credentials,
                                     const std::string& congestion)
    : self_(self), run_id_(run_id(self.agreement)), peers_(peers), addresses_(addresses_of(topology, place)) {
  listeners_.emplace_back(self, peers.sources, "address",
                          peer_listening_address(addresses_, topology, self.id, place), credentials,
                          congestion);
  if (self.id == observer_peer) {
    std::vector<PeerId> everybody(topology.peers.size());
    std::iota(everybody.begin(), everybody.end(), PeerId{0});
    listeners_.emplace_back(self, everybody, "observer",
                            observer_listening_address(addresses_, topology, place), credentials, congestion);
  }
  zmq::context_t& context = listeners_.front().context;
  for (const PeerId to : peers.destinations)
    calls_.emplace_back(context, self, to, "peer " + std::to_string(to), addresses_.peers[to], credentials,
                        congestion);
  calls_.emplace_back(context, self, observer_peer, "observer", addresses_.observer, credentials, congestion);
}

ProbedConnections::~ProbedConnections() = default;

void ProbedConnections::turn(Instant until, const OtherFrames& others) {
  const Instant now = monotonic_now();
  Instant next = std::min(until, now + look_at_handshakes_every);
  for (Call& call : calls_) {
    call.look_at_handshakes(now);
    call.speak(now);
    if (call.caller.complaint().empty() && !call.caller.satisfied())
      next = std::min(next, call.caller.next());
  }
  wait_until(next);
  for (Listener& listener : listeners_)
    receive(listener, &listener == &listeners_.front() ? others.from_peer : others.to_observer);
  for (Call& call : calls_) receive(call, others.from_observer);
}

void ProbedConnections::receive(Listener& listener, const OtherFrames::Hear& hear) {
  ReceivedFrame frame;
  for (int k = 0; k < frames_per_turn; ++k) {
    const Reception reception = receive_at_router(listener.router, payload_limit_bytes, frame);
    if (reception == Reception::nothing) return;
    if (reception == Reception::garbage) {
      ++garbage_;
      continue;
    }
    if (const auto answer = listener.server.hear(frame.header, bytes_of(frame.payload)))
      send_frame(listener.router, frame.from, answer->header, answer->payload);
    if (frame.header.run_id == run_id_ && frame.header.sender < addresses_.peers.size()) {
      listener.routes[frame.header.sender] = frame.from;
      if (frame.header.kind != FrameKind::probe) hear(frame.header, bytes_of(frame.payload));
    } else if (frame.header.kind != FrameKind::probe && frame.header.kind != FrameKind::hello) {
      ++garbage_;
    }
  }
}

void ProbedConnections::receive(Call& call, const OtherFrames::Hear& hear) {
  ReceivedFrame frame;
  for (int k = 0; k < frames_per_turn; ++k) {
    const Reception reception = receive_at_dealer(call.dealer, payload_limit_bytes, frame);
    if (reception == Reception::nothing) return;
    if (reception == Reception::garbage) {
      ++garbage_;
    } else if (frame.header.kind == FrameKind::probed) {
      call.caller.hear(frame.header, bytes_of(frame.payload), monotonic_now());
    } else if (&call == &calls_.back() && frame.header.run_id == run_id_ && is_from_observer(frame.header)) {
      hear(frame.header, bytes_of(frame.payload));
    }
  }
}

bool ProbedConnections::decided() const {
  return std::ranges::all_of(calls_, &Call::decided) &&
         std::ranges::all_of(listeners_,
                             [](const Listener& listener) { return listener.server.undecided().empty(); });
}

void ProbedConnections::confirm() {
  for (Call& call : calls_) call.speak(monotonic_now());  // probes with slot 1, if all answers are here
}

void ProbedConnections::wait_until(Instant instant) {
  timer_.set(instant);
  std::vector<zmq::pollitem_t> poll = {{nullptr, timer_.fd(), ZMQ_POLLIN, 0}};
  for (Listener& listener : listeners_) poll.push_back({listener.router.handle(), 0, ZMQ_POLLIN, 0});
  for (Call& call : calls_) {
    const bool is_awaited = awaited_ == call.id && &call != &calls_.back();
    poll.push_back(
        {call.dealer.handle(), 0, static_cast<short>(is_awaited ? ZMQ_POLLIN | ZMQ_POLLOUT : ZMQ_POLLIN), 0});
  }
  awaited_.reset();
  try {
    zmq::poll(poll.data(), poll.size(), std::chrono::milliseconds{-1});
  } catch (const zmq::error_t& error) {
    if (error.num() != EINTR) throw;
  }
  timer_.clear();
}

/// Returns why TCP cannot connect, for every call without an answer and without another reason, in the order
/// of the calls. An empty text if TCP can connect.
std::vector<std::string> ProbedConnections::tcp_failures() const {
  std::vector<std::string> unanswered;
  for (const Call& call : calls_)
    if (!call.decided() && !call.caller.answered_once() && call.doubt.empty())
      unanswered.push_back(call.address);
  return failures_to_connect(unanswered, tcp_patience);
}

std::vector<CheckedEdge> ProbedConnections::verdicts() const {
  const std::vector<std::string> tcp = tcp_failures();
  const ProbeServer& server = listeners_.front().server;
  auto next_tcp = tcp.begin();
  std::vector<CheckedEdge> edges;
  for (const Call& call : calls_) {
    EdgeEvidence seen{.caller = &call.caller,
                      .called = nullptr,
                      .handshake = call.refusal.empty() ? call.doubt : call.refusal,
                      .tcp = {},
                      .own_address = addresses_.peers[self_.id]};
    if (!call.decided() && !call.caller.answered_once() && call.doubt.empty()) seen.tcp = *next_tcp++;
    const bool is_neighbor = &call != &calls_.back();  // the call to the observer is the last
    if (is_neighbor && std::ranges::binary_search(peers_.sources, call.id)) seen.called = &server.of(call.id);
    edges.push_back(judge_edge(call.who, call.address, seen));
  }
  for (const PeerId from : peers_.sources) {
    if (std::ranges::binary_search(peers_.destinations, from)) continue;
    EdgeEvidence seen;
    seen.called = &server.of(from);
    seen.own_address = addresses_.peers[self_.id];
    edges.push_back(judge_edge("peer " + std::to_string(from), addresses_.peers[from], seen));
  }
  if (listeners_.size() > 1) edges.push_back(judge_observer(addresses_.observer, listeners_.back().server));
  return edges;
}

namespace {

FrameHeader of_run(FrameHeader header, PeerId sender, std::uint32_t run, std::uint32_t incarnation) {
  header.sender = sender;
  header.run_id = run;
  header.incarnation = incarnation;
  return header;
}

}  // namespace

ProbedConnections::Call& ProbedConnections::call_of(PeerId to) {
  const auto place = std::ranges::lower_bound(peers_.destinations, to) - peers_.destinations.begin();
  return calls_[static_cast<std::size_t>(place)];
}

bool ProbedConnections::say_to_peer(PeerId to, const FrameHeader& header, const SharedBytes& payload) {
  return send_shared(call_of(to).dealer, {}, of_run(header, self_.id, run_id_, self_.incarnation), payload);
}

bool ProbedConnections::say_to_observer(const FrameHeader& header, std::span<const std::byte> payload) {
  return send_frame(calls_.back().dealer, {}, of_run(header, self_.id, run_id_, self_.incarnation), payload);
}

bool ProbedConnections::say_as_observer(PeerId to, const FrameHeader& header,
                                        std::span<const std::byte> payload) {
  Listener& observer = listeners_.back();
  const auto route = observer.routes.find(to);
  return route != observer.routes.end() &&
         send_frame(observer.router, route->second, of_run(header, observer_peer, run_id_, 0), payload);
}

std::optional<std::uint64_t> ProbedConnections::delivered_to(PeerId peer) {
  return call_of(peer).handshakes.delivered_bytes(0);
}

}  // namespace hearsay
