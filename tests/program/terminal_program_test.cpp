#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::terminal_program_test {

namespace {

/// Returns what a run of the program writes on the standard error if that is a terminal of this kind. It has
/// to be short, since nobody reads it before the end.
std::string on_terminal(const DataFolder& folder, const std::string& kind,
                        const std::vector<std::string>& words) {
  const int screen = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  REQUIRE(screen >= 0);
  REQUIRE(grantpt(screen) == 0);
  REQUIRE(unlockpt(screen) == 0);
  const std::string name = ptsname(screen);
  // Held open, so that what was written stays until it is read.
  const int held = open(name.c_str(), O_RDWR | O_NOCTTY);
  const ProgramEnd end = run_program(folder.path(), words, [&] {
    setenv("TERM", kind.c_str(), 1);
    dup2(open(name.c_str(), O_RDWR | O_NOCTTY), STDERR_FILENO);
  });
  CHECK(end.code == 0);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t count; (count = read(screen, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(count));
  close(held);
  close(screen);
  return text;
}

}  // namespace

TEST_CASE("terminal: a notice never stands behind the line of progress, but in its place") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const std::string text = on_terminal(folder, "xterm", {"run", "q.toml", "--live", "--output", "out"});
  const std::size_t live = text.find("hearsay: live at http://127.0.0.1:");
  REQUIRE(live != std::string::npos);
  CHECK(text.substr(0, live).ends_with("\r\033[K"));
  CHECK(text.find("/20 ") != std::string::npos);
}

TEST_CASE("terminal: one that understands no codes is sent none") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  for (const std::string kind : {"dumb", ""}) {
    CAPTURE(kind);
    const std::string text =
        on_terminal(folder, kind, {"run", "q.toml", "--live", "--output", "out", "--overwrite"});
    CHECK(text.find("hearsay: live at") != std::string::npos);
    CHECK(text.find('\033') == std::string::npos);
  }
}

}  // namespace hearsay::test::terminal_program_test
