#include <doctest/doctest.h>

#include "tests/observer/observer_scene.hpp"

namespace hearsay::test::claims_test {

namespace {

/// An observer whose own peer says nothing of its data. The test plays the peers.
struct Scene : ObserverScene {
  using ObserverScene::ObserverScene;
  /// Returns why the observer refuses a peer that states so; empty if it does not.
  std::string refusal(PeerId peer, const std::vector<AgreedSetting>& statements,
                      std::uint32_t incarnation = 7) {
    const std::vector<std::byte> payload = encode_agreement({agreement.settings, statements});
    session.outbox().clear();
    say(peer, FrameKind::hello, payload, experiment.iterations, 0, 0, incarnation);
    for (const ObserverFrame& word : session.outbox())
      if (word.header.kind == FrameKind::refuse) return printable_text(word.payload);
    return "";
  }
};

const AgreedSetting a{"feature 1 of data.source", "a"};
const AgreedSetting b{"feature 1 of data.source", "b"};
const AgreedSetting labels{"labels of data.source", "0 1"};

}  // namespace

TEST_CASE("claims: peers that name their data differently are refused, though no two of them are neighbors") {
  Scene scene;
  CHECK(scene.refusal(0, {a, labels}).empty());
  CHECK(scene.refusal(1, {b}).starts_with("peer 0 runs with feature 1 of data.source = a, peer 1 with b; "));
  CHECK(scene.refusal(1, {a}).empty());
}

TEST_CASE("claims: who names nothing is let in, and what the next one names is compared with all before") {
  Scene scene;
  CHECK(scene.refusal(0, {labels}).empty());
  CHECK(scene.refusal(1, {}).empty());
  CHECK(scene.refusal(1, {a}).empty());
  CHECK(scene.refusal(0, {labels, b}).starts_with("peer 1 runs with feature 1 of data.source = a, peer 0 "));
}

TEST_CASE("claims: a peer that is started anew before the run may name its data anew") {
  Scene scene;
  CHECK(scene.refusal(0, {a}).empty());
  CHECK(scene.refusal(0, {b}).empty());
  CHECK_FALSE(scene.refusal(1, {a}).empty());
  CHECK(scene.refusal(1, {b}).empty());
}

TEST_CASE("claims: if peers may be of different builds of hearsay, it is said which is which") {
  Scene scene;
  const AgreedSetting any{builds_key, any_builds};
  CHECK(scene.refusal(0, {any, {build_key, "0.1.0"}}).empty());
  CHECK(scene.session.different_builds().empty());
  CHECK(scene.refusal(1, {any, {build_key, "0.2.0"}}).empty());
  CHECK(scene.session.different_builds() ==
        "the peers are different builds of hearsay: 0.1.0 at peer 0; 0.2.0 at peer 1");
}

TEST_CASE("claims: what a peer has named is remembered when one that named the same is started anew") {
  Scene scene;
  CHECK(scene.refusal(0, {a}).empty());
  CHECK(scene.refusal(1, {a}).empty());
  CHECK_FALSE(scene.refusal(0, {b}).empty());
  CHECK(scene.refusal(0, {}).empty());
  CHECK_FALSE(scene.refusal(0, {b}).empty());
}

TEST_CASE("claims: a process leaves no names behind before it is decided that it is the peer") {
  Scene scene;
  CHECK(scene.refusal(0, {}).empty());
  CHECK(scene.refusal(1, {a}, 7).empty());
  CHECK(scene.refusal(1, {b}, 8).empty());  // a rival, which waits for the answer of the first
  CHECK(scene.refusal(0, {b}).starts_with("peer 1 runs with feature 1 of data.source = a, peer 0 with b"));
  CHECK(scene.refusal(0, {a}).empty());
}

TEST_CASE("claims: a process that gets the id of one that cannot be reached names its data from then on") {
  Scene scene;
  CHECK(scene.refusal(0, {}).empty());
  CHECK(scene.refusal(1, {a}, 7).empty());
  CHECK(scene.refusal(1, {b}, 8).empty());
  scene.session.note_unreachable(1, 7);
  CHECK(scene.session.incarnation_of(1) == 8);
  CHECK(scene.refusal(0, {a}).starts_with("peer 1 runs with feature 1 of data.source = b, peer 0 with a"));
}

TEST_CASE(
    "claims: hosts that train on another number of samples than data.samples are refused before they train") {
  for (const auto policy : {RunSettings::Failure::Policy::wait, RunSettings::Failure::Policy::drop})
    for (const std::uint64_t samples : {69u, 70u, 71u}) {
      CAPTURE(samples);
      auto experiment = two_peer_experiment();
      experiment.settings.failure.policy = policy;
      experiment.settings.data.samples = samples;
      Scene scene(std::move(experiment));
      CHECK(scene.refusal(0, {{home_samples_key(0), "40"}, labels}).empty());
      CHECK(scene.refusal(1, {labels, {home_samples_key(1), "30"}}).empty());
      for (const PeerId id : {0u, 1u}) scene.say(id, FrameKind::ready, {}, 0, 0, 0, 7);
      CHECK(scene.session.started() == (samples == 70));
      CHECK(scene.session.lost_by_misuse() == (samples != 70));
      if (samples == 70) continue;
      CHECK(scene.session.outcome().reason ==
            "data.samples = " + std::to_string(samples) +
                ": the peers train on 70 samples (peer 0: 40, peer 1: 30); expected 70");
    }
}

TEST_CASE("claims: hosts of which one does not say on how many samples it trains are not counted") {
  auto experiment = two_peer_experiment();
  experiment.settings.data.samples = 69;
  Scene scene(std::move(experiment));
  CHECK(scene.refusal(0, {{home_samples_key(0), "40"}}).empty());
  CHECK(scene.refusal(1, {}).empty());
  for (const PeerId id : {0u, 1u}) scene.say(id, FrameKind::ready, {}, 0, 0, 0, 7);
  CHECK(scene.session.started());
}

}  // namespace hearsay::test::claims_test
