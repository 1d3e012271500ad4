#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/process/local_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/strangers.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::fault_injection_test {

namespace {

/// Returns a run of four peers of about a second: `more` are lines of its run file.
Experiment<double> experiment_with(const std::string& method, const std::string& output,
                                   const std::string& more) {
  return experiment_from<double>(
      "run.iterations = 200\nrun.evaluate_every = 20\nmodel.kind = \"quadratic(20)\"\nrun.output = \"" +
      output +
      "\"\ntopology.kind = \"ring\"\ntopology.peers = 4\nnetwork.compute = \"5 ms\"\n"
      "algorithm.batch = \"full\"\nalgorithm.step_size = 0.01\nalgorithm.kind = \"" +
      method + "\"\n" + more);
}

std::string fault(const std::string& at, const std::string& peer, const std::string& kind,
                  const std::string& lasts) {
  return "[[fault]]\nat = \"" + at + "\"\npeer = " + peer + "\nkind = \"" + kind + "\"\n" +
         (lasts.empty() ? "" : "for = \"" + lasts + "\"\n");
}

struct Ended {
  RunOutcome<double> outcome;
  std::vector<std::string> news;  ///< of the parent; those of the peers are theirs

  bool tells(const std::string& words) const {
    return std::ranges::any_of(news, [&](const std::string& one) { return one.find(words) != one.npos; });
  }
};

Ended ended(const Experiment<double>& experiment) {
  Ended ended;
  RunControl control;
  control.notice = [&ended](const std::string& sentence) { ended.news.push_back(sentence); };
  ended.outcome = run_local(experiment, control);
  return ended;
}

constexpr const char* drops = "failure.policy = \"drop\"\nfailure.lost_after = \"200 ms\"\n";

}  // namespace

TEST_CASE("fault injection: processes that are killed and started again change no bit") {
  const TemporaryFolder folder("hearsay_fault_injection");
  const std::string output = (folder.path() / "out").string();
  const std::string checkpoints = "failure.checkpoint_every = 10\n";
  const Ended killed = ended(experiment_with(
      "dcd-psgd", output,
      checkpoints + fault("200 ms", "[1, 2]", "kill", "300 ms") +
          "[[fault]]\nrandom = { kills = 3, seed = 4, within = \"800 ms\" }\nfor = \"50 ms\"\n"));
  CHECK(killed.outcome.status == RunStatus::done);
  CHECK(killed.outcome.restarts >= 4);
  CHECK(killed.tells("peer 1 is killed for 300 ms: a [[fault]]"));
  const RunOutcome<double> undisturbed =
      simulate(experiment_with("dcd-psgd", output, checkpoints), Duration{1000});
  CHECK(killed.outcome.mean_model == undisturbed.mean_model);
}

TEST_CASE(
    "fault injection: under \"drop\" a killed process joins anew, and one that stands still comes back") {
  const TemporaryFolder folder("hearsay_fault_injection");
  const Ended killed = ended(experiment_with("d-psgd", (folder.path() / "killed").string(),
                                             drops + fault("200 ms", "2", "kill", "300 ms")));
  CHECK(killed.outcome.status == RunStatus::done);
  CHECK(killed.outcome.joined == std::vector<PeerId>{2});

  const Ended frozen = ended(experiment_with("d-psgd", (folder.path() / "frozen").string(),
                                             drops + fault("200 ms", "2", "freeze", "600 ms")));
  CHECK(frozen.outcome.status == RunStatus::done);
  CHECK(frozen.outcome.returned == 1);
  CHECK(frozen.outcome.dropped.empty());
}

TEST_CASE("fault injection: a partition cuts frames in both directions, those to the observer, too") {
  const TemporaryFolder folder("hearsay_fault_injection");
  const Ended cut = ended(experiment_with("d-psgd", (folder.path() / "cut").string(),
                                          drops + fault("200 ms", "[2, 3]", "partition", "600 ms")));
  CHECK(cut.outcome.status == RunStatus::done);
  CHECK(cut.outcome.returned == 2);
  CHECK(cut.outcome.dropped.empty());
  CHECK(cut.tells("peer 3 is cut off for 600 ms: a [[fault]]"));
}

TEST_CASE("fault injection: under \"wait\" without checkpoints a kill ends the run, which names the peer") {
  const TemporaryFolder folder("hearsay_fault_injection");
  const Ended killed = ended(
      experiment_with("d-psgd", (folder.path() / "lost").string(), fault("200 ms", "2", "kill", "100 ms")));
  CHECK(killed.outcome.status == RunStatus::lost);
  CHECK(killed.outcome.reason.find("peer 2 was lost: killed by signal 9") == 0);
}

TEST_CASE(
    "fault injection: peers of failure.join_later are started when they rejoin, and end with the others") {
  const TemporaryFolder folder("hearsay_fault_injection");
  const std::string later = "failure.join_later = [2]\n" + std::string(drops);
  const std::string output = (folder.path() / "later").string();
  const Ended joined = ended(experiment_with("d-psgd", output, later + fault("300 ms", "2", "rejoin", "")));
  CHECK(joined.outcome.status == RunStatus::done);
  CHECK(joined.outcome.joined == std::vector<PeerId>{2});
  CHECK(joined.outcome.dropped.empty());
  CHECK(joined.outcome.restarts == 0);
  CHECK(joined.outcome.peers[2].iterations == 200);
  CHECK(joined.tells("peer 2 is started: a [[fault]]"));

  const Ended killed = ended(experiment_with(
      "d-psgd", output, later + fault("200 ms", "2", "rejoin", "") + fault("400 ms", "2", "kill", "200 ms")));
  CHECK(killed.outcome.status == RunStatus::done);
  CHECK(killed.outcome.joined == std::vector<PeerId>{2});

  const Ended late = ended(experiment_with("d-psgd", output, later + fault("1 h", "2", "rejoin", "")));
  CHECK(late.outcome.status == RunStatus::done);
  CHECK(late.outcome.joined.empty());
  CHECK(late.outcome.dropped.empty());
}

TEST_CASE("fault injection: of a peer that joins later and cannot listen, the user is told why") {
  const TemporaryFolder folder("hearsay_fault_injection");
  Experiment<double> experiment =
      experiment_with("d-psgd", (folder.path() / "out").string(),
                      "failure.join_later = [2]\n" + std::string(drops) + fault("200 ms", "2", "rejoin", ""));
  for (NamedPeer& peer : experiment.topology.peers) peer.address = test::free_address();
  const std::string& taken = experiment.topology.peers[2].address;
  const test::OccupiedPort other_program(taken);
  const Ended without = ended(experiment);
  CHECK(without.outcome.status == RunStatus::done);
  CHECK(without.outcome.joined.empty());
  REQUIRE(without.news.size() == 2);  // the first: "peer 2 is started: a [[fault]]"
  CHECK(without.news[1] == "peer 2 did not join: address = " + taken +
                               ": cannot listen there (Address already in use); expected a port at which no "
                               "other program listens");
}

TEST_CASE("fault injection: a peer of failure.join_later that no fault starts is refused, with the remedy") {
  const auto refused = [](const std::string& faults) {
    return misuse_text([&] {
      ended(experiment_with("d-psgd", "out", "failure.join_later = [1, 2]\n" + std::string(drops) + faults));
    });
  };
  const std::string sentence =
      "failure.join_later = [1, 2]: hearsay run starts a peer that joins later where a [[fault]] of kind "
      "\"rejoin\" says so, and there is none of peer ";
  const std::string remedy = "; expected one, or hearsay peer for each peer";
  CHECK(refused("") == sentence + "1" + remedy);
  CHECK(refused(fault("1 s", "1", "rejoin", "")) == sentence + "2" + remedy);
  CHECK(refused(fault("1 s", "[1, 2]", "freeze", "1 s")) == sentence + "1" + remedy);
}

}  // namespace hearsay::fault_injection_test
