#include "runtime/security/credentials.hpp"
#include "runtime/observer/observer_session.hpp"

// Hellos, and who has the name of a peer where two processes claim it.

namespace hearsay {

namespace {

std::string place_of_process(const std::string& host, std::uint32_t incarnation) {
  return (host.empty() ? "" : "at " + host + " ") + ("(incarnation " + std::to_string(incarnation) + ")");
}

}  // namespace

template <class Scalar>
void ObserverSession<Scalar>::answer_hello(const FrameHeader& header, std::span<const std::byte> payload,
                                           Instant now, const std::string& host) {
  if (turned_away_because_) return turn_away_caller(header);
  const std::string objection = objection_to(header, payload);
  if (header.sender < peers_.size()) peers_[header.sender].refusal = objection;
  if (!objection.empty()) return say(header.sender, FrameKind::refuse, objection);
  if (must_wait(header, now, host)) return;
  admit(header, host);
}

/// Why that peer cannot take part; else empty.
template <class Scalar>
std::string ObserverSession<Scalar>::objection_to(const FrameHeader& hello,
                                                  std::span<const std::byte> payload) const {
  const std::optional<Agreement> theirs = decode_agreement(payload);
  if (!theirs) return "the observer cannot read the hello of this peer";
  if (const auto difference = disagreement(*theirs, agreement_, "the observer")) return *difference;
  const std::string sender = std::to_string(hello.sender);
  if (hello.sender >= peers_.size())
    return "the run has peers 0 to " + std::to_string(peers_.size() - 1) + ", this is peer " + sender;
  if (hello.iteration != experiment_.iterations)
    return "peer 0 runs " + std::to_string(experiment_.iterations) + " iterations, peer " + sender + " " +
           std::to_string(hello.iteration) + "; give both the same run.iterations";
  return {};
}

template <class Scalar>
void ObserverSession<Scalar>::turn_away_caller(const FrameHeader& hello) {
  if (hello.slot == 2) {
    over_ = true;
    return;
  }
  say(hello.sender, FrameKind::refuse, *turned_away_because_);
  if (hello.sender < peers_.size()) peers_[hello.sender].turned_away = true;
  over_ = true;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (id != observer_peer && !peers_[id].gone && !peers_[id].turned_away) over_ = false;
}

/// Whether the name is taken, as far as is known. Under "drop", where the run has begun, whoever comes anew is a new peer.
template <class Scalar>
bool ObserverSession<Scalar>::must_wait(const FrameHeader& hello, Instant now, const std::string& host) {
  PeerSeen& peer = peers_[hello.sender];
  if (!peer.welcomed || peer.gone || (started_ && experiment_.settings.failure.drops())) return false;
  if (peer.incarnation == hello.incarnation) {
    if (peer.rival && hello.sequence == peer.rival->hello.incarnation) refuse_rival(peer);
    return false;
  }
  // The rival says hello with every sign of life.
  const Duration answer_time = heartbeat_interval(lost_after_) / 2;
  if (peer.rival && peer.rival->hello.incarnation == hello.incarnation) {
    if (now - peer.rival->since >= answer_time) return false;
  } else if (!peer.rival || now - peer.rival->since > 4 * answer_time) {
    peer.rival = Rival{hello, host, now};
  } else {
    return true;  // one after the other
  }
  say(hello.sender, FrameKind::again);
  outbox_.back().header.sequence = hello.incarnation;
  outbox_.back().only_to = peer.incarnation;
  return true;
}

template <class Scalar>
void ObserverSession<Scalar>::refuse_rival(PeerSeen& peer) {
  const FrameHeader& hello = peer.rival->hello;
  const std::string sentence = "two processes claim to be peer " + std::to_string(hello.sender) +
                               ": the one " + place_of_process(peer.host, peer.incarnation) +
                               " came first and is kept, this one " +
                               place_of_process(peer.rival->host, hello.incarnation) + " takes no part";
  say(hello.sender, FrameKind::refuse, sentence, 1);
  outbox_.back().only_to = hello.incarnation;
  if (hello.slot == 2) {  // in the middle of the run: it listens to no refusal any more
    say(hello.sender, FrameKind::stop, sentence, 2);
    outbox_.back().only_to = hello.incarnation;
  }
  peer.rival.reset();
}

template <class Scalar>
void ObserverSession<Scalar>::note_unreachable(PeerId id, std::uint32_t incarnation) {
  PeerSeen& peer = peers_[id];
  if (peer.welcomed && peer.incarnation == incarnation && peer.rival)
    admit(FrameHeader(peer.rival->hello), std::string(peer.rival->host));
}

template <class Scalar>
void ObserverSession<Scalar>::admit(const FrameHeader& header, const std::string& host) {
  const PeerId sender = header.sender;
  PeerSeen& peer = peers_[sender];
  const bool is_successor = peer.welcomed && peer.incarnation != header.incarnation;
  if (is_successor) peer.rival.reset();
  if (is_successor && started_ && experiment_.settings.failure.drops())
    lose_peer(sender, "peer " + std::to_string(sender) + " was started anew");
  peer.host = host;
  if (peer.gone) return welcome_joiner(header);
  peer.incarnation = header.incarnation;
  peer.welcomed = true;
  peer.ready = false;  // whoever was ready under this name may have been started anew since
  peer.resumes = header.slot == 1;
  peer.holds = {0};  // every peer can begin
  peer.said_what_it_holds = header.slot != 1;
  if (stopped_ && started_ && peer.resumes) {
    say(sender, FrameKind::stop);
    return expect_no_last_words();
  }
  say(sender, FrameKind::welcome);
  if (header.slot == 2) take_note_that_it_is_under_way();
  choose_checkpoint();
}

#define HEARSAY_OBSERVER_SESSION_CLAIMS(Scalar)                                                              \
  template void ObserverSession<Scalar>::answer_hello(const FrameHeader&, std::span<const std::byte>,        \
                                                      Instant, const std::string&);                          \
  template std::string ObserverSession<Scalar>::objection_to(const FrameHeader&, std::span<const std::byte>) \
      const;                                                                                                 \
  template void ObserverSession<Scalar>::turn_away_caller(const FrameHeader&);                               \
  template bool ObserverSession<Scalar>::must_wait(const FrameHeader&, Instant, const std::string&);         \
  template void ObserverSession<Scalar>::refuse_rival(PeerSeen&);                                            \
  template void ObserverSession<Scalar>::note_unreachable(PeerId, std::uint32_t);                            \
  template void ObserverSession<Scalar>::admit(const FrameHeader&, const std::string&);
HEARSAY_OBSERVER_SESSION_CLAIMS(float)
HEARSAY_OBSERVER_SESSION_CLAIMS(double)
#undef HEARSAY_OBSERVER_SESSION_CLAIMS

}  // namespace hearsay
