#include "runtime/foundation/machine.hpp"

#include <doctest/doctest.h>

#include "tests/support/data_files.hpp"

namespace hearsay::test::machine_test {

TEST_CASE("machine: the least limit of a container's groups counts, and of those around it") {
  const DataFolder groups;
  std::filesystem::create_directories(groups.path() / "job/step");
  std::filesystem::create_directories(groups.path() / "memory/docker/one");
  groups.write("job/memory.max", "5000000000\n");
  groups.write("job/step/memory.max", "max\n");
  groups.write("memory/docker/one/memory.limit_in_bytes", "4000000000\n");
  groups.write("memory/docker/memory.limit_in_bytes", "9223372036854771712\n");
  const auto limit_of = [&](const std::string& membership) {
    return memory_limit_of(membership, groups.path());
  };
  CHECK(limit_of("0::/job/step\n") == 5'000'000'000u);
  CHECK(limit_of("0::/\n") == std::nullopt);
  CHECK(limit_of("7:cpu,memory:/docker/one\n0::/\n") == 4'000'000'000u);
  CHECK(limit_of("7:cpu,memory:/docker/one\n0::/job\n") == 4'000'000'000u);
  // A container sees the path that its group has outside, and its own group at the root.
  groups.write("memory.max", "3000000000\n");
  CHECK(limit_of("0::/kubepods/pod1/container\n") == 3'000'000'000u);
  CHECK(limit_of("") == std::nullopt);
  CHECK(limit_of("7:cpuset:/docker/one\nno line of that kind\n::\n0:") == std::nullopt);
}

}  // namespace hearsay::test::machine_test
