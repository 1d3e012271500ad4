#include "runtime/participant/participant.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/participant/session_input.hpp"
#include "runtime/wire/stop.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::participant_test {

using namespace std::chrono_literals;

namespace {

/// Returns a run of two peers under failure.lost_after = 200 ms.
Experiment<double> pair(const std::string& method, std::uint64_t evaluate_every,
                        std::uint64_t checkpoint_every = 0) {
  RunSettings settings = settings_of(method, {.family = "complete", .peers = 2}, {.iterations = 100});
  settings.failure.lost_after = 200ms;
  settings.failure.checkpoint_every = checkpoint_every;
  settings.run.evaluate_every = evaluate_every;
  return prepare<double>(settings, quadratic_problem<double>(5, {0, 1}, Shared::nothing));
}

/// Participant 0 of two. The test plays its driver, peer 1 and the observer.
struct Scene {
  /// `holds`: as in PeerSessionInput.
  explicit Scene(const Experiment<double>& of, std::optional<std::vector<std::uint64_t>> holds = {})
      : experiment(of),
        participant({.experiment = experiment,
                     .checkpoints = checkpoint_rule(experiment.settings),
                     .packets = packets,
                     .addresses = {"here", "there"}},
                    session(of, std::move(holds))) {
    participant.session().begin(now);
  }

  static PeerSessionInput session(const Experiment<double>& of,
                                  std::optional<std::vector<std::uint64_t>> holds) {
    PeerSessionInput input = session_input(of, agreement_of(of), 0, 70, true, 1min);
    input.holds = std::move(holds);
    return input;
  }
  FrameHeader header(FrameKind kind, std::uint64_t iteration) const {
    FrameHeader head;
    head.kind = kind;
    head.run_id = run_id(agreement_of(experiment));
    head.iteration = iteration;
    return head;
  }
  FrameHeader header_of_neighbor(FrameKind kind, std::uint64_t iteration) const {
    FrameHeader head = header(kind, iteration);
    head.sender = 1;
    head.incarnation = 80;
    return head;
  }
  /// Lets the participant hear a frame of the observer.
  void hear(const FrameHeader& head) { participant.session().hear_observer(head, {}, now); }
  /// Lets a message of the neighbor come, the one that the participant has sent itself in iteration 1.
  /// Returns it: it is not due yet.
  DataArrived take_message(std::uint64_t iteration, Slot slot = 0) {
    const auto& words = participant.session().outbox();
    const auto own = std::ranges::find_if(words, [](const PeerFrame& word) { return bool(word.packet); });
    REQUIRE(own != words.end());
    const PacketRef packet = own->packet.packet;
    FrameHeader head = header_of_neighbor(FrameKind::data, iteration);
    head.slot = slot;
    head.sequence = iteration - 1 + slot;
    REQUIRE(participant.session().hear_source(head, packet->bytes(), now) == FrameUse::data);
    return {{iteration, slot, 1}, packet, {}};
  }
  void hear_message(std::uint64_t iteration, Slot slot = 0) {
    participant.session().release(take_message(iteration, slot));
  }
  /// Does the handshakes with all.
  void greet() {
    const std::vector<std::byte> agreement = encode_agreement(agreement_of(experiment));
    participant.session().hear_source(header_of_neighbor(FrameKind::hello, 1), agreement, now);
    participant.session().hear_destination(1, header_of_neighbor(FrameKind::welcome, 1), {});
    hear(header(FrameKind::welcome, 0));
  }
  void start() {
    greet();
    hear(header(FrameKind::start, experiment.iterations));
    advance();
    REQUIRE(participant.has_started());
  }
  void advance() {
    while (participant.advance(now)) continue;
  }
  /// Lets time pass in which nobody says anything.
  void pass(Duration time) {
    for (const Instant end = now + time; now < end;) {
      now += 50ms;
      advance();
    }
  }
  /// Returns whether the participant wants this work now; it is under way then.
  template <class Wanted>
  bool wants() {
    const Work* const work = participant.next_work(now);
    return work && std::holds_alternative<Wanted>(*work);
  }
  void compute_gradient() {
    REQUIRE(wants<ComputeGradient>());
    participant.peer().compute_gradient();
    participant.gradient_arrived(now, now, now);
  }
  /// Goes from the start to the end of iteration 1.
  void iterate() {
    start();
    compute_gradient();
    hear_message(1);
    advance();
    REQUIRE(participant.peer().iteration() == 1);
  }
  std::ptrdiff_t said(FrameKind kind) {
    return std::ranges::count(participant.session().outbox(), kind,
                              [](const PeerFrame& word) { return word.header.kind; });
  }

  const Experiment<double>& experiment;
  PacketPool packets = {};
  Instant now{1s};
  Participant<double> participant;
};

}  // namespace

TEST_CASE("participant: while a gradient is computed, events come to an asynchronous method alone") {
  for (const bool asynchronous : {false, true}) {
    CAPTURE(asynchronous);
    const auto experiment = pair(asynchronous ? "ad-psgd" : "d-psgd", 100);
    Scene scene(experiment);
    scene.start();
    REQUIRE(scene.wants<ComputeGradient>());
    scene.hear(scene.header(FrameKind::question, 0));
    REQUIRE(scene.participant.session().events().size() == 1);
    CHECK(scene.participant.advance(scene.now) == asynchronous);
    CHECK(scene.participant.session().events().size() == (asynchronous ? 0 : 1));
  }
}

TEST_CASE("participant: a question that comes before the start is answered after it") {
  const auto experiment = pair("d-psgd", 100);
  Scene scene(experiment);
  scene.greet();
  scene.hear(scene.header(FrameKind::question, 0));
  scene.advance();
  CHECK(scene.participant.next_work(scene.now) == nullptr);
  scene.start();
  CHECK(scene.wants<ComputeScore>());
}

TEST_CASE("participant: what has arrived before a checkpoint is in the log before it") {
  const auto experiment = pair("d-psgd", 100, 1);
  Scene scene(experiment);
  scene.iterate();
  CHECK(scene.participant.heard().size() == 2);
  CHECK(std::holds_alternative<BeginsLog>(scene.participant.heard()[0]));
  scene.hear_message(2);
  REQUIRE(scene.wants<TakeCheckpoint>());
  CHECK(scene.participant.heard().size() == 3);
}

TEST_CASE("participant: what it holds of the run goes before it says that it begins anew with all others") {
  const auto experiment = pair("d-psgd", 100, 30);
  Scene scene(experiment, std::vector<std::uint64_t>{0});
  scene.hear(scene.header(FrameKind::welcome, 0));
  FrameHeader anew = scene.header(FrameKind::resume, 0);
  put(from_observer::Resume{.common = 0}, anew);
  scene.hear(anew);
  CHECK(scene.participant.heard().empty());
  REQUIRE(scene.participant.advance(scene.now));
  REQUIRE(scene.participant.heard().size() == 1);
  CHECK(std::holds_alternative<BeginsAnew>(scene.participant.heard()[0]));
  CHECK(scene.participant.next_work(scene.now) == nullptr);
  CHECK(scene.said(FrameKind::hello) == 2);  // to the observer, and to the neighbor
  scene.start();
  REQUIRE(scene.participant.heard().size() == 2);
  CHECK(std::holds_alternative<BeginsLog>(scene.participant.heard()[1]));
}

TEST_CASE("participant: one that is stopped where an evaluation is due makes it before its result") {
  const auto experiment = pair("d-psgd", 1);
  Scene scene(experiment);
  scene.iterate();
  scene.participant.interrupt(scene.now);
  REQUIRE(scene.wants<MakeEvaluation>());
  scene.participant.evaluation_made({}, scene.now);
  CHECK(scene.said(FrameKind::evaluation) == 1);
  REQUIRE(scene.wants<MakeResult>());
  scene.participant.result_made({}, scene.now);
  CHECK(scene.said(FrameKind::result) == 1);
  CHECK(!scene.participant.end());
}

TEST_CASE("participant: one that has completed an iteration says so, although it sends nothing yet") {
  const auto experiment = pair("d-psgd", 1);
  Scene scene(experiment);
  scene.start();
  CHECK(scene.participant.session().state().next_needed == 1);
  scene.compute_gradient();
  scene.hear_message(1);
  scene.advance();
  REQUIRE(scene.wants<MakeEvaluation>());
  CHECK(scene.participant.session().state().next_needed == 2);
}

TEST_CASE("participant: the observer's silence while a result was made does not count against it") {
  const auto experiment = pair("d-psgd", 100);
  Scene scene(experiment);
  scene.iterate();
  scene.hear(scene.header(FrameKind::stop, 1));
  scene.advance();
  REQUIRE(scene.wants<MakeResult>());
  scene.pass(1s);
  scene.participant.result_made({}, scene.now);
  scene.advance();
  CHECK(!scene.participant.end());
  scene.pass(250ms);
  REQUIRE(scene.participant.end().has_value());
  CHECK(scene.participant.end()->reason.find("the observer, at peer 0, was lost") == 0);
}

TEST_CASE(
    "participant: a neighbor's silence counts from when it is awaited, not from when it was last heard") {
  const auto experiment = pair("d-psgd", 100);
  Scene scene(experiment);
  scene.start();
  REQUIRE(scene.wants<ComputeGradient>());
  scene.participant.peer().compute_gradient();
  scene.pass(1s);
  scene.hear(scene.header(FrameKind::alive, 0));
  scene.participant.gradient_arrived(scene.now - 1s, scene.now, scene.now);
  scene.pass(150ms);
  CHECK(!scene.participant.end());
  scene.pass(100ms);
  REQUIRE(scene.participant.end().has_value());
  CHECK(scene.participant.end()->reason.find("peer 1 was lost: ") == 0);
}

TEST_CASE("participant: a neighbor's silence counts anew once this peer has sent what it is to answer") {
  const auto experiment = pair("allreduce-sgd", 100);
  Scene scene(experiment);
  scene.start();
  scene.compute_gradient();
  const DataArrived held = scene.take_message(1);
  const auto sent = scene.said(FrameKind::data);
  scene.pass(150ms);
  scene.participant.session().release(held);
  scene.advance();
  REQUIRE(scene.participant.awaits_messages());
  REQUIRE(scene.said(FrameKind::data) == sent + 1);
  scene.pass(150ms);
  CHECK(!scene.participant.end());
  scene.pass(100ms);
  CHECK(scene.participant.end().has_value());
}

TEST_CASE(
    "participant: one that is stopped during its gradient answers until that is there, and then concludes") {
  const auto experiment = pair("ad-psgd", 100);
  Scene scene(experiment);
  scene.start();
  REQUIRE(scene.wants<ComputeGradient>());
  const auto asked = scene.said(FrameKind::data);
  scene.participant.interrupt(scene.now);
  CHECK(scene.participant.next_work(scene.now) == nullptr);
  scene.hear_message(1, request_slot);
  scene.hear_message(1, reply_slot);  // until then it puts the request off
  scene.advance();
  CHECK(scene.said(FrameKind::data) == asked + 1);
  scene.participant.peer().compute_gradient();
  scene.participant.gradient_arrived(scene.now, scene.now, scene.now);
  CHECK(scene.wants<MakeResult>());
}

TEST_CASE("participant: one whose program has asked it to stop is interrupted, whatever else it was asked") {
  const auto experiment = pair("d-psgd", 100);
  Scene scene(experiment);
  scene.start();
  REQUIRE(scene.wants<ComputeGradient>());
  scene.hear(scene.header(FrameKind::question, 0));
  scene.participant.failed({.what = "it has asked the run to end", .asks_to_stop = true}, scene.now);
  scene.advance();
  REQUIRE(scene.wants<ComputeScore>());
  scene.participant.failed({.what = "its program left"}, scene.now);
  CHECK(!scene.participant.end());
  REQUIRE(scene.wants<MakeResult>());
  scene.participant.result_made({}, scene.now);
  scene.pass(6s);
  REQUIRE(scene.participant.end().has_value());
  CHECK(scene.participant.end()->exit_code == 130);
}

TEST_CASE("participant: one that waits for a neighbor does not give up the observer") {
  const auto experiment = pair("d-psgd", 100);
  Scene scene(experiment);
  scene.start();
  scene.compute_gradient();
  for (int beat = 0; beat < 20; ++beat) {
    scene.pass(50ms);
    scene.participant.session().hear_source(scene.header_of_neighbor(FrameKind::alive, 1), {}, scene.now);
  }
  CHECK(!scene.participant.end());
}

TEST_CASE("participant: all that has arrived is heard before anybody is given up") {
  const auto experiment = pair("d-psgd", 100);
  Scene scene(experiment);
  scene.start();
  scene.compute_gradient();
  const DataArrived late = scene.take_message(1);
  scene.pass(200ms);
  scene.now += 50ms;
  scene.hear(scene.header(FrameKind::question, 0));
  scene.participant.session().release(late);
  scene.advance();
  CHECK(!scene.participant.end());
  CHECK(scene.participant.peer().iteration() == 1);
}

TEST_CASE("participant: before the start, the end of the run or of its observer is its own") {
  const auto experiment = pair("d-psgd", 100);
  const auto end_by = [&](const auto& happens) {
    Scene scene(experiment);
    happens(scene);
    scene.advance();
    REQUIRE(scene.participant.end().has_value());
    CHECK(!scene.participant.end()->took_part);
    return std::pair(*scene.participant.end(), scene.said(FrameKind::stop));
  };
  const auto [stopped, words_of_stopped] = end_by([](Scene& scene) {
    FrameHeader stop = scene.header(FrameKind::stop, 0);
    put(Stop{130}, stop);
    scene.hear(stop);
  });
  CHECK(stopped.exit_code == 130);
  CHECK(stopped.reason == "the run was interrupted");
  CHECK(words_of_stopped == 0);  // the others end by themselves
  const auto [late, words_of_late] =
      end_by([](Scene& scene) { scene.hear(scene.header(FrameKind::bye, 0)); });
  CHECK(late.exit_code == 3);
  CHECK(late.reason == "the run ended before peer 0 could join it");
  const auto [alone, words_of_alone] = end_by([](Scene& scene) { scene.participant.note_end_of_observer(); });
  CHECK(alone.exit_code == 3);
  CHECK(alone.reason == "the observer was gone before the run began");
  CHECK(words_of_alone > 0);
}

}  // namespace hearsay::test::participant_test
