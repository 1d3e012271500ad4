#include "runtime/session/entrance.hpp"

#include <doctest/doctest.h>

namespace hearsay::entrance_test {

using namespace std::chrono_literals;

namespace {

/// Peer 0, between source 1 and destination 2, in a run that goes on without lost peers.
struct Scene {
  SessionContext context{{.self = 0,
                          .incarnation = 7,
                          .agreement = {{{"run.seed", "1"}}},
                          .iterations = 100,
                          .sources = {1},
                          .destinations = {2},
                          .addresses = {"tcp://there"},
                          .same_machine = true,
                          .asynchronous = false,
                          .start_patience = 10s,
                          .heartbeat = 1s}};
  Entrance entrance{context.input};

  Scene() { entrance.begin(context); }
  void hear_call() {
    FrameHeader hello;
    hello.sender = 1;
    entrance.note_call(hello);
  }
  bool hear_start(std::uint64_t iterations = 100) {
    return entrance.start({.iterations = iterations, .origin = Instant{1s}, .age = 0s}, Instant{3s}, context);
  }
  template <class Event>
  std::size_t events() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        context.events, [](const SocketEvent& event) { return std::holds_alternative<Event>(event); }));
  }
};

}  // namespace

TEST_CASE(
    "entrance: a peer is ready once, when every source has called and every destination has welcomed it") {
  Scene scene;
  scene.hear_call();
  CHECK_FALSE(scene.entrance.completes_greetings(scene.context));
  scene.entrance.note_welcome(2);
  CHECK(scene.entrance.completes_greetings(scene.context));
  CHECK(scene.context.phase == SessionPhase::ready);
  CHECK_FALSE(scene.entrance.completes_greetings(scene.context));
}

TEST_CASE(
    "entrance: a neighbor that is gone before the start is not waited for, and is lost from the start") {
  Scene scene;
  CHECK(scene.entrance.do_without(2, "it was killed", scene.context));
  CHECK_FALSE(scene.entrance.do_without(2, "it was killed", scene.context));
  scene.hear_call();
  CHECK(scene.entrance.completes_greetings(scene.context));
  CHECK(scene.events<PeerDeparted>() == 0);
  CHECK(scene.hear_start());
  CHECK(scene.entrance.origin() == Instant{1s});
  CHECK(scene.events<RunStarts>() == 1);
  CHECK(scene.events<PeerDeparted>() == 1);
  CHECK_FALSE(scene.hear_start());  // `start` comes again
  CHECK(scene.context.events.size() == 2);
  CHECK(scene.entrance.deadline(scene.context) == Instant::max());
}

TEST_CASE(
    "entrance: a start of another number of iterations is refused, and a peer that failed begins no more") {
  Scene scene;
  CHECK_FALSE(scene.hear_start(99));
  CHECK(scene.context.phase == SessionPhase::failed);
  CHECK_FALSE(scene.hear_start());
  CHECK_FALSE(scene.entrance.origin());
}

TEST_CASE("entrance: a peer that resumes awaits its checkpoint, and goes on with the later of two clocks") {
  Scene scene;
  scene.context.input.holds = {{0, 50}};
  scene.entrance.begin(scene.context);
  CHECK(scene.context.phase == SessionPhase::restoring);
  CHECK_FALSE(scene.hear_start());
  CHECK(scene.entrance.resume(30s, scene.context));
  CHECK(scene.context.phase == SessionPhase::greeting);
  CHECK(scene.hear_start());
  CHECK(scene.entrance.origin() == Instant{3s} - 30s);  // the run is 30 s old here, and 2 s by the observer
}

}  // namespace hearsay::entrance_test
