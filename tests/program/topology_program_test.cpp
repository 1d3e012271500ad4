#include <doctest/doctest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
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

TEST_CASE("topology: a spectral gap as small as rounding errors is said to be about that") {
  const DataFolder folder;
  // The gap is 1e-10: two heads with 100,000 leaves each.
  const ProgramEnd end = run_program(folder.path(), {"topology", "hub-tree(200003, 2)"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(end.said.find("\nspectral gap  about ") != std::string::npos);
  CHECK(end.said.find("\ngossip        about ") != std::string::npos);
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

TEST_CASE("topology: that a file cannot be written is said before anything is searched or computed") {
  const DataFolder folder;
  std::filesystem::create_directory(folder.path() / "a.svg");
  write_file(folder.path() / "mine.toml", {"[run]\niterations = 10\n"});
  const std::string long_name = std::string(300, 'n') + ".toml";
  const std::vector<std::string> names = {"a.svg", "mine.toml", "nowhere/t.toml", "t.txt",
                                          "t",     long_name,   "/proc/t.toml"};
  for (const std::string& file : names) {
    CAPTURE(file);
    const ProgramEnd end =
        run_program(folder.path(), {"topology", "--fit", "no-links.toml", "--write", file});
    CHECK(end.code == 2);
    CHECK(contains(end.complained, "hearsay: --write = " + file + ": "));
  }
  CHECK(contains(run_program(folder.path(), {"topology", "--fit", "no-links.toml", "--write", ""}).complained,
                 "--write"));
}

TEST_CASE("topology: --fit says if a greater --degree would be sooner, and only then") {
  const DataFolder folder;
  folder.write("links.toml", "peers = 16\nlatency = \"10 ms\"\nbandwidth = \"10 Gbit/s\"\n");
  const auto fitted = [&](const std::string& degree) {
    return run_program(folder.path(), {"topology", "--fit", "links.toml", "--degree", degree}).said;
  };
  CHECK(contains(fitted("2"), "which --degree 15 allows\n"));
  CHECK_FALSE(contains(fitted("15"), "with more links"));
}

TEST_CASE("topology: what is called as the partial file of --write stays as it is") {
  const DataFolder folder;
  const auto partial = [&](int number) {
    return folder.path() / ("t.toml.partial" + (number == 0 ? "" : "-" + std::to_string(number)));
  };
  folder.write("t.toml.partial", "mine");
  mkfifo(partial(1).c_str(), 0600);
  std::filesystem::create_symlink(folder.path() / "elsewhere", partial(2));
  for (const auto& run : {std::pair("ring(4)", 0), std::pair("nonsense(4)", 2)}) {
    CAPTURE(run.first);
    const ProgramEnd end =
        run_program(folder.path(), {"topology", run.first, "--write", "t.toml", "--overwrite"});
    CHECK_MESSAGE(end.code == run.second, end.complained);
    CHECK(content_of(partial(0)) == "mine");
    CHECK(std::filesystem::is_fifo(partial(1)));
    CHECK(std::filesystem::is_symlink(partial(2)));
    CHECK_FALSE(std::filesystem::exists(folder.path() / "elsewhere"));
    CHECK_FALSE(std::filesystem::exists(partial(3)));
    CHECK(std::filesystem::exists(folder.path() / "t.toml"));
  }
}

TEST_CASE("topology: a file that appears while it works is not replaced without --overwrite") {
  const DataFolder folder;
  // It waits for its input, after it has judged what it is to write.
  const std::filesystem::path input = folder.path() / "in.edges";
  mkfifo(input.c_str(), 0600);
  Program topology(folder.path(), {"topology", "in.edges", "--write", "t.toml"});
  {
    const FileDescriptor in(input, O_WRONLY);
    REQUIRE(in);
    folder.write("t.toml", "mine");
    write_all(in.number(), "0 1\n1 2\n");
  }
  CHECK(topology.wait() == 2);
  CHECK(topology.complained() ==
        "hearsay: --write = t.toml: it is there, and no topology of hearsay; "
        "expected another name\n");
  CHECK(content_of(folder.path() / "t.toml") == "mine");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "t.toml.partial"));
}

TEST_CASE("topology, codec, check: --overwrite without a file to replace is refused") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const auto refusal = [&](std::vector<std::string> words) {
    words.emplace_back("--overwrite");
    const ProgramEnd end = run_program(folder.path(), words);
    CHECK(end.code == 2);
    return end.complained;
  };
  CHECK(contains(refusal({"topology", "ring(4)"}), "expected --write"));
  CHECK(contains(refusal({"codec", "identity", "x.npy"}), "expected --output"));
  CHECK(contains(refusal({"check", "q.toml"}), "expected --measure"));
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

namespace {

/// Eight peers whose ports differ by a factor of 20.
const std::string uneven_links = [] {
  std::string text = "latency = \"5 ms\"\n";
  const std::vector<std::string> megabits = {"1", "1.5", "2.4", "3.6", "5.5", "8.5", "13", "20"};
  for (std::size_t peer = 0; peer < megabits.size(); ++peer)
    text +=
        "[[peer]]\nname = \"p" + std::to_string(peer) + "\"\nbandwidth = \"" + megabits[peer] + " Mbit/s\"\n";
  return text;
}();

}  // namespace

TEST_CASE("topology: --fit writes a graph that run and simulate read, and compares it with the families") {
  const DataFolder folder;
  folder.write("links.toml", uneven_links);
  const ProgramEnd end =
      run_program(folder.path(), {"topology", "--fit", "links.toml", "--degree", "3", "--message", "200 kB",
                                  "--json", "--write", "fitted.toml"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const Json record = Json::parse(end.said);
  CHECK(record["peers"] == 8);
  CHECK(record["degree"]["max"] <= 3);
  CHECK(record["non_negative"] == true);
  const Json& forecasts = record["forecasts"];
  REQUIRE(forecasts.size() == 5);
  CHECK(forecasts[1]["graph"] == "ring");
  CHECK(forecasts[0]["seconds_to_a_tenth"] <= forecasts[1]["seconds_to_a_tenth"]);

  folder.write(
      "run.toml",
      "[run]\niterations = 20\n[data]\nsource = \"synthetic(samples=64, features=24, classes=10)\"\n"
      "[model]\nkind = \"softmax\"\n[topology]\nfile = \"fitted.toml\"\n[algorithm]\nkind = \"d-psgd\"\n"
      "compressor = \"none\"\n[network]\nlinks = \"links.toml\"\ncompute = \"0 ms\"\n");
  const ProgramEnd run = run_program(folder.path(), {"simulate", "run.toml", "--quiet", "--json"});
  REQUIRE_MESSAGE(run.code == 0, run.complained);
  const Json summary = Json::parse(run.said);
  CHECK(summary["spectral_gap"].get<double>() == doctest::Approx(record["spectral_gap"].get<double>()));
}

TEST_CASE("topology: the round that --fit forecasts is the iteration that simulate takes") {
  const DataFolder folder;
  folder.write("links.toml", uneven_links);
  // A message has 64 bytes of header and 240 floats.
  const ProgramEnd end =
      run_program(folder.path(), {"topology", "--fit", "links.toml", "--degree", "3", "--message", "1024 B",
                                  "--json", "--write", "fitted.toml"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  folder.write("run.toml",
               "[run]\niterations = 200\nevaluate_every = 50\n"
               "[data]\nsource = \"synthetic(samples=64, features=24, classes=10)\"\n"
               "[model]\nkind = \"softmax\"\n[algorithm]\nkind = \"d-psgd\"\ncompressor = \"none\"\n"
               "[network]\nlinks = \"links.toml\"\ncompute = \"0 ms\"\n");
  const auto seconds_of = [&](const std::string& topology) {
    const ProgramEnd run = run_program(
        folder.path(), {"simulate", "run.toml", "--quiet", "--json", "--overwrite", "--set", topology});
    REQUIRE_MESSAGE(run.code == 0, run.complained);
    return Json::parse(run.said)["seconds"].get<double>() / 200.0;
  };
  const Json forecasts = Json::parse(end.said)["forecasts"];
  const auto forecast_of = [&](std::size_t row) { return forecasts[row]["seconds_per_round"].get<double>(); };
  CHECK(seconds_of("topology.file=fitted.toml") == doctest::Approx(forecast_of(0)).epsilon(0.05));
  CHECK(seconds_of("topology.kind=ring") == doctest::Approx(forecast_of(1)).epsilon(0.05));
  CHECK(seconds_of("topology.kind=complete") == doctest::Approx(forecast_of(4)).epsilon(0.05));
}

TEST_CASE("topology: --fit says in one sentence what is wrong") {
  const DataFolder folder;
  folder.write("links.toml", uneven_links);
  folder.write("hole.toml", "[[peer]]\nname = \"a\"\n[[peer]]\nname = \"b\"\n");
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "topology");
    const ProgramEnd end = run_program(folder.path(), words);
    CHECK(end.code == 2);
    return end.complained;
  };
  CHECK(contains(complaint({}), "SPEC is missing"));
  CHECK(contains(complaint({"--degree", "3", "ring(4)"}), "--fit"));
  CHECK(contains(complaint({"--fit", "hole.toml"}), "there is no latency; expected one"));
  CHECK(contains(complaint({"--fit", "links.toml", "--degree", "1"}), "--degree = 1: expected at least 2"));
  CHECK(contains(complaint({"--fit", "links.toml", "--message", "0 MB"}), "--message = \"0 MB\": expected"));
  CHECK(contains(complaint({"ring(8)", "--fit", "links.toml"}), "expected a topology file"));
  CHECK(contains(complaint({"--fit", "links.toml", "--weights", "slow"}),
                 "hearsay: --weights = slow: expected"));
  CHECK(contains(complaint({"ring(4)", "--weights", "slow"}), "hearsay: --weights = slow: expected"));
  CHECK(contains(complaint({"ring(4)", "--schedule", "slow"}), "hearsay: --schedule = slow: expected"));
  CHECK(contains(complaint({"--fit", "."}), "hearsay: --fit: cannot read .: Is a directory"));
  CHECK(contains(complaint({"--fit", "none.toml"}), "hearsay: --fit: cannot read none.toml: No such file"));
  folder.write("empty.toml", "");
  CHECK(contains(complaint({"--fit", "empty.toml"}), "empty.toml: expected peers = N, or [[peer]] tables"));
  const auto alike = [&](int peers, const std::string& latency) {
    folder.write("alike.toml", "peers = " + std::to_string(peers) + "\nlatency = \"" + latency +
                                   "\"\nbandwidth = \"unlimited\"\n");
  };
  alike(1, "5 ms");
  CHECK(contains(complaint({"--fit", "alike.toml"}),
                 "--fit = alike.toml: it has a single peer; expected at least two"));
  alike(4, "0 ms");
  CHECK(contains(complaint({"--fit", "alike.toml"}),
                 "--fit = alike.toml: messages take no time on its links, so that every graph is as good as "
                 "another; expected a latency above 0 or a bandwidth"));
  alike(2, "5 ms");
  CHECK(contains(complaint({"--fit", "alike.toml", "--degree", "0"}), "--degree = 0: expected at least 1"));
  alike(401, "5 ms");
  CHECK(contains(complaint({"--fit", "alike.toml", "--weights", "fastest"}),
                 "--weights = fastest: expected at most 400 peers, not 401"));
  alike(400, "5 ms");
  CHECK(contains(complaint({"--fit", "alike.toml", "--weights", "fastest-chain", "--degree", "7"}),
                 "at most 1,200 links, not 1,400"));
  folder.write("five.toml", "peers = 5\nfamily = \"ring\"\n");
  CHECK(contains(complaint({"five.toml", "--fit", "links.toml"}), "the 5 peers of five.toml, not between 8"));
  folder.write("eight.toml", "peers = 8\nfamily = \"ring\"\n");
  CHECK(contains(complaint({"eight.toml", "--fit", "links.toml"}), "its peer 0 is \"p0\"; expected \"0\""));
}

TEST_CASE("topology: --fit of few peers, with any degree, and of links of which some take no time") {
  const DataFolder folder;
  const auto table_of = [&](const std::string& links, const std::vector<std::string>& more) {
    folder.write("links.toml", links);
    std::vector<std::string> words = {"topology", "--fit", "links.toml"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramEnd end = run_program(folder.path(), words);
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    return end.said;
  };
  const std::string same = "latency = \"5 ms\"\nbandwidth = \"unlimited\"\n";
  for (const char* degree : {"1", "2", "1000000"})
    CHECK(contains(table_of("peers = 2\n" + same, {"--degree", degree}), "1.00x"));
  CHECK(contains(table_of("peers = 5\n" + same, {"--degree", "4"}), "time to a tenth"));
  // Two pairs of peers, beside each other.
  std::string pairs = "peers = 4\nlatency = \"5 ms\"\nbandwidth = \"unlimited\"\n";
  for (const char* ends :
       {"from = 0\nto = 1\n", "from = 1\nto = 0\n", "from = 2\nto = 3\n", "from = 3\nto = 2\n"})
    pairs += std::string("[[link]]\n") + ends + "latency = \"0 ms\"\n";
  CHECK(contains(table_of(pairs, {"--degree", "2"}), "5 ms"));
  // A chain of links that take no time agrees in none.
  std::string chain = "peers = 4\nlatency = \"5 ms\"\nbandwidth = \"unlimited\"\n";
  for (int from = 0; from < 4; ++from)
    for (const int to : {from - 1, from + 1})
      if (to >= 0 && to < 4)
        chain += "[[link]]\nfrom = " + std::to_string(from) + "\nto = " + std::to_string(to) +
                 "\nlatency = \"0 ms\"\n";
  const std::string table = table_of(chain, {"--degree", "2"});
  CHECK(contains(table, "10.5 ms                  -\n"));
  CHECK(!contains(table, "nan"));
}

}  // namespace hearsay::test::topology_program_test
