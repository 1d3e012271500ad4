// Regularizers in a run: what is refused, and their effect on a model with several outputs.
#include <doctest/doctest.h>

#include "tests/support/cluster.hpp"
#include "tests/support/four_peers.hpp"

namespace hearsay::test::composite_problem_test {

TEST_CASE("composite: bounds that exclude the initial model are refused, not taken for a divergence") {
  RunSettings settings = four_peers("dspg");
  for (const std::string box : {"box(1, 2)", "box(inf, inf)"}) {
    settings.model.regularizer = box;
    CHECK(refusal(settings).find("the initial model (model.init = \"zeros\") lies beyond these bounds") !=
          std::string::npos);
  }
  settings.model.regularizer = "box(0, 2)";
  CHECK(refusal(settings) == "");
}

TEST_CASE("composite: group-lasso makes a softmax model forget whole features, and no others") {
  RunSettings settings = four_peers("dspg");
  settings.data.source = "synthetic(samples=256, features=20, classes=5)";
  settings.model.kind = "softmax";
  settings.model.regularizer = "group-lasso(0.05)";
  settings.run.iterations = 300;
  const auto experiment = prepare<double>(settings);
  const Vector<double> model = record_run(experiment).back()[0].model;
  int forgotten = 0;
  int partly = 0;
  for (Index feature = 0; feature < 20; ++feature) {
    int zeros = 0;
    for (Index output = 0; output < 5; ++output) zeros += model[20 * output + feature] == 0.0;
    forgotten += zeros == 5;
    partly += zeros > 0 && zeros < 5;
  }
  CAPTURE(forgotten);
  CHECK(forgotten > 0);
  CHECK(forgotten < 20);
  CHECK(partly == 0);
}

}  // namespace hearsay::test::composite_problem_test
