#include "runtime/foundation/model_spool.hpp"

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/full_disk.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test::model_spool_test {

namespace {

constexpr std::size_t room_bytes = 1 << 20;

/// A spool for two senders, and what it has said.
struct Scene {
  TemporaryFolder folder{"hearsay_spool"};
  std::string said;
  std::unique_ptr<ModelSpool> spool = ModelSpool::make(
      folder.path(), 2, room_bytes, [this](const std::string& text) { said += text + "\n"; });
};

/// How many bytes of the machine's memory this process uses.
std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void fill(ModelSpool& spool, std::span<const std::byte> room, int with) {
  REQUIRE(spool.write(std::vector<std::byte>(room.size(), static_cast<std::byte>(with)), room.data()));
}

bool is_full_of(std::span<const std::byte> room, int with) {
  return std::ranges::all_of(room, [&](std::byte byte) { return byte == static_cast<std::byte>(with); });
}

}  // namespace

TEST_CASE("spool: a model stays as it was written until its iteration is closed, and two wait at a time") {
  Scene scene;
  REQUIRE(scene.spool);
  const auto first = scene.spool->begin(1, 10, room_bytes);
  const auto second = scene.spool->begin(1, 20, 1000);
  REQUIRE(first.size() == room_bytes);
  REQUIRE(second.size() == 1000);
  fill(*scene.spool, first, 1);
  fill(*scene.spool, second, 2);
  CHECK(scene.spool->begin(1, 30, 1000).empty());  // both rooms are needed
  CHECK_FALSE(scene.spool->begin(0, 30, 1000).empty());
  CHECK(is_full_of(first, 1));
  CHECK(is_full_of(second, 2));
  scene.spool->close(1, 10);
  CHECK(scene.spool->begin(1, 10, 1000).empty());  // closed
  const auto third = scene.spool->begin(1, 30, 1000);
  REQUIRE(third.data() == first.data());
  fill(*scene.spool, third, 3);
  CHECK(is_full_of(second, 2));
  CHECK(scene.spool->holds(third));
  CHECK_FALSE(scene.spool->holds(std::as_bytes(std::span(scene.said))));
  CHECK(scene.said.empty());
}

TEST_CASE("spool: what will never be whole leaves its room to the next model") {
  Scene scene;
  for (int k = 0; k < 5; ++k) {
    const auto room = scene.spool->begin(0, 10, 1000);
    REQUIRE_FALSE(room.empty());
    scene.spool->give_up(room);
  }
  scene.spool->give_up({});
}

TEST_CASE("spool: models take memory only while they are read, and leave no file") {
  Scene scene;
  const auto room = scene.spool->begin(0, 10, room_bytes);
  fill(*scene.spool, room, 1);
  const std::size_t before = resident_bytes();
  CHECK(is_full_of(room, 1));
  CHECK(resident_bytes() >= before + room_bytes / 2);
  scene.spool->let_go(room);
  CHECK(resident_bytes() < before + room_bytes / 2);
  CHECK(is_full_of(room, 1));
  CHECK(std::filesystem::is_empty(scene.folder.path()));
}

TEST_CASE(
    "spool: a folder that is not there, or files that may not be so long, are one sentence and no spool") {
  std::string said;
  const Notice notice = [&](const std::string& text) { said = text; };
  const TemporaryFolder folder("hearsay_spool");
  CHECK_FALSE(ModelSpool::make(folder.path() / "none", 2, room_bytes, notice));
  CHECK(said == "the models of an evaluation are kept in memory until all have come, since " +
                    (folder.path() / "none").string() + " takes no such file: No such file or directory");
  CHECK_FALSE(ModelSpool::make(folder.path(), 2, SIZE_MAX / 8, notice));
  CHECK(said.ends_with(" has no room for them"));
  const FullDisk full(room_bytes);
  CHECK_FALSE(ModelSpool::make(folder.path(), 2, room_bytes, notice));
  CHECK(said.ends_with(" may not have so long a file, or the process not so much address space"));
}

TEST_CASE("spool: of a full disk, models are kept in memory, and one sentence says so") {
  const TemporaryFolder folder("hearsay_spool");
  const Ended ended =
      Process([&] {
        const bool is_small = unshare(CLONE_NEWNS) == 0 &&
                              mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                              mount("small", folder.path().c_str(), "tmpfs", 0, "size=64k") == 0;
        if (!is_small) return Ended{126, ""};
        std::string said;
        const auto spool = ModelSpool::make(folder.path(), 2, room_bytes,
                                            [&](const std::string& text) { said += text + "\n"; });
        const auto small = spool->begin(0, 10, 4096);
        fill(*spool, small, 1);
        const bool is_refused =
            spool->begin(0, 20, room_bytes).empty() && spool->begin(1, 10, room_bytes).empty();
        return Ended{is_refused && is_full_of(small, 1) ? 0 : 1, said};
      }).join();
  if (ended.exit_code == 126) {
    MESSAGE("skipped: this user may not mount a small disk");
    return;
  }
  CHECK(ended.exit_code == 0);
  CHECK(ended.text == "some models of evaluations are kept in memory until all have come, since " +
                          folder.path().string() + " has no room for them: No space left on device\n");
}

}  // namespace hearsay::test::model_spool_test
