#include "runtime/zmq/observer_port.hpp"

#include <doctest/doctest.h>

#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"
#include "runtime/zmq/observer_lane.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::observer_port_test {

using namespace std::chrono_literals;

namespace {

/// Models of 1,000 bytes; a byte takes a microsecond.
const std::string three_peers =
    "run = { iterations = 20, evaluate_every = 5 }\nmodel.kind = \"quadratic(250)\"\n"
    "topology = { kind = \"ring\", peers = 3 }\nalgorithm.kind = \"d-psgd\"\n"
    "network = { bandwidth = \"8 Mbit/s\", evaluations = \"shaped\" }\n";

constexpr std::uint32_t process = 7;

FrameHeader frame(FrameKind kind, PeerId sender, std::uint64_t iteration, Duration due = Duration{0}) {
  FrameHeader header;
  header.kind = kind;
  header.sender = sender;
  header.incarnation = process;
  header.iteration = iteration;
  header.due_ns = due.count();
  return header;
}

struct Scene {
  explicit Scene() { port.begin(Instant{}); }
  Experiment<float> experiment = experiment_from<float>(three_peers);
  ObserverPort port{*observer_network(experiment, true)};

  /// The kinds and senders of the frames that have come by `now`.
  std::vector<std::pair<FrameKind, PeerId>> come(Duration now) {
    std::vector<std::pair<FrameKind, PeerId>> frames;
    for (const HoldQueue::Held& held : port.released(Instant(now), ObserverPort::Which::due))
      frames.emplace_back(held.word->kind, held.word->sender);
    return frames;
  }
  void hold(const FrameHeader& header, Duration now) {
    REQUIRE(port.holds(header));
    port.hold(header, {}, Instant(now));
  }
};

using Frames = std::vector<std::pair<FrameKind, PeerId>>;

}  // namespace

TEST_CASE("observer port: free evaluations need none") {
  auto experiment = experiment_from<float>(three_peers);
  experiment.settings.evaluations = EvaluationFrames::free;
  CHECK_FALSE(observer_network(experiment, true).has_value());
}

TEST_CASE("observer port: models come one after the other, and a result behind the model of its peer") {
  Scene scene;
  scene.hold(frame(FrameKind::evaluation, 1, 5, 2ms), 0ms);
  scene.hold(frame(FrameKind::evaluation, 0, 5, 2ms), 0ms);
  scene.hold(frame(FrameKind::result, 0, 5), 1ms);
  CHECK_FALSE(scene.port.holds(frame(FrameKind::result, 2, 5)));  // nothing of that peer is on the way
  CHECK(scene.come(1999us).empty());
  CHECK(scene.come(2ms) == Frames{{FrameKind::evaluation, 0}, {FrameKind::result, 0}});
  CHECK(scene.port.next() == Instant(2ms + 1064us));
  CHECK(scene.come(3ms).empty());
  CHECK(scene.come(4ms) == Frames{{FrameKind::evaluation, 1}});
  CHECK(scene.port.last_come() == Instant(2ms + 1064us));
  CHECK(scene.port.next() == Instant::max());
}

TEST_CASE("observer port: what was said before the run, and heartbeats, are free") {
  Scene scene;
  CHECK_FALSE(scene.port.holds(frame(FrameKind::answer, 1, 0)));
  CHECK_FALSE(scene.port.holds(frame(FrameKind::alive, 1, 5)));
  CHECK_FALSE(scene.port.holds(frame(FrameKind::evaluation, 3, 5)));  // no peer
  FrameHeader verdict = frame(FrameKind::verdict, 0, 0);
  CHECK(scene.port.send(verdict, 1, process, Instant(1ms)));
  CHECK(verdict.due_ns == 0);
}

TEST_CASE("observer port: all that is held can be had at once") {
  Scene scene;
  scene.hold(frame(FrameKind::evaluation, 1, 5, 9ms), 0ms);
  scene.hold(frame(FrameKind::evaluation, 2, 5, 8ms), 0ms);
  CHECK(scene.port.released(Instant(1ms), ObserverPort::Which::all).size() == 2);
  CHECK(scene.port.last_come() == Instant(1ms));
}

TEST_CASE("observer port: a peer has eight frames on the way at most") {
  Scene scene;
  for (int k = 0; k < 20; ++k) scene.hold(frame(FrameKind::evaluation, 1, 5), 0ms);
  CHECK(scene.port.released(Instant(1ms), ObserverPort::Which::all).size() == 8);
}

TEST_CASE("observer port: heartbeats say that what is on the way from that process is not missing") {
  Scene scene;
  scene.hold(frame(FrameKind::evaluation, 1, 10, 2ms), 0ms);
  scene.hold(frame(FrameKind::result, 1, 10), 0ms);
  using from_observer::Alive;
  const auto heard = [&](PeerId to, std::uint32_t incarnation) {
    FrameHeader alive = frame(FrameKind::alive, 0, 0);
    put(Alive{Alive::State::lacks_result, 5}, alive);
    scene.port.complete(alive, to, incarnation);
    return from_observer::as_alive(alive);
  };
  CHECK(heard(1, process) == Alive{Alive::State::has_result, 10});
  CHECK(heard(1, process + 1) == Alive{Alive::State::lacks_result, 5});
  CHECK(heard(2, process) == Alive{Alive::State::lacks_result, 5});
  scene.come(9ms);
  CHECK(heard(1, process) == Alive{Alive::State::lacks_result, 5});
}

TEST_CASE("observer port: a question that is still on its way is not sent again") {
  Scene scene;
  scene.experiment.problem.at_home = true;
  ObserverPort port{*observer_network(scene.experiment, true)};
  const auto due = [&](FrameKind kind, PeerId to, std::uint64_t iteration, std::uint32_t incarnation,
                       Duration now) -> std::optional<Duration> {
    FrameHeader header = frame(kind, 0, iteration);
    if (!port.send(header, to, incarnation, Instant(now))) return std::nullopt;
    return Duration(header.due_ns);
  };
  CHECK(due(FrameKind::question, 0, 5, process, 0us) == 1064us);
  CHECK(due(FrameKind::question, 1, 5, process, 0us) == 2128us);
  CHECK(due(FrameKind::verdict, 2, 5, process, 0us) == 2192us);
  CHECK(due(FrameKind::question, 1, 5, process, 2ms) == std::nullopt);
  CHECK(due(FrameKind::question, 1, 5, process + 1, 2ms) == 3256us);  // another process
  CHECK(due(FrameKind::question, 0, 5, process, 4ms) == 5064us);      // it has come, and no answer
}

TEST_CASE("observer lane: reports leave through the port of the peer, and a verdict on the way is known") {
  const EvaluationFrameBytes bytes{.told = 1000};
  ObserverLane lane({Link(1, 0, 3, {.latency = 1ms}), ArrivalRate(Bandwidth{1e6}), bytes});
  Egress egress(EgressPort({Bandwidth{1e6}, {}}, Framing::none), true);
  FrameHeader report = frame(FrameKind::evaluation, 0, 5);
  lane.complete(report, egress, Instant(1ms));
  CHECK(report.due_ns == Duration(1ms + 1064us + 1ms).count());
  lane.complete(report, egress, Instant(1ms));  // it is sent again
  CHECK(report.due_ns == Duration(1ms + 2128us + 1ms).count());

  HoldQueue queue(IngressPort({}, Framing::none));
  FrameHeader verdict = frame(FrameKind::verdict, 0, 5, 9ms);
  CHECK_FALSE(lane.holds(verdict));  // of peer 0
  verdict.incarnation = 0;
  REQUIRE(lane.holds(verdict));
  lane.hold(verdict, {}, Instant(2ms), queue);
  const auto known = [&] {
    FrameHeader alive = frame(FrameKind::alive, 0, 0);
    put(to_observer::Alive{{}, 0}, alive);
    lane.complete(alive, egress, Instant(2ms));
    return to_observer::as_alive(alive).last_verdict;
  };
  CHECK(known() == 5);
  int visited = 0;
  queue.release(Instant(9ms), [&](const HoldQueue::Held& held) {
    ++visited;
    lane.release(*held.word);
  });
  CHECK(visited == 1);
  CHECK(known() == 0);
}

}  // namespace hearsay::observer_port_test
