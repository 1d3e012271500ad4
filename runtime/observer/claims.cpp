#include "runtime/observer/claims.hpp"

#include "runtime/wire/stop.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

std::string place_of_process(const std::string& host, std::uint32_t incarnation) {
  return (host.empty() ? "" : "at " + host + " ") + ("(incarnation " + std::to_string(incarnation) + ")");
}

}  // namespace

bool IdClaims::accepts(const FrameHeader& hello, std::span<const std::byte> payload) {
  const std::string objection = objection_to(hello, payload);
  if (hello.sender < claims_.size()) claims_[hello.sender].refusal = objection;
  if (!objection.empty()) words_.say(hello.sender, FrameKind::refuse, objection);
  return objection.empty();
}

/// Returns why the sender of `hello` cannot take part; empty if it can.
std::string IdClaims::objection_to(const FrameHeader& hello, std::span<const std::byte> payload) const {
  const std::optional<Agreement> theirs = decode_agreement(payload);
  const std::string sender = std::to_string(hello.sender);
  if (!theirs) return "the observer cannot read the hello of peer " + sender;
  if (const auto difference = disagreement(*theirs, input_.agreement, "the observer", "peer " + sender))
    return *difference;
  if (hello.sender >= claims_.size())
    return "the run has peers 0 to " + std::to_string(claims_.size() - 1) + ", this is peer " + sender;
  const std::uint64_t iterations = to_observer::as_hello(hello).iterations;
  if (iterations != input_.iterations)
    return "peer 0 runs " + std::to_string(input_.iterations) + " iterations, peer " + sender + " " +
           std::to_string(iterations) + "; give both the same run.iterations";
  return statements_.objection_to(hello.sender, *theirs).value_or("");
}

bool IdClaims::must_wait(const FrameHeader& hello, std::span<const std::byte> payload, Instant now,
                         const std::string& host) {
  Claim& claim = claims_[hello.sender];
  if (is_absent(hello.sender)) return false;
  if (is_holder(hello)) {
    const std::uint64_t challenge = to_observer::as_hello(hello).challenge;
    if (claim.rival && challenge == claim.rival->hello.incarnation) refuse_rival(claim);
    return false;
  }
  // The rival says hello again with every heartbeat.
  const Duration answer_time = heartbeat_interval(input_.failure.lost_after) / 2;
  if (claim.rival && claim.rival->hello.incarnation == hello.incarnation) {
    if (now - claim.rival->since >= answer_time) return false;
  } else if (!claim.rival || now - claim.rival->since > 4 * answer_time) {
    claim.rival = Rival{hello, {payload.begin(), payload.end()}, host, now};
  } else {
    return true;  // one rival at a time
  }
  words_.say(hello.sender, from_observer::Again{hello.incarnation}).only_to = claim.incarnation;
  return true;
}

void IdClaims::refuse_rival(Claim& claim) {
  ensure(claim.rival.has_value(), "a rival that is refused has claimed the id");
  const FrameHeader& hello = claim.rival->hello;
  const std::string sentence = "two processes claim to be peer " + std::to_string(hello.sender) +
                               ": the one " + place_of_process(claim.host, claim.incarnation) +
                               " came first and is kept, this one " +
                               place_of_process(claim.rival->host, hello.incarnation) + " takes no part";
  const from_observer::Refuse refuse{.is_duplicate = true};
  words_.say(hello.sender, refuse, sentence).only_to = hello.incarnation;
  // A process in the middle of the run ignores a `refuse`, but not a `stop`.
  if (to_observer::as_hello(hello).state == to_observer::Hello::State::is_under_way)
    words_.say(hello.sender, Stop{2}, sentence).only_to = hello.incarnation;
  claim.rival.reset();
}

std::optional<IdClaims::Rival> IdClaims::rival_of(PeerId id, std::uint32_t incarnation) const {
  const Claim& claim = claims_[id];
  if (claim.stage == Stage::absent || claim.incarnation != incarnation) return std::nullopt;
  return claim.rival;
}

void IdClaims::note_host(const FrameHeader& hello, const std::string& host) {
  Claim& claim = claims_[hello.sender];
  if (is_taken(hello)) claim.rival.reset();
  claim.host = host;
}

void IdClaims::welcome(const FrameHeader& hello, std::span<const std::byte> payload) {
  Claim& claim = claims_[hello.sender];
  claim.incarnation = hello.incarnation;
  claim.stage = Stage::welcomed;
  if (const auto agreement = decode_agreement(payload)) statements_.note(hello.sender, *agreement);
}

}  // namespace hearsay
