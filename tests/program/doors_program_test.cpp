#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/key_reference.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::doors_program_test {

namespace {

using Words = std::vector<std::string>;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Returns the words of a command line that has no quotes but "...".
Words words_of(const std::string& line) {
  static const std::regex word("(?:[^ \"]|\"[^\"]*\")+");
  Words words;
  for (std::sregex_iterator match(line.begin(), line.end(), word), end; match != end; ++match)
    words.push_back(std::regex_replace(match->str(), std::regex("\""), ""));
  return words;
}

/// Returns the command lines at the end of a help.
Words examples_in(const std::string& help) {
  Words examples;
  const std::size_t begin = help.find("Examples:\n");
  if (begin == std::string::npos) return examples;
  for (const std::string& line : lines_of(help.substr(begin)))
    if (line.starts_with("    hearsay ")) examples.push_back(line.substr(4));
  return examples;
}

Words commands_of_the_program(const DataFolder& folder) {
  const std::string help = run_program(folder.path(), {"--help"}).said;
  Words names;
  for (const std::string& line : lines_of(help.substr(help.find("Subcommands:"))))
    if (line.starts_with("  ") && line[2] != ' ') names.push_back(line.substr(2, line.find(' ', 2) - 2));
  return names;
}

}  // namespace

TEST_CASE("new: every kind, as it is written, can be checked, and says how to go on") {
  const DataFolder folder;
  for (const std::string kind : {"quickstart", "full-precision", "hosts", "sweep"}) {
    CAPTURE(kind);
    const std::string file = "my " + kind + ".toml";
    const ProgramEnd end = run_program(folder.path(), {"new", kind, file});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    CHECK(contains(end.said, file + (kind == "hosts" ? " and my hosts-topology.toml written" : " written")));
    const std::string text = content_of(folder.path() / file);
    CHECK_FALSE(contains(text, "tools/examples"));
    CHECK_FALSE(contains(text, "\"cluster.toml\""));
    CHECK(contains(end.said, "    hearsay " +
                                 std::string(kind == "sweep"   ? "sweep"
                                             : kind == "hosts" ? "peer"
                                                               : "run") +
                                 " '" + file + "'"));
    const ProgramEnd check = run_program(folder.path(), {"check", file, "--quiet"});
    CHECK_MESSAGE(check.code == 0, check.complained);
  }
  CHECK_FALSE(contains(content_of(folder.path() / "my hosts-topology.toml"), "tools/examples"));
}

TEST_CASE(
    "new: in full precision it writes d-psgd with one neighbor a round, which runs with any number of "
    "peers") {
  const DataFolder folder;
  const std::string text = run_program(folder.path(), {"new", "full-precision"}).said;
  RunSettings settings = parse_run(text, ".", {}, "full-precision.toml");
  CHECK(settings.algorithm.kind == "d-psgd");
  CHECK(settings.topology.schedule == "one-peer-exponential");
  for (const PeerId peers : {1u, 2u, 3u, 6u, 8u, 12u}) {
    CAPTURE(peers);
    settings.topology.peers = peers;
    const auto experiment = prepare<float>(settings);
    CHECK(experiment.warnings.empty());
    for (std::uint64_t round = 0; round < *experiment.schedule->period(); ++round)
      CHECK(experiment.schedule->row(0, round).heard_by.size() == (peers > 1 ? 1 : 0));
  }
}

TEST_CASE("new: in full precision the loss falls from the first evaluation on") {
  const DataFolder folder;
  folder.write("run.toml", run_program(folder.path(), {"new", "full-precision"}).said);
  const ProgramEnd end = run_program(
      folder.path(), {"simulate", "run.toml", "--quiet", "--output", "out", "--set", "network.compute=1 ms"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const RunRecord record = record_of(folder.path() / "out");
  CHECK(record.summary["status"] == "target");
  double least = std::numeric_limits<double>::infinity();
  for (const std::string& line : record.evaluations) {
    const double loss = nlohmann::json::parse(line)["loss"];
    CHECK(loss < least);
    least = loss;
  }
}

TEST_CASE("new: the kind is quickstart and the file is the standard output, unless they are given") {
  const DataFolder folder;
  const ProgramEnd end = run_program(folder.path(), {"new"});
  CHECK(end.code == 0);
  CHECK(end.said == run_program(folder.path(), {"new", "quickstart"}).said);
  CHECK_NOTHROW(parse_run(end.said, ".", {}, "quickstart.toml"));
  CHECK(contains(run_program(folder.path(), {"new", "sweep"}).said, "[[sweep.variant]]"));
  const ProgramEnd two = run_program(folder.path(), {"new", "hosts"});
  CHECK(two.code == 2);
  CHECK(
      contains(two.complained, "writes two files; give the first one a name: hearsay new hosts hosts.toml"));
}

TEST_CASE("new: a line that is commented out is valid without its #") {
  const DataFolder folder;
  const std::string text = run_program(folder.path(), {"new"}).said;
  const std::string all = std::regex_replace(text, std::regex("\n# ([a-z_]+ = )"), "\n$1");
  REQUIRE(all != text);
  const RunSettings settings = parse_run(all, ".", {}, "quickstart.toml");
  CHECK(settings.run.keep == RunSettings::Run::Keep::best);
  CHECK(settings.run.patience == 10);
  CHECK(settings.algorithm.clip == 1.0);
  CHECK(settings.network.compute.kind == ComputeTime::Kind::constant);
}

TEST_CASE("new: a file that is there is replaced with --overwrite only, of two files neither or both") {
  const DataFolder folder;
  folder.write("mine.toml", "mine");
  const ProgramEnd refused = run_program(folder.path(), {"new", "sweep", "mine.toml"});
  CHECK(refused.code == 2);
  CHECK(contains(refused.complained, "mine.toml: it is there; --overwrite replaces it"));
  CHECK(content_of(folder.path() / "mine.toml") == "mine");
  CHECK(run_program(folder.path(), {"new", "sweep", "mine.toml", "--overwrite"}).code == 0);
  CHECK(contains(content_of(folder.path() / "mine.toml"), "[[sweep.variant]]"));

  folder.write("two-topology.toml", "mine");
  CHECK(run_program(folder.path(), {"new", "hosts", "two.toml"}).code == 2);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "two.toml"));
}

TEST_CASE("new: an unknown kind and a name that a comment cannot hold are refused") {
  const DataFolder folder;
  const ProgramEnd kind = run_program(folder.path(), {"new", "sweeep"});
  CHECK(kind.code == 2);
  CHECK(contains(kind.complained, "knows no such kind, did you mean sweep?"));
  const ProgramEnd name = run_program(folder.path(), {"new", "sweep", "two\nlines.toml"});
  CHECK(name.code == 2);
  CHECK(contains(name.complained, "expected a name of one line"));
}

TEST_CASE("list: every key is there with its type, default and readers, in lines of 110 columns") {
  const DataFolder folder;
  const std::string text = run_program(folder.path(), {"list", "--keys"}).said;
  for (const std::string& line : lines_of(text)) {
    CAPTURE(line);
    CHECK(line.size() <= 110);
  }
  for (const KeyInfo& info : key_reference()) CHECK(contains(text, "\n  " + info.key));
  const auto records = nlohmann::json::parse(run_program(folder.path(), {"list", "--keys", "--json"}).said);
  REQUIRE(records.size() == key_reference().size());
  for (std::size_t k = 0; k < records.size(); ++k) {
    const KeyInfo& info = key_reference()[k];
    CHECK(records[k]["key"] == info.key);
    CHECK(records[k]["default"] == info.default_value);
    CHECK(records[k]["read_by"] == info.read_by);
  }
}

TEST_CASE("list: the keys of one table, or one key, another name is refused with the nearest") {
  const DataFolder folder;
  const std::string network = run_program(folder.path(), {"list", "--keys", "network"}).said;
  CHECK(network.starts_with("[network]\n  network.bandwidth "));
  CHECK_FALSE(contains(network, "run.seed"));
  CHECK(
      run_program(folder.path(), {"list", "--keys", "run.seed"}).said ==
      "[run]\n"
      "  run.seed                  whole number >= 0; default 1\n"
      "                            of all random streams: data, minibatches, rounding, schedules, jitter\n");
  const ProgramEnd wrong = run_program(folder.path(), {"list", "--keys", "netwrok"});
  CHECK(wrong.code == 2);
  CHECK(contains(wrong.complained, "did you mean network?"));
  const ProgramEnd without = run_program(folder.path(), {"list", "network"});
  CHECK(without.code == 2);
  CHECK(contains(without.complained, "expected hearsay list --keys network"));
}

TEST_CASE("help: `help` and `help COMMAND` say the same as --help, and -V the same as --version") {
  const DataFolder folder;
  const std::string help = run_program(folder.path(), {"--help"}).said;
  CHECK(run_program(folder.path(), {"help"}).said == help);
  CHECK(contains(help, "Exit codes:\n    0    done"));
  CHECK(contains(help, "\n    130  interrupted\n"));
  CHECK(run_program(folder.path(), {"help", "run"}).said ==
        run_program(folder.path(), {"run", "--help"}).said);
  CHECK(run_program(folder.path(), {"help", "keys", "new"}).said ==
        run_program(folder.path(), {"keys", "new", "--help"}).said);
  CHECK(run_program(folder.path(), {"-V"}).said == run_program(folder.path(), {"--version"}).said);
  CHECK(run_program(folder.path(), {"-V"}).said.starts_with("hearsay "));
  const ProgramEnd unknown = run_program(folder.path(), {"help", "rum"});
  CHECK(unknown.code == 2);
  CHECK(contains(unknown.complained, "did you mean run?"));
}

TEST_CASE("help: every command ends with an example, whose options are its own") {
  const DataFolder folder;
  const Words commands = commands_of_the_program(folder);
  REQUIRE(commands.size() >= 13);
  for (const std::string& command : commands) {
    CAPTURE(command);
    const std::string help = run_program(folder.path(), {"help", command}).said;
    const Words examples = examples_in(help);
    REQUIRE_FALSE(examples.empty());
    for (const std::string& example : examples) {
      CAPTURE(example);
      const Words words = words_of(example);
      REQUIRE(words.size() >= 2);
      CHECK(words[1] == command);
      for (const std::string& word : words)
        if (word.starts_with("--")) CHECK(contains(help, "  " + word));
    }
  }
}

}  // namespace hearsay::test::doors_program_test
