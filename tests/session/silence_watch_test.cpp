#include "runtime/session/silence_watch.hpp"

#include <doctest/doctest.h>

namespace hearsay::silence_watch_test {

using namespace std::chrono_literals;

namespace {

constexpr Duration a_look = 200ms;

SilenceWatch a_watch(AfterSilence then = AfterSilence::ends_the_run) {
  return {0, 60s, 2s, then, {{1, "tcp://10.0.0.1:7000"}, {2, ""}}};
}

/// Advances `now` to `end` in steps of `a_look`. Peer 1 is heard every 2 s until `heard_until`.
void listen(SilenceWatch& watch, Instant& now, Instant end, Instant heard_until) {
  for (; now < end; now += a_look) {
    watch.look(now);
    if (now <= heard_until && now.time_since_epoch() % 2s == 0s) watch.heard(1, now);
  }
  watch.look(now);
}

}  // namespace

TEST_CASE("silence watch: who says nothing for failure.lost_after is lost, no sooner, and no later") {
  SilenceWatch watch = a_watch();
  Instant now{};
  listen(watch, now, Instant(70s), Instant(10s));
  SilenceWatch::Judgement judgement = watch.judge(now, Instant(5s), 7, {1});
  CHECK(judgement.lost.empty());
  CHECK(judgement.look_again == Instant(70s));
  judgement = watch.judge(now + 1ns, Instant(5s), 7, {1});
  REQUIRE(judgement.lost.size() == 1);
  CHECK(judgement.lost[0].id == 1);
  CHECK(judgement.lost[0].how == "it has said nothing for 60 s");
}

TEST_CASE("silence watch: a wait that begins now has lasted no time, however silent the peer was before") {
  SilenceWatch watch = a_watch();
  Instant now{};
  listen(watch, now, Instant(100s), Instant(10s));
  const SilenceWatch::Judgement judgement = watch.judge(now, now, 7, {1});
  CHECK(judgement.lost.empty());
  CHECK_FALSE(judgement.word);
  CHECK(judgement.look_again == now + 60s);
}

TEST_CASE("silence watch: while nobody listened, nobody was silent") {
  SilenceWatch watch = a_watch();
  Instant now{};
  listen(watch, now, Instant(10s), Instant(10s));
  now += 1h;  // Ctrl-Z
  watch.look(now);
  CHECK(watch.judge(now, Instant(5s), 7, {1}).lost.empty());
  watch.heard(1, now + 1s);
  CHECK(watch.judge(now + 1s, Instant(5s), 7, {1}).look_again == now + 61s);  // the hour raises no limit
}

TEST_CASE("silence watch: of a long wait it speaks at 10 s, 20 s, 40 s, and begins anew with the next one") {
  SilenceWatch watch = a_watch(AfterSilence::drops_it);
  Instant now{};
  std::vector<std::string> words;
  for (Instant since : {Instant(0s), Instant(45s)})
    for (; now < since + 45s; now += a_look) {
      watch.look(now);
      watch.heard(1, now);
      watch.heard(2, now);
      if (auto word = watch.judge(now, since, 7, {1, 2}).word) words.push_back(*word);
    }
  REQUIRE(words.size() == 6);
  CHECK(words[0] ==
        "peer 0 waits for 2 peers in iteration 7 for 10 s now: peer 1 (tcp://10.0.0.1:7000): it shows life, "
        "so it is slow or waits itself. peer 2: it shows life, so it is slow or waits itself");
  CHECK(words[2].find("for 40 s now") != std::string::npos);
  CHECK(words[3] == words[0]);
}

TEST_CASE("silence watch: of a peer that is away, as the run says, it says for how much longer") {
  SilenceWatch watch = a_watch();
  const auto word = [&](PeerId absent, Instant heard) {
    for (const PeerId id : {1, 2}) watch.heard(id, heard);
    const auto away_for = [&](PeerId id) { return id == absent ? Duration(75s) : Duration(0s); };
    return watch.judge(Instant(12s), Instant(0s), 7, {1, 2}, away_for).word.value_or("");
  };
  SUBCASE("of one that shows life") {
    CHECK(
        word(2, Instant(11s)) ==
        "peer 0 waits for 2 peers in iteration 7 for 12 s now: peer 1 (tcp://10.0.0.1:7000): it shows life, "
        "so it is slow or waits itself. peer 2: it is away for another 75 s (topology.availability)");
  }
  SUBCASE("not of one whose process is silent") {
    CHECK(word(2, Instant(1s)).find("peer 2: silent for 11 s") != std::string::npos);
  }
  SUBCASE("of the peer that waits") {
    CHECK(word(0, Instant(11s)) ==
          "peer 0 is away for another 75 s (topology.availability); nothing reaches it");
  }
}

}  // namespace hearsay::silence_watch_test
