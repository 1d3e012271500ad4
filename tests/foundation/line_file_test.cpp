#include "runtime/foundation/line_file.hpp"

#include <doctest/doctest.h>

#include "tests/support/data_files.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::line_file_test {

TEST_CASE("record file: lines go behind what is there") {
  const DataFolder folder;
  const std::filesystem::path path = folder.write("metrics.jsonl", "one\n");
  LineFile file(path, true);
  CHECK(file.is_open());
  file.append("two");
  CHECK(content_of(path) == "one\ntwo\n");
  file.append("three");
  CHECK(content_of(path) == "one\ntwo\nthree\n");
  CHECK_FALSE(file.defect());
}

TEST_CASE("record file: while the disk is full, whole lines wait, and come when there is room") {
  for (const rlim_t room : {8u, 9u, 11u, 12u}) {
    CAPTURE(room);
    const DataFolder folder;
    const std::filesystem::path path = folder.path() / "metrics.jsonl";
    LineFile file(path, true);
    file.append("one");
    {
      const FullDisk full(room);
      file.append("two");
      CHECK_FALSE(file.defect());
      file.append("three");
      REQUIRE(file.defect());
      CHECK_MESSAGE(contains(*file.defect(), "cannot write " + path.string() + ": File too large"),
                    *file.defect());
      CHECK(content_of(path) == "one\ntwo\n");  // not half a line
      file.append("four");
      CHECK(content_of(path) == "one\ntwo\n");
    }
    file.append("five");
    CHECK_FALSE(file.defect());
    CHECK(content_of(path) == "one\ntwo\nthree\nfour\nfive\n");
  }
}

TEST_CASE("record file: of lines that wait, as many are written as there is room for") {
  const DataFolder folder;
  const std::filesystem::path path = folder.path() / "metrics.jsonl";
  LineFile file(path, false);
  {
    const FullDisk none(1);
    file.append("one");
    file.append("two");
    CHECK(content_of(path).empty());
  }
  {
    const FullDisk for_one(6);
    file.write_waiting();
    CHECK(file.defect());
    CHECK(content_of(path) == "one\n");
  }
  file.write_waiting();
  CHECK_FALSE(file.defect());
  CHECK(content_of(path) == "one\ntwo\n");
}

TEST_CASE("record file: one that somebody removes knows it") {
  const DataFolder folder;
  LineFile file(folder.path() / "lines", false);
  file.append("a");
  CHECK_FALSE(file.was_removed());
  std::filesystem::remove(folder.path() / "lines");
  CHECK(file.was_removed());
}

TEST_CASE("record file: one that cannot be made is refused") {
  CHECK(contains(misuse_text([] { LineFile("/nowhere/metrics.jsonl", false); }),
                 "cannot write /nowhere/metrics.jsonl"));
}

}  // namespace hearsay::test::line_file_test
