#include "runtime/experiment/slow_pace.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::slow_pace_test {

namespace {

std::string warning_of(std::uint64_t dimension, const std::string& pace) {
  const auto experiment =
      prepare<float>(parse_run("model.kind = \"quadratic(" + std::to_string(dimension) + ")\"\n" +
                               "algorithm = { kind = \"d-psgd\", batch = \"full\" }\ntopology.peers = 4\n" +
                               "failure.lost_after = \"60 s\"\nnetwork.pace = \"" + pace + "\"\n"));
  return slow_pace_warning(experiment, 1).value_or("");
}

}  // namespace

TEST_CASE("pace: one at which heartbeats come too late behind a message is warned of") {
  // A frame of 64 + 4,000 bytes; of 3,094 bytes on the wire 2,896 are payload.
  const double bits_per_s = 4064 * 8 / 60.0 * 3094 / 2896;
  CHECK(bits_per_s > 578);
  CHECK(bits_per_s < 579);
  CHECK(warning_of(1000, "578 bit/s") ==
        "network.pace = 578 bit/s: a message, or a piece of it, takes up to 60 s, and heartbeats wait behind "
        "it: after failure.lost_after = 60 s the receiver takes this peer for lost");
  CHECK(warning_of(1000, "579 bit/s").empty());
}

TEST_CASE("pace: behind a long message heartbeats wait for a piece, however long the message is") {
  for (const std::uint64_t dimension : {2'000'000u, 4'000'000u}) {
    CHECK(warning_of(dimension, "597 kbit/s").find("takes up to 60 s") != std::string::npos);
    CHECK(warning_of(dimension, "598 kbit/s").empty());
  }
}

}  // namespace hearsay::test::slow_pace_test
