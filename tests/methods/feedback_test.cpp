#include "algorithms/methods/parts/feedback.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/methods/ring_run.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::feedback_test {

TEST_CASE_TEMPLATE("feedback: with ef, what was sent and what is remembered are what was to be sent, exactly",
                   Scalar, float, double) {
  for (const PeerId peers : {2, 3})
    for (const char* compressor : {"topk(20%)", "qsgdinf(3)", "topk(30%) | qsgdinf(4)"}) {
      CAPTURE(compressor);
      const auto run = run_of<Scalar>(peers, {.compressor = compressor, .feedback = "ef"});
      for (std::uint64_t t = 1; t < run.recording.size(); ++t)
        for (PeerId i = 0; i < peers; ++i) {
          const Vector<Scalar> p = run.gradient(i, run.recording[t - 1][i].model) + run.memory(t - 1, i);
          const Vector<Scalar> residue = p - run.said(t, i);
          REQUIRE(same_bits(run.memory(t, i), residue));
        }
    }
}

TEST_CASE_TEMPLATE("feedback: topk with ef never loses a coordinate: it is sent or remembered, bit for bit",
                   Scalar, float, double) {
  const auto run = run_of<Scalar>(3, {.compressor = "topk(20%)", .feedback = "ef"});
  for (std::uint64_t t = 1; t < run.recording.size(); ++t)
    for (PeerId i = 0; i < 3; ++i) {
      const Vector<Scalar> p = run.gradient(i, run.recording[t - 1][i].model) + run.memory(t - 1, i);
      const Vector<Scalar> sent = run.said(t, i);
      for (Index k = 0; k < p.size(); ++k) {
        REQUIRE((sent[k] == 0 || run.memory(t, i)[k] == 0));
        REQUIRE(sent[k] + run.memory(t, i)[k] == p[k]);
      }
    }
}

TEST_CASE_TEMPLATE("feedback: low-pass takes in a share of the error, and does not conserve", Scalar, float,
                   double) {
  const auto run = run_of<Scalar>(2, {.compressor = "topk(20%)", .feedback = "low-pass(0.1)"});
  bool conserved = true;
  for (std::uint64_t t = 1; t < run.recording.size(); ++t)
    for (PeerId i = 0; i < 2; ++i) {
      const Vector<Scalar> p = run.gradient(i, run.recording[t - 1][i].model) + run.memory(t - 1, i);
      const Vector<Scalar> error = p - run.said(t, i);
      const auto beta = static_cast<Scalar>(0.1);
      const Vector<Scalar> expected = (1 - beta) * run.memory(t - 1, i) + beta * error;
      REQUIRE(same_bits(run.memory(t, i), expected));
      conserved = conserved && same_bits(run.memory(t, i), error);
    }
  CHECK_FALSE(conserved);
  const auto whole = run_of<Scalar>(3, {.compressor = "topk(20%)", .feedback = "low-pass(1)"});
  const auto ef = run_of<Scalar>(3, {.compressor = "topk(20%)", .feedback = "ef"});
  CHECK(whole.experiment.settings.algorithm.options.find(option::feedback) == "ef");
  CHECK(same_bits(whole.recording.back()[2].model, ef.recording.back()[2].model));
}

TEST_CASE_TEMPLATE(
    "feedback: with ef, x less what is owed descends by the mean gradient, however eta changes", Scalar,
    float, double) {
  for (const PeerId peers : {1, 2, 3, 8})
    for (const char* schedule : {"constant", "inverse-sqrt", "inverse"})
      for (const char* compressor : {"topk(10%)", "qsgdinf(3)"}) {
        CAPTURE(peers);
        CAPTURE(schedule);
        CAPTURE(compressor);
        const auto run = run_of<Scalar>(
            peers, {.compressor = compressor, .iterations = 20, .feedback = "ef", .step_schedule = schedule});
        const auto ahead = [&](std::uint64_t t) {
          Vector<double> z = run.recording[t][0].model.template cast<double>();
          for (PeerId j = 0; j < peers; ++j)
            z -= run.eta(std::max<std::uint64_t>(t, 1)) / peers * run.memory(t, j).template cast<double>();
          return z;
        };
        for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
          Vector<double> expected = ahead(t - 1);
          for (PeerId j = 0; j < peers; ++j)
            expected -=
                run.eta(t) / peers * run.gradient(j, run.recording[t - 1][j].model).template cast<double>();
          REQUIRE((ahead(t) - expected).cwiseAbs().maxCoeff() <= rounding<Scalar>);
        }
      }
}

TEST_CASE_TEMPLATE(
    "feedback: with dgd-def and one peer, x less what is owed is gradient descent, whatever C does", Scalar,
    float, double) {
  for (const char* schedule : {"constant", "inverse-sqrt"})
    for (const char* compressor : {"topk(10%)", "randk(20%)", "qsgdinf(2)", "grid(0.5)", "none"}) {
      CAPTURE(compressor);
      const auto run = run_of<Scalar>(
          1, {.compressor = compressor, .iterations = 30, .feedback = "dgd-def", .step_schedule = schedule});
      Vector<Scalar> descent = run.experiment.problem.initial;
      for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
        descent -= static_cast<Scalar>(run.eta(t)) * run.gradient(0, descent);
        const Vector<Scalar> ahead =
            run.recording[t][0].model - static_cast<Scalar>(run.eta(t)) * run.memory(t, 0);
        REQUIRE((ahead - descent).cwiseAbs().maxCoeff() <= rounding<Scalar>);
      }
    }
}

TEST_CASE("feedback: with dgd-def, 8 bits and one peer, x converges at the rate of gradient descent itself") {
  // Curvatures in [1/2, 3/2] and eta = 1 give nu = 1/2. C(p) is off by at most max |p| / 127 a coordinate.
  // So with epsilon = sqrt(d) / 127:
  //     ||m'|| <= epsilon (L ||z - x*|| + ||m||),  ||z - x*|| <= nu^t ||x_0 - x*||.
  const auto run = run_of<double>(
      1, {.compressor = "qsgdinf(8)", .iterations = 40, .step_size = 1.0, .feedback = "dgd-def"});
  const Vector<double> minimiser = normal_vector<double>(run.dimension(), 5, 0);
  REQUIRE(run.gradient(0, minimiser).norm() <= 1e-12);
  const double nu = 0.5;
  const double largest_curvature = 1.5;
  const double epsilon = std::sqrt(static_cast<double>(run.dimension())) / 127;
  const double start = (run.recording[0][0].model - minimiser).norm();
  double ahead = start;
  double owed = 0.0;
  for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
    owed = epsilon * (largest_curvature * ahead + owed);
    ahead *= nu;
    CHECK((run.recording[t][0].model - minimiser).norm() <= ahead + owed + 1e-12);
  }
  CHECK(ahead + owed <= 1.2 * start * std::pow(nu, 40));  // what is owed vanishes at the same rate
}

TEST_CASE_TEMPLATE(
    "feedback: with dgd-def and common curvature the mean of x less what is owed is gradient descent", Scalar,
    float, double) {
  for (const PeerId peers : {2, 3, 8}) {
    const auto run = run_of<Scalar>(
        peers, {.compressor = "topk(10%)", .iterations = 30, .feedback = "dgd-def"}, Shared::curvature);
    Vector<double> descent = run.experiment.problem.initial.template cast<double>();
    for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
      Vector<double> step = Vector<double>::Zero(descent.size());
      for (PeerId j = 0; j < peers; ++j)
        step += run.gradient(j, descent.template cast<Scalar>()).template cast<double>() / peers;
      descent -= run.eta(t) * step;
      Vector<double> ahead = run.recording[t][0].model.template cast<double>();
      for (PeerId j = 0; j < peers; ++j)
        ahead -= run.eta(t) / peers * run.memory(t, j).template cast<double>();
      REQUIRE((ahead - descent).cwiseAbs().maxCoeff() <= rounding<Scalar>);
    }
  }
}

TEST_CASE_TEMPLATE(
    "feedback: with dgd-def the mean point descends by the mean of the gradients at the points", Scalar,
    float, double) {
  const PeerId peers = 3;
  const auto run =
      run_of<Scalar>(peers, {.compressor = "topk(10%)", .feedback = "dgd-def", .step_schedule = "inverse"});
  const auto point = [&](std::uint64_t t, PeerId j) {
    const auto eta = static_cast<Scalar>(run.eta(std::max<std::uint64_t>(t, 1)));
    return Vector<Scalar>(run.recording[t][j].model - eta * run.memory(t, j));
  };
  for (std::uint64_t t = 1; t < run.recording.size(); ++t) {
    Vector<double> off = Vector<double>::Zero(run.dimension());
    for (PeerId j = 0; j < peers; ++j)
      off += (point(t, j) - point(t - 1, j)).template cast<double>() +
             run.eta(t) * run.gradient(j, point(t - 1, j)).template cast<double>();
    REQUIRE((off / peers).cwiseAbs().maxCoeff() <= rounding<Scalar>);
  }
}

TEST_CASE(
    "feedback: auto is none for unbiased compressors and ef for the others, and every spelling reads back") {
  const auto resolved = [](const std::string& compressor, const std::string& feedback) {
    return quadratics_in<float>({"ring", 3}, "qsgd-allreduce",
                                {.compressor = compressor, .feedback = feedback})
        .settings.algorithm.options.find(option::feedback);
  };
  CHECK(resolved("", "auto") == "none");
  CHECK(resolved("none", "auto") == "none");
  CHECK(resolved("qsgd(8)", "auto") == "none");
  CHECK(resolved("topk(1%)", "auto") == "ef");
  CHECK(resolved("scale{qsgd(4)}", "auto") == "ef");
  CHECK(resolved("leader_topk(1%)", "auto") == "ef");
  for (const std::string& feedback : feedbacks) CHECK(resolved("topk(10%)", feedback) == feedback);
  CHECK(resolved("topk(10%)", "low-pass( 0.10 )") == "low-pass(0.1)");
}

TEST_CASE("feedback: what is no feedback is refused, and so is any where the method has none") {
  const auto refusal = [](const std::string& method, const std::string& feedback) {
    return misuse_text([&] {
      quadratics_in<float>({"ring", 3}, method, {.compressor = "topk(10%)", .feedback = feedback});
    });
  };
  for (const char* wrong : {"eff", "low-pass", "low-pass(0)", "low-pass(1.5)", "low-pass(-1)", "low-pass(x)",
                            "low-pass(0.1, 2)", "ef(1)", "none(1)", "dgd-def(0)", "auto(1)", ""})
    CHECK_MESSAGE(refusal("qsgd-allreduce", wrong).starts_with("algorithm.feedback = "), wrong);
  for (const char* method : {"d-psgd", "dcd-psgd", "naive", "allreduce-sgd"})
    CHECK(refusal(method, "ef").starts_with("algorithm.feedback = ef: " + std::string(method)));
  CHECK(refusal("qsgd-allreduce", "ef").empty());
  const std::string known = "auto, none, ef, low-pass(0.1), dgd-def";
  CHECK(refusal("qsgd-allreduce", "low") ==
        "algorithm.feedback = low: did you mean low-pass(0.1)? (known: " + known + ")");
  CHECK(refusal("qsgd-allreduce", "foo") == "algorithm.feedback = foo: expected one of " + known);
}

}  // namespace hearsay::test::feedback_test
