#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// What a model is predicted by from D, the last change of the hub's x, and those before it:
///
///   hold    x
///   last    x + D
///   mean3   x + the mean of the last three D
///   ema     x + m,  m <- 0.8 m + 0.2 D
enum class Predictor : std::uint8_t { hold, last, mean3, ema };
inline constexpr std::size_t predictor_count = 4;

/// The predictors that algorithm.predictors names, an entry per Predictor: "hold, last". Throws Misuse.
std::array<bool, predictor_count> parse_predictors(const std::string& text);

/// The last changes of x, as a peer has seen them. They are 0 at first. Peers that have seen the same x hold
/// the same bits.
///
/// Memory: the last three D, and m.
template <class Scalar>
class ModelChanges {
 public:
  explicit ModelChanges(Index dimension) {
    for (Vector<Scalar>& change : changes_) change.setZero(dimension);
    moving_mean_.setZero(dimension);
  }

  /// x is about to change; `end` follows with the new x.
  void begin(const Vector<Scalar>& model) { changes_[2] = model; }
  void end(const Vector<Scalar>& model) {
    changes_[2] = model - changes_[2];
    std::rotate(changes_.begin(), changes_.begin() + 2, changes_.end());
    moving_mean_ = Scalar(0.8) * moving_mean_ + Scalar(0.2) * changes_[0];
  }

  /// into += factor (xp - x), xp the prediction: the coordinates that begin at `begin`.
  void add_to(std::span<Scalar> into, Predictor predictor, Scalar factor, Index begin) const {
    const auto size = static_cast<Index>(into.size());
    Eigen::Map<Vector<Scalar>> sum(into.data(), size);
    const auto part = [&](const Vector<Scalar>& vector) { return vector.segment(begin, size); };
    switch (predictor) {
      case Predictor::hold:
        break;
      case Predictor::last:
        sum += factor * part(changes_[0]);
        break;
      case Predictor::mean3:
        sum += factor * ((part(changes_[0]) + part(changes_[1]) + part(changes_[2])) / Scalar(3));
        break;
      case Predictor::ema:
        sum += factor * part(moving_mean_);
        break;
    }
  }

  void visit(StateVisitor<Scalar>& visitor) {
    visitor.state("last change", changes_[0]);
    visitor.state("change before the last", changes_[1]);
    visitor.state("third last change", changes_[2]);
    visitor.state("moving mean of changes", moving_mean_);
  }

 private:
  std::array<Vector<Scalar>, 3> changes_;  // D, the last one first
  Vector<Scalar> moving_mean_;             // m
};

/// Which changes of x a worker has seen: only of those can it tell what the hub predicts.
///
///   hold    always
///   last    the last one:         it took part in the round before, too
///   mean3   the last three:       in the three rounds before, too
///   ema     all since iteration 1
///
/// What is common at first, x_0 and no changes, counts as seen.
class SeenChanges {
 public:
  /// The worker has heard x in iteration `number`.
  void hear(std::uint64_t number) {
    if (number > heard_ + 1) unbroken_since_ = number;
    heard_ = number;
  }
  bool suffice_for(Predictor predictor) const {
    const std::uint64_t seen = heard_ - unbroken_since_;
    return unbroken_since_ == 1 || predictor == Predictor::hold ||
           (predictor == Predictor::last && seen >= 1) || (predictor == Predictor::mean3 && seen >= 3);
  }

  template <class Scalar>
  void visit(StateVisitor<Scalar>& visitor) {
    visitor.numbers("last iteration heard", {&heard_, 1});
    visitor.numbers("heard without a gap since", {&unbroken_since_, 1});
  }

 private:
  std::uint64_t heard_ = 1;
  std::uint64_t unbroken_since_ = 1;
};

}  // namespace hearsay
