#include <doctest/doctest.h>
#include <unistd.h>

#include "runtime/session/stall_detector.hpp"
#include "runtime/zmq/clock.hpp"
#include "tests/support/cluster_processes.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::faults_clock_test {

using namespace std::chrono_literals;

TEST_CASE("faults: whoever did not listen does not take the others for silent") {
  const Instant begin{100s};
  StallDetector stalls(1min);
  stalls.look(begin);
  const Instant since = stalls.last_end();
  for (int look = 1; look <= 1000; ++look) stalls.look(begin + look * 200ms);
  CHECK(stalls.last_end() == since);
  const Instant awake = begin + 200s + 1h;
  stalls.look(awake);
  CHECK(stalls.last_end() == awake);
  stalls.look(awake + 200ms);
  CHECK(stalls.last_end() == awake);
}

TEST_SUITE("net") {
  TEST_CASE("faults: clocks that leap an hour, at the observer's peer and at another, cost nobody the run") {
    auto experiment = quadratic_experiment<float>("dcd-psgd", "ring", 3, 200);
    experiment.settings.run.evaluate_every = 10;
    experiment.iterations = 200;
    LoopbackCluster cluster(std::move(experiment));
    std::array<int, 2> leaps{};
    REQUIRE(pipe(leaps.data()) == 0);
    const auto leap = [out = leaps[1]](char who) {
      const Instant before = monotonic_now();
      leap_forward(1h);
      const bool leapt = monotonic_now() - before >= 1h;
      return leapt && write(out, &who, 1) == 1;
    };
    LoopbackCluster::Setup with_observer, other;
    with_observer.control.on_evaluation = [&](const Evaluation& evaluation) {
      if (evaluation.iteration == 100) leap('0');
    };
    other.control.out_of_patience = [&, asked = 0]() mutable {
      if (++asked == 60) leap('1');
      return false;
    };
    const Process first = cluster.start(0, with_observer);
    const Process second = cluster.start(1, other);
    const Process third = cluster.start(2);
    const RunEnd end(first.join());
    CHECK_MESSAGE(end.exit_code == 0, end.text);
    CHECK(second.join().exit_code == 0);
    CHECK(third.join().exit_code == 0);
    CHECK(end.digests == cluster.undisturbed());
    close(leaps[1]);
    std::string who(8, ' ');
    who.resize(static_cast<std::size_t>(std::max<ssize_t>(0, read(leaps[0], who.data(), who.size()))));
    CHECK(who.size() == 2);
    CAPTURE(who);
    CHECK(contains(who, "0"));
    CHECK(contains(who, "1"));
    close(leaps[0]);
  }
}

}  // namespace hearsay::test::faults_clock_test
