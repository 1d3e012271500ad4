#include "topology/foundation/nearest_name.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

namespace nearest_name_test {

using hearsay::did_you_mean;
using hearsay::likely_name;
using hearsay::nearest_name;

TEST_CASE("nearest name: one slip of each kind finds the name meant") {
  const std::array<std::string, 5> known{"bandwidth", "latency", "jitter", "message_loss", "framing"};
  CHECK(nearest_name("bandwith", known) == "bandwidth");  // a letter missing
  CHECK(nearest_name("lattency", known) == "latency");    // one too many
  CHECK(nearest_name("jitfer", known) == "jitter");       // one wrong
  CHECK(nearest_name("farming", known) == "framing");     // two swapped
  CHECK(nearest_name("MESSAGE_LOSS", known) == "message_loss");
}

TEST_CASE("nearest name: a swap costs one edit, not two") {
  // "ab" is one swap from "ba" and one replacement from "aa": on a tie the first is taken.
  CHECK(nearest_name("ab", std::array<std::string, 2>{"ba", "aa"}) == "ba");
  // Without the swap rule both would be two edits away, and the first would be taken.
  CHECK(nearest_name("ab", std::array<std::string, 2>{"ccab", "ba"}) == "ba");
}

TEST_CASE("nearest name: the beginning of a name finds it, even where a shorter name takes fewer edits") {
  const std::array<std::string, 4> known{"auto", "none", "ef", "low-pass"};
  CHECK(nearest_name("low", known) == "low-pass");
  CHECK(nearest_name("Low-", known) == "low-pass");
  CHECK(likely_name("low", known) == "low-pass");
}

TEST_CASE("nearest name: what resembles no name is not likely to mean any") {
  const std::array<std::string, 4> known{"auto", "none", "ef", "low-pass"};
  CHECK(likely_name("foo", known).empty());
  CHECK(likely_name("", known).empty());
  CHECK(likely_name("nome", known) == "none");
  CHECK(likely_name("lowpas", known) == "low-pass");
  CHECK(likely_name("anything", std::vector<std::string>{}).empty());
}

TEST_CASE("nearest name: ties go to the first, and only an empty list has no answer") {
  CHECK(nearest_name("x", std::array<std::string, 2>{"a", "b"}) == "a");
  CHECK(nearest_name("", std::array<std::string, 2>{"abc", "de"}) == "de");
  CHECK(nearest_name("anything", std::vector<std::string>{}).empty());
}

TEST_CASE("did you mean: a near name is suggested, and if none is near all are listed") {
  const std::array<std::string, 3> names{"ring", "path", "star"};
  CHECK(did_you_mean("rnig", names) == ", did you mean ring?");
  CHECK(did_you_mean("rnig", names, "'") == ", did you mean 'ring'?");
  CHECK(did_you_mean("foobar", names) == "; expected one of ring, path, star");
  CHECK(did_you_mean("foobar", names, "'") == "; expected one of 'ring', 'path', 'star'");
  CHECK(did_you_mean("foobar", std::array<std::string, 1>{"ring"}) == "; expected ring");
  CHECK(likely_name("rxxg", names) == "ring");
  CHECK(likely_name("rxxg", names, 4).empty());
}

}  // namespace nearest_name_test
