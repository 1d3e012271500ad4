#include "tools/child/program_output.hpp"

#include <doctest/doctest.h>

namespace hearsay::test::program_output_test {

using Words = std::vector<std::string>;
constexpr std::chrono::seconds a_minute{60};

TEST_CASE("program output: what a program prints, and its exit code") {
  const auto ended = output_of(Words{"sh", "-c", "echo out; echo err >&2; exit 7"}, a_minute);
  REQUIRE(ended);
  CHECK(ended->output == "out\n");
  CHECK(ended->error == "err\n");
  CHECK(ended->code == 7);
  const auto killed = output_of(Words{"sh", "-c", "kill -9 $$"}, a_minute);
  REQUIRE(killed);
  CHECK(killed->code == 128 + 9);
}

TEST_CASE("program output: it has no input, and one that does not end is killed") {
  const auto reads = output_of(Words{"cat"}, a_minute);
  REQUIRE(reads);
  CHECK(reads->code == 0);
  const auto stands = output_of(Words{"sleep", "1000"}, std::chrono::seconds(0));
  REQUIRE(stands);
  CHECK(stands->code == 128 + 9);
}

TEST_CASE("program output: empty if there is no such program") {
  CHECK_FALSE(output_of(Words{"no-such-program-of-hearsay"}, a_minute));
}

}  // namespace hearsay::test::program_output_test
