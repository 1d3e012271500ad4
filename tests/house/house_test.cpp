#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "tests/house/house_rules.hpp"
#include "tests/house/rooms.hpp"
#include "tests/house/source_tree.hpp"
#include "tools/manual_tables.hpp"

using namespace hearsay;

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

/// Returns what all rules say about a tree, each sentence with its rule.
std::vector<std::pair<std::string, std::string>> verdicts(const SourceTree& tree) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const HouseRule& rule : house_rules())
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

const std::string fields_20 = [] {
  std::string text;
  for (int k = 0; k < 20; ++k) text += "  int field" + std::to_string(k) + "_ = 0;\n";
  return text;
}();

const std::string text_300 = [] {
  std::string text;
  for (int line = 0; line < 300; ++line) text += "int x;\n";
  return text;
}();

/// A tree that breaks one rule, and what the rule says about it.
struct Crime {
  std::string rule;
  std::vector<std::pair<std::string, std::string>> files;
  std::string said;
};

const std::vector<Crime> crimes = {
    {"the root holds the rooms and nothing else",
     {{"tests/utils/strings.hpp", "#pragma once\n"}},
     "tests/utils/strings.hpp:1: a folder called utils says nothing"},
    {"includes follow the rooms",
     {{"topology/graph.hpp", "#pragma once\n\n#include \"algorithms/arithmetic/vector.hpp\"\n"}},
     "topology/graph.hpp:3: \"algorithms/arithmetic/vector.hpp\": topology may not know "
     "algorithms/arithmetic"},
    {"includes follow the rooms",
     {{"topology/foundation/misuse.hpp", "#pragma once\n#include \"topology/graph.hpp\"\n"}},
     "topology/foundation/misuse.hpp:2: \"topology/graph.hpp\": topology/foundation may not know topology"},
    {"includes follow the rooms",
     {{"algorithms/seam/d.hpp", "#pragma once\n#include \"algorithms/methods/registry.hpp\"\n"}},
     "algorithms/seam/d.hpp:2: \"algorithms/methods/registry.hpp\": algorithms/seam may not know "
     "algorithms/methods"},
    {"includes follow the rooms",
     {{"runtime/peer/peer.hpp", "#pragma once\n#include \"runtime/wire/frame.hpp\"\n"}},
     "runtime/peer/peer.hpp:2: \"runtime/wire/frame.hpp\": runtime/peer may not know runtime/wire"},
    {"includes follow the rooms",
     {{"runtime/peer/peer.hpp", "#pragma once\n#  include \"tests/support/models.hpp\"\n"}},
     "runtime/peer/peer.hpp:2: \"tests/support/models.hpp\": runtime/peer may not know tests/support"},
    {"includes follow the rooms",
     {{"tools/sweep/d.hpp", "#pragma once\n#include \"tools/launch/parcel.hpp\"\n"}},
     "tools/sweep/d.hpp:2: \"tools/launch/parcel.hpp\": tools/sweep may not know tools/launch"},
    {"includes follow the rooms",
     {{"bench/bench.hpp", "#pragma once\n#include \"tools/terminal/table.hpp\"\n"}},
     "bench/bench.hpp:2: \"tools/terminal/table.hpp\": bench may not know tools/terminal"},
    {"includes follow the rooms",
     {{"topology/graph.hpp", "#pragma once\n#include \"peer_id.hpp\"\n"}},
     "topology/graph.hpp:2: \"peer_id.hpp\": headers are included from the root"},
    {"includes follow the rooms",
     {{"runtime/peer/peer.hpp", "#pragma once\n#include \"runtime/../runtime/zmq/clock.hpp\"\n"}},
     "runtime/peer/peer.hpp:2: \"runtime/../runtime/zmq/clock.hpp\": headers are included from the root"},
    {"includes follow the rooms",
     {{"runtime/peer/peer.hpp", "#pragma once\n#include <runtime/zmq/clock.hpp>\n"}},
     "runtime/peer/peer.hpp:2: <runtime/zmq/clock.hpp>: headers of the project stand in quotes"},
    {"includes follow the rooms",
     {{"runtime/peer/peer.hpp", "#pragma once\n#include CLOCK_HEADER\n"}},
     "runtime/peer/peer.hpp:2: CLOCK_HEADER: an include names its file"},
    {"includes follow the rooms",
     {{"algorithms/seam/d.inl", "#include \"algorithms/methods/registry.hpp\"\n"}},
     "algorithms/seam/d.inl:1: \"algorithms/methods/registry.hpp\": algorithms/seam may not know "
     "algorithms/methods"},
    {"every room has a README",
     {{"runtime/peer/peer.hpp", "#pragma once\n"}},
     "runtime/peer/README.md:1: is missing"},
    {"every room has a README",
     {{"runtime/attic/peer.hpp", "#pragma once\n"}, {"runtime/attic/README.md", "# Attic\n"}},
     "runtime/attic/peer.hpp:1: runtime/attic is no room of tests/house/rooms.cpp"},
    {"libraries follow the layers",
     {{"topology/CMakeLists.txt", "target_link_libraries(hearsay_topology PUBLIC hearsay_algorithms)\n"}},
     "topology/CMakeLists.txt:1: hearsay_algorithms: topology may not link what is above it"},
    {"libraries follow the layers",
     {{"runtime/CMakeLists.txt", "target_link_libraries(hearsay_runtime PUBLIC hearsay_tools)\n"}},
     "runtime/CMakeLists.txt:1: hearsay_tools: runtime may not link what is above it"},
    {"what belongs to few files stays there",
     {{"algorithms/seam/d.hpp", "#pragma once\n#include <thread>\n"}},
     "algorithms/seam/d.hpp:2: <thread>: topology and algorithms know no threads"},
    {"what belongs to few files stays there",
     {{"algorithms/seam/d.hpp", "#pragma once\nvoid f(std::mutex&);\n"}},
     "algorithms/seam/d.hpp:2: mutex: topology and algorithms know no threads"},
    {"what belongs to few files stays there",
     {{"algorithms/seam/d.hpp", "#pragma once\n#include <chrono>\n"}},
     "algorithms/seam/d.hpp:2: <chrono>: topology and algorithms know no clocks"},
    {"what belongs to few files stays there",
     {{"topology/d.hpp", "#pragma once\n#include <sys/socket.h>\n"}},
     "topology/d.hpp:2: <sys/socket.h>: topology and algorithms know no sockets"},
    {"what belongs to few files stays there",
     {{"topology/d.hpp", "#pragma once\n#include <fstream>\n"}},
     "topology/d.hpp:2: <fstream>: topology and algorithms know no files"},
    {"what belongs to few files stays there",
     {{"algorithms/seam/d.hpp", "#pragma once\n#include <spdlog/spdlog.h>\n"}},
     "algorithms/seam/d.hpp:2: <spdlog/spdlog.h>: topology and algorithms do not log"},
    {"what belongs to few files stays there",
     {{"topology/d.hpp", "#pragma once\nvoid f(const toml::table&);\n"}},
     "topology/d.hpp:2: toml: topology and algorithms know no file formats"},
    {"what belongs to few files stays there",
     {{"topology/d.hpp", "#pragma once\nvoid f(int model);\n"}},
     "topology/d.hpp:2: model: topology knows no models"},
    {"what belongs to few files stays there",
     {{"runtime/data/d.cpp", "#include <toml++/toml.h>\n"}, {"runtime/CMakeLists.txt", "data/d.cpp\n"}},
     "runtime/data/d.cpp:1: <toml++/toml.h>: TOML is read in one file"},
    {"what belongs to few files stays there",
     {{"runtime/process/d.hpp", "#pragma once\n#include <zmq.hpp>\n"}},
     "runtime/process/d.hpp:2: <zmq.hpp>: ZeroMQ belongs to runtime/zmq"},
    {"what belongs to few files stays there",
     {{"runtime/zmq/d.hpp", "#pragma once\nauto t = std::chrono::steady_clock::now();\n"}},
     "runtime/zmq/d.hpp:2: steady_clock: the real clock belongs to runtime/zmq/clock"},
    {"what belongs to few files stays there",
     {{"runtime/data/d.hpp", "#pragma once\n#include <nlohmann/json.hpp>\n"}},
     "runtime/data/d.hpp:2: <nlohmann/json.hpp>: JSON belongs to runtime/record and tools"},
    {"what belongs to few files stays there",
     {{"tools/sweep/d.hpp", "#pragma once\nint child = fork();\n"}},
     "tools/sweep/d.hpp:2: fork: processes are started by runtime/process and program, tools/launch, and "
     "runtime/network, which runs ip and tc"},
    {"what belongs to few files stays there",
     {{"runtime/peer/d.hpp", "#pragma once\n#include <sys/socket.h>\n"}},
     "runtime/peer/d.hpp:2: <sys/socket.h>: pure rooms know no sockets"},
    {"what belongs to few files stays there",
     {{"runtime/wire/d.hpp", "#pragma once\n#include <fstream>\n"}},
     "runtime/wire/d.hpp:2: <fstream>: pure rooms know no files"},
    {"what belongs to few files stays there",
     {{"runtime/peer/d.hpp", "#pragma once\n#include \"runtime/foundation/whole_file.hpp\"\n"}},
     "runtime/peer/d.hpp:2: \"runtime/foundation/whole_file.hpp\": pure rooms open no files by others' "
     "hands"},
    {"what belongs to few files stays there",
     {{"runtime/wire/d.hpp", "#pragma once\nauto home = std::getenv(\"HOME\");\n"}},
     "runtime/wire/d.hpp:2: getenv: pure rooms know neither clocks nor what the machine says"},
    {"what belongs to few files stays there",
     {{"runtime/session/d.hpp", "#pragma once\nstd::mutex waits;\n"}},
     "runtime/session/d.hpp:2: mutex: pure rooms know no threads"},
    {"what belongs to few files stays there",
     {{"runtime/observer/d.hpp", "#pragma once\nint self = getpid();\n"}},
     "runtime/observer/d.hpp:2: getpid: pure rooms know no processes"},
    {"what belongs to few files stays there",
     {{"runtime/simulator/d.hpp", "#pragma once\nauto t = std::chrono::system_clock::now();\n"}},
     "runtime/simulator/d.hpp:2: system_clock: the real clock belongs to runtime/zmq/clock"},
    {"what belongs to few files stays there",
     {{"runtime/data/d.hpp", "#pragma once\nvoid f(boost::any);\n"}},
     "runtime/data/d.hpp:2: boost: Boost stays in topology's sources"},
    {"what belongs to few files stays there",
     {{"runtime/data/d.hpp", "#pragma once\nvoid f(CLI::App&);\n"}},
     "runtime/data/d.hpp:2: CLI: the command line belongs to tools"},
    {"what belongs to few files stays there",
     {{"runtime/peer/d.hpp", "#pragma once\nvoid f() { std::puts(\"lost\"); }\n"}},
     "runtime/peer/d.hpp:2: puts: the library prints nothing: a Notice takes what is to be said"},
    {"what belongs to few files stays there",
     {{"tests/d.hpp", "#pragma once\nstd::random_device seed;\n"}},
     "tests/d.hpp:2: random_device: random numbers are our own, so that every machine draws the same"},
    {"what belongs to few files stays there",
     {{"tests/d.hpp", "#pragma once\nstd::this_thread::sleep_for(1s);\n"}},
     "tests/d.hpp:2: sleep_for: nothing sleeps to wait for something"},
    {"headers are light",
     {{"algorithms/seam/d.hpp", "#pragma once\n#include <Eigen/Dense>\n"}},
     "algorithms/seam/d.hpp:2: <Eigen/Dense>: too heavy for a header"},
    {"headers are light",
     {{"topology/d.hpp", "#pragma once\n#include <boost/graph/graph_traits.hpp>\n"}},
     "topology/d.hpp:2: <boost/graph/graph_traits.hpp>: too heavy for a header"},
    {"every header has #pragma once",
     {{"topology/d.hpp", "// #pragma once\nint x;\n"}},
     "topology/d.hpp:1: no #pragma once"},
    {"no file is longer than 400 lines",
     {{"topology/d.cpp", text_300 + text_300}, {"topology/CMakeLists.txt", "d.cpp\n"}},
     "topology/d.cpp:401: 600 lines, split at 400"},
    {"no class has more than 20 fields",
     {{"runtime/peer/a.hpp",
       "#pragma once\n\nclass Peer\n    : public Named {\n  struct Part {\n    int own_;\n  };\n" +
           fields_20 + "  std::map<int, int> last_{};\n};\n"}},
     "runtime/peer/a.hpp:3: Peer has 21 fields, 20 are allowed"},
    {"the functions of a class stand in one file",
     {{"runtime/peer/a.cpp",
       "void Peer<Scalar>::start() {}\nint Peer<Scalar>::Part::size() const { return 1; }\n"},
      {"runtime/peer/b.cpp",
       "int Other::size() const { return Peer<float>::most; }\n\nvoid Peer<Scalar>::stop() {}\n"},
      {"runtime/CMakeLists.txt", "peer/a.cpp\npeer/b.cpp\n"}},
     "runtime/peer/b.cpp:3: functions of Peer stand in runtime/peer/a.cpp, too"},
    {"the functions of a class stand in one file",
     {{"runtime/peer/a.cpp", "template <class Scalar> void Peer<Scalar>::start() {}\n"},
      {"runtime/peer/b.cpp", "template <class Scalar>\nvoid Peer<Scalar>::stop() {}\n"},
      {"runtime/CMakeLists.txt", "peer/a.cpp\npeer/b.cpp\n"}},
     "runtime/peer/b.cpp:2: functions of Peer stand in runtime/peer/a.cpp, too"},
    {"the front page has at most 200 lines",
     {{"README.md", text_300}},
     "README.md:201: 300 lines, 200 are allowed"},
    {"links of pages lead somewhere",
     {{"README.md", "# A page\n\n[here](#a-page), [there](README.md), [gone](runtime/attic)\n"}},
     "README.md:3: runtime/attic leads nowhere"},
    {"links of pages lead somewhere",
     {{"tests/README.md", "# A page\n\n[it](../tests/README.md#a-page), [other](#another-page)\n"}},
     "tests/README.md:3: #another-page leads nowhere"},
    {"no comment goes beyond 110 columns",
     {{"topology/d.hpp", "#pragma once\n// " + std::string(108, 'x') + "\n"}},
     "topology/d.hpp:2: a comment of 111 columns"},
    {"nothing is left to do",
     {{"topology/d.hpp", std::string("#pragma once\n// TO") + "DO: the rest\n"}},
     std::string("topology/d.hpp:2: TO") + "DO: do it or file an issue"},
    {"no flag changes the arithmetic",
     {{"CMakeLists.txt", "add_compile_options(-O2\n  -ffast-math)\n"}},
     "CMakeLists.txt:2: -ffast-math: the bits of a run may not depend on it"},
    {"no tabs, no trailing whitespace, a newline at the end",
     {{"README.md", "# hearsay\n\n\tcode\n"}},
     "README.md:3: a tab"},
    {"no tabs, no trailing whitespace, a newline at the end",
     {{"README.md", "# hearsay \n"}},
     "README.md:1: trailing whitespace"},
    {"no tabs, no trailing whitespace, a newline at the end",
     {{"README.md", "# hearsay\nend"}},
     "README.md:2: no newline at the end"},
    {"every source is built",
     {{"tests/d_test.cpp", "int x;\n"}, {"tests/CMakeLists.txt", "other_test.cpp\n"}},
     "tests/d_test.cpp:1: named in no CMakeLists.txt, so never built"},
    {"every source is built",
     {{"runtime/peer/d.cpp", "int x;\n"}, {"runtime/CMakeLists.txt", "  wire/*.cpp other_peer/*.cpp\n"}},
     "runtime/peer/d.cpp:1: named in no CMakeLists.txt, so never built"},
    {"ctest runs every test",
     {{"tests/house/d.cpp", "TEST_CASE(\n    \"a: one\"\n    \"; two\") {}\n"},
      {"tests/CMakeLists.txt", "house/*.cpp\n"}},
     "tests/house/d.cpp:3: a test's name has a semicolon, so ctest does not run it"},
};

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

TEST_CASE("house: every rule can be broken, and is then the only one to complain, by file and line") {
  for (const Crime& crime : crimes) {
    CAPTURE(crime.rule);
    CAPTURE(crime.said);
    const bool wants_readmes = crime.rule != "every room has a README";
    const auto said = verdicts(wants_readmes ? tree_with_readmes(crime.files) : tree_of(crime.files));
    REQUIRE(said.size() == 1);
    CHECK(said.front().first == crime.rule);
    CHECK(said.front().second == crime.said);
  }
  for (const HouseRule& rule : house_rules()) {
    CAPTURE(rule.name);
    CHECK(std::any_of(crimes.begin(), crimes.end(),
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
  const auto said =
      verdicts(tree_with_readmes({{"algorithms/seam/d.hpp",
                                   "#pragma once\n"
                                   "/* a */ std::mutex first;\n"
                                   "char c = '\\''; std::mutex second;  // '\n"
                                   "const char* s = \"//\"; long n = 1'000; std::mutex third; const "
                                   "char* r = R\"(\n)\"; std::mutex fourth;\n"}}));
  CHECK(said.size() == 4);
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
    for (const std::string& violation :
         stale_table(project(), std::string(table.readme), std::string(table.name), table.text()))
      FAIL_CHECK(violation);
}

TEST_CASE("house: a table that says something else, does not end or is not there is stale") {
  const std::string begin = "# parts\n\n<!-- generated: hearsay list --markdown parts -->\n";
  const std::string end = "<!-- end of what is generated -->\n";
  const auto stale = [](const std::string& page) {
    return stale_table(tree_of({{"README.md", page}}), "README.md", "parts", "| a |\n| b |\n");
  };
  CHECK(stale(begin + "| a |\n| b |\n" + end).empty());
  const Violations renew = {
      "README.md:3: the table of parts is stale; tools/renew_tables.sh writes what the registries say"};
  CHECK(stale(begin + "| a |\n" + end) == renew);
  CHECK(stale(begin + "| a |\n| c |\n" + end) == renew);
  CHECK(stale(begin + "| a |\n| b |\n") == renew);
  CHECK(stale("# parts\n") == Violations{"README.md:1: has no table of parts"});
}

TEST_CASE("house: subcommands are those the program adds") {
  const SourceTree tree = tree_of({{"tools/run.cpp", "program.command(\"run\", \"text\");\n"},
                                   {"tools/peer.cpp", "program.command(\n      \"peer\", \"text\");\n"}});
  CHECK(subcommands(tree) == std::vector<std::string>{"run", "peer"});
}
