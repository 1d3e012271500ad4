#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::faults_test {

using namespace std::chrono_literals;

namespace {

/// Returns a run of six peers over a slow network: `more` are lines of its run file.
RunOutcome<double> outcome_of(const std::string& method, const std::string& more,
                              std::vector<std::string>* news = nullptr, std::uint64_t iterations = 60) {
  const std::string kind = find_method(method).pattern.has_hub ? "star" : "ring";
  const auto experiment = experiment_from<double>(
      "run.iterations = " + std::to_string(iterations) +
      "\nrun.evaluate_every = 5\nmodel.kind = \"quadratic(20)\"\n"
      "topology.kind = \"" +
      kind +
      "\"\ntopology.peers = 6\n"
      "network.latency = \"2 ms\"\nnetwork.bandwidth = \"10 Mbit/s\"\nnetwork.jitter = \"1 ms\"\n"
      "network.message_loss = \"1%\"\nnetwork.compute = \"lognormal(10 ms, 0.3)\"\n"
      "algorithm.batch = \"full\"\nalgorithm.step_size = 0.01\nalgorithm.kind = \"" +
      method + "\"\n" + more);
  RunControl control;
  if (news) control.notice = [news](const std::string& sentence) { news->push_back(sentence); };
  return simulate(experiment, 1ms, control);
}

bool is_same_course(const RunOutcome<double>& a, const RunOutcome<double>& b) {
  return std::ranges::equal(a.evaluations, b.evaluations, [](const Evaluation& x, const Evaluation& y) {
    return x.iteration == y.iteration && x.loss == y.loss && x.seconds == y.seconds &&
           x.bytes_sent == y.bytes_sent;
  });
}

std::string fault(const std::string& at, const std::string& peer, const std::string& kind,
                  const std::string& lasts) {
  return "[[fault]]\nat = \"" + at + "\"\npeer = " + peer + "\nkind = \"" + kind + "\"\n" +
         (lasts.empty() ? "" : "for = \"" + lasts + "\"\n");
}

bool contains(const std::vector<std::string>& news, const std::string& words) {
  return std::ranges::any_of(news, [&](const std::string& one) { return one.find(words) != one.npos; });
}

/// An objective that throws when it is asked for that gradient.
class FailsInGradient final : public Objective<double> {
 public:
  FailsInGradient(int last, std::unique_ptr<const Objective<double>> sound)
      : last_(last), sound_(std::move(sound)) {}
  Index dimension() const override { return sound_->dimension(); }
  Index sample_count() const override { return sound_->sample_count(); }
  double loss(const Vector<double>& x) const override { return sound_->loss(x); }
  void gradient(const Vector<double>& x, std::span<const Index> samples,
                Vector<double>& gradient) const override {
    if (++asked_ == last_) throw std::runtime_error("a bad sample");
    sound_->gradient(x, samples, gradient);
  }

 private:
  int last_;
  std::unique_ptr<const Objective<double>> sound_;
  mutable int asked_ = 0;
};

/// "lost 3", "joined 3": what happened, in order.
std::vector<std::string> story_of(const RunOutcome<double>& outcome) {
  std::vector<std::string> story;
  for (const RunEvent& event : outcome.events)
    story.push_back(std::string(to_text(event.what)) + " " + std::to_string(event.peer));
  return story;
}

constexpr const char* drops = "failure.policy = \"drop\"\nfailure.lost_after = \"200 ms\"\n";

}  // namespace

TEST_CASE(
    "faults in virtual time: one that never happens changes no bit and no instant, whatever the method") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const RunOutcome<double> without = outcome_of(method.name, "");
    const RunOutcome<double> with = outcome_of(method.name, fault("10 h", "1", "kill", ""));
    CHECK(with.status == RunStatus::done);
    CHECK(is_same_course(with, without));
    CHECK(with.seconds == without.seconds);
    CHECK(with.mean_model == without.mean_model);
    for (PeerId id = 0; id < 6; ++id) CHECK(with.peers[id].model_digest == without.peers[id].model_digest);
  }
}

TEST_CASE("faults in virtual time: peers that are killed and come back change no bit, whatever the method") {
  for (const MethodInfo& method : methods()) {
    if (method.asynchronous) continue;
    CAPTURE(method.name);
    const std::string checkpoints = "failure.checkpoint_every = 7\n";
    const RunOutcome<double> undisturbed = outcome_of(method.name, checkpoints);
    const RunOutcome<double> killed = outcome_of(
        method.name,
        checkpoints + "[[fault]]\nrandom = { kills = 8, seed = 3, within = \"600 ms\" }\nfor = \"30 ms\"\n");
    CHECK(killed.status == RunStatus::done);
    CHECK(killed.restarts > 0);
    // Whoever is killed again before it is back has not come back.
    const auto back = std::ranges::count(killed.events, RunEvent::What::restarted, &RunEvent::what);
    CHECK(back > 0);
    CHECK(static_cast<std::uint64_t>(back) <= killed.restarts);
    CHECK(undisturbed.events.empty());
    CHECK(killed.mean_model == undisturbed.mean_model);
    for (PeerId id = 0; id < 6; ++id)
      CHECK(killed.peers[id].model_digest == undisturbed.peers[id].model_digest);
    CHECK(killed.evaluations.back().loss == undisturbed.evaluations.back().loss);
  }
}

TEST_CASE("faults in virtual time: the same faults give the same bits and the same instants again") {
  const std::string faults = std::string(drops) + fault("150 ms", "3", "kill", "600 ms") +
                             fault("200 ms", "[1, 5]", "freeze", "700 ms") +
                             fault("400 ms", "2", "partition", "700 ms");
  for (const std::string method : {"d-psgd", "choco-sgd"}) {
    std::vector<std::string> news, again;
    const RunOutcome<double> first = outcome_of(method, faults, &news);
    const RunOutcome<double> second = outcome_of(method, faults, &again);
    CHECK(is_same_course(first, second));
    CHECK(first.mean_model == second.mean_model);
    CHECK(news == again);
    CHECK(!news.empty());
  }
}

TEST_CASE(
    "faults in virtual time: under \"drop\" a killed peer joins anew, and a frozen or cut one comes back") {
  const auto of = [](const std::string& faults, std::vector<std::string>& news) {
    return outcome_of("d-psgd", std::string(drops) + faults, &news, 300);
  };
  std::vector<std::string> news;
  const RunOutcome<double> killed = of(fault("150 ms", "3", "kill", "600 ms"), news);
  CHECK(killed.status == RunStatus::done);
  CHECK(killed.joined == std::vector<PeerId>{3});
  CHECK(killed.dropped.empty());
  CHECK(contains(news, "peer 2 goes on without peer 3"));
  CHECK(contains(news, "peer 3 joins at iteration"));

  const RunOutcome<double> gone = of(fault("150 ms", "3", "kill", ""), news);
  CHECK(gone.status == RunStatus::done);
  CHECK(gone.dropped == std::vector<PeerId>{3});

  const RunOutcome<double> rejoined =
      of(fault("150 ms", "3", "kill", "") + fault("800 ms", "3", "rejoin", ""), news);
  CHECK(rejoined.joined == std::vector<PeerId>{3});

  const RunOutcome<double> frozen = of(fault("150 ms", "4", "freeze", "900 ms"), news);
  CHECK(frozen.status == RunStatus::done);
  CHECK(frozen.dropped.empty());
  CHECK(frozen.returned == 1);
  CHECK(story_of(frozen) == std::vector<std::string>{"lost 4", "returned 4"});

  const RunOutcome<double> halves = of(fault("150 ms", "[3, 4, 5]", "partition", "900 ms"), news);
  CHECK(halves.status == RunStatus::done);
  CHECK(halves.dropped.empty());
  CHECK(halves.returned == 3);
}

TEST_CASE(
    "faults in virtual time: under \"wait\" a kill ends the run with its name, and a freeze costs its time") {
  const RunOutcome<double> killed = outcome_of("d-psgd", fault("100 ms", "3", "kill", "50 ms"));
  CHECK(killed.status == RunStatus::lost);
  CHECK(killed.reason.find("peer 3 was lost: killed by signal 9") == 0);
  const RunOutcome<double> undisturbed = outcome_of("d-psgd", "");
  const RunOutcome<double> frozen = outcome_of("d-psgd", fault("100 ms", "3", "freeze", "5 s"));
  CHECK(frozen.status == RunStatus::done);
  CHECK(frozen.mean_model == undisturbed.mean_model);
  CHECK(frozen.seconds > undisturbed.seconds + 4.5);
  CHECK(frozen.seconds < undisturbed.seconds + 5.5);
}

TEST_CASE("faults in virtual time: a hub that is killed is replaced by its standby, and changes no loss") {
  const std::string standby = std::string(drops) + "failure.hub_standby = 2\ntopology.hub = \"dedicated\"\n";
  const RunOutcome<double> undisturbed = outcome_of("ef21", standby);
  const RunOutcome<double> killed = outcome_of("ef21", standby + fault("200 ms", "0", "kill", ""));
  CHECK(killed.status == RunStatus::done);
  CHECK(killed.dropped == std::vector<PeerId>{0});
  REQUIRE(killed.peers[2].took_over_in.has_value());
  CHECK(story_of(killed) == std::vector<std::string>{"lost 0", "took over 2"});
  CHECK(killed.events[0].seconds >= 0.2);
  CHECK(killed.events[1].iteration == *killed.peers[2].took_over_in);
  CHECK(std::ranges::equal(killed.evaluations, undisturbed.evaluations, {}, &Evaluation::loss,
                           &Evaluation::loss));
}

TEST_CASE("faults in virtual time: peers of failure.join_later come when they rejoin") {
  std::vector<std::string> news;
  const RunOutcome<double> joined = outcome_of(
      "d-psgd", "failure.join_later = [4]\n" + std::string(drops) + fault("500 ms", "4", "rejoin", ""), &news,
      300);
  CHECK(joined.status == RunStatus::done);
  CHECK(joined.joined == std::vector<PeerId>{4});
  CHECK(story_of(joined) == std::vector<std::string>{"joined 4"});
  CHECK(joined.events[0].seconds >= 0.5);
}

TEST_CASE(
    "faults in virtual time: an objective that fails ends the run with its words, and nobody is started") {
  auto experiment = experiment_from<double>(
      "run.iterations = 300\nrun.evaluate_every = 5\nmodel.kind = \"quadratic(20)\"\ntopology.peers = 6\n"
      "network.latency = \"2 ms\"\nnetwork.compute = \"10 ms\"\nalgorithm.batch = \"full\"\n"
      "algorithm.step_size = 0.01\nalgorithm.kind = \"d-psgd\"\n" +
      std::string(drops) + fault("800 ms", "3", "rejoin", ""));
  auto& objective = experiment.problem.objectives[3];
  objective = std::make_unique<FailsInGradient>(16, std::move(objective));
  std::vector<std::string> news;
  RunControl control;
  control.notice = [&](const std::string& sentence) { news.push_back(sentence); };
  const RunOutcome<double> outcome = simulate(experiment, 1ms, control);
  CHECK(outcome.status == RunStatus::lost);
  CHECK(outcome.reason == "peer 3: its objective failed in iteration 16: a bad sample");
  CHECK_FALSE(contains(news, "is started"));
}

TEST_CASE(
    "faults in virtual time: a process is not started at the end of a fault that killed an earlier one") {
  const RunOutcome<double> outcome =
      outcome_of("d-psgd",
                 std::string(drops) + fault("150 ms", "3", "kill", "1500 ms") +
                     fault("600 ms", "3", "rejoin", "") + fault("900 ms", "3", "kill", ""),
                 nullptr, 300);
  CHECK(outcome.status == RunStatus::done);
  CHECK(outcome.dropped == std::vector<PeerId>{3});
}

TEST_CASE("faults in virtual time: a peer of failure.join_later that no fault starts is refused") {
  const std::string later = "failure.join_later = [4]\n" + std::string(drops);
  for (const std::string& faults : {std::string(), fault("1 s", "4", "freeze", "1 s")})
    CHECK(
        misuse_text([&] { outcome_of("d-psgd", later + faults); }) ==
        "failure.join_later = [4]: hearsay simulate starts a peer that joins later where a [[fault]] of kind "
        "\"rejoin\" says so, and there is none of peer 4; expected one, or hearsay peer for each peer");
}

TEST_CASE("faults: what a run cannot bear as it is told is refused, with the remedy") {
  const auto refused = [](const std::string& more) {
    return misuse_text([&] { outcome_of("d-psgd", more); });
  };
  CHECK(refused(fault("1 s", "3", "rejoin", "")).find("expected failure.policy = \"drop\"") !=
        std::string::npos);
  CHECK(refused(std::string(drops) + fault("1 s", "0", "kill", "1 s")).find("peer 0 cannot join anew") !=
        std::string::npos);
  CHECK(misuse_text([&] {
          outcome_of("ef21", std::string(drops) + fault("1 s", "2", "kill", "1 s"));
        }).find("ef21 cannot be joined") != std::string::npos);
  CHECK(refused("network.evaluations = \"shaped\"\n" + fault("1 s", "3", "kill", ""))
            .find("expected \"free\"") != std::string::npos);
}

TEST_CASE("faults: random kills are those of their seed, in the order of time") {
  const auto drawn = [](std::uint64_t seed) {
    return faults_of({RandomKills{.kills = 50, .seed = seed, .within = 10s, .lasts = 1s}}, 8);
  };
  const std::vector<Fault> faults = drawn(7);
  CHECK(faults.size() == 50);
  CHECK(faults == drawn(7));
  CHECK(faults != drawn(8));
  CHECK(std::ranges::is_sorted(faults, {}, &Fault::at));
  for (const Fault& one : faults) {
    CHECK(one.at < 10s);
    CHECK(one.peers.size() == 1);
    CHECK(one.peers.front() < 8);
    CHECK(one.lasts == 1s);
  }
}

}  // namespace hearsay::faults_test
