#include "tools/terminal/progress.hpp"

#include <doctest/doctest.h>

#include <string>

namespace hearsay::progress_test {

namespace {

const ProgressRun run{.peers = 8, .iterations = 6000, .may_end_early = false, .virtual_time = true};

Evaluation evaluation(std::uint64_t iteration, double epoch, std::uint64_t rounds, double loss) {
  Evaluation made;
  made.iteration = iteration;
  made.epoch = epoch;
  made.gossip_rounds = rounds;
  made.loss = loss;
  made.consensus_distance = 0.01234;
  made.bytes_sent = 8 * 3'210'000;
  made.seconds = iteration < 5000 ? 19.46 : 140.0;
  return made;
}

}  // namespace

TEST_CASE("progress: iterations, data passes, gossip rounds, bytes and both times stand side by side") {
  CHECK(progress_line(evaluation(1500, 46.875, 30000, 0.25), run, 2.0, std::string::npos) ==
        "1500/6000    46.9 passes   30000 rounds  loss 0.2500     consensus 0.01234     3.21 MB/peer  "
        "virtual     19.5 s      2.00 s  ETA 6.00 s");
}

TEST_CASE("progress: columns stay where they are") {
  const std::string early = progress_line(evaluation(5, 0.5, 5, 2.0), run, 0.01, std::string::npos);
  const std::string late =
      progress_line(evaluation(5500, 4321.0, 110000, 1.234567e-5), run, 9999.0, std::string::npos);
  for (const char* word : {"passes", "rounds", "loss", "consensus", "/peer", "virtual", "ETA"}) {
    CAPTURE(std::string(word));
    CHECK(early.find(word) == late.find(word));
  }
}

TEST_CASE(
    "progress: where there is no room, rounds, passes, bytes and what is left to wait for stay longest") {
  const auto line = [](std::size_t width) {
    return progress_line(evaluation(1500, 46.875, 7500, 0.25), run, 2.0, width);
  };
  const auto has = [](const std::string& text, const char* word) {
    return text.find(word) != std::string::npos;
  };
  const std::string whole = line(std::string::npos);
  CHECK(line(whole.size()) == whole);
  CHECK_FALSE(has(line(whole.size() - 1), "consensus"));
  CHECK(has(line(whole.size() - 1), "virtual"));
  CHECK(line(82) == "1500/6000    46.9 passes    7500 rounds  loss 0.2500      3.21 MB/peer  ETA 6.00 s");
  CHECK(line(80) == "1500/6000    46.9 passes  loss 0.2500      3.21 MB/peer  ETA 6.00 s");
  CHECK(line(10).size() == 10);
}

TEST_CASE("progress: of a run that is resumed, what is left to wait for follows from what this process did") {
  ProgressRun resumed = run;
  resumed.resumed_from = 1000;
  CHECK(progress_line(evaluation(1500, 46.875, 30000, 0.25), resumed, 2.0, std::string::npos)
            .ends_with("ETA 18.0 s"));
  CHECK(progress_line(evaluation(1000, 46.875, 30000, 0.25), resumed, 2.0, std::string::npos).find("ETA") ==
        std::string::npos);
}

}  // namespace hearsay::progress_test
