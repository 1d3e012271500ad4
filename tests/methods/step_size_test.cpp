#include "algorithms/seam/step_size.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/misuse_text.hpp"

namespace hearsay::step_size_test {

TEST_CASE("step size: the constant and the inverse schedules, by their formulas") {
  for (const std::uint64_t t : {1u, 2u, 9u, 10'000u}) {
    const auto iteration = static_cast<double>(t);
    CHECK(StepSize(0.3, "constant", 0).at(t) == 0.3);
    CHECK(StepSize(0.3, "inverse-sqrt", 0).at(t) == 0.3 / std::sqrt(iteration));
    CHECK(StepSize(0.3, "inverse", 0).at(t) == 0.3 / iteration);
  }
}

TEST_CASE("step size: a warm-up rises linearly and then leaves the schedule alone") {
  const StepSize warm(0.4, "inverse-sqrt", 8);
  const StepSize cold(0.4, "inverse-sqrt", 0);
  for (std::uint64_t t = 1; t <= 20; ++t)
    CHECK(warm.at(t) ==
          doctest::Approx(cold.at(t) * std::min(1.0, static_cast<double>(t) / 8)).epsilon(1e-15));
}

TEST_CASE("step size: the inverse of t + b is between the constant and the inverse of t") {
  for (const std::uint64_t t : {1u, 2u, 9u, 10'000u}) {
    CHECK(StepSize(0.3, "inverse(4.5)", 0).at(t) == 0.3 / (static_cast<double>(t) + 4.5));
    CHECK(StepSize(0.3, "inverse(0)", 0).at(t) == StepSize(0.3, "inverse", 0).at(t));
  }
}

TEST_CASE("step size: cosine, multistep, inverse and the warm-up of each walk as torch's own schedulers") {
  struct Walk {
    std::string schedule;
    std::uint64_t warm_up;
    std::vector<double> torch;
  };
  // The numbers are those of torch 1.13 in double, for the iterations 1, 2, ... of an SGD with lr = 0.3:
  //   S.CosineAnnealingLR(rule, 20), the same with eta_min = 0.03,
  //   S.MultiStepLR(rule, [5, 12, 13], gamma=0.1), S.LambdaLR(rule, lambda k: 1 / (k + 1 + 4)),
  //   S.LinearLR(rule, start_factor=1/8, total_iters=7), and S.ChainedScheduler of that
  //   LinearLR and of CosineAnnealingLR or MultiStepLR.
  const std::vector<Walk> walks = {
      {"cosine(20)",
       0,
       {0.3,
        0.29815325108927065,
        0.29265847744427304,
        0.28365097862825517,
        0.27135254915624213,
        0.2560660171779821,
        0.23816778784387097,
        0.21809857496093202,
        0.19635254915624215,
        0.17346516975603465,
        0.15,
        0.1265348302439654,
        0.10364745084375789,
        0.08190142503906797,
        0.06183221215612903,
        0.04393398282201787,
        0.028647450843757888,
        0.016349021371744824,
        0.007341522555726967,
        0.0018467489107293503}},
      {"cosine(20, 0.1)",
       0,
       {0.3,
        0.2983379259803436,
        0.2933926296998457,
        0.2852858807654296,
        0.2742172942406178,
        0.2604594154601838,
        0.2443510090594838,
        0.22628871746483872,
        0.20671729424061783,
        0.1861186527804311,
        0.16499999999999992,
        0.1438813472195688,
        0.12328270575938205,
        0.10371128253516114,
        0.0856489909405161,
        0.06954058453981607,
        0.055782705759382094,
        0.04471411923457034,
        0.03660737030015427,
        0.031662074019656414}},
      {"multistep(0.1, 5, 12, 13)",
       0,
       {0.3, 0.3, 0.3, 0.3, 0.3, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.03, 0.003, 0.00030000000000000003,
        0.00030000000000000003, 0.00030000000000000003}},
      {"constant",
       8,
       {0.0375, 0.075, 0.11249999999999999, 0.14999999999999997, 0.18749999999999994, 0.22499999999999992,
        0.2624999999999999, 0.2999999999999999, 0.2999999999999999, 0.2999999999999999, 0.2999999999999999,
        0.2999999999999999}},
      {"cosine(20)",
       8,
       {0.0375,
        0.07453831277231766,
        0.1097469290416024,
        0.14182548931412758,
        0.16959534322265132,
        0.1920495128834866,
        0.20839681436338714,
        0.21809857496093205,
        0.19635254915624215,
        0.17346516975603465,
        0.15,
        0.1265348302439654,
        0.10364745084375789,
        0.08190142503906797,
        0.06183221215612903,
        0.04393398282201787,
        0.028647450843757888,
        0.016349021371744824,
        0.007341522555726967,
        0.0018467489107293503}},
      {"multistep(0.1, 5, 12, 13)",
       8,
       {0.0375, 0.075, 0.11249999999999999, 0.14999999999999997, 0.18749999999999994, 0.022499999999999992,
        0.026249999999999992, 0.02999999999999999, 0.02999999999999999, 0.02999999999999999,
        0.02999999999999999, 0.02999999999999999, 0.002999999999999999, 0.0002999999999999999,
        0.0002999999999999999, 0.0002999999999999999}},
      {"inverse(4)",
       0,
       {0.06, 0.049999999999999996, 0.04285714285714285, 0.0375, 0.03333333333333333, 0.03,
        0.02727272727272727, 0.024999999999999998}},
  };
  for (const Walk& walk : walks) {
    const StepSize step_size(0.3, walk.schedule, walk.warm_up);
    CAPTURE(walk.schedule);
    for (std::size_t k = 0; k < walk.torch.size(); ++k) {
      CAPTURE(k);
      CHECK(std::abs(step_size.at(k + 1) - walk.torch[k]) <= 1e-12 * walk.torch[k]);
    }
  }
}

TEST_CASE("step size: a cosine stays where it ends, also beneath a long warm-up") {
  const StepSize falls(0.4, "cosine(10, 0.25)", 0);
  CHECK(falls.at(1) == 0.4);
  CHECK(falls.at(11) == doctest::Approx(0.1).epsilon(1e-15));
  CHECK(falls.at(1'000'000) == falls.at(11));
  CHECK(StepSize(0.4, "cosine(10)", 0).at(12) == 0.0);
  CHECK(StepSize(0.4, "cosine(10, 0.25)", 40).at(20) == doctest::Approx(0.05).epsilon(1e-15));
}

TEST_CASE("step size: an unknown or misspelt schedule is refused with what is known") {
  const auto refusal = [](const std::string& schedule) {
    return misuse_text([&] { StepSize(0.1, schedule, 0); });
  };
  CHECK(refusal("cosin(8)") ==
        "algorithm.step_schedule = cosin: did you mean cosine(T, end)? (known: constant, inverse-sqrt, "
        "inverse(b), cosine(T, end), multistep(factor, t1, t2, ...))");
  CHECK(refusal("constant(2)") == "algorithm.step_schedule = constant(2): expected constant");
  CHECK(refusal("inverse(-1)") ==
        "algorithm.step_schedule = inverse(-1): expected inverse(b) with a number of at least 0");
  for (const std::string schedule : {"cosine", "cosine(0)", "cosine(1.5)", "cosine(8, 2)", "cosine(8, 0, 0)"})
    CHECK(refusal(schedule) ==
          "algorithm.step_schedule = " + schedule +
              ": expected cosine(T, end) with a whole number of iterations, at least 1, and a share of eta "
              "between 0 and 1");
  for (const std::string schedule : {"multistep", "multistep(0.1)", "multistep(0, 5)", "multistep(0.1, 0)",
                                     "multistep(0.1, 5, 5)", "multistep(0.1, 9, 5)"})
    CHECK(refusal(schedule) ==
          "algorithm.step_schedule = " + schedule +
              ": expected multistep(factor, t1, t2, ...) with a factor greater than 0 and ascending "
              "iterations, at least 1");
}

}  // namespace hearsay::step_size_test
