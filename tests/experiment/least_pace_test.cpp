#include "runtime/experiment/least_pace.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::least_pace_test {

namespace {

Experiment<float> ring_of_four(std::uint64_t dimension, const std::string& pace) {
  return prepare<float>(
      parse_run("model.kind = \"quadratic(" + std::to_string(dimension) + ")\"\n" +
                "algorithm = { kind = \"d-psgd\", batch = \"full\" }\ntopology.peers = 4\n" +
                "failure.lost_after = \"60 s\"\nnetwork.pace = \"" + pace + "\"\n"));
}

}  // namespace

TEST_CASE("pace: one at which heartbeats come too late is refused, with the least one that does not") {
  // Two frames of 64 + 4,000 bytes within 60 s; of 3,094 bytes on the wire 2,896 are payload.
  const double bits_per_s = 2 * 4064 * 8 / 60.0 * 3094 / 2896;
  CHECK(bits_per_s > 1157);
  CHECK(bits_per_s < 1158);
  CHECK(
      misuse_text([] { ring_of_four(1000, "1157 bit/s"); }) ==
      "network.pace = 1157 bit/s: a message to each neighbor, or a piece of it, would hold up the heartbeats "
      "of a peer for longer than failure.lost_after = 60 s; expected at least 1158 bit/s");
  ring_of_four(1000, "1158 bit/s");
}

TEST_CASE("pace: of a long message a piece holds up a heartbeat, however long the message is") {
  const double of_pieces = least_pace(ring_of_four(2'000'000, "1 Gbit/s")).bytes_per_s;
  CHECK(of_pieces == least_pace(ring_of_four(4'000'000, "1 Gbit/s")).bytes_per_s);
  CHECK(of_pieces > 2 * 4194304 / 60.0);
  CHECK(of_pieces < 1.1 * 2 * 4194304 / 60.0);
}

}  // namespace hearsay::test::least_pace_test
