#include "algorithms/methods/parts/local_optimizer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "algorithms/arithmetic/random.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::local_optimizer_test {

namespace {

const SegmentTable layers = {{"first", 0, 3, 2}, {"second", 6, 4, 1}};
constexpr Index dimension = 10;

std::vector<Vector<double>> gradients(std::size_t count) {
  std::vector<Vector<double>> all;
  RandomStream random(3, 0, 0, Purpose::data);
  for (std::size_t t = 0; t < count; ++t) {
    Vector<double> g(dimension);
    for (double& entry : g) entry = random.normal();
    all.push_back(g);
  }
  return all;
}

/// Returns the point that x = 0 reaches with these gradients.
Vector<double> path_end(const std::string& spelling, const std::vector<Vector<double>>& all,
                        double eta = 0.1) {
  const auto optimizer = make_local_optimizer<double>(spelling, dimension, layers);
  Vector<double> x = Vector<double>::Zero(dimension);
  Vector<double> step(dimension);
  for (const Vector<double>& g : all) {
    optimizer->step(x, g, eta, step);
    x += step;
  }
  return x;
}

struct Counter final : StateVisitor<double> {
  std::size_t scalars = 0;
  void state(std::string_view, Vector<double>& v) override { scalars += static_cast<std::size_t>(v.size()); }
  void published(std::string_view, Vector<double>&) override {}
  void replica(std::string_view, PeerId, Vector<double>&) override {}
  void scratch(std::string_view, Vector<double>&) override {}
};

}  // namespace

TEST_CASE("local optimizer: without momentum it is plain SGD, bit for bit") {
  const auto all = gradients(7);
  CHECK(path_end("heavy-ball(0)", all) == path_end("sgd", all));
  CHECK(path_end("nesterov(0)", all) == path_end("sgd", all));
}

TEST_CASE("local optimizer: heavy ball is Polyak's two-step recursion, Nesterov's its look-ahead") {
  const auto all = gradients(20);
  // x+ = x - eta g + beta (x - x before)
  Vector<double> x = Vector<double>::Zero(dimension), before = x;
  for (const auto& g : all) {
    const Vector<double> next = x - 0.1 * g + 0.8 * (x - before);
    before = x;
    x = next;
  }
  CHECK((path_end("heavy-ball(0.8)", all) - x).cwiseAbs().maxCoeff() < 1e-14);
  // sum_t of -eta (g_t + beta m_t), m_t = sum_s beta^(t-s) g_s
  Vector<double> sum = Vector<double>::Zero(dimension);
  for (std::size_t t = 0; t < all.size(); ++t) {
    sum -= 0.1 * all[t];
    for (std::size_t s = 0; s <= t; ++s) sum -= 0.1 * std::pow(0.8, t - s + 1.0) * all[s];
  }
  CHECK((path_end("nesterov(0.8)", all) - sum).cwiseAbs().maxCoeff() < 1e-13);
}

TEST_CASE(
    "local optimizer: dual averaging is where all gradients lead from the start, whatever came between") {
  const auto all = gradients(30);
  Vector<double> z = Vector<double>::Zero(dimension);
  Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(dimension);
  for (const auto& g : all) {
    z += g;
    squares += g.array().square();
  }
  const Vector<double> expected = -0.1 * (z.array() / (0.5 + squares.sqrt())).matrix();
  CHECK((path_end("adagrad-da(0.5)", all) - expected).cwiseAbs().maxCoeff() < 1e-13);
}

TEST_CASE("local optimizer: dual averaging weighs each gradient by the step size of its own step") {
  const auto all = gradients(30);
  const auto optimizer = make_local_optimizer<double>("adagrad-da(0.5)", dimension, layers);
  Vector<double> x = Vector<double>::Constant(dimension, 2.0), step(dimension);
  const Vector<double> start = x;
  Vector<double> z = Vector<double>::Zero(dimension);
  Eigen::ArrayXd squares = Eigen::ArrayXd::Zero(dimension);
  const auto steps_as_written = [&](const Vector<double>& g, double eta) {
    optimizer->step(x, g, eta, step);
    x += step;
    z += eta * g;
    squares += g.array().square();
    CHECK((x.array() - start.array() + z.array() / (0.5 + squares.sqrt())).abs().maxCoeff() < 1e-14);
  };
  for (std::size_t t = 0; t < all.size(); ++t)
    steps_as_written(all[t], 0.1 / std::sqrt(static_cast<double>(t + 1)));
  // Where the gradient vanishes, a step size that falls moves nothing: it takes no earlier step back.
  const Vector<double> reached = x;
  steps_as_written(Vector<double>::Zero(dimension), 1e-6);
  CHECK(x == reached);
}

TEST_CASE("local optimizer: AdaGrad's steps obey the doubling lemma, coordinate by coordinate") {
  // sum_t g_t^2 / sqrt(sum_{s<=t} g_s^2) <= 2 sqrt(sum g^2); a step times its gradient is -eta times the left
  // side.
  const auto optimizer = make_local_optimizer<double>("adagrad(1e-300)", dimension, layers);
  const Vector<double> x = Vector<double>::Zero(dimension);
  Eigen::ArrayXd left = Eigen::ArrayXd::Zero(dimension), squares = left;
  Vector<double> step(dimension);
  for (const auto& g : gradients(200)) {
    optimizer->step(x, g, 1.0, step);
    left -= (step.array() * g.array());
    squares += g.array().square();
    CHECK((left <= 2.0 * squares.sqrt() * (1 + 1e-12)).all());
  }
  CHECK((left > squares.sqrt()).all());
}

TEST_CASE(
    "local optimizer: Adam's first step has length eta in every coordinate, a constant gradient keeps it") {
  const std::vector<Vector<double>> constant(50, gradients(1).front());
  const auto& g = constant.front();
  for (const std::size_t steps : {1, 50}) {
    const Vector<double> x =
        path_end("adam(0.9, 0.999)",
                 std::vector<Vector<double>>(constant.begin(), constant.begin() + static_cast<long>(steps)));
    for (Index k = 0; k < dimension; ++k)
      CHECK(x[k] == doctest::Approx(-0.1 * static_cast<double>(steps) * (g[k] > 0 ? 1 : -1)).epsilon(1e-5));
  }
}

TEST_CASE(
    "local optimizer: AdaGrad, Adam, AMSGrad and NovoGrad, coordinate by coordinate as they are written") {
  const auto all = gradients(30);
  constexpr double eta = 0.1, delta = 0.5, beta1 = 0.8, beta2 = 0.9, epsilon = 1e-8;
  for (Index k = 0; k < dimension; ++k) {
    CAPTURE(k);
    double adagrad = 0.0, adam = 0.0, amsgrad = 0.0, novograd = 0.0;
    double G = 0.0, m = 0.0, v = 0.0, u = 0.0, layer = 0.0, momentum = 0.0;
    for (std::size_t t = 1; t <= all.size(); ++t) {
      const double g = all[t - 1][k];
      G += g * g;
      adagrad -= eta * g / (delta + std::sqrt(G));
      m = beta1 * m + (1.0 - beta1) * g;
      v = beta2 * v + (1.0 - beta2) * g * g;
      const double rounds = static_cast<double>(t);
      const double unbiased_m = m / (1.0 - std::pow(beta1, rounds));
      const double unbiased_v = v / (1.0 - std::pow(beta2, rounds));
      adam -= eta * unbiased_m / (std::sqrt(unbiased_v) + epsilon);
      u = std::max(u, v);
      amsgrad -= eta * m / (std::sqrt(u) + epsilon);
      const auto of_layer = k < 6 ? all[t - 1].head(6) : all[t - 1].tail(4);
      double norm = 0.0;
      for (const double entry : of_layer) norm += entry * entry;
      layer = t == 1 ? norm : beta2 * layer + (1.0 - beta2) * norm;
      momentum = beta1 * momentum + g / (std::sqrt(layer) + epsilon);
      novograd -= eta * momentum;
    }
    CHECK(path_end("adagrad(0.5)", all)[k] == doctest::Approx(adagrad).epsilon(1e-12));
    CHECK(path_end("adam(0.8, 0.9)", all)[k] == doctest::Approx(adam).epsilon(1e-12));
    CHECK(path_end("amsgrad(0.8, 0.9)", all)[k] == doctest::Approx(amsgrad).epsilon(1e-12));
    CHECK(path_end("novograd(0.8, 0.9)", all)[k] == doctest::Approx(novograd).epsilon(1e-12));
  }
}

TEST_CASE("local optimizer: epsilon, added to the root, is no floor of gradients as small as 1e-6") {
  // In the root it would be a floor of 1e-4 under the divisor.
  const std::vector<Vector<double>> small(1, Vector<double>::Constant(dimension, 1e-6));
  const Vector<double> amsgrad = path_end("amsgrad(0, 0)", small);
  const Vector<double> novograd = path_end("novograd(0, 0)", small);
  for (Index k = 0; k < dimension; ++k) {
    CHECK(amsgrad[k] == doctest::Approx(-0.1 * 1e-6 / (1e-6 + 1e-8)).epsilon(1e-12));
    const double norm = 1e-6 * std::sqrt(k < 6 ? 6.0 : 4.0);
    CHECK(novograd[k] == doctest::Approx(-0.1 * 1e-6 / (norm + 1e-8)).epsilon(1e-12));
  }
}

TEST_CASE("local optimizer: AMSGrad's divisor never shrinks") {
  auto all = gradients(5);
  for (int t = 0; t < 100; ++t) all.push_back(Vector<double>::Constant(dimension, 1e-3));
  const auto optimizer = make_local_optimizer<double>("amsgrad(0, 0.5)", dimension, layers);
  const Vector<double> x = Vector<double>::Zero(dimension);
  Vector<double> step(dimension);
  Eigen::ArrayXd divisor = Eigen::ArrayXd::Zero(dimension);
  for (const auto& g : all) {
    optimizer->step(x, g, 1.0, step);
    const Eigen::ArrayXd now = (g.array() / step.array()).abs();
    CHECK((now >= divisor * (1 - 1e-12)).all());
    divisor = now;
  }
}

TEST_CASE("local optimizer: NovoGrad does not see the scale of a layer's gradient") {
  const auto all = gradients(10);
  auto scaled = all;
  for (auto& g : scaled) g.head(6) *= 1024.0;
  const Vector<double> one = path_end("novograd(0.9, 0.5)", all);
  const Vector<double> other = path_end("novograd(0.9, 0.5)", scaled);
  CHECK((one - other).cwiseAbs().maxCoeff() < 1e-7);
}

TEST_CASE("local optimizer: what each keeps between two steps") {
  const std::map<std::string, std::size_t> kept = {
      {"sgd", 0},   {"heavy-ball", 10}, {"nesterov", 10}, {"adagrad", 10},  {"adagrad-da", 30},
      {"adam", 22}, {"amsgrad", 30},    {"adamw", 22},    {"novograd", 12}, {"muon", 16},
  };
  CHECK(kept.size() == local_optimizer_choices().size());
  for (const Choice& choice : local_optimizer_choices()) {
    CAPTURE(choice.name);
    const auto optimizer = make_local_optimizer<double>(choice.name, dimension, layers);
    Counter counter;
    optimizer->visit_state(counter);
    REQUIRE(kept.contains(choice.name));
    CHECK(counter.scalars == kept.at(choice.name));
    CHECK(make_local_optimizer<double>(optimizer->spelling(), dimension, layers)->spelling() ==
          optimizer->spelling());
    // Without a gradient nothing moves that is at 0.
    const Vector<double> zero = Vector<double>::Zero(dimension);
    Vector<double> step = Vector<double>::Ones(dimension);
    optimizer->step(zero, zero, 0.1, step);
    CHECK(step.cwiseAbs().maxCoeff() == 0.0);
  }
}

TEST_CASE("local optimizer: AdamW walks as torch's own") {
  // f(x) = 1/2 sum_k a_k (x_k - c_k)^2. The numbers are those of torch 1.13 in double:
  //   x = torch.nn.Parameter(torch.tensor([1., -2., 3., 0.], dtype=torch.float64))
  //   rule = torch.optim.AdamW([x], lr=0.1, betas=betas, eps=1e-8, weight_decay=decay), stepped 30 times
  const Eigen::Array4d a{1.0, 0.25, 4.0, 0.5}, c{0.5, -1.0, 0.25, 2.0};
  const auto walk = [&](const std::string& spelling, const std::map<int, Eigen::Array4d>& torch) {
    const auto optimizer = make_local_optimizer<double>(spelling, 4, {{"all", 0, 4, 1}});
    Vector<double> x = Eigen::Vector4d{1.0, -2.0, 3.0, 0.0}, gradient(4), step(4);
    for (int t = 1; t <= 30; ++t) {
      gradient = (a * (x.array() - c)).matrix();
      optimizer->step(x, gradient, 0.1, step);
      x += step;
      CAPTURE(t);
      if (torch.contains(t)) CHECK((x.array() - torch.at(t)).abs().maxCoeff() < 1e-12);
    }
  };
  walk("adamw", {{1, {0.899000002, -1.8980000039999998, 2.897000000090909, 0.09999999900000002}},
                 {10, {0.2952167180803146, -1.063224419322609, 1.9910471772622507, 0.9710780172063089}},
                 {30, {0.518863427204282, -0.9676927987505668, 0.4471347329107233, 2.1809085470087597}}});
  walk("adamw(0.5, 0.75, 0.5)",
       {{1, {0.8500000019999999, -1.8000000039999997, 2.7500000000909086, 0.09999999900000002}},
        {10, {0.4818634637599706, -0.8401616791109873, 1.0793368158193841, 0.7689257575997034}},
        {30, {0.536790290227488, -0.9887486605064802, 0.24239498472087645, 1.438604005244099}}});
}

TEST_CASE("local optimizer: the decay of AdamW and NovoGrad is decoupled from the gradient's scale") {
  // Without a gradient, x shrinks by 1 - eta decay a step (AdamW), and by a momentum of decay x (NovoGrad).
  const Vector<double> zero = Vector<double>::Zero(dimension);
  const auto adamw = make_local_optimizer<double>("adamw(0.9, 0.999, 0.25)", dimension, layers);
  const auto novograd = make_local_optimizer<double>("novograd(0.5, 0.75, 0.25)", dimension, layers);
  Vector<double> x = Vector<double>::LinSpaced(dimension, -1.0, 2.0), y = x, before = x, step(dimension);
  const Vector<double> start = x;
  for (int t = 1; t <= 10; ++t) {
    adamw->step(x, zero, 0.1, step);
    x += step;
    novograd->step(y, zero, 0.1, step);
    const Vector<double> next = y - 0.1 * 0.25 * y + 0.5 * (y - before);
    before = y;
    y += step;
    CHECK((y - next).cwiseAbs().maxCoeff() < 1e-15);
  }
  CHECK((x - std::pow(1.0 - 0.1 * 0.25, 10) * start).cwiseAbs().maxCoeff() < 1e-14);
  // With a gradient, the decay adds -eta (decay x) to the first step of either.
  const Vector<double> g = gradients(1).front();
  for (const std::string name : {"adamw(0.9, 0.999, ", "novograd(0.9, 0.999, "}) {
    CAPTURE(name);
    Vector<double> without(dimension);
    make_local_optimizer<double>(name + "0)", dimension, layers)->step(start, g, 0.1, without);
    make_local_optimizer<double>(name + "0.25)", dimension, layers)->step(start, g, 0.1, step);
    CHECK((step - without + 0.1 * 0.25 * start).cwiseAbs().maxCoeff() < 1e-15);
  }
}

TEST_CASE("local optimizer: misspelt ones are refused with key, value and expectation") {
  const auto refusal = [](const std::string& spelling) {
    return misuse_text([&] { make_local_optimizer<double>(spelling, dimension, layers); });
  };
  CHECK(refusal("adm").starts_with("algorithm.optimizer = adm:"));
  CHECK(refusal("heavy-ball(1)") ==
        "algorithm.optimizer = heavy-ball(1): expected heavy-ball(beta) with numbers of at least 0 and below "
        "1");
  CHECK(refusal("sgd(0.1)") == "algorithm.optimizer = sgd(0.1): expected sgd");
  CHECK(refusal("adagrad(0)") ==
        "algorithm.optimizer = adagrad(0): expected adagrad(delta) with a number greater than 0");
  CHECK(refusal("adamw(0.9, 0.999, -1)") ==
        "algorithm.optimizer = adamw(0.9, 0.999, -1): expected adamw(beta1, beta2, decay) with betas of at "
        "least 0 and below 1 and a decay of at least 0");
}

TEST_CASE(
    "local optimizer: a number that float rounds to a bound, and would divide by 0, is refused in float") {
  const auto refusal_in_float = [](const std::string& spelling) {
    return misuse_text([&] { make_local_optimizer<float>(spelling, dimension, layers); });
  };
  CHECK(
      refusal_in_float("adam(0.9, 0.9999999999)") ==
      "algorithm.optimizer = adam(0.9, 0.9999999999): expected adam(beta1, beta2) with numbers of at least 0 "
      "and below 1, in float, too");
  CHECK(refusal_in_float("heavy-ball(0.9999999999)").starts_with("algorithm.optimizer = heavy-ball("));
  CHECK(refusal_in_float("adagrad(1e-60)").starts_with("algorithm.optimizer = adagrad("));
  CHECK(refusal_in_float("adam(0.9, 0.9999999)") == "");
  CHECK(path_end("adam(0.9, 0.9999999999)", gradients(3)).allFinite());  // in double
  const auto optimizer = make_local_optimizer<float>("adam(0.9, 0.9999999)", dimension, layers);
  const Vector<float> x = Vector<float>::Zero(dimension);
  Vector<float> step(dimension);
  for (int t = 0; t < 5; ++t) optimizer->step(x, gradients(1).front().cast<float>(), 0.1f, step);
  CHECK(step.allFinite());
  CHECK(step.cwiseAbs().maxCoeff() < 0.2f);
}

}  // namespace hearsay::local_optimizer_test
