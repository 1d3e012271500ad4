#include "runtime/toml/nesting.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/toml/document.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::nesting_test {

namespace {

using Texts = std::vector<std::string>;

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

}  // namespace

TEST_CASE("toml depth: a key of 100,000 parts, or as many brackets, is refused before anyone descends") {
  const std::string parts = repeated("a.", 100'000) + "a";
  for (const std::string& text :
       {parts + " = 1", "[" + parts + "]", "[[" + parts + "]]", "x = {" + parts + " = 1}",
        "x = " + repeated("[", 100'000), "x = " + repeated("{a = ", 100'000),
        "x = " + repeated("{" + repeated("a.", 14) + "a = ", 40)})
    CHECK(
        contains(misuse_text([&] { parse_toml("\n" + text, "deep.toml"); }), "deep.toml:2: nested too deep"));
  CHECK_FALSE(parse_toml_value("{" + parts + " = 1}", "--set"));
}

TEST_CASE("toml depth: strings and comments neither open nor close anything") {
  const std::string brackets = repeated("[", 100);
  const std::string closed = repeated("]", 100);
  for (const std::string& quoted : {"\"" + brackets + "\\\"" + brackets + "\"", "'" + brackets + "\\'",
                                    "\"\"\"\n" + brackets + "\"\"\"\"\"", "'''\n" + brackets + "''''",
                                    "1 # \"" + brackets, "\"" + repeated("a.", 100) + "\""})
    CHECK_NOTHROW(parse_toml("x = " + quoted + "\ny = [1.5, 2.5]\n", "fine.toml"));
  // A bracket in a string or a comment closes nothing.
  for (const std::string& quoted : Texts{"\"]\"", "']'", "\"\"\"]\"\"\"\"", "'''\n]'''", "# ]\n"})
    CHECK(line_of_deep_nesting("x = " + repeated("[" + quoted + (quoted[0] == '#' ? "" : ", "), 40)));
  CHECK(line_of_deep_nesting(brackets + closed) == 1);
}

TEST_CASE("toml depth: keys of 16 parts and 32 brackets pass") {
  CHECK_FALSE(line_of_deep_nesting(repeated("a.", 15) + "a = 1.5\n" + repeated("b . ", 15) + "b = 1"));
  CHECK(line_of_deep_nesting("\n" + repeated("a . ", 16) + "a = 1") == 2);
  CHECK_FALSE(line_of_deep_nesting("x = " + repeated("[", 32) + repeated("]", 32) + "\ny = [[1]]"));
  CHECK(line_of_deep_nesting("x = " + repeated("[\n", 33)) == 33);
}

TEST_CASE("text files: one without an end is refused") {
  CHECK(misuse_text([] { read_text_file("/dev/zero"); }) ==
        "cannot read /dev/zero: it is longer than 64 MiB");
}

}  // namespace hearsay::nesting_test
