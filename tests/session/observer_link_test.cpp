#include <doctest/doctest.h>

#include "runtime/session/peer_session.hpp"
#include "runtime/wire/numbers.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"

namespace hearsay::observer_link_test {

using namespace std::chrono_literals;

namespace {

using from_observer::Alive;

/// The session of a peer without neighbors, in the middle of a run. The test plays the observer.
struct Scene {
  Agreement agreement{{{"run.seed", "1"}}};
  PeerSession session{{.self = 1,
                       .incarnation = 70,
                       .agreement = agreement,
                       .iterations = 100,
                       .sources = {},
                       .destinations = {},
                       .addresses = {},
                       .same_machine = true,
                       .asynchronous = false,
                       .start_patience = 1min,
                       .heartbeat = 2s,
                       .observer_address = "tcp://here"}};
  Instant now{};

  Scene() {
    session.begin(now);
    hear(FrameKind::welcome);
    FrameHeader start;
    put(from_observer::Start{.iterations = 100, .origin = {}, .age = {}}, start);
    hear(start);
    said();
  }
  void hear(FrameHeader head, std::span<const std::byte> payload = {}) {
    head.run_id = run_id(agreement);
    session.hear_observer(head, payload, now);
  }
  void hear(FrameKind kind) {
    FrameHeader head;
    head.kind = kind;
    hear(head);
  }
  /// The observer's heartbeat says what it has of this peer, and which heartbeat of this peer it has heard.
  void alive(std::uint64_t newest_evaluation, std::uint32_t heard,
             Alive::State state = Alive::State::lacks_result) {
    FrameHeader head;
    put(Alive{.state = state,
              .newest_evaluation = newest_evaluation,
              .beats = {.own = ++beats, .heard = heard}},
        head);
    hear(head);
  }
  void question(std::uint64_t iteration) {
    FrameHeader head;
    head.kind = FrameKind::question;
    head.iteration = iteration;
    hear(head);
  }
  void tell(FrameKind kind, std::uint64_t iteration) { session.tell_observer({kind, iteration, {}}); }
  /// Lets the peer's next heartbeat go out, and returns its header and payload.
  PeerFrame beat() {
    said();
    session.tick(now += 2s);
    REQUIRE(session.outbox().size() == 1);
    PeerFrame beat = session.outbox().front();
    session.outbox().clear();
    return beat;
  }
  /// Returns the kinds of the frames said to the observer since the last call.
  std::vector<FrameKind> said() {
    std::vector<FrameKind> kinds;
    for (const PeerFrame& word : session.outbox())
      if (word.way == PeerFrame::Way::observer) kinds.push_back(word.header.kind);
    session.outbox().clear();
    return kinds;
  }
  std::uint32_t beats = 0;
};

using Kinds = std::vector<FrameKind>;

}  // namespace

TEST_CASE("observer link: an evaluation that is on its way over a slow network is not sent again") {
  Scene scene;
  scene.beat();  // its first one
  scene.tell(FrameKind::evaluation, 5);
  CHECK(scene.said() == Kinds{FrameKind::evaluation});
  for (int beat = 0; beat < 50; ++beat) {
    scene.beat();
    scene.alive(0, 1);  // the first one, which left before the evaluation
    CHECK(scene.said().empty());
  }
}

TEST_CASE("observer link: an evaluation or a result that is lost is sent again, once") {
  Scene scene;
  scene.tell(FrameKind::evaluation, 5);
  scene.tell(FrameKind::result, 5);
  scene.beat();
  scene.alive(0, 1);
  CHECK(scene.said() == Kinds{FrameKind::evaluation, FrameKind::result});
  scene.alive(0, 1);
  CHECK(scene.said().empty());
  scene.beat();
  scene.alive(5, 2);
  CHECK(scene.said() == Kinds{FrameKind::result});
  scene.beat();
  scene.alive(5, 3, Alive::State::has_result);
  CHECK(scene.said().empty());
}

TEST_CASE("observer link: a heartbeat of a busy observer says nothing of what is lost") {
  Scene scene;
  scene.tell(FrameKind::evaluation, 5);
  scene.beat();
  scene.alive(0, 1, Alive::State::is_busy);
  CHECK(scene.said() == Kinds{});
}

TEST_CASE("observer link: a heartbeat names the heartbeat heard, and the questions that are being answered") {
  Scene scene;
  scene.question(0);
  scene.question(5);
  scene.alive(0, 0);
  PeerFrame beat = scene.beat();
  CHECK(to_observer::as_alive(beat.header).beats == Beats{.own = 1, .heard = 1});
  CHECK(decode_numbers(beat.payload) == std::vector<std::uint64_t>{0, 5});
  scene.tell(FrameKind::answer, 0);
  beat = scene.beat();
  CHECK(to_observer::as_alive(beat.header).beats == Beats{.own = 2, .heard = 1});
  CHECK(decode_numbers(beat.payload) == std::vector<std::uint64_t>{5});
}

TEST_CASE("observer link: every bye is answered, and every stop with a reason, at once") {
  Scene scene;
  FrameHeader stop;
  stop.kind = FrameKind::stop;
  scene.hear(stop);  // the user's: the result answers it
  CHECK(scene.said().empty());
  scene.hear(stop, std::vector<std::byte>(3, std::byte{'x'}));
  CHECK(scene.said() == Kinds{FrameKind::bye});
  scene.hear(FrameKind::bye);
  CHECK(scene.said() == Kinds{FrameKind::bye});
  scene.hear(FrameKind::bye);
  CHECK(scene.said() == Kinds{FrameKind::bye});
}

}  // namespace hearsay::observer_link_test
