#include "runtime/settings/sweep_settings.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::sweep_settings_test {

namespace {

const std::string example = R"toml(
[run]
output = "out"
iterations = 50

[sweep]
driver = "simulate"
baseline = "All-reduce"
"network.bandwidth" = ["5 Mbit/s", "1 Gbit/s"]
algorithm.batch = [16, 32, "full"]

[[sweep.variant]]
name = "All-reduce"
algorithm.kind = "allreduce-sgd"

[[sweep.variant]]
name = "DCD 4 bit"
"algorithm.kind" = "dcd-psgd"
algorithm.compressor = "dither(linf, bits=4)"
)toml";

Sweep parse(const std::string& toml, const std::vector<std::string>& assignments = {}) {
  return parse_sweep(toml, "/runfiles", assignments, "test.toml");
}

std::string refusal(const std::string& toml, const std::vector<std::string>& assignments = {}) {
  return misuse_text([&] { parse(toml, assignments); });
}

}  // namespace

TEST_CASE("sweep: the points are variants times axes, each what a run file of its own would say") {
  const Sweep sweep = parse(example);
  CHECK(sweep.driver == Sweep::Driver::simulate);
  CHECK(sweep.baseline == "All-reduce");
  CHECK(sweep.output == "/runfiles/out");
  REQUIRE(sweep.points.size() == 2 * 2 * 3);
  std::size_t index = 0;
  for (const std::string variant : {"All-reduce", "DCD 4 bit"})
    for (const std::string bandwidth : {"5 Mbit/s", "1 Gbit/s"})
      for (const std::string batch : {"16", "32", "full"}) {
        const SweepPoint& point = sweep.points[index++];
        CAPTURE(point.folder.string());
        CHECK(point.variant == variant);
        CHECK(point.axes == std::vector<std::pair<std::string, std::string>>{{"network.bandwidth", bandwidth},
                                                                             {"algorithm.batch", batch}});
        const std::string algorithm = variant == "DCD 4 bit"
                                          ? "kind = \"dcd-psgd\"\ncompressor = \"dither(linf, bits=4)\""
                                          : "kind = \"allreduce-sgd\"";
        const std::string alone = "run.iterations = 50\nrun.output = \"" + point.folder.string() +
                                  "\"\nnetwork.bandwidth = \"" + bandwidth + "\"\n[algorithm]\n" + algorithm +
                                  "\nbatch = " + (batch == "full" ? "\"full\"" : batch);
        CHECK(point.run == parse_run(alone, "/", {}, "alone.toml"));
      }
  CHECK(sweep.points[0].folder == "/runfiles/out/all-reduce/5-mbit-s_16");
  CHECK(sweep.points[11].folder == "/runfiles/out/dcd-4-bit/1-gbit-s_full");
}

TEST_CASE("sweep: a file without [sweep] is one point, the run itself") {
  for (const std::string toml : {"", "[sweep]\n"}) {
    const Sweep sweep = parse("run.output = \"out\"\n" + toml);
    REQUIRE(sweep.points.size() == 1);
    CHECK(sweep.driver == Sweep::Driver::run);
    CHECK(sweep.points[0].folder == "/runfiles/out");
    CHECK(sweep.points[0].run == parse_run("run.output = \"out\"", "/runfiles", {}, "test.toml"));
  }
}

TEST_CASE("sweep: variants alone and axes alone are sweeps too") {
  const Sweep variants =
      parse("run.output = \"o\"\n[[sweep.variant]]\nname = \"A\"\n[[sweep.variant]]\nname = \"B\"");
  REQUIRE(variants.points.size() == 2);
  CHECK(variants.points[1].folder == "/runfiles/o/b");
  const Sweep axes = parse("run.output = \"o\"\n[sweep]\nrun.iterations = [1, 2, 3]");
  REQUIRE(axes.points.size() == 3);
  CHECK(axes.points[2].run.run.iterations == 3);
  CHECK(axes.points[2].folder == "/runfiles/o/3");
}

TEST_CASE("sweep: with repeats every point is run with seeds that count on from run.seed, else alike") {
  const std::string once = "run.output = \"o\"\nrun.seed = 7\n[sweep]\nalgorithm.batch = [16, 32]\n";
  const Sweep sweep = parse(once + "repeat = 3\n");
  CHECK(sweep.repeats == 3);
  REQUIRE(sweep.points.size() == 2 * 3);
  for (std::size_t k = 0; k < 6; ++k) {
    CAPTURE(k);
    const SweepPoint& point = sweep.points[k];
    CHECK(point.repetition == k % 3);
    CHECK(point.run.run.seed == 7 + k % 3);
    CHECK(point.folder ==
          "/runfiles/o/" + std::string(k < 3 ? "16" : "32") + "/seed-" + std::to_string(7 + k % 3));
    CHECK(point.run.run.output == point.folder);
    CHECK(point.axes == sweep.points[k / 3 * 3].axes);
    RunSettings alike = point.run;
    alike.run.seed = 7;
    alike.run.output = sweep.points[k / 3 * 3].folder;
    CHECK(alike == sweep.points[k / 3 * 3].run);
  }
  const Sweep unrepeated = parse(once + "repeat = 1\n");
  CHECK(unrepeated.points[1].folder == "/runfiles/o/32");
  CHECK(unrepeated.points[1].run == parse(once).points[1].run);
}

TEST_CASE("sweep: what a page says of it is read as it stands, and nothing is said unless it is given") {
  const Sweep sweep = parse(
      "[sweep]\ntitle = \"A, B 2019: C\"\nabout = [\"D.\"]\nnot_reproduced = [\"E: not here.\", \"F.\"]\n"
      "topology.peers = [4, 8]");
  CHECK(sweep.title == "A, B 2019: C");
  CHECK(sweep.about == std::vector<std::string>{"D."});
  CHECK(sweep.not_reproduced == std::vector<std::string>{"E: not here.", "F."});
  CHECK(parse(example).title.empty());
  CHECK(parse(example).not_reproduced.empty());
  CHECK(contains(refusal("[sweep]\ntitle = \"\""), "test.toml:2: sweep.title = \"\": expected"));
  CHECK(contains(refusal("[sweep]\ntitle = [\"A\"]"), "test.toml:2: sweep.title"));
  CHECK(contains(refusal("[sweep]\nnot_reproduced = \"E\""), "expected an array of texts"));
  CHECK(contains(refusal("[sweep]\nnot_reproduced = [\"E\", \"\"]"), "expected an array of texts"));
}

TEST_CASE("sweep: a list of seeds is no axis, but says which seeds the repeats have") {
  const Sweep sweep = parse("run.output = \"o\"\n[sweep]\nrun.seed = [5, 2, 9]");
  CHECK(sweep.repeats == 3);
  REQUIRE(sweep.points.size() == 3);
  CHECK(sweep.points[1].axes.empty());
  CHECK(sweep.points[1].run.run.seed == 2);
  CHECK(sweep.points[1].folder == "/runfiles/o/seed-2");
}

TEST_CASE("sweep: what is nothing to sweep over is one run") {
  for (const std::string toml : {"", "[sweep]\n", "[sweep]\ndriver = \"simulate\"\nrepeat = 1\n"})
    CHECK(parse(toml).is_one_run());
  for (const std::string toml :
       {"[sweep]\nrepeat = 2\n", "[sweep]\nalgorithm.batch = [16]\n", "[[sweep.variant]]\nname = \"A\"\n"})
    CHECK_FALSE(parse(toml).is_one_run());
}

TEST_CASE("sweep: repeats that make no sense are refused") {
  CHECK(contains(refusal("[sweep]\nrepeat = 0"),
                 "test.toml:2: sweep.repeat = 0: expected a whole number >= 1"));
  CHECK(contains(refusal("[sweep]\nrepeat = 2.5"), "sweep.repeat = 2.5: expected a whole number"));
  CHECK(contains(
      refusal("[sweep]\nrepeat = 2\nrun.seed = [1, 2]"),
      "test.toml:3: run.seed: it lists the seeds of the repeats, so give it or sweep.repeat, not both"));
  CHECK(contains(refusal("[sweep]\nrepeat = 20000"), "sweep.repeat = 20000: more than 10000 points"));
  CHECK(contains(refusal("[sweep]\nrepeat = 6000\nalgorithm.batch = [1, 2]"), "more than 10000 points"));
  CHECK(contains(refusal("[sweep]\nrepeat = 2\n[[sweep.variant]]\nname = \"A\"\nrun.seed = 4"),
                 "compared seed by seed, so give it in [run]"));
  CHECK(contains(refusal("run.seed = 9223372036854775807\n[sweep]\nrepeat = 2"),
                 "expected at most 9223372036854775806"));
  CHECK(parse("run.seed = 9223372036854775806\n[sweep]\nrepeat = 2").points.size() == 2);
  CHECK(contains(refusal("[sweep]\nrun.seed = [1, 2]", {"run.seed=3"}),
                 "an axis of the sweep already sets it"));
}

TEST_CASE("sweep: every point has a folder of its own below the output, whatever its name") {
  const Sweep sweep = parse(
      "run.output = \"o\"\n[sweep]\nalgorithm.compressor = [\"topk(1%)\", \"topk(1)\", \"topk-1\", \"\", "
      "\"..\"]\n"
      "[[sweep.variant]]\nname = \"A b\"\n[[sweep.variant]]\nname = \"a-B\"\n[[sweep.variant]]\nname = "
      "\"../..\"\n"
      "[[sweep.variant]]\nname = \"" +
      std::string(5000, 'q') + "\"");
  std::set<std::filesystem::path> folders;
  for (const SweepPoint& point : sweep.points) {
    CHECK(folders.insert(point.folder).second);
    CHECK(point.run.run.output == point.folder);
    CHECK(point.folder == point.folder.lexically_normal());
    CHECK(point.folder.parent_path().parent_path() == "/runfiles/o");
    CHECK(point.folder.string().size() < 300);
  }
  CHECK(folders.size() == 4 * 5);
}

TEST_CASE("sweep: --set wins at every point, and changes the sweep itself under sweep.") {
  const Sweep sweep = parse(example, {"run.iterations=5", "algorithm.kind=d-psgd", "sweep.driver=run",
                                      "sweep.algorithm.batch=[8]", "run.output=/elsewhere"});
  REQUIRE(sweep.points.size() == 2 * 2 * 1);
  CHECK(sweep.driver == Sweep::Driver::run);
  CHECK(sweep.output == "/elsewhere");
  for (const SweepPoint& point : sweep.points) {
    CHECK(point.run.run.iterations == 5);
    CHECK(point.run.algorithm.kind == "d-psgd");
    CHECK(point.run.algorithm.batch == 8u);
  }
  CHECK(refusal(example, {"algorithm.batch=4"}) ==
        "--set: algorithm.batch: an axis of the sweep already sets it");
}

TEST_CASE("sweep: what makes no sense is refused with its place") {
  const std::string variant = "[[sweep.variant]]\nname = \"A\"\n";
  CHECK(contains(refusal(variant + variant),
                 "test.toml:4: sweep.variant.name = \"A\": expected a name of its own"));
  CHECK(contains(refusal("[[sweep.variant]]\nrun.seed = 1"), "every [[sweep.variant]] needs the key name"));
  CHECK(contains(refusal("[[sweep.variant]]\nname = \"\""), "not empty"));
  CHECK(contains(refusal("[sweep]\nvariant = 3"),
                 "test.toml:2: sweep.variant = 3: expected an array of tables"));
  CHECK(contains(refusal("[sweep]\nvariant = [3]"), "expected an array of tables"));
  CHECK(contains(refusal("[sweep]\nbaseline = \"B\"\n" + variant),
                 "test.toml:2: sweep.baseline = \"B\": expected the name of a variant: \"A\""));
  CHECK(contains(refusal("[sweep]\nbaseline = \"B\"\n"),
                 "test.toml:2: sweep.baseline = \"B\": expected variants"));
  CHECK(contains(refusal("[sweep]\ndriver = \"walk\""), "expected \"run\" or \"simulate\""));
  CHECK(contains(refusal("[sweep]\ndrivr = \"run\""),
                 "test.toml:2: sweep.drivr: unknown key, did you mean sweep.driver?"));
  CHECK(contains(refusal("[sweep]\nnetwork.bandwith = [\"1 Mbit/s\"]"), "did you mean network.bandwidth?"));
  CHECK(contains(refusal("[sweep]\nnetwork.bandwidth = \"1 Mbit/s\""), "test.toml:2: network.bandwidth"));
  CHECK(
      contains(refusal("[sweep]\ntopology.peers = []"),
               "test.toml:2: topology.peers = []: expected at least one value: a list in [sweep] must not be "
               "empty"));
  CHECK(contains(refusal("", {"sweep.topology.peers=[]"}), "must not be empty"));
  CHECK(refusal("", {"sweep=3"}) == "--set: sweep = 3: expected a key of [sweep], such as sweep.repeat=10");
  CHECK(contains(refusal("[sweep]\nrun.seed = []"), "must not be empty"));
  CHECK(contains(refusal("[sweep]\nrun.seed = [1, 1]"), "each value once"));
  CHECK(contains(refusal("[sweep]\nrun.seed = [1, \"x\"]"),
                 "test.toml:2: run.seed = \"x\": expected a whole number"));
  CHECK(contains(refusal("[sweep]\nrun.seed = [1,\n2,\n-3]"), "test.toml:4: run.seed = -3"));
  CHECK(contains(refusal("[sweep]\nrun.iterations = [1]\nrun.epochs = [1]"), "not both"));
  CHECK(contains(refusal("[sweep]\nrun.output = [\"a\"]"), "belongs in [run]"));
  CHECK(contains(refusal(variant + "run.name = \"x\""), "belongs in [run]"));
  CHECK(contains(refusal(variant + "run.sed = 1"),
                 "test.toml:3: run.sed: unknown key, did you mean run.seed?"));
  CHECK(contains(refusal("[sweep]\nrun.seed = [1, 2]\n" + variant + "run.seed = 3"),
                 "an axis of the sweep already"));
  std::string axis = "[0";
  for (int value = 1; value < 400; ++value) axis += ", " + std::to_string(value);
  axis += "]";
  CHECK(contains(refusal("[sweep]\nrun.seed = " + axis + "\nalgorithm.warm_up = " + axis +
                         "\nalgorithm.restart_every = " + axis),
                 "more than 10000 points"));
}

}  // namespace hearsay::sweep_settings_test
