#include "runtime/survey/measured_links.hpp"

#include <doctest/doctest.h>

namespace hearsay::measured_links_test {

using namespace std::chrono_literals;

TEST_CASE(
    "measured links: half of the least round trip, each way its bandwidth, a port as its fastest link") {
  const LinksFile file = links_file_of({"a", "b", "c"}, {{1, 0, 250'000, 11ms},
                                                         {0, 1, 1'250'000, 10'123'456ns},
                                                         {0, 2, 123'456, 40ms},
                                                         {2, 0, 125'000, 41ms},
                                                         {1, 2, 500'000, 21ms},
                                                         {2, 1, 625'000, 20ms}});
  REQUIRE(file.links.size() == 6);
  CHECK(file.links[0] == LinkOverride{0, 1, 5'060us, Bandwidth{1'250'000}});
  CHECK(file.links[1] == LinkOverride{0, 2, 20ms, Bandwidth{123'500}});  // 987,648 bit/s
  CHECK(file.links[2] == LinkOverride{1, 0, 5'060us, Bandwidth{250'000}});
  CHECK(file.links[5] == LinkOverride{2, 1, 10ms, Bandwidth{625'000}});
  CHECK(file.ports[0] == PortBandwidths{Bandwidth{1'250'000}, Bandwidth{250'000}});
  CHECK(file.ports[1] == PortBandwidths{Bandwidth{500'000}, Bandwidth{1'250'000}});
  CHECK(file.ports[2] == PortBandwidths{Bandwidth{625'000}, Bandwidth{500'000}});
}

TEST_CASE("measured links: the file is one that is read as it is") {
  const LinksFile file =
      links_file_of({"a", "b"}, {{0, 1, 1, 1ns}, {1, 0, 987'654'321'987, std::chrono::seconds(7)}});
  CHECK(parse_links(to_toml(file), "links.toml") == file);
}

}  // namespace hearsay::measured_links_test
