#include "algorithms/methods/parts/outer_rule.hpp"

#include <array>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using Kind = OuterRule::Kind;

const std::string outer_key = "algorithm.outer";

/// In the order of Kind.
const std::array<Choice, 4> known_outer_rules = {{
    {"none", "(rho)", "the share rho of the mean drift; 1 is local SGD"},
    {"heavy-ball", "(rho, beta)", "momentum on the mean drift"},
    {"nesterov", "(rho, beta)", "momentum that looks ahead (DiLoCo)"},
    {"slowmo", "(alpha, beta)", "momentum on the mean drift, in units of the present step size (SlowMo)"},
}};

}  // namespace

OuterRule OuterRule::parse(const std::string& text) {
  const Spelling spelling = parse_spelling(outer_key, text);
  const Choice& choice = find_choice(outer_key, spelling.name, known_outer_rules);
  OuterRule rule{.kind = static_cast<Kind>(&choice - known_outer_rules.data())};
  const std::size_t wanted = rule.kind == Kind::none ? 1 : 2;
  const bool read = spelling.arguments.size() == wanted && parse_number(spelling.arguments[0], rule.rate) &&
                    (wanted == 1 || parse_number(spelling.arguments[1], rule.momentum));
  if (!read || !(rule.rate > 0.0) || !(rule.momentum >= 0.0 && rule.momentum < 1.0))
    throw Misuse(outer_key, text,
                 "expected " + choice.name + choice.arguments + " with a first number above 0" +
                     (wanted == 1 ? "" : ", and beta at least 0 and below 1"));
  return rule;
}

template <class Scalar>
void OuterStep<Scalar>::apply_from(Index begin, const Eigen::Ref<const Vector<Scalar>>& pseudo_gradient,
                                   Scalar step_size, Vector<Scalar>& x) {
  const auto rate = static_cast<Scalar>(rule_.rate);
  const auto beta = static_cast<Scalar>(rule_.momentum);
  auto point = x.segment(begin, pseudo_gradient.size());
  if (rule_.kind == Kind::none) {
    point -= rate * pseudo_gradient;
    return;
  }
  auto momentum = momentum_.segment(begin, pseudo_gradient.size());
  if (rule_.kind == Kind::slowmo)
    momentum = beta * momentum + pseudo_gradient / step_size;
  else
    momentum = beta * momentum + pseudo_gradient;
  if (rule_.kind == Kind::heavy_ball) point -= rate * momentum;
  if (rule_.kind == Kind::nesterov) point -= rate * (pseudo_gradient + beta * momentum);
  if (rule_.kind == Kind::slowmo) point -= rate * step_size * momentum;
}

template class OuterStep<float>;
template class OuterStep<double>;

}  // namespace hearsay
