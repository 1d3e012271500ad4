#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "tests/house/crimes.hpp"
#include "tests/house/house_rules.hpp"
#include "tests/house/rooms.hpp"
#include "tests/house/source_tree.hpp"
#include "tools/manual/method_page.hpp"
#include "tools/manual_tables.hpp"
#include "tools/terminal/exit_code.hpp"

namespace hearsay::house_test {

namespace {

const SourceTree& project() {
  static const SourceTree tree = read_source_tree(HEARSAY_SOURCE_DIR);
  return tree;
}

SourceTree tree_of(const std::vector<std::pair<std::string, std::string>>& files,
                   std::vector<std::string> top_level = {}) {
  SourceTree tree{.top_level = std::move(top_level), .files = {}};
  for (const auto& [path, text] : files) tree.files.push_back(source_file(path, text));
  return tree;
}

/// Returns a tree of these files, with a README in every folder that has sources.
SourceTree tree_with_readmes(std::vector<std::pair<std::string, std::string>> files) {
  std::set<std::string> readmes;
  for (const auto& [path, text] : files)
    if (path.find('/') != path.npos && !path.starts_with("tests/"))
      readmes.insert(path.substr(0, path.rfind('/')) + "/README.md");
  for (const std::string& readme : readmes) files.emplace_back(readme, "# A room\n");
  return tree_of(files);
}

const std::string no_dead_definitions = "what is defined is used";

/// Returns what all rules say about a few lines, each sentence with its rule. Nobody uses what they define,
/// so the rule about that is asked only if they are about it.
std::vector<std::pair<std::string, std::string>> verdicts(const SourceTree& tree,
                                                          const std::string& about = {}) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const HouseRule& rule : house_rules())
    if (rule.name != no_dead_definitions || rule.name == about)
      for (const std::string& violation : rule.check(tree)) all.emplace_back(rule.name, violation);
  return all;
}

/// Returns every NAME in .command("NAME", ...) of the program, the string on the same line or the next.
std::vector<std::string> subcommands(const SourceTree& tree) {
  static const std::regex call("\\.command\\(\\s*\"([^\"]+)\"");
  std::vector<std::string> names;
  for (const SourceFile& file : tree.files) {
    if (!file.path.starts_with("tools/")) continue;
    std::string text;
    for (const std::string& line : file.lines) text += line + "\n";
    for (std::sregex_iterator found(text.begin(), text.end(), call), end; found != end; ++found)
      names.push_back((*found)[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("house: the project was read") {
  CHECK(project().files.size() > 100);
  CHECK(std::count(project().top_level.begin(), project().top_level.end(), "topology") == 1);
}

TEST_CASE("house: the project keeps every rule") {
  for (const HouseRule& rule : house_rules()) {
    CAPTURE(rule.name);
    for (const std::string& violation : rule.check(project())) FAIL_CHECK(violation);
  }
}

TEST_CASE("house: algorithms' README names every method, tools' README every subcommand") {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods()) names.push_back(method.name);
  for (const std::string& violation : missing_in_readme(project(), "algorithms/README.md", names))
    FAIL_CHECK(violation);
  REQUIRE(!subcommands(project()).empty());
  for (const std::string& violation : missing_in_readme(project(), "tools/README.md", subcommands(project())))
    FAIL_CHECK(violation);
}

TEST_CASE("house: the page of a method names its header, beside which stands the source that defines it") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const std::string stem = "algorithms/methods/" + source_stem(method);
    const auto source = std::ranges::find(project().files, stem + ".cpp", &SourceFile::path);
    CHECK(std::ranges::find(project().files, stem + ".hpp", &SourceFile::path) != project().files.end());
    REQUIRE(source != project().files.end());
    CHECK(std::ranges::any_of(source->lines, [&](const std::string& line) {
      return line.find('"' + method.name + '"') != std::string::npos;
    }));
  }
}

TEST_CASE("house: every exit code has a page") {
  for (const ExitMeaning& exit : exit_meanings) {
    const std::string page = "tools/manual/exit-codes/" + std::to_string(exit.code) + ".md";
    CHECK_MESSAGE(std::ranges::find(project().files, page, &SourceFile::path) != project().files.end(), page);
  }
}

TEST_CASE("house: every rule can be broken, and is then the only one to complain, by file and line") {
  for (const Crime& crime : crimes()) {
    CAPTURE(crime.rule);
    CAPTURE(crime.said);
    const bool wants_readmes = crime.rule != "every room has a README";
    const auto said =
        verdicts(wants_readmes ? tree_with_readmes(crime.files) : tree_of(crime.files), crime.rule);
    REQUIRE(said.size() == 1);
    CHECK(said.front().first == crime.rule);
    CHECK(said.front().second == crime.said);
  }
  for (const HouseRule& rule : house_rules()) {
    CAPTURE(rule.name);
    CHECK(std::any_of(crimes().begin(), crimes().end(),
                      [&](const Crime& crime) { return crime.rule == rule.name; }));
  }
}

TEST_CASE("house: the rooms are a DAG: each stands after every room that it may know, and has files") {
  std::set<std::string> below;
  for (const Room& room : rooms()) {
    CAPTURE(room.folder);
    for (const std::string& known : room.may_know) CHECK_MESSAGE(below.contains(known), known);
    CHECK(below.insert(room.folder).second);
    CHECK(std::ranges::any_of(project().files, [&](const SourceFile& file) {
      return file.is_cpp() && file.path.substr(0, file.path.rfind('/')) == room.folder;
    }));
  }
}

TEST_CASE("house: a stranger in the root is named") {
  const auto said = verdicts(tree_of({}, {"src", "topology"}));
  REQUIRE(said.size() == 1);
  CHECK(said.front().second == "src:1: has no place in the root");
}

TEST_CASE("house: comments, strings and longer names do not count") {
  const auto said =
      verdicts(tree_with_readmes({{"algorithms/seam/d.hpp",
                                   "#pragma once\n"
                                   "// <thread> std::mutex steady_clock\n"
                                   "/* #include <thread>\n"
                                   "   sleep_for */ int threads = 1'000'000;\n"
                                   "const char* a = \"std::mutex \\\" steady_clock\";\n"
                                   "const char* b = R\"x(a \" mutex )\" )x\"; char c = '\"';\n"}}));
  CHECK(said.empty());
}

TEST_CASE("house: code is found beside comments, literals and digit separators") {
  const auto said = verdicts(tree_with_readmes({{"algorithms/seam/d.hpp",
                                                 "#pragma once\n"
                                                 "/* a */ mutex first;\n"
                                                 "char c = '\\''; mutex second;  // '\n"
                                                 "const char* s = \"//\"; long n = 1'000; mutex third; const "
                                                 "char* r = R\"(\n)\"; mutex fourth;\n"}}));
  CHECK(said.size() == 4);
}

TEST_CASE("house: the rows of a table are no lines of a function, nor are those of a class around it") {
  const auto text = [](const std::string& begin, const std::string& row, const std::string& end) {
    std::string all = "#pragma once\n" + begin;
    for (int k = 0; k < 70; ++k) all += row;
    return all + end;
  };
  for (const std::string& code :
       {text("auto f() {\n  static const Rows rows = {\n", "      {1, {2, g({\n3})}},\n", "  };\n}\n"),
        text("auto f() {\n  return Map<int, int>{\n", "      {1, 2},\n", "  };\n}\n"),
        text("void f() {\n  for (const Row& row : {\n", "      {1},\n", "  }) use(row);\n}\n"),
        text("class A final : public B<int(int)> {\n", "  int size() { return 1; }\n", "};\n"),
        text("namespace a {\nenum class B : int {\n", "  c,\n", "};\n}\n"),
        text("const Rows rows = {\n", "    {1, [] {\n       return 2; }},\n", "};\n")}) {
    CAPTURE(code);
    CHECK(verdicts(tree_with_readmes({{"tools/d.hpp", code}})).empty());
  }
}

TEST_CASE("house: what a caller of the library uses, or a library calls, is not dead") {
  const auto said =
      verdicts(tree_with_readmes({{"tools/d.hpp",
                                   "#pragma once\n"
                                   "int offered(int x);\n"
                                   "class Out : Buffer {\n"
                                   "  int overflow(int c) override;\n"
                                   "  bool operator==(const Out&) const = default;\n"
                                   "  ~Out();\n"
                                   "};\n"
                                   "template <class T>\n"
                                   "struct hash<T> {};\n"
                                   "MACRO(int)\n"},
                                  {"tests/consumer/d.hpp", "#pragma once\nOut out(offered(3));\n"}}),
               no_dead_definitions);
  for (const auto& [rule, violation] : said) FAIL_CHECK(violation);
}

TEST_CASE("house: a README that leaves out a method is told which") {
  const std::string readme = "algorithms/README.md";
  const SourceTree tree = tree_of({{"README.md", "dcd-psgd\n"}, {readme, "# hearsay\n\nd-psgd, beer\n"}});
  CHECK(missing_in_readme(tree, readme, {"d-psgd", "beer"}).empty());
  CHECK(missing_in_readme(tree, readme, {"dcd-psgd"}) ==
        Violations{readme + ":1: does not mention dcd-psgd"});
  CHECK(missing_in_readme(tree_of({}), readme, {"beer"}) == Violations{readme + ":1: is missing"});
}

TEST_CASE("house: tables in the READMEs are what the registries say") {
  for (const ManualTable& table : manual_tables())
    for (const std::string& violation : stale_table(project(), std::string(table.name), table.text()))
      FAIL_CHECK(violation);
}

TEST_CASE("house: a table that says something else, does not end or is not there is stale") {
  const std::string begin = "# parts\n\n<!-- generated: hearsay list --markdown parts -->\n";
  const std::string end = "<!-- end of what is generated -->\n";
  const auto stale = [](const std::string& page) {
    return stale_table(tree_of({{"README.md", page}}), "parts", "| a |\n| b |\n");
  };
  CHECK(stale(begin + "| a |\n| b |\n" + end).empty());
  const Violations renew = {
      "README.md:3: the table of parts is stale; tools/renew_tables.sh writes what the registries say"};
  CHECK(stale(begin + "| a |\n" + end) == renew);
  CHECK(stale(begin + "| a |\n| c |\n" + end) == renew);
  CHECK(stale(begin + "| a |\n| b |\n") == renew);
  CHECK(stale("# parts\n") == Violations{"README.md:1: no page has the table of parts"});
}

TEST_CASE("house: subcommands are those the program adds") {
  const SourceTree tree = tree_of({{"tools/run.cpp", "program.command(\"run\", \"text\");\n"},
                                   {"tools/peer.cpp", "program.command(\n      \"peer\", \"text\");\n"}});
  CHECK(subcommands(tree) == std::vector<std::string>{"run", "peer"});
}

}  // namespace hearsay::house_test
