#include "algorithms/methods/parts/local_optimizer.hpp"

#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/square_roots.hpp"
#include "algorithms/methods/parts/muon.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

const std::string optimizer_key = "algorithm.optimizer";
constexpr double tiny = 1e-8;

template <class Scalar>
class Sgd final : public LocalOptimizer<Scalar> {
 public:
  std::string spelling() const override { return "sgd"; }
  bool is_sgd() const override { return true; }
  void step(const Vector<Scalar>&, const Vector<Scalar>& gradient, Scalar step_size,
            Vector<Scalar>& step) override {
    step = -step_size * gradient;
  }
  void begin_anew() override {}
  void visit_state(StateVisitor<Scalar>&) override {}
};

template <class Scalar>
class Momentum final : public LocalOptimizer<Scalar> {
 public:
  Momentum(bool nesterov, double beta, Index dimension)
      : nesterov_(nesterov), beta_(beta), momentum_(Vector<Scalar>::Zero(dimension)) {}
  std::string spelling() const override {
    return (nesterov_ ? "nesterov(" : "heavy-ball(") + number_text(beta_) + ")";
  }
  void step(const Vector<Scalar>&, const Vector<Scalar>& gradient, Scalar step_size,
            Vector<Scalar>& step) override {
    const auto beta = static_cast<Scalar>(beta_);
    momentum_ = beta * momentum_ + gradient;
    if (nesterov_)
      step = -step_size * (gradient + beta * momentum_);
    else
      step = -step_size * momentum_;
  }
  void begin_anew() override { momentum_.setZero(); }
  void visit_state(StateVisitor<Scalar>& visitor) override { visitor.state("momentum", momentum_); }

 private:
  bool nesterov_;
  double beta_;
  Vector<Scalar> momentum_;  // m
};

template <class Scalar>
class Adagrad final : public LocalOptimizer<Scalar> {
 public:
  Adagrad(bool dual_averaging, double delta, Index dimension)
      : dual_averaging_(dual_averaging), delta_(delta), squares_(Vector<Scalar>::Zero(dimension)) {
    if (!dual_averaging) return;
    sum_.setZero(dimension);
    reached_.setZero(dimension);
  }
  std::string spelling() const override {
    return (dual_averaging_ ? "adagrad-da(" : "adagrad(") + number_text(delta_) + ")";
  }
  void step(const Vector<Scalar>&, const Vector<Scalar>& gradient, Scalar step_size,
            Vector<Scalar>& step) override {
    const auto delta = static_cast<Scalar>(delta_);
    squares_.array() += gradient.array().square();
    if (!dual_averaging_) {
      step = -step_size * (gradient.array() / (delta + square_roots(squares_.array()))).matrix();
      return;
    }
    sum_ += step_size * gradient;
    step = -reached_;
    reached_ = -(sum_.array() / (delta + square_roots(squares_.array()))).matrix();
    step += reached_;
  }
  void begin_anew() override {
    squares_.setZero();
    sum_.setZero();
    reached_.setZero();
  }
  void visit_state(StateVisitor<Scalar>& visitor) override {
    visitor.state("sum of squares", squares_);
    if (!dual_averaging_) return;
    visitor.state("weighted sum of gradients", sum_);
    visitor.state("steps so far", reached_);
  }

 private:
  bool dual_averaging_;
  double delta_;
  Vector<Scalar> squares_;  // G
  Vector<Scalar> sum_;      // z
  Vector<Scalar> reached_;  // -z / H
};

template <class Scalar>
class Adam final : public LocalOptimizer<Scalar> {
 public:
  enum class Form { adam, amsgrad, adamw };
  Adam(Form form, std::span<const double> numbers, Index dimension)
      : form_(form),
        beta1_(numbers[0]),
        beta2_(numbers[1]),
        decay_(form == Form::adamw ? numbers[2] : 0.0),
        mean_(Vector<Scalar>::Zero(dimension)),
        square_(Vector<Scalar>::Zero(dimension)),
        powers_(Vector<Scalar>::Ones(2)) {
    if (form == Form::amsgrad) largest_.setZero(dimension);
  }
  std::string spelling() const override {
    const std::string betas = number_text(beta1_) + ", " + number_text(beta2_);
    if (form_ == Form::adamw) return "adamw(" + betas + ", " + number_text(decay_) + ")";
    return (form_ == Form::amsgrad ? "amsgrad(" : "adam(") + betas + ")";
  }
  void step(const Vector<Scalar>& x, const Vector<Scalar>& gradient, Scalar step_size,
            Vector<Scalar>& step) override {
    const auto beta1 = static_cast<Scalar>(beta1_);
    const auto beta2 = static_cast<Scalar>(beta2_);
    const auto epsilon = static_cast<Scalar>(tiny);
    mean_ = beta1 * mean_ + (1 - beta1) * gradient;
    square_.array() = beta2 * square_.array() + (1 - beta2) * gradient.array().square();
    if (form_ == Form::amsgrad) {
      largest_ = largest_.cwiseMax(square_);
      step = -step_size * (mean_.array() / (square_roots(largest_.array()) + epsilon)).matrix();
      return;
    }
    powers_[0] *= beta1;
    powers_[1] *= beta2;
    const Scalar unbiased_mean = 1 / (1 - powers_[0]);
    const Scalar unbiased_square = 1 / (1 - powers_[1]);
    step = -step_size *
           (unbiased_mean * mean_.array() / (square_roots(unbiased_square * square_.array()) + epsilon))
               .matrix();
    if (form_ == Form::adamw) step -= step_size * static_cast<Scalar>(decay_) * x;
  }
  void begin_anew() override {
    mean_.setZero();
    square_.setZero();
    largest_.setZero();
    powers_.setOnes();
  }
  void visit_state(StateVisitor<Scalar>& visitor) override {
    visitor.state("mean", mean_);
    visitor.state("mean of squares", square_);
    if (form_ == Form::amsgrad)
      visitor.state("largest mean of squares", largest_);
    else
      visitor.state("powers of the betas", powers_);
  }

 private:
  Form form_;
  double beta1_;
  double beta2_;
  double decay_;
  Vector<Scalar> mean_;     // m
  Vector<Scalar> square_;   // v
  Vector<Scalar> largest_;  // u
  Vector<Scalar> powers_;   // beta1^t, beta2^t
};

template <class Scalar>
class Novograd final : public LocalOptimizer<Scalar> {
 public:
  Novograd(std::span<const double> numbers, Index dimension, SegmentTable layers)
      : beta1_(numbers[0]),
        beta2_(numbers[1]),
        decay_(numbers[2]),
        layers_(std::move(layers)),
        momentum_(Vector<Scalar>::Zero(dimension)),
        squares_(Vector<Scalar>::Constant(static_cast<Index>(layers_.size()), Scalar(-1))) {}
  std::string spelling() const override {
    return "novograd(" + number_text(beta1_) + ", " + number_text(beta2_) + ", " + number_text(decay_) + ")";
  }
  void step(const Vector<Scalar>& x, const Vector<Scalar>& gradient, Scalar step_size,
            Vector<Scalar>& step) override {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const Segment& layer = layers_[l];
      const auto part = view(gradient).subspan(static_cast<std::size_t>(layer.begin),
                                               static_cast<std::size_t>(layer.size()));
      Scalar& square = squares_[static_cast<Index>(l)];
      const double now = squared_norm(part);
      square = static_cast<Scalar>(square < 0 ? now : beta2_ * square + (1 - beta2_) * now);
      const auto scale = static_cast<Scalar>(1.0 / (std::sqrt(static_cast<double>(square)) + tiny));
      auto momentum = momentum_.segment(layer.begin, layer.size());
      momentum = static_cast<Scalar>(beta1_) * momentum + scale * gradient.segment(layer.begin, layer.size());
    }
    if (decay_ != 0.0) momentum_ += static_cast<Scalar>(decay_) * x;
    step = -step_size * momentum_;
  }
  void begin_anew() override {
    momentum_.setZero();
    squares_.setConstant(Scalar(-1));
  }
  void visit_state(StateVisitor<Scalar>& visitor) override {
    visitor.state("momentum", momentum_);
    visitor.state("mean of squares by layer", squares_);
  }

 private:
  double beta1_;
  double beta2_;
  double decay_;
  SegmentTable layers_;
  Vector<Scalar> momentum_;  // m
  Vector<Scalar> squares_;   // v_l; -1 before the first step
};

/// What a number in a spelling may be.
enum class Bound { below_1, positive, not_negative, count };

struct Number {
  double usual;
  Bound bound;

  /// True if `value` is within the bound, as a Scalar, too: one that is rounded to an excluded bound would
  /// cause a division by 0.
  template <class Scalar>
  bool admits(double value) const {
    const auto rounded = static_cast<Scalar>(value);
    if (bound == Bound::count) return value >= 1.0 && value <= 100.0 && value == std::floor(value);
    if (bound == Bound::positive) return rounded > 0 && std::isfinite(rounded);
    return value >= 0.0 && (bound == Bound::below_1 ? rounded < 1 : std::isfinite(rounded));
  }
};

/// The numbers that the rule takes, and what they are unless they are given.
std::vector<Number> numbers_of(const std::string& name) {
  using enum Bound;
  if (name == "heavy-ball" || name == "nesterov") return {{0.9, below_1}};
  if (name == "adagrad" || name == "adagrad-da") return {{1e-8, positive}};
  if (name == "adam" || name == "amsgrad") return {{0.9, below_1}, {0.999, below_1}};
  if (name == "adamw") return {{0.9, below_1}, {0.999, below_1}, {0.01, not_negative}};
  if (name == "novograd") return {{0.95, below_1}, {0.98, below_1}, {0.0, not_negative}};
  if (name == "muon") return {{0.95, below_1}, {5.0, count}};
  return {};
}

std::string expectation_of(const std::vector<Number>& numbers) {
  if (numbers.empty()) return "";
  if (numbers.back().bound == Bound::positive) return " with a number greater than 0";
  if (numbers.back().bound == Bound::not_negative)
    return " with betas of at least 0 and below 1 and a decay of at least 0";
  if (numbers.back().bound == Bound::count)
    return " with a beta of at least 0 and below 1 and a whole number N from 1 to 100";
  return " with numbers of at least 0 and below 1";
}

/// The numbers of a spelling. Throws Misuse if there are too many, or one is not what it may be.
template <class Scalar>
std::vector<double> numbers_in(const std::string& text, const Spelling& spelling, const Choice& choice) {
  const std::vector<Number> numbers = numbers_of(choice.name);
  const std::string in_float = std::is_same_v<Scalar, float> && !numbers.empty() ? ", in float, too" : "";
  const std::string expectation =
      "expected " + choice.name + choice.arguments + expectation_of(numbers) + in_float;
  if (spelling.arguments.size() > numbers.size()) throw Misuse(optimizer_key, text, expectation);
  std::vector<double> values;
  for (const Number& number : numbers) {
    const std::size_t k = values.size();
    values.push_back(number.usual);
    if (k < spelling.arguments.size() &&
        (!parse_number(spelling.arguments[k], values[k]) || !number.template admits<Scalar>(values[k])))
      throw Misuse(optimizer_key, text, expectation);
  }
  return values;
}

}  // namespace

std::span<const Choice> local_optimizer_choices() {
  static const std::array<Choice, 10> choices{{
      {"sgd", "", "the gradient itself; no state"},
      {"heavy-ball", "(beta)", "momentum"},
      {"nesterov", "(beta)", "momentum that looks ahead"},
      {"adagrad", "(delta)", "divides by the root of the sum of all squared gradients, mirror descent form"},
      {"adagrad-da", "(delta)", "the same, dual averaging form"},
      {"adam", "(beta1, beta2)", "running means of gradients and their squares"},
      {"amsgrad", "(beta1, beta2)", "Adam whose squares never shrink"},
      {"adamw", "(beta1, beta2, decay)", "Adam with decoupled weight decay"},
      {"novograd", "(beta1, beta2, decay)",
       "gradients normalised by layer; momentum, decoupled weight decay"},
      {"muon", "(beta, N)",
       "matrices: momentum made orthogonal by N Newton-Schulz iterations; the rest: adamw"},
  }};
  return choices;
}

template <class Scalar>
std::unique_ptr<LocalOptimizer<Scalar>> make_local_optimizer(const std::string& text, Index dimension,
                                                             const SegmentTable& segments) {
  const Spelling spelling = parse_spelling(optimizer_key, text);
  const Choice& choice = find_choice(optimizer_key, spelling.name, local_optimizer_choices());
  const std::string& name = choice.name;
  const std::vector<double> numbers = numbers_in<Scalar>(text, spelling, choice);
  using Form = typename Adam<Scalar>::Form;
  if (name == "heavy-ball" || name == "nesterov")
    return std::make_unique<Momentum<Scalar>>(name == "nesterov", numbers[0], dimension);
  if (name == "adagrad" || name == "adagrad-da")
    return std::make_unique<Adagrad<Scalar>>(name == "adagrad-da", numbers[0], dimension);
  if (name == "adam") return std::make_unique<Adam<Scalar>>(Form::adam, numbers, dimension);
  if (name == "amsgrad") return std::make_unique<Adam<Scalar>>(Form::amsgrad, numbers, dimension);
  if (name == "adamw") return std::make_unique<Adam<Scalar>>(Form::adamw, numbers, dimension);
  if (name == "novograd") return std::make_unique<Novograd<Scalar>>(numbers, dimension, segments);
  if (name == "muon")
    return std::make_unique<Muon<Scalar>>(numbers[0], static_cast<std::uint64_t>(numbers[1]), dimension,
                                          segments);
  ensure(name == "sgd", "every choice is made");
  return std::make_unique<Sgd<Scalar>>();
}

template std::unique_ptr<LocalOptimizer<float>> make_local_optimizer<float>(const std::string&, Index,
                                                                            const SegmentTable&);
template std::unique_ptr<LocalOptimizer<double>> make_local_optimizer<double>(const std::string&, Index,
                                                                              const SegmentTable&);

}  // namespace hearsay
