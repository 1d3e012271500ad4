#include "algorithms/methods/parts/outer_rule.hpp"

#include <array>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using Kind = OuterRule::Kind;

const std::string key = "algorithm.outer";

/// In the order of Kind.
const std::array<Choice, 4> choices = {{
    {"none", "(rho)", "the share rho of the mean drift; 1 is local SGD"},
    {"heavy-ball", "(rho, beta)", "momentum on the mean drift"},
    {"nesterov", "(rho, beta)", "momentum that looks ahead (DiLoCo)"},
    {"slowmo", "(alpha, beta)",
     "momentum on the mean drift, measured in steps of the size of the time (SlowMo)"},
}};

}  // namespace

OuterRule OuterRule::parse(const std::string& text) {
  const Spelling spelling = parse_spelling(key, text);
  const Choice& choice = find_choice(key, spelling.name, choices);
  OuterRule rule{.kind = static_cast<Kind>(&choice - choices.data())};
  const std::size_t wanted = rule.kind == Kind::none ? 1 : 2;
  const bool read = spelling.arguments.size() == wanted && parse_number(spelling.arguments[0], rule.rate) &&
                    (wanted == 1 || parse_number(spelling.arguments[1], rule.momentum));
  if (!read || !(rule.rate > 0.0) || !(rule.momentum >= 0.0 && rule.momentum < 1.0))
    throw Misuse(key, text,
                 "expected " + choice.name + choice.arguments + " with a first number above 0" +
                     (wanted == 1 ? "" : ", and beta at least 0 and below 1"));
  return rule;
}

std::string OuterRule::spelling() const {
  const std::string& name = choices[static_cast<std::size_t>(kind)].name;
  return name + "(" + number_text(rate) + (kind == Kind::none ? "" : ", " + number_text(momentum)) + ")";
}

std::span<const Choice> outer_choices() { return choices; }

template <class Scalar>
void OuterStep<Scalar>::apply(const Vector<Scalar>& pseudo_gradient, Scalar step_size, Vector<Scalar>& x) {
  const auto rate = static_cast<Scalar>(rule_.rate);
  const auto beta = static_cast<Scalar>(rule_.momentum);
  switch (rule_.kind) {
    case Kind::none:
      x -= rate * pseudo_gradient;
      return;
    case Kind::heavy_ball:
      momentum_ = beta * momentum_ + pseudo_gradient;
      x -= rate * momentum_;
      return;
    case Kind::nesterov:
      momentum_ = beta * momentum_ + pseudo_gradient;
      x -= rate * (pseudo_gradient + beta * momentum_);
      return;
    case Kind::slowmo:
      momentum_ = beta * momentum_ + pseudo_gradient / step_size;
      x -= rate * step_size * momentum_;
      return;
  }
}

template class OuterStep<float>;
template class OuterStep<double>;

}  // namespace hearsay
