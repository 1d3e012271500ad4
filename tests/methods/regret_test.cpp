// qcmd-adagrad and qrda-adagrad on a stream of losses: what they pay above the best fixed point.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "algorithms/compression/registry.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::regret_test {

namespace {

constexpr Index dimension = 24;
constexpr PeerId workers = 4;
constexpr double eta = 1.0;
constexpr double delta = 1e-8;  // of the two methods

/// A worker's loss in an iteration: sum_k weights_k |x_k - targets_k|, the targets 1 and -1.
struct Loss {
  Vector<double> weights = Vector<double>::Zero(dimension);
  Vector<double> targets = Vector<double>::Ones(dimension);

  double at(const Vector<double>& x) const { return weights.dot((x - targets).cwiseAbs()); }
};

double scale_of(Index k) { return std::ldexp(1.0, static_cast<int>(k % 5) - 2); }
/// How often a coordinate matters: always, and now and then.
double frequency_of(Index k) { return k % 2 == 0 ? 1.0 : 0.125; }
/// How often its target is 1. Most are fair coins.
double odds_of(Index k, PeerId worker) { return k % 4 < 3 ? 0.5 : worker == 0 ? 0.2 : 0.8; }

/// Where losses come from: one for all iterations, or drawn anew in each.
struct Source {
  enum Kind { constant, changing } kind;
  std::uint64_t seed = 1;
};

Loss loss_of(const Source& source, PeerId worker, std::uint64_t iteration) {
  RandomStream random(source.seed, worker, source.kind == Source::constant ? 1 : iteration, Purpose::data);
  Loss loss;
  for (Index k = 0; k < dimension; ++k) {
    if (random.uniform() < frequency_of(k)) loss.weights[k] = scale_of(k);
    if (random.uniform() >= odds_of(k, worker)) loss.targets[k] = -1;
  }
  return loss;
}

class StreamedLosses final : public Objective<double> {
 public:
  StreamedLosses(PeerId worker, const Source& source) : worker_(worker), source_(source) {}
  Index dimension() const override { return regret_test::dimension; }
  Index sample_count() const override { return 1; }
  double loss(const Vector<double>& x) const override { return loss_of(source_, worker_, 1).at(x); }
  void gradient(const Vector<double>& x, std::span<const Index> samples,
                Vector<double>& gradient) const override {
    minibatch_gradient(x, {.samples = samples, .seed = 0, .iteration = 1}, gradient);
  }
  void minibatch_gradient(const Vector<double>& x, const Minibatch& minibatch,
                          Vector<double>& gradient) const override {
    const Loss loss = loss_of(source_, worker_, minibatch.iteration);
    gradient = loss.weights.cwiseProduct((x - loss.targets).cwiseSign());
  }

 private:
  PeerId worker_;
  Source source_;
};

/// E f_t(x) + h(x), less its least value.
double expected_gap(const Vector<double>& x, double lambda) {
  double gap = 0.0;
  for (Index k = 0; k < dimension; ++k) {
    double odds = 0.0;
    for (PeerId worker = 0; worker < workers; ++worker) odds += odds_of(k, worker) / workers;
    const auto value = [&](double y) {
      return scale_of(k) * frequency_of(k) * (odds * std::abs(y - 1) + (1 - odds) * std::abs(y + 1)) +
             lambda * std::abs(y);
    };
    gap += value(x[k]) - std::min({value(-1), value(0), value(1)});
  }
  return gap;
}

/// What was paid in iterations 1 ... T, and what fixed points would have paid. f_t is the mean of the
/// workers' losses, g_t the mean of what was heard of their gradients; x_1 = 0.
struct Ledger {
  std::uint64_t count = 0;                                  // T
  double lambda = 0.0;                                      // h = lambda ||x||_1
  double paid = 0.0;                                        // sum_t f_t(x_t) + h(x_t)
  double paid_linear = 0.0;                                 // sum_t <g_t, x_t> + h(x_t)
  Vector<double> to_one = Vector<double>::Zero(dimension);  // the weights of target 1
  Vector<double> to_minus_one = Vector<double>::Zero(dimension);
  Vector<double> gradients = Vector<double>::Zero(dimension);  // sum_t g_t
  Vector<double> squares = Vector<double>::Zero(dimension);    // sum_t g_t^2
  Vector<double> highest = Vector<double>::Zero(dimension);    // of the x_t
  Vector<double> lowest = Vector<double>::Zero(dimension);
  Vector<double> points = Vector<double>::Zero(dimension);  // sum_t x_t
  double expected = 0.0;                                    // sum_t expected_gap(x_t)

  double fixed(const Vector<double>& x) const {
    return to_one.dot((x.array() - 1).abs().matrix()) + to_minus_one.dot((x.array() + 1).abs().matrix()) +
           static_cast<double>(count) * lambda * x.lpNorm<1>();
  }
  /// The fixed point that would have paid least: a kink, in every coordinate.
  Vector<double> best() const {
    Vector<double> x = Vector<double>::Zero(dimension);
    for (Index k = 0; k < dimension; ++k) {
      const double pull = to_one[k] - to_minus_one[k];
      if (std::abs(pull) > static_cast<double>(count) * lambda) x[k] = pull > 0 ? 1 : -1;
    }
    return x;
  }
  double regret() const { return paid - fixed(best()); }
  double linear_regret() const {
    const Vector<double> x = best();
    return paid_linear - gradients.dot(x) - static_cast<double>(count) * lambda * x.lpNorm<1>();
  }
  /// sum_k ||g_{1:T,k}||
  double size() const { return squares.cwiseSqrt().sum(); }
  double largest_distance() const {
    const Vector<double> x = best();
    return (highest - x).cwiseAbs().cwiseMax((lowest - x).cwiseAbs()).maxCoeff();
  }
  double largest_entry() const { return highest.cwiseMax(-lowest).maxCoeff(); }
};

/// The ledgers after `every`, 2 `every`, ... iterations.
std::vector<Ledger> ledgers(const std::string& method, const std::string& compressor, double lambda,
                            const Source& source, std::uint64_t iterations, std::uint64_t every) {
  Plan plan{.compressor = compressor, .iterations = iterations, .step_size = eta};
  plan.regularizer = lambda == 0.0 ? "none" : "l1(" + std::to_string(lambda) + ")";
  RunSettings settings = settings_of(method, {"star", workers + 1}, plan);
  settings.topology.hub = HubData::none;  // so that all answers are messages
  Problem<double> problem;
  for (PeerId worker = 0; worker < workers; ++worker)
    problem.objectives.push_back(std::make_unique<StreamedLosses>(worker, source));
  problem.initial = Vector<double>::Zero(dimension);
  const auto recording = record_run(prepare<double>(settings, with_regularizer(std::move(problem), plan)));
  const auto decoder = make_compressor<double>(compressor, {});

  Ledger ledger{.lambda = lambda};
  std::vector<Ledger> all;
  for (std::uint64_t t = 1; t <= iterations; ++t) {
    const Vector<double>& x = recording[t - 1][0].model;
    Vector<double> heard = Vector<double>::Zero(dimension);
    for (PeerId worker = 0; worker < workers; ++worker) {
      const Loss loss = loss_of(source, worker, t);
      ledger.paid += loss.at(x) / workers;
      for (Index k = 0; k < dimension; ++k)
        (loss.targets[k] > 0 ? ledger.to_one : ledger.to_minus_one)[k] += loss.weights[k] / workers;
      REQUIRE(decoder->accumulate(recording[t][worker + 1].sent.front().packet->bytes(), 1.0 / workers,
                                  view(heard)) == CodecStatus::ok);
    }
    ++ledger.count;
    ledger.paid += lambda * x.lpNorm<1>();
    ledger.paid_linear += heard.dot(x) + lambda * x.lpNorm<1>();
    ledger.gradients += heard;
    ledger.squares += heard.cwiseAbs2();
    ledger.highest = ledger.highest.cwiseMax(x);
    ledger.lowest = ledger.lowest.cwiseMin(x);
    ledger.points += x;
    ledger.expected += expected_gap(x, lambda);
    if (t % every == 0) all.push_back(ledger);
  }
  return all;
}

/// AdaGrad's bound for composite mirror descent (Duchi, Hazan, Singer 2011, theorem 5), with what delta adds:
///
///     (max_t ||x_t - x*||_inf^2 / (2 eta) + eta) sum_k ||g_{1:T,k}|| + (delta / (2 eta)) ||x*||^2
double mirror_descent_bound(const Ledger& ledger) {
  const double distance = ledger.largest_distance();
  return (distance * distance / (2 * eta) + eta) * ledger.size() +
         delta / (2 * eta) * ledger.best().squaredNorm();
}

/// A bound for dual averaging with any delta. The paper's, (||x*||_inf^2 / eta + eta) sum_k ||g_{1:T,k}||,
/// wants a delta above all gradients. x_t minimises what is added up to t - 1; with what t adds, but h, that
/// is strongly convex by M_t / eta, and g_t + (M_t - M_{t-1}) x_t / eta is a subgradient of it at x_t. Hence
///
///     ((||x*||_inf^2 + max_t ||x_t||_inf^2) / (2 eta) + 2 eta) sum_k (delta + ||g_{1:T,k}||)
double dual_averaging_bound(const Ledger& ledger) {
  const double best = ledger.best().cwiseAbs().maxCoeff();
  const double largest = ledger.largest_entry();
  return ((best * best + largest * largest) / (2 * eta) + 2 * eta) *
         (ledger.size() + delta * static_cast<double>(dimension));
}

double bound_of(const std::string& method, const Ledger& ledger) {
  return method == "qcmd-adagrad" ? mirror_descent_bound(ledger) : dual_averaging_bound(ledger);
}

const std::vector<std::string> forms = {"qcmd-adagrad", "qrda-adagrad"};

}  // namespace

TEST_CASE("regret: of either form of AdaGrad it is within the bound at all times, whatever was heard") {
  for (const std::string& method : forms)
    for (const std::string compressor : {"none", "dither(linf, levels=1)", "topk(20%)"})
      for (const double lambda : {0.0, 0.125}) {
        CAPTURE(method);
        CAPTURE(compressor);
        CAPTURE(lambda);
        for (const Ledger& ledger : ledgers(method, compressor, lambda, {Source::changing}, 600, 1)) {
          CAPTURE(ledger.count);
          REQUIRE(ledger.linear_regret() <= bound_of(method, ledger));
          // The losses are convex: heard in full, they cost no more than their tangents.
          if (compressor == "none") REQUIRE(ledger.regret() <= ledger.linear_regret() + 1e-9);
        }
      }
}

TEST_CASE("regret: it grows like the root of T") {
  struct Setting {
    std::string compressor;
    double lambda;
  };
  for (const std::string& method : forms)
    for (const Setting& setting : std::vector<Setting>{{"none", 0.0}, {"dither(linf, levels=1)", 0.125}}) {
      CAPTURE(method);
      CAPTURE(setting.compressor);
      double shorter = 0.0;  // of several streams: one alone is lucky or not
      double longer = 0.0;
      double expected_shorter = 0.0;
      double expected_longer = 0.0;
      for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const auto all =
            ledgers(method, setting.compressor, setting.lambda, {Source::changing, seed}, 4096, 1024);
        shorter += all.front().regret();
        longer += all.back().regret();
        expected_shorter += all.front().expected;
        expected_longer += all.back().expected;
      }
      CHECK(longer < 2.4 * shorter);
      CHECK(expected_longer < 2.4 * expected_shorter);
      // Fair coins cost everybody as much.
      if (setting.lambda == 0.0) CHECK(longer > 1.6 * shorter);
    }
}

TEST_CASE("regret: the average of the points is expected to be above the least by no more than it over T") {
  for (const std::string& method : forms)
    for (const double lambda : {0.0, 0.125}) {
      CAPTURE(method);
      CAPTURE(lambda);
      for (const Ledger& ledger :
           ledgers(method, "dither(linf, levels=1)", lambda, {Source::changing}, 1000, 1)) {
        const auto count = static_cast<double>(ledger.count);
        REQUIRE(expected_gap(ledger.points / count, lambda) <= ledger.expected / count + 1e-12);
        REQUIRE(ledger.expected <= bound_of(method, ledger));
      }
    }
}

TEST_CASE("regret: on one loss the average of the points is above the least by no more than regret over T") {
  for (const std::string& method : forms)
    for (const double lambda : {0.0, 0.125}) {
      CAPTURE(method);
      CAPTURE(lambda);
      for (const Ledger& ledger : ledgers(method, "none", lambda, {Source::constant}, 400, 1)) {
        const auto count = static_cast<double>(ledger.count);
        const double gap = (ledger.fixed(ledger.points / count) - ledger.fixed(ledger.best())) / count;
        CHECK(gap >= -1e-12);
        REQUIRE(gap <= ledger.regret() / count + 1e-12);
        REQUIRE(gap <= bound_of(method, ledger) / count);
      }
    }
}

}  // namespace hearsay::test::regret_test
