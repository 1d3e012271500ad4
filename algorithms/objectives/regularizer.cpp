#include "algorithms/objectives/regularizer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "algorithms/arithmetic/reductions.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

const std::string regularizer_key = "model.regularizer";

template <class Scalar>
class NoRegularizer final : public Regularizer<Scalar> {
 public:
  std::string spelling() const override { return "none"; }
  bool is_none() const override { return true; }
  double value(const Vector<Scalar>&) const override { return 0.0; }
  void prox(Scalar, Vector<Scalar>&) const override {}
  void prox_each(const Vector<Scalar>&, Vector<Scalar>&) const override {}
};

/// lambda ||x||_1 + (ridge/2) ||x||^2
template <class Scalar>
class ElasticNet final : public Regularizer<Scalar> {
 public:
  ElasticNet(double lambda, double ridge, std::string spelling)
      : lambda_(lambda), ridge_(ridge), spelling_(std::move(spelling)) {}
  std::string spelling() const override { return spelling_; }
  double value(const Vector<Scalar>& x) const override {
    return lambda_ * norm_1(view(x)) + 0.5 * ridge_ * squared_norm(view(x));
  }
  void prox(Scalar step, Vector<Scalar>& x) const override {
    for (Scalar& entry : x) entry = shrunk(step, entry);
  }
  void prox_each(const Vector<Scalar>& steps, Vector<Scalar>& x) const override {
    for (Index k = 0; k < x.size(); ++k) x[k] = shrunk(steps[k], x[k]);
  }

 private:
  Scalar shrunk(Scalar step, Scalar entry) const {
    const Scalar left = std::abs(entry) - step * static_cast<Scalar>(lambda_);
    const Scalar factor = 1 / (1 + step * static_cast<Scalar>(ridge_));
    return left <= 0 ? Scalar(0) : std::copysign(left * factor, entry);
  }

  double lambda_;
  double ridge_;
  std::string spelling_;
};

template <class Scalar>
class GroupLasso final : public Regularizer<Scalar> {
 public:
  struct Group {
    Index begin;
    Index size;
    Index stride;
  };
  GroupLasso(double lambda, std::vector<Group> groups, std::string spelling)
      : lambda_(lambda), groups_(std::move(groups)), spelling_(std::move(spelling)) {}
  std::string spelling() const override { return spelling_; }
  double value(const Vector<Scalar>& x) const override {
    double sum = 0.0;
    for (const Group& group : groups_) sum += weight(group) * norm(x, group);
    return lambda_ * sum;
  }
  void prox(Scalar step, Vector<Scalar>& x) const override {
    for (const Group& group : groups_) {
      const double threshold = static_cast<double>(step) * lambda_ * weight(group);
      const double length = norm(x, group);
      const auto shrunk = static_cast<Scalar>(1.0 - threshold / length);
      for (Index k = 0; k < group.size; ++k) {
        Scalar& entry = x[group.begin + k * group.stride];
        entry = length <= threshold ? Scalar(0) : entry * shrunk;
      }
    }
  }
  bool is_separable() const override { return false; }
  void prox_each(const Vector<Scalar>&, Vector<Scalar>&) const override {
    ensure(false, "groups have a common step");
  }

 private:
  static double weight(const Group& group) { return std::sqrt(static_cast<double>(group.size)); }
  static double norm(const Vector<Scalar>& x, const Group& group) {
    double sum = 0.0;
    for (Index k = 0; k < group.size; ++k) {
      const auto entry = static_cast<double>(x[group.begin + k * group.stride]);
      sum += entry * entry;
    }
    return std::sqrt(sum);
  }

  double lambda_;
  std::vector<Group> groups_;
  std::string spelling_;
};

template <class Scalar>
class Box final : public Regularizer<Scalar> {
 public:
  Box(double low, double high, std::string spelling)
      : low_(static_cast<Scalar>(low)), high_(static_cast<Scalar>(high)), spelling_(std::move(spelling)) {}
  std::string spelling() const override { return spelling_; }
  double value(const Vector<Scalar>& x) const override {
    constexpr double rounding = 1e-12;  // relative, of a mean of thousands of models
    const double low = static_cast<double>(low_) - rounding * std::abs(static_cast<double>(low_));
    const double high = static_cast<double>(high_) + rounding * std::abs(static_cast<double>(high_));
    for (const Scalar entry : x) {
      const auto value = static_cast<double>(entry);
      if (!(value >= low && value <= high)) return std::numeric_limits<double>::infinity();
    }
    return 0.0;
  }
  void prox(Scalar, Vector<Scalar>& x) const override {
    for (Scalar& entry : x) entry = std::clamp(entry, low_, high_);
  }
  void prox_each(const Vector<Scalar>&, Vector<Scalar>& x) const override { prox(1, x); }

 private:
  Scalar low_;
  Scalar high_;
  std::string spelling_;
};

/// Returns the number in `argument`: a strength of at least 0, or a bound, which may be infinite.
double number_in(const std::string& text, const std::string& argument, bool is_bound) {
  double value = 0.0;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (is_bound && (argument == "inf" || argument == "-inf")) return argument == "inf" ? infinity : -infinity;
  if (!parse_number(argument, value) || (!is_bound && value < 0.0))
    throw Misuse(regularizer_key, text,
                 is_bound ? "expected numbers, inf or -inf, as in box(-1, 1)"
                          : "expected strengths of at least 0, as in l1(0.001)");
  return value;
}

void require_arguments(const std::string& text, const Spelling& spelling, std::size_t least,
                       std::size_t most) {
  const std::size_t count = spelling.arguments.size();
  if (count < least || count > most) {
    const Choice& choice = find_choice(regularizer_key, spelling.name, regularizer_choices());
    throw Misuse(regularizer_key, text, "expected " + choice.name + choice.arguments);
  }
}

template <class Scalar>
using Groups = std::vector<typename GroupLasso<Scalar>::Group>;

template <class Scalar>
Groups<Scalar> groups_of(const SegmentTable& segments, Index size) {
  Groups<Scalar> groups;
  for (const Segment& segment : segments) {
    if (size == 0)
      for (Index column = 0; column < segment.columns; ++column)
        groups.push_back({segment.begin + column, segment.rows, segment.columns});
    else
      for (Index begin = segment.begin; begin < segment.end(); begin += size)
        groups.push_back({begin, std::min(size, segment.end() - begin), 1});
  }
  return groups;
}

}  // namespace

std::span<const Choice> regularizer_choices() {
  static const std::array<Choice, 6> choices{{
      {"none", "", "a smooth objective"},
      {"l1", "(lambda)", "lambda ||x||_1: sparse models, with exact zeros"},
      {"elastic-net", "(l1, l2)", "l1 ||x||_1 + (l2/2) ||x||^2"},
      {"group-lasso", "(lambda[, size])", "lambda sum sqrt(|G|) ||x_G||: whole features or blocks vanish"},
      {"box", "(low, high)", "every coordinate between two bounds, of which one may be inf"},
      {"non-negative", "", "no coordinate below 0"},
  }};
  return choices;
}

template <class Scalar>
std::unique_ptr<const Regularizer<Scalar>> make_regularizer(const std::string& text,
                                                            const SegmentTable& segments) {
  const Spelling spelling = parse_spelling(regularizer_key, text);
  const std::string& name = find_choice(regularizer_key, spelling.name, regularizer_choices()).name;
  const auto& arguments = spelling.arguments;
  const auto number = [&](std::size_t k, bool is_bound = false) {
    return number_in(text, arguments[k], is_bound);
  };
  if (name == "none") {
    require_arguments(text, spelling, 0, 0);
    return std::make_unique<NoRegularizer<Scalar>>();
  }
  if (name == "l1") {
    require_arguments(text, spelling, 1, 1);
    return std::make_unique<ElasticNet<Scalar>>(number(0), 0.0, "l1(" + number_text(number(0)) + ")");
  }
  if (name == "elastic-net") {
    require_arguments(text, spelling, 2, 2);
    return std::make_unique<ElasticNet<Scalar>>(
        number(0), number(1), "elastic-net(" + number_text(number(0)) + ", " + number_text(number(1)) + ")");
  }
  if (name == "group-lasso") {
    require_arguments(text, spelling, 1, 2);
    std::uint64_t size = 0;
    if (arguments.size() == 2 && (!parse_whole(arguments[1], size) || size == 0 || size >> 32 != 0))
      throw Misuse(regularizer_key, text,
                   "expected a group of at least 1 coordinate, as in group-lasso(0.001, 10)");
    return std::make_unique<GroupLasso<Scalar>>(
        number(0), groups_of<Scalar>(segments, static_cast<Index>(size)),
        "group-lasso(" + number_text(number(0)) + (size ? ", " + std::to_string(size) : "") + ")");
  }
  const bool is_box = name == "box";
  require_arguments(text, spelling, is_box ? 2 : 0, is_box ? 2 : 0);
  if (!is_box) return std::make_unique<Box<Scalar>>(0.0, std::numeric_limits<double>::infinity(), name);
  if (!(number(0, true) <= number(1, true)))
    throw Misuse(regularizer_key, text, "expected the lower bound first");
  return std::make_unique<Box<Scalar>>(number(0, true), number(1, true),
                                       "box(" + arguments[0] + ", " + arguments[1] + ")");
}

template std::unique_ptr<const Regularizer<float>> make_regularizer<float>(const std::string&,
                                                                           const SegmentTable&);
template std::unique_ptr<const Regularizer<double>> make_regularizer<double>(const std::string&,
                                                                             const SegmentTable&);

}  // namespace hearsay
