#include "algorithms/seam/pattern.hpp"

#include <doctest/doctest.h>

#include "topology/families.hpp"

namespace hearsay::pattern_test {

TEST_CASE("pattern: neighbors are as many iterations apart as links, and the staleness more for each") {
  const Graph star = make_graph("star", 6, 1);
  CHECK(Pattern::gossip.lead(star, true, 0) == 2);
  CHECK(Pattern::gossip.lead(star, true, 3) == 8);
  CHECK_FALSE(Pattern::gossip.lead(star, false, 0));
  CHECK(Pattern::ring.lead(star, true, 0) == 1);
  CHECK(Pattern::ring.lead(star, false, 0) == 1);
}

TEST_CASE(
    "pattern: a message of a neighbor says what it needs, one that came around the ring, what all need") {
  const SenderProgress progress{.sender = 4, .iteration = 9, .needs_from = 7};
  CHECK(Pattern::gossip.forgets(4, progress) == 7);
  CHECK(Pattern::gossip.forgets(5, progress) == 0);
  CHECK(Pattern::ring.forgets(4, progress) == 8);
  CHECK(Pattern::ring.forgets(5, progress) == 8);
}

}  // namespace hearsay::pattern_test
