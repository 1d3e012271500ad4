#include "runtime/foundation/partial_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <cerrno>
#include <filesystem>

#include "runtime/foundation/whole_file.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::partial_file_test {

TEST_CASE("whole file: what is called as its partial file, and is another's, stays as it is") {
  const DataFolder folder;
  const std::filesystem::path name = folder.path() / "x.npy";
  folder.write("x.npy.partial", "mine");
  mkfifo((folder.path() / "x.npy.partial-1").c_str(), 0600);
  std::filesystem::create_symlink(folder.path() / "elsewhere", folder.path() / "x.npy.partial-2");
  CHECK_FALSE(try_to_write_file(name, {"whole"}, Durability::end_of_process));
  CHECK(content_of(name) == "whole");
  CHECK(content_of(folder.path() / "x.npy.partial") == "mine");
  CHECK(std::filesystem::is_fifo(folder.path() / "x.npy.partial-1"));
  CHECK(std::filesystem::is_symlink(folder.path() / "x.npy.partial-2"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "x.npy.partial-3"));
}

TEST_CASE("whole file: two writers at once have a partial file each") {
  const DataFolder folder;
  const PartialFile first = make_partial_file(folder.path() / "x");
  const PartialFile second = make_partial_file(folder.path() / "x");
  CHECK(first.path == folder.path() / "x.partial");
  CHECK(second.path == folder.path() / "x.partial-1");
  CHECK((first.file && second.file));
}

TEST_CASE("whole file: the names of partial files are known again, and no others") {
  CHECK(without_partial_ending("x.npy.partial") == "x.npy");
  CHECK(without_partial_ending("x.npy.partial-12") == "x.npy");
  for (const char* const other : {"x.npy", "x.partial-", "x.partial-a", "x.partial.npy", "x.partial1"})
    CHECK(without_partial_ending(other) == other);
}

TEST_CASE("whole file: renamed as a new one, it replaces nothing") {
  const DataFolder folder;
  const std::filesystem::path partial = folder.write("x.partial", "new");
  const std::filesystem::path name = folder.write("x", "old");
  CHECK_FALSE(rename_to_new(partial, name));
  CHECK(errno == EEXIST);
  CHECK(content_of(name) == "old");
  std::filesystem::remove(name);
  CHECK(rename_to_new(partial, name));
  CHECK(content_of(name) == "new");
  CHECK_FALSE(std::filesystem::exists(partial));
}

}  // namespace hearsay::test::partial_file_test
