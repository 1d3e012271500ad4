#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::misuse_program_test {

namespace {

using Words = std::vector<std::string>;

/// Returns the one sentence with which the program refuses to do as it is told.
std::string sentence(const DataFolder& folder, const Words& words) {
  const ProgramEnd end = run_program(folder.path(), words);
  CHECK_MESSAGE(end.code == 2, end.complained);
  CHECK_MESSAGE(std::ranges::count(end.complained, '\n') == 1, end.complained);
  CHECK_MESSAGE(end.said.empty(), end.said);
  return end.complained;
}

}  // namespace

TEST_CASE("misuse: an empty value, as of a variable that is not set, is refused and not taken for none") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  CHECK(sentence(folder, {"run", "q.toml", "--trace", ""}) ==
        "hearsay: --trace = \"\": expected text that is not empty\n");
  CHECK(contains(sentence(folder, {"run", "q.toml", "--output", ""}), "--output = \"\": expected text"));
  CHECK(contains(sentence(folder, {"run", ""}), "FILE = \"\": expected text"));
  CHECK(contains(sentence(folder, {"new", "sweep", ""}), "FILE = \"\": expected text"));
  CHECK(contains(sentence(folder, {"sweep", "q.toml", "--only", ""}), "--only = \"\": expected text"));
  CHECK(contains(sentence(folder, {"list", "--keys", ""}), "NAME = \"\": expected text"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
}

TEST_CASE("misuse: what was probably meant is named: a port, a kind, a table of keys") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  CHECK(contains(sentence(folder, {"run", "q.toml", "--live", "8080"}), "did you mean --live=8080?"));
  CHECK_FALSE(contains(sentence(folder, {"run", "q.toml", "8080"}), "--live"));
  CHECK(contains(sentence(folder, {"new", "first.toml"}), "expected hearsay new quickstart first.toml"));
  CHECK(contains(sentence(folder, {"new", "sweep", "-"}), "FILE = -: expected a name, or none"));
  CHECK(contains(sentence(folder, {"list", "--keys", "zzz"}), "expected one of run, data, model, "));
  CHECK(sentence(folder, {"list", "--keys", "zzz"}).size() < 200);
  CHECK(contains(sentence(folder, {"list", "--markdown", "keys", "--keys"}), "expected one of them"));
}

TEST_CASE("misuse: hearsay topology takes shares as a run file does, and says how many peers there may be") {
  const DataFolder folder;
  const ProgramEnd half = run_program(folder.path(), {"topology", "ring(8)", "--participation", "50%"});
  CHECK_MESSAGE(half.code == 0, half.complained);
  CHECK(half.said == run_program(folder.path(), {"topology", "ring(8)", "--participation", "0.5"}).said);
  CHECK(contains(sentence(folder, {"topology", "ring(8)", "--participation", "2"}),
                 "--participation = \"2\": expected a share between 0 and 1"));
  CHECK(contains(sentence(folder, {"topology", "ring(0)"}), "the number of peers, from 1 to 4294967295"));
}

TEST_CASE("misuse: a report of nothing that is there, or of no name that a browser opens, is refused") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  REQUIRE(run_program(folder.path(), {"simulate", "q.toml", "--quiet", "--output", "out"}).code == 0);
  CHECK(sentence(folder, {"report", "nothere"}) == "hearsay: DIR = nothere: there is no such folder\n");
  CHECK(contains(sentence(folder, {"report", "out", "--output", "page.pdf"}), "a name that ends in .html"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "page.pdf"));
}

TEST_CASE("misuse: an output that is a link stays one, and a link to nothing is called that") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  namespace fs = std::filesystem;
  REQUIRE(run_program(folder.path(), {"simulate", "q.toml", "--quiet", "--output", "disk/out"}).code == 0);
  fs::create_directory_symlink("disk/out", folder.path() / "link");
  fs::remove(folder.path() / "disk/out/model.npy");
  const ProgramEnd again =
      run_program(folder.path(), {"simulate", "q.toml", "--quiet", "--output", "link", "--overwrite"});
  CHECK_MESSAGE(again.code == 0, again.complained);
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(fs::exists(folder.path() / "disk/out/model.npy"));
  fs::create_directory_symlink("nowhere", folder.path() / "dangling");
  CHECK(
      contains(sentence(folder, {"simulate", "q.toml", "--output", "dangling"}), "it is a link to nothing"));
}

TEST_CASE("misuse: on a full disk no file is left without the one it belongs to") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  namespace fs = std::filesystem;
  REQUIRE(run_program(folder.path(), {"simulate", "q.toml", "--quiet", "--output", "out"}).code == 0);
  std::optional<FullDisk> full(500);
  CHECK(contains(sentence(folder, {"new", "hosts", "h.toml"}), "cannot write "));
  CHECK_FALSE(fs::exists(folder.path() / "h.toml"));
  CHECK_FALSE(fs::exists(folder.path() / "h-topology.toml"));
  CHECK(contains(sentence(folder, {"report", "out", "--csv", "csv"}), "cannot write csv/"));
  CHECK_FALSE(fs::exists(folder.path() / "csv"));
}

TEST_CASE("misuse: in a folder that has been removed the program says so, whatever it is asked for") {
  const DataFolder folder;
  Program program(folder.path(), {"list", "--keys"}, Program::Output::file, [] {
    std::filesystem::create_directory("gone");
    std::filesystem::current_path("gone");
    std::filesystem::remove(std::filesystem::current_path());
  });
  CHECK(program.wait() == 2);
  CHECK(contains(program.complained(), "the current folder cannot be found (No such file or directory)"));
}

TEST_CASE("misuse: --quiet keeps the words about an empty run file back") {
  const DataFolder folder;
  folder.write("empty.toml", "");
  const ProgramEnd quiet = run_program(folder.path(), {"check", "empty.toml", "--quiet"});
  CHECK_FALSE(contains(quiet.complained, "is empty"));
  CHECK(contains(run_program(folder.path(), {"check", "empty.toml"}).complained, "is empty"));
}

TEST_CASE("misuse: a sweep spells out the control characters of its variants' names") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run +
                             "[sweep]\ndriver = \"simulate\"\n[[sweep.variant]]\nname = \"red \\u001b[31m\"\n"
                             "[[sweep.variant]]\nname = \"bad \\u001b[31m\"\nalgorithm.kind = \"none\"\n");
  const ProgramEnd end = run_program(folder.path(), {"sweep", "s.toml", "--output", "out"});
  CHECK(contains(end.complained, "bad "));
  CHECK_FALSE(contains(end.complained, "\x1b"));
}

TEST_CASE(
    "misuse: a trace with a hole, a negative number or an unknown peer is refused before anything is "
    "written") {
  const DataFolder folder;
  folder.write("q.toml", "topology = { peers = 2, availability = \"trace.csv\" }\n");
  const auto refusal_of = [&](const std::string& trace) {
    folder.write("trace.csv", "peer,from,to\n" + trace);
    const std::string run = sentence(folder, {"run", "q.toml"});
    CHECK(sentence(folder, {"simulate", "q.toml"}) == run);
    CHECK(sentence(folder, {"check", "q.toml"}) == run);
    return run;
  };
  CHECK(contains(refusal_of("0,0,60\n"), "trace.csv: no row says when peer 1 is there"));
  CHECK(contains(refusal_of("0,0,60\n1,-3,60\n"), "trace.csv:3: from = -3: expected seconds"));
  CHECK(contains(refusal_of("0,0,60\n2,0,60\n"), "trace.csv:3: peer = 2: expected a peer's id, 0 to 1"));
  CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
}

TEST_CASE("check: says how much of the time each peer is there, and predicts no time then") {
  const DataFolder folder;
  folder.write("q.toml", "topology = { peers = 3, availability = \"trace.csv\" }\n");
  folder.write("trace.csv", "peer,from,to,slowdown\n0,0,3600,1\n1,900,1800,2.5\n2,0,1800,1\n");
  const std::string text = run_program(folder.path(), {"check", "q.toml"}).said;
  CHECK(contains(text,
                 "100, 25, 50 % of the time, peer by peer, anew after 1 h 00 min; gradients take up to 2.5 "
                 "times as long"));
  const std::string unknown = "not predicted: the first iterations say little, since peers come and go; ";
  CHECK(contains(text, unknown + "hearsay simulate tells"));  // a size has no time of its own
  const auto said_with = [&](const std::string& setting) {
    return run_program(folder.path(), {"check", "q.toml", "--set", "network.compute=20 ms", "--set", setting})
        .said;
  };
  CHECK(contains(said_with("run.name=a"), unknown + "hearsay simulate with model.kind = \"size("));
  for (const std::string setting : {"algorithm.batch=full", "algorithm.kind=ad-psgd", "run.epochs=2"})
    CHECK(contains(said_with(setting), unknown + "hearsay simulate tells"));
  CHECK(contains(run_program(folder.path(), {"check", "q.toml", "--json"}).said,
                 "\"availability\":[1.0,0.25,0.5]"));
}

TEST_CASE(
    "misuse: launch refuses a hub that cannot be before it starts a peer, and names the file as it was "
    "given") {
  const DataFolder folder;
  folder.write("run.toml", "topology.file = \"cluster.toml\"\nalgorithm.kind = \"lgc\"\n");
  const std::string peers = "[[peer]]\nname = \"n[1-3]\"\naddress = \"tcp://127.0.0.1:[27001-27003]\"\n";
  folder.write("cluster.toml", "family = \"ring\"\n" + peers);
  CHECK(contains(sentence(folder, {"launch", "run.toml"}), "cluster.toml: lgc has a hub"));
  folder.write("cluster.toml", peers + "[[link]]\nfrom = \"n3\"\nto = \"n[1-2]\"\n");
  CHECK(contains(sentence(folder, {"launch", "run.toml"}),
                 "links from the first peer to all others, not from peer 2"));
  folder.write("cluster.toml", "family = \"star\"\n" + peers);
  CHECK(contains(sentence(folder, {"launch", "run.toml", "--set", "algorithm.kind=d-psgd", "--set",
                                   "topology.hub=dedicated"}),
                 "topology.hub = \"dedicated\": d-psgd has no hub"));
}

}  // namespace hearsay::test::misuse_program_test
