#include "runtime/program/program_process.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/data_files.hpp"

namespace hearsay::test::program_process_test {

namespace {

/// Starts two processes that hold 50 MB each, writes their numbers down, and ends once they have it.
const std::string leaves_two_behind = R"sh(
mkfifo holding ending
exec 3<> holding
for each in 1 2; do
  ( held=$(head -c 50000000 /dev/zero | tr '\0' x); echo ready >&3; read -r end < ending ) &
  echo $! >> left_behind
done
read -r one <&3; read -r two <&3
)sh";

bool has_ended(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == text.npos || text.substr(name_end + 2, 1) == "Z";
}

}  // namespace

TEST_CASE("program: when it has ended, so has what it has forked, its memory given back") {
  const DataFolder folder;
  ProgramProcess::Started program =
      ProgramProcess::start({.words = {"sh", "-c", leaves_two_behind}, .directory = folder.path()});
  REQUIRE(program.process.has_ended(-1));
  CHECK_FALSE(program.process.ended_badly());
  std::ifstream left_behind(folder.path() / "left_behind");
  int counted = 0;
  for (std::string process; left_behind >> process; ++counted) CHECK(has_ended(process));
  CHECK(counted == 2);
}

}  // namespace hearsay::test::program_process_test
