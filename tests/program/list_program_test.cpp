#include <doctest/doctest.h>

#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::list_program_test {

namespace {

/// Returns the example of a page, which stands indented below the line "  As NAME.toml:".
std::string example_on(const std::string& page, const std::string& name) {
  std::istringstream lines(page);
  std::string line;
  while (std::getline(lines, line) && line != "  As " + name + ".toml:") {
  }
  std::string text;
  while (std::getline(lines, line) && !line.starts_with("    hearsay check "))
    text += (line.empty() ? "" : line.substr(4)) + "\n";
  return text;
}

/// Returns the headings of a page: the lines that are not indented, its title aside.
std::vector<std::string> headings_of(const std::string& page) {
  std::vector<std::string> headings;
  std::istringstream lines(page);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line))
    if (!line.empty() && line.front() != ' ') headings.push_back(line);
  return headings;
}

}  // namespace

TEST_CASE("list NAME: the example of every method has all its options, and passes check as it is printed") {
  const DataFolder folder;
  const std::set<std::string> warned_of = {"naive"};  // whatever its settings
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const ProgramEnd page = run_program(folder.path(), {"list", method.name});
    REQUIRE_MESSAGE(page.code == 0, page.complained);
    const std::string example = example_on(page.said, method.name);
    for (const MethodOptions::Entry& option : method.options)
      CHECK_MESSAGE(contains(example, "\n" + option.row->name + " = "), option.row->name);
    folder.write(method.name + ".toml", example);
    const ProgramEnd check = run_program(folder.path(), {"check", method.name + ".toml"});
    CHECK_MESSAGE(check.code == 0, check.complained);
    // Weights that the method needs are no flaw of the example.
    const bool is_warned_of =
        contains(check.said, "warning") && !contains(check.said, "topology.weights = auto");
    CHECK_MESSAGE(is_warned_of == warned_of.contains(method.name), check.said);
  }
}

TEST_CASE("list NAME: the page of a method says what it computes, costs, needs and reads, in 110 columns") {
  const DataFolder folder;
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const std::string page = run_program(folder.path(), {"list", method.name}).said;
    const std::vector<std::string> headings = headings_of(page);
    REQUIRE(headings.size() >= 6);
    CHECK(headings[0] == "One iteration");
    CHECK(headings[1] == "What an iteration costs");
    CHECK(headings[2] == "Needs and limits");
    CHECK(headings[3] == "Options");
    CHECK(headings[4] == "An example");
    CHECK(headings.back() == "Source");
    CHECK_FALSE(contains(page, "`"));
  }
  const std::string choco = run_program(folder.path(), {"list", "choco-sgd"}).said;
  CHECK(contains(choco, "\n    xhat_i <- xhat_i + C(x_i - xhat_i)\n"));
  CHECK(contains(choco, "\n  momentum") == false);
  CHECK(contains(choco, "  consensus_step    number greater than 0 and at most 2; default 0.2\n"));
  CHECK(contains(choco, "    hearsay sweep bench/papers/choco-sgd.toml\n"));
  CHECK(contains(choco, "  * With 4 bits the peers send an eleventh of the bytes of 64-bit messages.\n"));
  CHECK(contains(choco, "algorithms/methods/choco_sgd.hpp"));
}

TEST_CASE(
    "list NAME: whatever `hearsay list` names has a page, in Markdown, too, and methods have their aliases") {
  const DataFolder folder;
  CHECK(run_program(folder.path(), {"list", "lead"}).said ==
        run_program(folder.path(), {"list", "cedas"}).said);
  CHECK(run_program(folder.path(), {"list", "topk"}).said.starts_with("topk  (compressor)\n"));
  CHECK(
      run_program(folder.path(), {"list", "--markdown", "topology", "torus"}).said.starts_with("# torus\n"));
  const std::string none = run_program(folder.path(), {"list", "none"}).said;
  for (const std::string heading : {"none  (compressor)", "none  (feedback)", "none  (regularizer)"})
    CHECK_MESSAGE(contains(none, heading), none);
  const std::string markdown = run_program(folder.path(), {"list", "--markdown", "method", "cedas"}).said;
  CHECK(markdown.starts_with("# cedas\n"));
  CHECK(contains(markdown, "```toml\n[run]\n"));
  CHECK(contains(markdown, "| bytes sent | deg (\\|C\\| + 64)"));
}

TEST_CASE("list NAME: a key has a page, in 110 columns and in Markdown, and a table of keys has none") {
  const DataFolder folder;
  const std::string page = run_program(folder.path(), {"list", "failure.join_later"}).said;
  CHECK(page.starts_with("failure.join_later  (key of [failure])\n"));
  CHECK(headings_of(page) ==
        std::vector<std::string>{"What it may be", "Keys that go with it", "An example", "What is refused"});
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 110);
  CHECK(run_program(folder.path(), {"list", "--markdown", "key", "fault"}).said.starts_with("# fault\n"));
  CHECK(run_program(folder.path(), {"list", "join_later"}).said == page);
  CHECK(contains(run_program(folder.path(), {"list", "failure"}).complained,
                 "expected hearsay list --keys failure"));
  CHECK(contains(run_program(folder.path(), {"list", "failure.lostafter"}).complained,
                 "nearest: failure.lost_after"));
}

TEST_CASE("list NAME: a name that nothing has is refused with the nearest one") {
  const DataFolder folder;
  const auto refused = [&](const std::vector<std::string>& words) {
    const ProgramEnd end = run_program(folder.path(), words);
    CHECK(end.code == 2);
    CHECK(end.said.empty());
    return end.complained;
  };
  CHECK(contains(refused({"list", "chocosgd"}), "nearest: choco-sgd"));
  CHECK(contains(refused({"list", "toruss"}), "nearest: torus"));
  CHECK(contains(refused({"list", "--markdown", "compressor", "choco-sgd"}), "NAME = choco-sgd"));
  CHECK(contains(refused({"list", "--markdown", "method"}), "expected a NAME after it"));
  CHECK(contains(refused({"list", "--markdown", "methods", "cedas"}), "expected no name"));
  CHECK(contains(refused({"list", "cedas", "--json"}), "expected hearsay list --json alone"));
}

}  // namespace hearsay::test::list_program_test
