#include "tools/manual/page.hpp"

#include <doctest/doctest.h>

namespace hearsay::test::page_test {

namespace {

Page small_page() {
  Page page{.title = "sum", .kind = "method", .summary = "adds `all` up.", .parts = {}};
  Entries options{.headings = {"key", "type", "what it says"}, .entries = {}, .are_code = true};
  options.entries.push_back({"step", "number", "how far, see [there](there.md)"});
  options.entries.push_back({"a_name_of_twenty_two_c", "text", "|x|"});
  page.parts.push_back({"Options", {options}});
  page.parts.push_back(
      {"Example", {Paragraphs{{"**As** it stands:"}}, Listing{"sh", "run | tee a\n\nrun b\n"}}});
  return page;
}

}  // namespace

TEST_CASE("page: in a terminal the marks of Markdown are gone, and long names have lines of their own") {
  CHECK(page_text(small_page()) ==
        "sum  (method)\n"
        "  adds all up.\n"
        "\n"
        "Options\n"
        "  step  number\n"
        "        how far, see there\n"
        "  a_name_of_twenty_two_c\n"
        "        text\n"
        "        |x|\n"
        "\n"
        "Example\n"
        "  As it stands:\n"
        "\n"
        "    run | tee a\n"
        "\n"
        "    run b\n");
}

TEST_CASE("page: in Markdown entries are a table, in which bars are escaped, and listings are fenced") {
  CHECK(page_markdown(small_page()) ==
        "# sum\n"
        "\n"
        "method: adds `all` up.\n"
        "\n"
        "## Options\n"
        "\n"
        "| key | type | what it says |\n"
        "| --- | --- | --- |\n"
        "| `step` | number | how far, see [there](there.md) |\n"
        "| `a_name_of_twenty_two_c` | text | \\|x\\| |\n"
        "\n"
        "## Example\n"
        "\n"
        "**As** it stands:\n"
        "\n"
        "```sh\n"
        "run | tee a\n"
        "\n"
        "run b\n"
        "```\n");
}

TEST_CASE("page: text is broken at 110 columns") {
  Page page{.title = "x", .kind = "y", .summary = {}, .parts = {}};
  for (int word = 0; word < 60; ++word) page.summary += "word ";
  CHECK(page_text(page).find("\n  " + page.summary.substr(0, 104) + "\n") != std::string::npos);
}

}  // namespace hearsay::test::page_test
