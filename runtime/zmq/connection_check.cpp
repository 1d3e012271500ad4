#include "runtime/zmq/connection_check.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "runtime/cluster/addresses.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/frames.hpp"
#include "runtime/zmq/handshake_watch.hpp"
#include "runtime/zmq/listening.hpp"
#include "runtime/zmq/outlet.hpp"
#include "runtime/zmq/tcp_attempt.hpp"
#include "runtime/zmq/zap_server.hpp"

namespace hearsay {

namespace {

constexpr std::size_t agreement_limit_bytes = 1 << 20;
constexpr Duration look_at_handshakes_every = std::chrono::milliseconds(50);
constexpr Duration tcp_patience = std::chrono::seconds(2);

/// The listening port of this peer or of its observer, which answers probes.
struct Listener {
  Listener(const Prober& self, const std::vector<PeerId>& callers, const std::string& key,
           const std::string& address, const SharedCredentials& credentials, const std::string& congestion)
      : door(context, router, credentials), server(self, callers) {
    listen(context, router, {agreement_limit_bytes, high_water_mark, last_words_linger_ms, congestion}, key,
           address);
    door.begin();
  }

  void receive() {
    ReceivedFrame frame;
    for (int k = 0; k < frames_per_turn; ++k) {
      const Reception reception = receive_at_router(router, agreement_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::garbage) continue;
      if (const auto answer = server.hear(frame.header, bytes_of(frame.payload)))
        send_frame(router, frame.from, answer->header, answer->payload);
    }
  }

  zmq::context_t context;
  zmq::socket_t router{context, zmq::socket_type::router};
  ZapServer door;
  ProbeServer server;
};

/// The connection to the port of another peer or of the observer, which sends probes.
struct Call {
  Call(zmq::context_t& context, const Prober& self, PeerId to, std::string name, std::string where,
       const SharedCredentials& credentials, const std::string& congestion)
      : id(to),
        who(std::move(name)),
        address(std::move(where)),
        dealer(context, zmq::socket_type::dealer),
        handshakes(credentials != nullptr, congestion),
        caller(self, to) {
    set_up_dealer(dealer, self.id, agreement_limit_bytes, address, credentials, to);
    handshakes.connect(context, dealer, who, address);
  }

  void speak(Instant now) {
    while (const auto word = caller.tick(now)) send_frame(dealer, {}, word->header, word->payload);
  }

  void receive() {
    ReceivedFrame frame;
    for (int k = 0; k < frames_per_turn; ++k) {
      const Reception reception = receive_at_dealer(dealer, agreement_limit_bytes, frame);
      if (reception == Reception::nothing) return;
      if (reception == Reception::frame) caller.hear(frame.header, bytes_of(frame.payload), monotonic_now());
    }
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

class ConnectionCheck {
 public:
  ConnectionCheck(const Prober& self, const Partners& partners, const NamedTopology& topology,
                  const Placement& place, const SharedCredentials& credentials, const std::string& congestion)
      : partners_(partners),
        addresses_(addresses_of(topology, place)),
        own_(self, partners.sources, "address", peer_listening_address(addresses_, topology, self.id, place),
             credentials, congestion),
        self_(self.id) {
    if (self.id == observer_peer) {
      std::vector<PeerId> everybody(topology.peers.size());
      std::iota(everybody.begin(), everybody.end(), PeerId{0});
      observer_.emplace_back(self, everybody, "observer",
                             observer_listening_address(addresses_, topology, place), credentials,
                             congestion);
    }
    for (const PeerId to : partners.destinations)
      calls_.emplace_back(own_.context, self, to, "peer " + std::to_string(to), addresses_.peers[to],
                          credentials, congestion);
    calls_.emplace_back(own_.context, self, observer_peer, "observer", addresses_.observer, credentials,
                        congestion);
  }

  std::vector<CheckedEdge> run(Duration patience) {
    const Instant deadline = monotonic_now() + patience;
    for (Instant now = monotonic_now(); now < deadline && !decided(); now = monotonic_now()) {
      Instant next = std::min(deadline, now + look_at_handshakes_every);
      for (Call& call : calls_) {
        call.look_at_handshakes(now);
        call.speak(now);
        if (call.caller.complaint().empty()) next = std::min(next, call.caller.next());
      }
      wait_until(next);
      own_.receive();
      for (Listener& observer : observer_) observer.receive();
      for (Call& call : calls_) call.receive();
    }
    for (Call& call : calls_) call.speak(monotonic_now());  // probes with slot 1, if all answers are here
    return verdicts();
  }

 private:
  bool decided() const {
    return own_.server.undecided().empty() && std::ranges::all_of(calls_, &Call::decided) &&
           std::ranges::all_of(observer_,
                               [](const Listener& observer) { return observer.server.undecided().empty(); });
  }

  void wait_until(Instant instant) {
    timer_.set(instant);
    std::vector<zmq::pollitem_t> poll = {{nullptr, timer_.fd(), ZMQ_POLLIN, 0},
                                         {own_.router.handle(), 0, ZMQ_POLLIN, 0}};
    for (Listener& observer : observer_) poll.push_back({observer.router.handle(), 0, ZMQ_POLLIN, 0});
    for (Call& call : calls_) poll.push_back({call.dealer.handle(), 0, ZMQ_POLLIN, 0});
    try {
      zmq::poll(poll.data(), poll.size(), std::chrono::milliseconds{-1});
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
    timer_.clear();
  }

  /// Returns why TCP cannot connect, for every call without an answer and without another reason, in the
  /// order of the calls. An empty text if TCP can connect.
  std::vector<std::string> tcp_failures() const {
    std::vector<std::string> unanswered;
    for (const Call& call : calls_)
      if (!call.decided() && !call.caller.answered_once() && call.doubt.empty())
        unanswered.push_back(call.address);
    return failures_to_connect(unanswered, tcp_patience);
  }

  std::vector<CheckedEdge> verdicts() const {
    const std::vector<std::string> tcp = tcp_failures();
    auto next_tcp = tcp.begin();
    std::vector<CheckedEdge> edges;
    for (const Call& call : calls_) {
      EdgeEvidence seen{.caller = &call.caller,
                        .called = nullptr,
                        .handshake = call.refusal.empty() ? call.doubt : call.refusal,
                        .tcp = {},
                        .own_address = addresses_.peers[self_]};
      if (!call.decided() && !call.caller.answered_once() && call.doubt.empty()) seen.tcp = *next_tcp++;
      const bool is_neighbor = &call != &calls_.back();  // the call to the observer is the last
      if (is_neighbor && std::ranges::binary_search(partners_.sources, call.id))
        seen.called = &own_.server.of(call.id);
      edges.push_back(judge_edge(call.who, call.address, seen));
    }
    for (const PeerId from : partners_.sources) {
      if (std::ranges::binary_search(partners_.destinations, from)) continue;
      EdgeEvidence seen;
      seen.called = &own_.server.of(from);
      seen.own_address = addresses_.peers[self_];
      edges.push_back(judge_edge("peer " + std::to_string(from), addresses_.peers[from], seen));
    }
    for (const Listener& observer : observer_)
      edges.push_back(judge_observer(addresses_.observer, observer.server));
    return edges;
  }

  Partners partners_;
  ClusterAddresses addresses_;
  Listener own_;
  PeerId self_;
  std::deque<Listener> observer_;  // one at peer 0, else none
  std::deque<Call> calls_;
  AbsoluteTimer timer_;
};

}  // namespace

template <class Scalar>
std::vector<CheckedEdge> check_connections(const Experiment<Scalar>& experiment, PeerId id,
                                           const Placement& place, Duration patience,
                                           const std::function<void()>& on_listening, const Notice& notice) {
  const SharedCredentials credentials =
      load_credentials(experiment.settings.security, experiment.topology.peers, id, notice);
  ConnectionCheck check({id, incarnation_of_process(), agreement_of(experiment)}, partners_of(experiment, id),
                        experiment.topology, place, credentials, experiment.settings.congestion);
  on_listening();
  return check.run(patience);
}

template std::vector<CheckedEdge> check_connections<float>(const Experiment<float>&, PeerId, const Placement&,
                                                           Duration, const std::function<void()>&,
                                                           const Notice&);
template std::vector<CheckedEdge> check_connections<double>(const Experiment<double>&, PeerId,
                                                            const Placement&, Duration,
                                                            const std::function<void()>&, const Notice&);

}  // namespace hearsay
