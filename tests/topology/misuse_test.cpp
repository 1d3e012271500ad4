#include "topology/foundation/misuse.hpp"

#include <doctest/doctest.h>

#include <string>

namespace misuse_test {

TEST_CASE("misuse: one sentence names key, value and expectation") {
  const hearsay::Misuse misuse("topology.peers", "12", "torus(4x4) needs 16 peers");
  CHECK(std::string(misuse.what()) == "topology.peers = 12: torus(4x4) needs 16 peers");
}

}  // namespace misuse_test
