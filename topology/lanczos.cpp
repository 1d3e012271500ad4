#include "topology/lanczos.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "topology/graph_random.hpp"
#include "topology/symmetric_eigen.hpp"

namespace hearsay {
namespace {

using Vector = Eigen::VectorXd;

/// The tridiagonal matrix T to which Lanczos reduces W.
class Tridiagonal {
 public:
  /// `off_diagonal` couples the new row with the next one.
  void add(double diagonal, double off_diagonal) {
    diagonal_.push_back(diagonal);
    off_diagonal_.push_back(off_diagonal);
  }

  SpectrumEnds ends() const {
    const auto rows = static_cast<Eigen::Index>(diagonal_.size());
    const Vector values = tridiagonal_eigenvalues(Eigen::Map<const Vector>(diagonal_.data(), rows),
                                                  Eigen::Map<const Vector>(off_diagonal_.data(), rows - 1));
    const double bottom = values(0);
    const double top = values(rows - 1);
    return {top, bottom, residual(top), residual(bottom)};
  }

 private:
  /// The length of W y - value y for the unit vector y that stands for this eigenvalue of T: the last
  /// component of its eigenvector s times the last number off the diagonal. The components of s are computed
  /// from the last to the first: in that order they grow, so rounding errors do not.
  double residual(double value) const {
    const std::size_t last = diagonal_.size() - 1;
    double next = 0.0;
    double component = 1.0;
    double squares = 1.0;
    for (std::size_t row = last; row > 0; --row) {
      const double previous =
          ((value - diagonal_[row]) * component - (row < last ? off_diagonal_[row] * next : 0.0)) /
          off_diagonal_[row - 1];
      next = component;
      component = previous;
      squares += component * component;
      if (squares > 1e200) return 0.0;  // the last component is far below rounding errors
    }
    return off_diagonal_[last] / std::sqrt(squares);
  }

  std::vector<double> diagonal_;
  std::vector<double> off_diagonal_;
};

void remove_mean(Vector& x) { x.array() -= x.mean(); }

/// Returns the guess with a random vector of a tenth of its length, so that no direction is left out; of
/// length 1 and mean 0.
Vector first_vector(std::span<const double> guess) {
  constexpr double random_share = 0.1;
  Vector x = Eigen::Map<const Vector>(guess.data(), static_cast<Eigen::Index>(guess.size()));
  remove_mean(x);
  x.normalize();
  Vector anything(x.size());
  GraphRandom random(1);
  for (double& value : anything) value = random.uniform();
  remove_mean(anything);
  x += random_share * anything.normalized();
  return x.normalized();
}

}  // namespace

double SpectrumEnds::error() const { return std::max(top_error, bottom_error); }

bool SpectrumEnds::are_found() const {
  constexpr double most_error = 1e-9;
  constexpr double most_share = 1e-3;  // of the gap: the gap of a long graph is itself far below 1e-9
  constexpr double rounding = 1e-12;   // of rows with many links, whose self weights are what is left of 1
  const double gap = 1.0 - std::max(std::abs(top), std::abs(bottom));
  return error() <= std::clamp(most_share * gap, rounding, most_error);
}

SpectrumEnds lanczos_ends(const SymmetricProduct& product, std::span<const double> guess,
                          std::size_t most_steps) {
  const std::size_t size = guess.size();
  constexpr double rounding = 1e-14;  // what is left of a vector that lies in the span of those before
  Tridiagonal reduced;
  Vector here = first_vector(guess);
  Vector before = Vector::Zero(here.size());
  Vector next(here.size());
  double coupling = 0.0;
  std::size_t look_at = 16;  // looking costs more the longer the run, so it grows rarer
  for (std::size_t step = 1;; ++step) {
    product({here.data(), size}, {next.data(), size});
    const double diagonal = here.dot(next);
    next -= diagonal * here + coupling * before;
    remove_mean(next);  // rounding errors bring the constant vector back
    coupling = next.norm();
    reduced.add(diagonal, coupling);
    const bool is_complete = coupling < rounding;
    if (is_complete || step == look_at || step >= most_steps) {
      const SpectrumEnds ends = reduced.ends();
      if (is_complete || step >= most_steps || ends.are_found()) return ends;
      look_at += look_at / 4;
    }
    next /= coupling;
    before.swap(here);
    here.swap(next);
  }
}

}  // namespace hearsay
