#include "runtime/session/peer_session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/wire/words_from_observer.hpp"

namespace hearsay::peer_session_test {

using namespace std::chrono_literals;

namespace {

/// The session of peer 0 of two neighbors. The test plays peer 1 and the observer.
struct Scene {
  std::optional<std::vector<std::uint64_t>> holds = {};  ///< checkpoints of the peer; empty: it begins
  bool same_machine = true;
  Agreement agreement{{{"run.seed", "1"}}};
  PeerSession session{{.self = 0,
                       .incarnation = 70,
                       .agreement = agreement,
                       .iterations = 100,
                       .sources = {1},
                       .destinations = {1},
                       .addresses = {"tcp://there"},
                       .same_machine = same_machine,
                       .asynchronous = false,
                       .start_patience = 1min,
                       .heartbeat = 2s,
                       .holds = holds,
                       .largest_lead = 1,
                       .observer_address = "tcp://here"}};
  PacketPool packets = {};

  FrameHeader header(FrameKind kind, std::uint64_t iteration, std::uint64_t sequence,
                     std::uint32_t incarnation = 80) const {
    FrameHeader head;
    head.kind = kind;
    head.run_id = run_id(agreement);
    head.sender = 1;
    head.incarnation = incarnation;
    head.iteration = iteration;
    head.sequence = sequence;
    return head;
  }
  FrameUse hear(FrameKind kind, std::uint64_t iteration, std::uint64_t sequence,
                std::uint32_t incarnation = 80) {
    const std::vector<std::byte> payload =
        kind == FrameKind::hello ? encode_agreement(agreement) : std::vector<std::byte>{};
    return session.hear_source(header(kind, iteration, sequence, incarnation), payload, Instant{});
  }
  void welcome(std::uint64_t iteration, std::uint64_t sequence) {
    session.hear_destination(1, header(FrameKind::welcome, iteration, sequence), {});
  }
  void send(std::uint64_t iteration) {
    session.send({1, {iteration, 0, 0}, packets.acquire().seal()}, Instant{});
  }
  /// Does the handshakes of both peers.
  void greet() {
    session.begin(Instant{});
    hear(FrameKind::hello, 1, 0);
    welcome(1, 0);
    session.outbox().clear();
  }

  struct Word {
    FrameKind kind;
    std::uint64_t iteration;
    bool operator==(const Word&) const = default;
  };
  /// The frames said to the neighbor since the last call.
  std::vector<Word> said() {
    std::vector<Word> words;
    for (const PeerFrame& word : session.outbox())
      if (word.way != PeerFrame::Way::observer) words.push_back({word.header.kind, word.header.iteration});
    session.outbox().clear();
    return words;
  }
};

using Words = std::vector<Scene::Word>;
}  // namespace

TEST_CASE("peer session: a neighbor that was started anew gets what it needs again, and no more") {
  Scene scene;
  scene.greet();
  for (const std::uint64_t iteration : {1u, 2u}) scene.send(iteration);
  CHECK(scene.hear(FrameKind::data, 2, 0) == FrameUse::data);
  scene.said();
  CHECK(scene.hear(FrameKind::hello, 2, 0, 81) == FrameUse::words);
  CHECK(scene.said() == Words{{FrameKind::hello, 2}, {FrameKind::welcome, 2}});
  scene.welcome(2, 2);  // two frames were sent before that hello
  CHECK(scene.said() == Words{{FrameKind::data, 2}});
  CHECK(scene.session.counters().retransmitted == 1);
}

TEST_CASE("peer session: a message carries its replica digest, however often it is sent") {
  Scene scene;
  scene.greet();
  scene.session.send({1, {1, 0, 0}, scene.packets.acquire().seal(), {0, 77}}, Instant{});
  scene.hear(FrameKind::hello, 1, 0, 81);
  scene.welcome(1, 1);
  int carried = 0;
  for (const PeerFrame& word : scene.session.outbox())
    if (word.header.kind == FrameKind::data) carried += word.header.replica_digest == 77;
  CHECK(carried == 2);
  REQUIRE(scene.session.state().retained.size() == 1);
  CHECK(scene.session.state().retained[0].metadata.replica_digest == 77);
}

TEST_CASE(
    "peer session: one that comes back farther than the run can be is refused, and what is kept for it "
    "stays") {
  Scene scene;
  scene.greet();
  FrameHeader start;
  start.kind = FrameKind::start;
  start.run_id = run_id(scene.agreement);
  start.iteration = 100;
  scene.session.hear_observer(start, {}, Instant{});
  for (const std::uint64_t iteration : {1u, 2u}) scene.send(iteration);
  scene.said();
  const auto refusal = [&](std::uint64_t needed) -> std::string {
    scene.hear(FrameKind::hello, needed, 0, 81);
    for (const PeerFrame& word : scene.session.outbox())
      if (word.header.kind == FrameKind::refuse)
        return {reinterpret_cast<const char*>(word.payload.bytes().data()), word.payload.size()};
    return "";
  };
  CHECK(refusal(5) ==
        "peer 1 came back at iteration 4, farther than a run can be that peer 0 has at 1; its checkpoints "
        "are of an "
        "earlier run of this file, start it with those of this one");
  CHECK(scene.session.counters().refused == 1);
  scene.session.hear_destination(1, scene.header(FrameKind::again, 0, 0), {});
  CHECK(scene.said() == Words{{FrameKind::refuse, 2}, {FrameKind::hello, 2}});
  scene.welcome(5, 2);
  CHECK(scene.session.state().retained.size() == 2);
  CHECK(refusal(4).empty());
}

TEST_CASE("peer session: one that needs what nobody keeps any more is told so, and is not welcomed") {
  Scene scene;
  scene.greet();
  for (const std::uint64_t iteration : {1u, 2u, 3u}) scene.send(iteration);
  scene.hear(FrameKind::data, 3, 0);  // peer 1 is past iteration 2
  scene.said();
  scene.hear(FrameKind::hello, 1, 0, 81);
  REQUIRE(scene.session.outbox().size() == 1);
  CHECK(scene.session.outbox()[0].header.kind == FrameKind::refuse);
  CHECK(printable_text(scene.session.outbox()[0].payload) ==
        "peer 0 keeps its messages from iteration 3 on, peer 1 came back needing those from 1 on; start it "
        "from its newest checkpoint (--resume), or all peers from a common one");
  CHECK(scene.session.counters().refused == 1);
  // The refused process ends and says `stop`, which must not stop the run of the others.
  scene.session.events().clear();
  FrameHeader stop = scene.header(FrameKind::stop, 1, 0, 81);
  stop.slot = 2;
  stop.payload_bytes = 1;
  const std::vector<std::byte> reason(1, std::byte{'x'});
  CHECK(scene.session.hear_source(stop, reason, Instant{}) == FrameUse::garbage);
  CHECK(scene.session.events().empty());
  // A `stop` of the process that has done its handshake counts.
  stop.incarnation = 80;
  CHECK(scene.session.hear_source(stop, reason, Instant{}) == FrameUse::words);
  CHECK(scene.session.events().size() == 1);
}

TEST_CASE(
    "peer session: a gap in the numbers is asked about once, and with every sign of life until the hello "
    "comes") {
  Scene scene;
  scene.greet();
  CHECK(scene.hear(FrameKind::data, 1, 0) == FrameUse::data);
  CHECK(scene.hear(FrameKind::data, 3, 2) == FrameUse::data);  // frame 1 is missing; frame 2 is not held back
  CHECK(scene.said() == Words{{FrameKind::again, 1}});
  CHECK(scene.hear(FrameKind::data, 4, 4) == FrameUse::data);
  CHECK(scene.said().empty());
  CHECK(scene.hear(FrameKind::alive, 4, 7) == FrameUse::words);
  CHECK(scene.said() == Words{{FrameKind::again, 1}});
  CHECK(scene.session.counters().gaps == 3);
}

TEST_CASE("peer session: a frame that comes twice is dropped, wherever it stands") {
  Scene scene;
  scene.greet();
  CHECK(scene.hear(FrameKind::data, 1, 0) == FrameUse::data);
  CHECK(scene.hear(FrameKind::data, 1, 0) == FrameUse::words);
  CHECK(scene.session.counters().repeated == 1);
  CHECK(scene.hear(FrameKind::data, 2, 1) == FrameUse::data);
}

TEST_CASE("peer session: frames meant for a predecessor are not taken, their sender is asked to greet") {
  Scene scene;
  scene.session.begin(Instant{});
  scene.said();
  CHECK(scene.hear(FrameKind::data, 5, 9) == FrameUse::words);
  CHECK(scene.said() == Words{{FrameKind::again, 1}});
}

TEST_CASE("peer session: a hello without an answer is said again with the next sign of life") {
  Scene scene;
  scene.session.begin(Instant{});
  scene.said();
  scene.session.tick(Instant{} + 1s);
  CHECK(scene.said().empty());
  scene.session.tick(Instant{} + 2s);
  CHECK(scene.said() == Words{{FrameKind::hello, 1}});
}

TEST_CASE("peer session: a stranger and another run are garbage") {
  Scene scene;
  scene.greet();
  FrameHeader stranger = scene.header(FrameKind::data, 1, 0);
  stranger.sender = 2;
  CHECK(scene.session.hear_source(stranger, {}, Instant{}) == FrameUse::garbage);
  FrameHeader other = scene.header(FrameKind::data, 1, 0);
  ++other.run_id;
  CHECK(scene.session.hear_source(other, {}, Instant{}) == FrameUse::garbage);
}

TEST_CASE(
    "peer session: as long as the run has not begun, it says after two seconds, ten, twenty and so on for "
    "whom it waits") {
  Scene scene;
  scene.session.begin(Instant{});
  scene.session.events().clear();
  scene.session.tick(Instant{} + 1999ms);
  CHECK(scene.session.events().empty());
  scene.session.tick(Instant{} + 2s);
  REQUIRE(scene.session.events().size() == 1);
  const auto* const waits = std::get_if<StillWaits>(&scene.session.events().front());
  REQUIRE(waits);
  CHECK(waits->whom == "peer 1 (tcp://there) to come up");
  CHECK(waits->so_far == 2s);
  scene.session.tick(Instant{} + 9s);
  CHECK(scene.session.events().size() == 1);
  scene.session.tick(Instant{} + 10s);
  CHECK(scene.session.events().size() == 2);
  scene.session.tick(Instant{} + 19s);
  CHECK(scene.session.events().size() == 2);
  scene.session.tick(Instant{} + 20s);
  CHECK(scene.session.events().size() == 3);
}

TEST_CASE("peer session: who answers at a neighbor's or the observer's address in their place is named") {
  const auto frame = [](const Scene& scene, PeerId sender, std::uint32_t incarnation) {
    FrameHeader head = scene.header(FrameKind::welcome, 1, 0, incarnation);
    head.sender = sender;
    return head;
  };
  const auto words_after = [](Scene& scene, Duration time) {
    scene.session.events().clear();
    scene.session.tick(Instant{} + time);
    REQUIRE(!scene.session.events().empty());
    const SocketEvent& event = scene.session.events().front();
    if (const auto* waits = std::get_if<StillWaits>(&event)) return waits->whom;
    return std::get<TakesNoPart>(event).reason;
  };
  Scene swapped;
  swapped.session.begin(Instant{});
  CHECK(swapped.session.hear_destination(1, frame(swapped, 3, 90), {}) == FrameUse::garbage);
  CHECK(words_after(swapped, 10s) == "peer 1 (tcp://there) to come up, but peer 3 answers there");
  // A frame of the observer is not the neighbor's either.
  CHECK(swapped.session.hear_destination(1, frame(swapped, 0, 0), {}) == FrameUse::garbage);
  CHECK(words_after(swapped, 1min) ==
        "peer 1 (tcp://there) did not come up within 60 s, but the observer answers there");

  Scene astray;
  astray.greet();
  CHECK(astray.session.hear_observer(frame(astray, 3, 90), {}, Instant{}) == FrameUse::garbage);
  CHECK(words_after(astray, 10s) == "the observer (tcp://here) to answer, but peer 3 answers there");
  // Another peer may give up first.
  FrameHeader stop = astray.header(FrameKind::stop, 1, 0);
  stop.slot = 3;
  stop.payload_bytes = 1;
  astray.session.events().clear();
  astray.session.hear_source(stop, std::vector<std::byte>(1, std::byte{'x'}), Instant{});
  REQUIRE(astray.session.events().size() == 1);
  CHECK(std::get<RunStops>(astray.session.events()[0]).reason ==
        "x; here, at the address of the observer (tcp://here), peer 3 answers");
  CHECK(words_after(astray, 66s) ==
        "the observer (tcp://here) did not answer within 60 s, but peer 3 answers there");
}

TEST_CASE("peer session: of a stop without a reason only the code of a user who ends the run is kept") {
  for (const auto& [said, heard] : {std::pair{130u, 130}, {0u, 0}, {3u, 0}}) {
    Scene scene;
    scene.greet();
    scene.session.events().clear();
    FrameHeader stop;
    stop.kind = FrameKind::stop;
    stop.run_id = run_id(scene.agreement);
    stop.slot = said;
    scene.session.hear_observer(stop, {}, Instant{});
    REQUIRE(scene.session.events().size() == 1);
    CHECK(std::get<RunStops>(scene.session.events()[0]).exit_code == heard);
  }
}

TEST_CASE(
    "peer session: the clock of a peer that resumes goes on from its checkpoint, or from the observer's") {
  const Instant now{1000s};
  const auto age_after = [&](bool same_machine, Duration at_checkpoint, Duration of_observer) {
    Scene scene{.holds = std::vector<std::uint64_t>{5}, .same_machine = same_machine};
    scene.session.begin(now);
    scene.session.resume({6, 5, {}, {}, {}, at_checkpoint});
    scene.hear(FrameKind::hello, 6, 0);
    scene.welcome(6, 0);
    FrameHeader start;
    put(from_observer::Start{100, std::max(now - of_observer, Instant{}), of_observer}, start);
    start.run_id = run_id(scene.agreement);
    scene.session.hear_observer(start, {}, now);
    const auto* const begun = std::get_if<RunStarts>(&scene.session.events().back());
    REQUIRE(begun);
    return now - begun->origin;
  };
  for (const bool same_machine : {true, false}) {
    CHECK(age_after(same_machine, 30s, 20s) == 30s);  // the observer's record ends before the checkpoint
    CHECK(age_after(same_machine, 20s, 30s) == 30s);
    CHECK(age_after(same_machine, 2000s, 2000s) == 2000s);  // the machine was started anew meanwhile
  }
}

}  // namespace hearsay::peer_session_test
