#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "runtime/foundation/whole_file.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::topology_program_test {

using Json = nlohmann::ordered_json;

TEST_CASE("topology: what it writes it reads, in every format") {
  const DataFolder folder;
  ProgramEnd end =
      run_program(folder.path(), {"topology", "torus(3x4)", "--json", "--write", "t.toml", "--write",
                                  "t.graphml", "--write", "t.dot", "--write", "t.svg"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json torus = Json::parse(end.said);
  CHECK(torus["peers"] == 12);
  CHECK(torus["links"] == 24);
  CHECK(torus["diameter"] == 3);
  for (const std::string file : {"t.toml", "t.graphml", "t.dot"}) {
    CAPTURE(file);
    end = run_program(folder.path(), {"topology", file, "--json"});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    const Json again = Json::parse(end.said);
    CHECK(again["links"] == torus["links"]);
    CHECK(again["spectral_gap"].get<double>() == doctest::Approx(torus["spectral_gap"].get<double>()));
  }
  CHECK(content_of(folder.path() / "t.svg").find("<svg") != std::string::npos);
  end = run_program(folder.path(), {"topology", "ring(4)"});
  CHECK(end.said.find("spectral gap  0.666667") != std::string::npos);
}

TEST_CASE(
    "topology: --write replaces what an earlier --write has written, if it is told to, and nothing else") {
  const DataFolder folder;
  const auto write = [&](const std::string& spec, const std::string& file, bool overwrite) {
    std::vector<std::string> words = {"topology", spec, "--write", file};
    if (overwrite) words.push_back("--overwrite");
    return run_program(folder.path(), words);
  };
  for (const std::string file : {"t.toml", "t.graphml", "t.dot", "t.gv", "t.svg"}) {
    CAPTURE(file);
    const ProgramEnd first = write("ring(4)", file, false);
    CHECK(first.code == 0);
    CHECK(first.said.find("written   " + file + "\n") != std::string::npos);
    const std::string ring = content_of(folder.path() / file);
    const ProgramEnd again = write("ring(5)", file, false);
    CHECK(again.code == 2);
    CHECK(again.complained == "hearsay: --write = " + file + ": it is there; --overwrite replaces it\n");
    CHECK(content_of(folder.path() / file) == ring);
    CHECK(write("ring(5)", file, true).code == 0);
    CHECK(content_of(folder.path() / file) != ring);
  }
  // A run file is nobody's to lose.
  write_file(folder.path() / "mine.toml", {"[run]\niterations = 10\n"});
  const ProgramEnd end = write("ring(4)", "mine.toml", true);
  CHECK(end.code == 2);
  CHECK(end.complained ==
        "hearsay: --write = mine.toml: it is there, and no topology of hearsay; expected another name\n");
  CHECK(content_of(folder.path() / "mine.toml") == "[run]\niterations = 10\n");
  // Nothing is written if one of the files may not be.
  CHECK(run_program(folder.path(), {"topology", "ring(4)", "--write", "new.toml", "--write", "mine.toml"})
            .code == 2);
  CHECK(!std::filesystem::exists(folder.path() / "new.toml"));
  CHECK(write("ring(4)", "nowhere/t.toml", false).complained ==
        "hearsay: --write = nowhere/t.toml: there is no folder nowhere\n");
}

TEST_CASE("topology: optimized weights come with a certificate, and survive being written") {
  const DataFolder folder;
  ProgramEnd end =
      run_program(folder.path(), {"topology", "small-world(24, 4, 0.3)", "--weights", "fastest-chain",
                                  "--json", "--write", "t.graphml", "--write", "t.dot"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json fastest = Json::parse(end.said);
  CHECK(fastest["rho"].get<double>() - fastest["least_rho"].get<double>() < 1e-7);
  for (const std::string file : {"t.graphml", "t.dot"}) {
    CAPTURE(file);
    end = run_program(folder.path(), {"topology", file, "--weights", "explicit", "--json"});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    CHECK(Json::parse(end.said)["rho"].get<double>() ==
          doctest::Approx(fastest["rho"].get<double>()).epsilon(1e-12));
  }
  end = run_program(folder.path(), {"topology", "grid(8x5)", "--weights", "fastest"});
  CHECK(end.said.find("above the least there is (dual certificate)") != std::string::npos);
}

TEST_CASE("topology: a schedule is looked at with all peers or with a share of them") {
  const DataFolder folder;
  ProgramEnd end = run_program(folder.path(), {"topology", "base(11, 3)", "--schedule", "base(3)", "--json"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(Json::parse(end.said)["schedule"]["contraction_per_period"].get<double>() < 1e-15);
  end = run_program(folder.path(), {"topology", "ring(8)", "--participation", "0.5", "--json"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(Json::parse(end.said)["schedule"]["kind"] == "static, participation 0.5");
  CHECK(Json::parse(end.said)["schedule"]["period"].is_null());  // each round is drawn anew
  CHECK(Json::parse(end.said)["schedule"]["contraction_in_first_rounds"].get<double>() < 1.0);
  CHECK(Json::parse(end.said)["schedule"]["first_rounds"] == 64);
}

TEST_CASE("topology: the command that a refusal names mends the file, and what it writes can be run") {
  const DataFolder folder;
  write_file(
      folder.path() / "net.dot",
      {"digraph { a -> b [bandwidth=\"1 Mbit/s\"]; a -> b [bandwidth=\"2 Mbit/s\"]; b -> c; c -> b; d -> "
       "e; a -> a }"});
  const ProgramEnd refused = run_program(folder.path(), {"topology", "net.dot"});
  CHECK(refused.code == 2);
  const std::string command =
      "`hearsay topology net.dot --undirected --merge-links --largest-component --write new.toml`";
  CHECK(refused.complained.find(command) != std::string::npos);
  const ProgramEnd mended =
      run_program(folder.path(), {"topology", "net.dot", "--undirected", "--merge-links",
                                  "--largest-component", "--write", "new.toml", "--json"});
  REQUIRE_MESSAGE(mended.code == 0, mended.complained);
  CHECK(Json::parse(mended.said)["peers"] == 3);
  CHECK(Json::parse(mended.said)["notices"].size() == 2);
  const ProgramEnd end = run_program(folder.path(), {"topology", "new.toml", "--json"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(Json::parse(end.said)["links"] == 2);
  CHECK(content_of(folder.path() / "new.toml").find("bandwidth = \"3 Mbit/s\"") != std::string::npos);
  CHECK(run_program(folder.path(), {"topology", "ring(4)", "--undirected"}).complained ==
        "hearsay: --undirected is for a topology file, and ring(4) is none\n");
  CHECK(run_program(folder.path(), {"topology", "net.dot", "--network-from", "here"}).complained ==
        "hearsay: --network-from = here: expected geo\n");
}

TEST_CASE("topology: places make a network, which is written in every format and simulated in one command") {
  const DataFolder folder;
  write_file(
      folder.path() / "zoo.dot",
      {"graph { a [Latitude=50, Longitude=8]; b [Latitude=52, Longitude=13]; c [Latitude=48, Longitude=2]; "
       "edge [LinkSpeedRaw=10000000]; a -- b; b -- c }"});
  for (const std::string file : {"t.toml", "t.graphml", "t.gv"}) {
    CAPTURE(file);
    const ProgramEnd end =
        run_program(folder.path(), {"topology", "zoo.dot", "--network-from", "geo", "--write", file});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    CHECK(content_of(folder.path() / file).find("10 Mbit/s") != std::string::npos);
    CHECK(content_of(folder.path() / file).find("2074 us") != std::string::npos);
  }
  write_file(folder.path() / "run.toml",
             {"model.kind = \"quadratic(10)\"\nrun.iterations = 3\nnetwork.compute = \"1 ms\"\n"});
  const auto simulated = [&](const std::string& file, const std::string& from) {
    const ProgramEnd end =
        run_program(folder.path(), {"simulate", "run.toml", "--overwrite", "--json", "--set",
                                    "topology.file=" + file, "--set", "topology.network_from=" + from});
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    return Json::parse(end.said)["seconds"].get<double>();
  };
  CHECK(simulated("zoo.dot", "geo") == simulated("t.toml", "settings"));
  CHECK(simulated("zoo.dot", "geo") > simulated("zoo.dot", "settings"));
}

}  // namespace hearsay::test::topology_program_test
