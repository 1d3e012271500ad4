#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "runtime/data/dataset.hpp"
#include "runtime/data/problem_builder.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/private_files.hpp"

namespace hearsay::test::home_test {

namespace {

template <class Change>
std::string refusal(RunSettings settings, const Change& change, const Home& home = {}) {
  change(settings);
  return misuse_text([&] { build_problem<double>(settings, home); });
}

}  // namespace

TEST_CASE("home: three private files are the pooled problem, to the last bit") {
  const PrivateFiles files;
  const auto pooled = build_problem<double>(files.pooled());
  const auto at_home = build_problem<double>(files.at_home());
  CHECK(at_home.at_home);
  CHECK(!pooled.at_home);
  REQUIRE(at_home.peer_count() == 3);
  const Vector<double> x = Vector<double>::LinSpaced(pooled.dimension(), -1.0, 1.0);
  Vector<double> one(pooled.dimension());
  Vector<double> other(pooled.dimension());
  const std::vector<Index> some = {0, 7, 7, 3};
  for (std::size_t id = 0; id < 3; ++id) {
    CHECK(at_home.objectives[id]->loss(x) == pooled.objectives[id]->loss(x));
    pooled.objectives[id]->gradient(x, some, one);
    at_home.objectives[id]->gradient(x, some, other);
    CHECK(one == other);
  }
  const ModelScore pooled_score = pooled.score(x);
  const ModelScore home_score = at_home.score(x);
  CHECK(home_score.loss == pooled_score.loss);
  CHECK(home_score.loss == pooled.loss(x));
  CHECK(home_score.accuracy == pooled_score.accuracy);
  CHECK(home_score.samples == 90);
  CHECK(home_score.judged == pooled_score.judged);
}

TEST_CASE("home: a host loads its own file alone, and has stand-ins of the same size for the others") {
  const PrivateFiles files;
  RunSettings settings = files.at_home();
  settings.data.source = "csv:" + (files.folder.path() / "private-1.csv").string();
  const auto problem = build_problem<double>(settings, {.peer = 1});
  REQUIRE(problem.peer_count() == 3);
  CHECK(problem.objectives[1]->sample_count() == 30);
  for (const std::size_t id : {0u, 2u}) {
    CHECK(problem.objectives[id]->sample_count() == 0);
    CHECK(problem.objectives[id]->dimension() == problem.dimension());
    CHECK(problem.objectives[id]->segments().size() == problem.objectives[1]->segments().size());
  }
}

TEST_CASE("home: without data.samples all peers weigh alike, however many samples they have") {
  const PrivateFiles files;
  RunSettings settings = files.at_home();
  const auto pooled = build_problem<double>(settings);
  settings.data.samples.reset();
  const auto alike = build_problem<double>(settings);
  const Vector<double> x = Vector<double>::LinSpaced(alike.dimension(), -1.0, 1.0);
  for (std::size_t id = 0; id < 3; ++id)  // 30 of 90 samples each: the weights are the same
    CHECK(alike.objectives[id]->loss(x) == doctest::Approx(pooled.objectives[id]->loss(x)).epsilon(1e-14));
  settings.data.samples = 45;  // on a host that has the data of its peer alone
  const auto twice = build_problem<double>(settings, {.peer = 0});
  CHECK(twice.objectives[0]->loss(x) == doctest::Approx(2.0 * pooled.objectives[0]->loss(x)).epsilon(1e-14));
}

TEST_CASE("home: what would part the peers is refused in a sentence that names the key") {
  const PrivateFiles files;
  const RunSettings settings = files.at_home();
  CHECK(contains(refusal(settings, [&](RunSettings& s) { s.data.source = files.pooled().data.source; }),
                 "data.partition = home: data.source on each host is the data of its peer"));
  CHECK(contains(refusal(settings, [](RunSettings& s) { s.data.classes = 2; }),
                 "the label 2 is none of the 2"));
  CHECK(contains(refusal(settings, [](RunSettings& s) { s.data.features = 9; }),
                 "data.features = 9: the data have 5"));
  CHECK(contains(refusal(settings, [](RunSettings& s) { s.topology.peers = 4; }), "private-3.csv"));
  CHECK(contains(refusal(files.pooled(), [](RunSettings& s) { s.data.samples = 9; }),
                 "only data.partition = \"home\" reads it"));
  files.folder.write("private-2.csv", "1,2,3,4,5,3\n1,2,3,4,6,4\n1,2,3,4,6,5\n");
  CHECK(contains(refusal(settings, [](RunSettings& s) { s.data.classes.reset(); }),
                 "its labels are 3 4 5, and those of peer 0 0 1 2; data.classes = N"));
}

TEST_CASE("home: data.samples is refused if the shards, all of them here, have another number of samples") {
  const PrivateFiles files;
  CHECK(contains(refusal(files.at_home(), [](RunSettings& s) { s.data.samples = 100; }),
                 "data.samples = 100: the peers have 90 samples in all; expected 90"));
  const auto of_held_out = [&](std::uint64_t samples) {
    return refusal(files.at_home(), [&](RunSettings& s) {
      s.data.samples = samples;
      s.data.test = "20%";
    });
  };
  CHECK(of_held_out(72).empty());
  for (const std::uint64_t wrong : {71u, 90u})
    CHECK(contains(of_held_out(wrong), "data.samples = " + std::to_string(wrong) +
                                           ": the peers have 90 samples in all, and train on 72 of them; "
                                           "expected 72"));
}

TEST_CASE("home: with samples held out the loss is that of the pooled training samples, not a share of it") {
  const PrivateFiles files;
  RunSettings settings = files.at_home();
  settings.data.samples = 72;
  settings.data.test = "20%";
  const auto problem = build_problem<double>(settings);
  CHECK(problem.loss(problem.initial) == doctest::Approx(std::log(3.0)).epsilon(1e-14));  // at zeros
}

TEST_CASE("home: a host whose own file has more samples than data.samples says of all is refused") {
  const PrivateFiles files;
  CHECK(contains(refusal(files.at_home(), [](RunSettings& s) { s.data.samples = 29; }, {.peer = 0}),
                 "alone has 30 training samples; expected those of all peers together"));
  CHECK(refusal(files.at_home(), [](RunSettings& s) { s.data.samples = 30; }, {.peer = 0}).empty());
}

TEST_CASE("home: columns in another order are found by their names") {
  const PrivateFiles files;
  files.folder.write("private-0.csv", "a,b,y\n1,2.5,0\n3,4.5,1\n");
  files.folder.write("private-1.csv", "y,b,a\n0,2.5,1\n1,4.5,3\n");
  RunSettings settings = files.at_home();
  settings.topology.peers = 2;
  settings.data.samples = 4;
  settings.data.classes = 2;
  settings.model.kind = "logistic";
  const auto problem = build_problem<double>(settings);
  const Vector<double> x = Vector<double>::LinSpaced(problem.dimension(), -1.0, 1.0);
  CHECK(problem.objectives[0]->loss(x) == problem.objectives[1]->loss(x));
  files.folder.write("private-1.csv", "y,b,c\n0,2.5,1\n1,4.5,3\n");
  CHECK(
      contains(refusal(settings, [](RunSettings&) {}), "private-1.csv: its column 3 is \"c\", which is not"));
  files.folder.write("private-1.csv", "y,a,a\n0,2.5,1\n1,4.5,3\n");
  CHECK(contains(refusal(settings, [](RunSettings&) {}),
                 "private-1.csv: its columns 2 and 3 are both \"a\", and its names differ from those of "));
  files.folder.write("private-0.csv", "a,a,y\n1,2.5,0\n3,4.5,1\n");
  files.folder.write("private-1.csv", "y,b,a\n0,2.5,1\n1,4.5,3\n");
  CHECK(contains(refusal(settings, [](RunSettings&) {}), "its column 2 is \"b\", which is not a column of "));
  files.folder.write("private-1.csv", "y,a\n0,2.5\n1,4.5\n");
  CHECK(contains(refusal(settings, [](RunSettings&) {}),
                 "its column 2 is \"a\", which several columns are called in "));
  files.folder.write("private-1.csv", "a,a,y\n1,2.5,0\n3,4.5,1\n");  // in the same order
  CHECK(refusal(settings, [](RunSettings&) {}).empty());
}

TEST_CASE("held out: data.test = \"20%\" takes that share from the training samples, the same every time") {
  const PrivateFiles files;
  RunSettings settings = files.pooled();
  settings.data.test = "20%";
  const auto loaded = load_data<double>(settings.data, true, 1);
  CHECK(loaded.held_out.size() == 18);
  CHECK(std::ranges::is_sorted(loaded.held_out));
  const std::vector<Index> training = loaded.training_rows();
  CHECK(training.size() == 72);
  for (const Index row : loaded.held_out) CHECK(!std::ranges::binary_search(training, row));
  CHECK(load_data<double>(settings.data, true, 1).held_out == loaded.held_out);
  CHECK(load_data<double>(settings.data, true, 2).held_out != loaded.held_out);

  const auto problem = build_problem<double>(settings);
  CHECK(problem.sample_count() == 72);
  CHECK(problem.judged == JudgedSamples{.are_test = true, .count = 18});
  settings = files.at_home();
  settings.data.samples = 72;
  settings.data.test = "20%";
  const ModelScore score = build_problem<double>(settings).score(problem.initial);
  CHECK(score.samples == 72);
  CHECK(score.judged == JudgedSamples{.are_test = true, .count = 18});
}

TEST_CASE("held out: a share of nothing, of all, or that is no share is refused") {
  const PrivateFiles files;
  for (const char* const share : {"0%", "100%", "-5%", "x%", "%", "99.9%"}) {
    CAPTURE(std::string(share));
    CHECK(contains(refusal(files.pooled(), [&](RunSettings& s) { s.data.test = share; }), "data.test = "));
  }
}

}  // namespace hearsay::test::home_test
