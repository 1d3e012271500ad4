#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/zmq/clock.hpp"
#include "tests/faults/local_peers.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/run_record.hpp"

// Random campaigns against the processes of `hearsay run`, from the first millisecond on. A seed decides
// what is done to whom and when; HEARSAY_CAMPAIGNS=1-1000 runs these seeds instead of the few of CI.

namespace hearsay::test::faults_campaign_test {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t peer_count = 4;
constexpr auto too_long = std::chrono::seconds(20);

struct Method {
  std::string name;
  std::string topology;
  bool drops;
};

const std::vector<Method> methods = {
    {"dcd-psgd", "ring", false}, {"choco-sgd", "ring", false}, {"artemis", "star", false},
    {"d-psgd", "ring", false},   {"dcd-psgd", "ring", true},   {"artemis", "star", true},
    {"cd-adam", "star", true},   {"ef21", "star", true},       {"chb", "star", true},
    {"moniqua", "ring", true},
};

std::string run_file(const Method& method) {
  return "[run]\niterations = 60\nevaluate_every = 10\n"
         "[data]\nsource = \"synthetic(samples=96, features=20, classes=3)\"\n"
         "[topology]\npeers = " +
         std::to_string(peer_count) + "\nkind = \"" + method.topology + "\"\n[algorithm]\nkind = \"" +
         method.name +
         "\"\nstep_size = 0.01\n[network]\ncompute = \"3 ms\"\n[failure]\nlost_after = \"1 s\"\n" +
         (method.drops ? "policy = \"drop\"\n" : "checkpoint_every = 7\n");
}

/// What a seed does to a run.
class Campaign {
 public:
  explicit Campaign(std::uint64_t seed)
      : random_(seed, 0, 0, Purpose::data), method_(methods[random_.below(methods.size())]) {
    folder_.write("run.toml", run_file(method_));
  }

  void run() {
    CAPTURE(method_.name);
    CAPTURE(method_.drops);
    begin({});
    for (auto left = 1 + random_.below(3); left > 0; --left) {
      let_pass(static_cast<int>(random_.below(random_.below(2) == 0 ? 60 : 600)));
      do_something();
    }
    const int code = end();
    CAPTURE(story_);
    if (method_.drops)
      check_dropped(code);
    else
      check_same(code);
  }

 private:
  fs::path output() const { return folder_.path() / "out"; }
  void begin(const std::vector<std::string>& more) { run_.emplace(folder_.path(), output(), more); }

  /// Returns the processes of the peers that are there.
  std::vector<pid_t> peers() {
    std::vector<pid_t> there = method_.drops ? run_->program().children() : run_->peers();
    std::erase_if(there, [&](pid_t peer) { return std::ranges::find(killed_, peer) != killed_.end(); });
    return there;
  }

  void do_something() {
    const std::uint64_t what = random_.below(10);
    if (!method_.drops && what == 0) return kill_everybody();
    // Under policy "drop" two peers at least have to be left, and the hub.
    const std::vector<pid_t> there = peers();
    const bool has_hub = method_.topology == "star";
    const std::size_t first = method_.drops && has_hub ? 1 : 0;
    if (there.size() <= first || (method_.drops && killed_.size() + 2 >= peer_count)) return;
    const pid_t victim = there[first + random_.below(there.size() - first)];
    // While the peers are being forked, their order is not known.
    if (method_.drops && has_hub && there.size() + killed_.size() < peer_count) return;
    if (what < 6) {
      story_ += "kill ";
      killed_.push_back(victim);
      kill(victim, SIGKILL);
    } else {
      const int milliseconds = static_cast<int>(what == 9 && method_.drops ? 2500 : random_.below(500));
      story_ += "stop for " + std::to_string(milliseconds) + " ms ";
      kill(victim, SIGSTOP);
      let_pass(milliseconds);
      kill(victim, SIGCONT);
    }
  }

  void kill_everybody() {
    story_ += "kill the parent ";
    kill(run_->program().process(), SIGKILL);
    run_->program().wait();
    CHECK(run_->program().everyone_ended());
    killed_.clear();
    begin({"--resume"});
  }

  int end() {
    const auto since = monotonic_now();
    bool is_stuck = false;
    run_->program().wait_until([&] { return is_stuck = monotonic_now() - since > too_long; });
    if (is_stuck) kill(run_->program().process(), SIGTERM);
    const int code = run_->program().wait();
    CHECK_FALSE(is_stuck);
    return code;
  }

  void check_same(int code) {
    REQUIRE_MESSAGE(code == 0, run_->program().complained());
    REQUIRE(run_program(folder_.path(), {"simulate", "run.toml", "--quiet", "--output", "calm"}).code == 0);
    const RunRecord record = record_of(output());
    const RunRecord calm = record_of(folder_.path() / "calm");
    CHECK(record.summary["model_digest"] == calm.summary["model_digest"]);
    CHECK(record.evaluations == calm.evaluations);
  }

  /// A run goes on without those that were killed. One that stood still may be among those that are gone.
  void check_dropped(int code) {
    REQUIRE_MESSAGE(code == 0, run_->program().complained());
    const RunRecord record = record_of(output());
    CHECK(record.summary["status"] == "done");
    CHECK(record.summary["replicas_consistent"] != false);
    CHECK(record.summary["iterations"] == 60);
    CHECK(run_->program().everyone_ended());
  }

  DataFolder folder_;
  RandomStream random_;
  Method method_;
  std::optional<LocalPeers> run_;
  std::vector<pid_t> killed_;
  std::string story_;
};

/// Returns the first and last seed.
std::pair<std::uint64_t, std::uint64_t> seeds() {
  const char* const given = std::getenv("HEARSAY_CAMPAIGNS");
  if (!given) return {1, 12};
  const std::string text = given;
  const std::size_t dash = text.find('-');
  return {std::stoull(text), std::stoull(dash == text.npos ? text : text.substr(dash + 1))};
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "faults: campaigns of kills and stops, from the first millisecond on, cost what they cost later") {
    const auto [first, last] = seeds();
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      CAPTURE(seed);
      Campaign(seed).run();
    }
  }
}

}  // namespace hearsay::test::faults_campaign_test
