#include <doctest/doctest.h>

#include <map>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/foundation/byte_stream.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/observer/observer_session.hpp"
#include "runtime/session/peer_session.hpp"
#include "runtime/zmq/peer_routes.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::run_start_test {

using namespace std::chrono_literals;

namespace {

/// The observer of two peers, and processes that claim to be one of them. Frames arrive at once.
struct Scene {
  Experiment<double> experiment = quadratic_experiment<double>("d-psgd", "path", 2, 3);
  Observer<double> evaluator{experiment.problem, {}};
  ObserverSession observer{observer_input(experiment, 1min), evaluator, Instant{}};
  std::map<std::uint32_t, PeerSession> processes;  // by incarnation
  std::uint32_t speaker = 0;
  Instant now{};

  PeerSession& process(PeerId id, std::uint32_t incarnation,
                       std::optional<std::vector<std::uint64_t>> holds = {}) {
    const PeerId other = 1 - id;
    PeerSession& session =
        processes
            .try_emplace(incarnation, PeerSessionInput{.self = id,
                                                       .incarnation = incarnation,
                                                       .agreement = agreement_of(experiment),
                                                       .iterations = experiment.iterations,
                                                       .sources = {other},
                                                       .destinations = {other},
                                                       .addresses = {"tcp://there"},
                                                       .same_machine = true,
                                                       .asynchronous = false,
                                                       .start_patience = 1min,
                                                       .heartbeat = 2s,
                                                       .holds = std::move(holds)})
            .first->second;
    session.begin(now);
    return session;
  }

  /// Delivers frames between processes and observer until there are none left. Frames between peers are not
  /// delivered.
  void talk() {
    for (bool anything = true; anything;) {
      anything = false;
      for (auto& [incarnation, session] : processes) {
        std::vector<PeerFrame> words;
        words.swap(session.outbox());
        for (PeerFrame& word : words) {
          if (word.way != PeerFrame::Way::observer) continue;
          word.header.payload_bytes = static_cast<std::uint32_t>(word.payload.size());
          speaker = incarnation;
          observer.hear(word.header, word.payload, now, "10.0.0." + std::to_string(incarnation));
          anything = true;
        }
      }
      std::vector<ObserverFrame> words;
      words.swap(observer.outbox());
      for (ObserverFrame& word : words) {
        const bool is_answer = word.header.kind == FrameKind::refuse && !word.only_to;
        const auto to =
            processes.find(is_answer ? speaker : word.only_to.value_or(observer.incarnation_of(word.to)));
        word.header.payload_bytes = static_cast<std::uint32_t>(word.payload.size());
        if (to != processes.end())
          to->second.hear_observer(word.header, word.payload, now);
        else if (word.only_to)
          observer.note_unreachable(word.to, *word.only_to);
        anything = true;
      }
    }
  }
  void pass(Duration time) {
    now += time;
    for (auto& [incarnation, session] : processes) session.tick(now);
  }

  template <class Event>
  const Event* event(std::uint32_t incarnation) {
    for (const SocketEvent& event : processes.at(incarnation).events())
      if (const auto* wanted = std::get_if<Event>(&event)) return wanted;
    return nullptr;
  }
};

const std::string refusal =
    "two processes claim to be peer 1: the one at 10.0.0.7 (incarnation 7) came first and is kept, this one "
    "at 10.0.0.8 (incarnation 8) takes no part";

}  // namespace

TEST_CASE("claims: of two processes that are one peer the first is kept, and the second ends alone") {
  Scene scene;
  scene.process(1, 7);
  scene.talk();
  PeerSession& second = scene.process(1, 8);
  scene.talk();
  CHECK(scene.observer.incarnation_of(1) == 7);
  CHECK(scene.event<TakesNoPart>(7) == nullptr);
  const TakesNoPart* const end = scene.event<TakesNoPart>(8);
  REQUIRE(end);
  CHECK(end->exit_code == 2);
  CHECK(end->reason == refusal);
  // No other peer is told to stop because of the rival, not even when the rival leaves.
  second.say_stop(2, end->reason);
  for (const PeerFrame& word : second.outbox()) CHECK(word.header.kind != FrameKind::stop);
  CHECK_FALSE(scene.observer.over());
}

TEST_CASE(
    "claims: of two processes that go on as one peer, the checkpoints of the second count for nothing") {
  Scene scene;
  scene.process(0, 5, {{0, 10}});
  scene.process(1, 7, {{0, 10}});
  scene.process(1, 8, {{0}});
  scene.talk();
  REQUIRE(scene.event<TakesNoPart>(8));
  CHECK(scene.event<TakesNoPart>(8)->reason == refusal);
  for (const std::uint32_t kept : {5u, 7u}) {
    REQUIRE(scene.event<ResumeFrom>(kept));
    CHECK(scene.event<ResumeFrom>(kept)->iteration == 10);
  }
}

TEST_CASE("claims: a process that was started anew is the peer at once where the one before it has ended") {
  Scene scene;
  scene.process(1, 7);
  scene.talk();
  scene.processes.erase(7);
  scene.process(1, 8);
  scene.talk();
  CHECK(scene.observer.incarnation_of(1) == 8);
}

TEST_CASE(
    "claims: ... and when it calls again where the one before it says nothing, that one is refused later") {
  Scene scene;
  PeerSession& first = scene.process(1, 7);
  scene.talk();
  const auto keep_silent = [&] { first.outbox().clear(); };
  scene.process(1, 8);
  for (int turn = 0; turn < 2; ++turn) {  // the question reaches the holder, which does not answer
    std::vector<PeerFrame> words;
    words.swap(scene.processes.at(8).outbox());
    for (const PeerFrame& word : words)
      if (word.way == PeerFrame::Way::observer) scene.observer.hear(word.header, word.payload, scene.now);
    if (turn == 0) {
      CHECK(scene.observer.incarnation_of(1) == 7);
      REQUIRE(scene.observer.outbox().size() == 1);
      CHECK(scene.observer.outbox()[0].header.kind == FrameKind::again);
      CHECK(scene.observer.outbox()[0].only_to == 7);
      scene.observer.outbox().clear();
      scene.pass(2s);
      keep_silent();
    }
  }
  CHECK(scene.observer.incarnation_of(1) == 8);
  scene.talk();
  // The first process sends heartbeats again, but the id belongs to the other one now.
  FrameHeader alive;
  alive.kind = FrameKind::alive;
  alive.sender = 1;
  alive.incarnation = 7;
  alive.run_id = run_id(agreement_of(scene.experiment));
  scene.observer.hear(alive, {}, scene.now);
  scene.talk();
  CHECK(scene.observer.incarnation_of(1) == 8);
  CHECK(scene.event<TakesNoPart>(7));
  CHECK_FALSE(scene.event<TakesNoPart>(8));
}

TEST_CASE("claims: words find the process they are for, however many speak in its name") {
  PeerRoutes routes;
  CHECK(routes.to({}, 0).empty());
  routes.note(7, "first", 0);
  CHECK(routes.to({}, 0) == "first");
  CHECK(routes.to({}, 7) == "first");
  CHECK(routes.to(8, 7).empty());
  for (const std::uint32_t other : {8u, 9u}) {
    routes.note(other, "other", 7);
    CHECK(routes.to({}, 7) == "first");
    CHECK(routes.to(other, 7) == "other");
  }
  routes.note(10, "third", 9);  // process 9 is the holder by now
  CHECK(routes.to({}, 9) == "other");
  CHECK(routes.to(7, 9).empty());
}

TEST_CASE(
    "turned away: everybody who calls is told why, but those in the middle of a run are left in peace") {
  const std::string why = "peer 0 cannot go on with the run: it has lost its record";
  Scene scene;
  scene.observer.turn_away(why);
  scene.process(1, 7, {{0, 10}});
  scene.talk();
  REQUIRE(scene.event<TakesNoPart>(7));
  CHECK(scene.event<TakesNoPart>(7)->reason == why);
  CHECK(scene.observer.over());  // all peers were told

  Scene under_way;
  under_way.observer.turn_away(why);
  FrameHeader hello;
  hello.kind = FrameKind::hello;
  hello.sender = 1;
  hello.slot = 2;
  under_way.observer.hear(hello, encode_agreement(agreement_of(under_way.experiment)), Instant{});
  CHECK(under_way.observer.outbox().empty());
  CHECK(under_way.observer.over());
}

TEST_CASE("resume: one sentence says from where all go on, and who holds nothing later") {
  using Holds = std::vector<std::uint64_t>;
  const auto words = [](const Holds& first, const Holds& second) {
    Scene scene;
    scene.process(0, 5, first);
    scene.process(1, 7, second);
    CHECK(scene.observer.resume_text().empty());
    scene.talk();
    return scene.observer.resume_text();
  };
  CHECK(words({0, 10, 20}, {0, 10, 20}) == "all peers go on from iteration 20");
  CHECK(words({0, 10, 20}, {0, 10}) ==
        "all peers go on from iteration 10: peer 1 holds no later checkpoint, others up to 20");
  CHECK(words({0}, {0}) == "all peers begin anew, at iteration 0: none holds a checkpoint");
  CHECK(words({0, 10, 20}, {0, 10, 30}) ==
        "all peers go on from iteration 10: there is no later one of which all hold a checkpoint");
}

TEST_CASE("resume: all begin anew only if the run had not come to the first checkpoint of all") {
  using Holds = std::vector<std::uint64_t>;
  struct State {
    Holds first, second;
    std::vector<std::uint64_t> recorded;
    bool has_ended = false;
  };
  const auto begins_anew = [](const State& state) {
    ObserverInput input = observer_input(quadratic_experiment<double>("d-psgd", "path", 2, 3), 1min);
    input.failure.checkpoint_every = 20;
    ObserverFrames words(1);
    const IdClaims claims(input, words);
    RunStart start(input, claims, words, Instant{});
    for (const auto& [id, holds] : {std::pair(PeerId{0}, state.first), std::pair(PeerId{1}, state.second)}) {
      start.note_welcome(id, true);
      ByteWriter payload;
      for (const std::uint64_t iteration : holds) payload.number(iteration);
      start.note_checkpoints(id, std::move(payload).take());
    }
    RunRecord record;
    record.has_ended = state.has_ended;
    for (const std::uint64_t iteration : state.recorded)
      record.evaluations.emplace_back().iteration = iteration;
    const bool chosen = start.choose(record);
    if (!chosen) {
      CHECK_FALSE(start.resumed_from());
      CHECK(start.why_none(record).find("--overwrite") != std::string::npos);
    }
    return chosen && start.resumed_from() == 0;
  };
  CHECK(begins_anew({{0}, {0}, {}}));           // cut off before its first evaluation
  CHECK(begins_anew({{0}, {0}, {0, 10}}));      // before its first checkpoint
  CHECK(begins_anew({{0, 20}, {0}, {0, 10}}));  // while peer 1 was about to write it
  CHECK_FALSE(begins_anew({{0, 20}, {0}, {}}));
  CHECK_FALSE(begins_anew({{0, 40}, {0}, {0, 10}}));
  CHECK_FALSE(begins_anew({{0, 20}, {0}, {0, 10, 20}}));
  CHECK_FALSE(begins_anew({{0}, {0}, {0, 10, 20}}));
  CHECK_FALSE(begins_anew({{}, {0}, {0}}));  // peer 0 cannot use its checkpoints
  CHECK_FALSE(begins_anew({{0}, {0}, {0, 10}, true}));
}

TEST_CASE(
    "resume: where all cannot go on, one sentence says who holds nothing, and how far the record goes") {
  Scene scene;
  scene.process(0, 5, {{0, 10, 20}});
  scene.process(1, 7, std::vector<std::uint64_t>());
  scene.talk();
  CHECK(scene.observer.over());
  CHECK(scene.observer.lost_by_misuse());
  CHECK(scene.observer.outcome().reason ==
        "there is no iteration of which every peer holds a checkpoint (peer 1 holds none that can be used, "
        "others up to 20); expected the checkpoints of all peers, or --overwrite instead of --resume, which "
        "begins anew");
}

TEST_CASE("start: all who wait for the run to begin are told for whom, and why that one is not ready") {
  Scene scene;
  const auto whom = [&](std::uint32_t incarnation) {
    const StillWaits* const waits = scene.event<StillWaits>(incarnation);
    return waits ? waits->whom : "";
  };
  PeerSession& first = scene.process(0, 5);
  FrameHeader from_second;
  from_second.sender = 1;
  from_second.incarnation = 7;
  from_second.run_id = run_id(agreement_of(scene.experiment));
  from_second.kind = FrameKind::hello;
  first.hear_source(from_second, encode_agreement(agreement_of(scene.experiment)), Instant{});
  from_second.kind = FrameKind::welcome;
  first.hear_destination(1, from_second, {});
  const auto let_pass_10_s = [&] {
    for (int k = 0; k < 5; ++k) {
      for (auto& [incarnation, session] : scene.processes) session.events().clear();
      scene.pass(2s);
      scene.observer.tick(scene.now);
      scene.talk();
    }
  };
  scene.talk();
  let_pass_10_s();
  CHECK(whom(5) == "the observer to start the run: peer 1 has not come up");
  scene.process(1, 7);
  scene.talk();
  let_pass_10_s();
  CHECK(whom(5) == "the observer to start the run: peer 1 waits for peer 0 (tcp://there) to come up");
  CHECK(whom(7) == "peer 0 (tcp://there) to come up");
  scene.observer.tick(Instant{} + 61s);
  CHECK(scene.observer.outcome().reason ==
        "peer 1 did not reach all neighbors within 60 s: peer 1 waits for peer 0 (tcp://there) to come up");

  Scene refused;
  FrameHeader hello = from_second;
  hello.kind = FrameKind::hello;
  hello.iteration = 7;
  refused.process(0, 5);
  refused.observer.hear(hello, encode_agreement(agreement_of(refused.experiment)), Instant{});
  refused.observer.outbox().clear();
  refused.talk();
  refused.observer.tick(Instant{} + 61s);
  CHECK(refused.observer.outcome().reason ==
        "peer 1 did not come up within 60 s: peer 1 was refused, since peer 0 runs 20 iterations, peer 1 7; "
        "give "
        "both the same run.iterations");
}

}  // namespace hearsay::run_start_test
