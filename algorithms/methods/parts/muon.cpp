#include "algorithms/methods/parts/muon.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

namespace {

SegmentTable without(const SegmentTable& layers, const SegmentTable& taken) {
  SegmentTable rest;
  for (const Segment& layer : layers)
    if (std::ranges::find(taken, layer) == taken.end()) rest.push_back(layer);
  return rest;
}

Index size_of(const SegmentTable& layers) {
  Index size = 0;
  for (const Segment& layer : layers) size += layer.size();
  return size;
}

/// into <- the layers' parts of x, one after the other
template <class Scalar>
void gather(const Vector<Scalar>& x, const SegmentTable& layers, Vector<Scalar>& into) {
  Index done = 0;
  for (const Segment& layer : layers) {
    into.segment(done, layer.size()) = x.segment(layer.begin, layer.size());
    done += layer.size();
  }
}

}  // namespace

SegmentTable matrices_for_muon(const SegmentTable& layers) {
  SegmentTable matrices;
  for (const Segment& layer : layers)
    if (layer.rows > 1 && layer.columns > 1) matrices.push_back(layer);
  if (matrices.size() > 2) return {matrices.begin() + 1, matrices.end() - 1};
  return matrices;
}

template <class Scalar>
Muon<Scalar>::Muon(double beta, std::uint64_t iterations, Index dimension, const SegmentTable& layers)
    : beta_(beta),
      matrices_(matrices_for_muon(layers)),
      rest_(without(layers, matrices_)),
      newton_schulz_(iterations, matrices_),
      momentum_(Vector<Scalar>::Zero(size_of(matrices_))) {
  const Index rest = dimension - momentum_.size();
  if (rest == 0) return;
  rest_rule_ = make_local_optimizer<Scalar>("adamw", rest, rest_);
  rest_x_.resize(rest);
  rest_gradient_.resize(rest);
  rest_step_.resize(rest);
}

template <class Scalar>
std::string Muon<Scalar>::spelling() const {
  return "muon(" + number_text(beta_) + ", " + std::to_string(newton_schulz_.iterations()) + ")";
}

template <class Scalar>
void Muon<Scalar>::step(const Vector<Scalar>& x, const Vector<Scalar>& gradient, Scalar step_size,
                        Vector<Scalar>& step) {
  step_matrices(gradient, step_size, step);
  if (rest_rule_) step_rest(x, gradient, step_size, step);
}

template <class Scalar>
void Muon<Scalar>::step_matrices(const Vector<Scalar>& gradient, Scalar step_size, Vector<Scalar>& step) {
  const auto beta = static_cast<Scalar>(beta_);
  Index done = 0;
  for (const Segment& matrix : matrices_) {
    auto momentum = momentum_.segment(done, matrix.size());
    done += matrix.size();
    const auto part = gradient.segment(matrix.begin, matrix.size());
    auto moved = step.segment(matrix.begin, matrix.size());
    momentum = beta * momentum + part;
    moved = part + beta * momentum;
    newton_schulz_.orthogonalise(
        view(step).subspan(static_cast<std::size_t>(matrix.begin), static_cast<std::size_t>(matrix.size())),
        matrix);
    const double ratio = static_cast<double>(matrix.rows) / static_cast<double>(matrix.columns);
    moved *= -step_size * static_cast<Scalar>(std::sqrt(std::max(1.0, ratio)));
  }
}

template <class Scalar>
void Muon<Scalar>::step_rest(const Vector<Scalar>& x, const Vector<Scalar>& gradient, Scalar step_size,
                             Vector<Scalar>& step) {
  gather(x, rest_, rest_x_);
  gather(gradient, rest_, rest_gradient_);
  rest_rule_->step(rest_x_, rest_gradient_, step_size, rest_step_);
  Index done = 0;
  for (const Segment& layer : rest_) {
    step.segment(layer.begin, layer.size()) = rest_step_.segment(done, layer.size());
    done += layer.size();
  }
}

template <class Scalar>
void Muon<Scalar>::begin_anew() {
  momentum_.setZero();
  if (rest_rule_) rest_rule_->begin_anew();
}

template <class Scalar>
void Muon<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  if (momentum_.size() != 0) visitor.state("momentum", momentum_);
  newton_schulz_.visit(visitor);
  if (!rest_rule_) return;
  rest_rule_->visit_state(visitor);
  visitor.scratch("x of the rest", rest_x_);
  visitor.scratch("gradient of the rest", rest_gradient_);
  visitor.scratch("step of the rest", rest_step_);
}

template class Muon<float>;
template class Muon<double>;

}  // namespace hearsay
