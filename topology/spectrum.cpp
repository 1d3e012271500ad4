#include "topology/spectrum.hpp"

#include <Spectra/SymEigsSolver.h>

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "topology/closed_spectrum.hpp"
#include "topology/dense_mixing.hpp"
#include "topology/lanczos.hpp"
#include "topology/symmetric_eigen.hpp"

namespace hearsay {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
using Vector = Eigen::VectorXd;

/// The dense solvers take at most a few tenths of a second for this many peers.
constexpr PeerId dense_peers = 300;
/// With so many peers or more, eigenvalues are found to 1e-9, not to rounding errors.
constexpr PeerId many_peers = 50'000;

/// W', whose column i is the row of peer i.
Sparse transposed(const MixingMatrix& mixing) {
  Sparse matrix(mixing.peer_count(), mixing.peer_count());
  matrix.reserve(static_cast<Eigen::Index>(mixing.link_count() + mixing.peer_count()));
  for (PeerId peer = 0; peer < mixing.peer_count(); ++peer) {
    const MixingRow& row = mixing.row(peer);
    matrix.startVec(peer);
    bool self_is_in = false;
    const auto insert_self = [&] {
      if (!self_is_in) matrix.insertBack(peer, peer) = row.self_weight;
      self_is_in = true;
    };
    for (const WeightedNeighbor& neighbor : row.hears) {
      if (neighbor.id > peer) insert_self();
      matrix.insertBack(neighbor.id, peer) = neighbor.weight;
    }
    insert_self();
  }
  matrix.finalize();
  return matrix;
}

/// Returns a number between the smallest and the largest eigenvalue of a symmetric W (those of the constant
/// vector aside): the Rayleigh quotient of e_0 - e_1. W - J + interior J moves the eigenvalue of the constant
/// vector to that number, away from both ends.
template <class Matrix>
double interior(const Matrix& w) {
  return 0.5 * (w.coeff(0, 0) + w.coeff(1, 1)) - w.coeff(0, 1);
}

// ---- Lanczos: products with W alone

/// x -> (W - J + interior J) x, with the interface that Spectra asks for.
class MovedProduct {
 public:
  using Scalar = double;
  explicit MovedProduct(const Sparse& w) : w_(w), move_(interior(w) - 1.0) {}
  Eigen::Index rows() const { return w_.rows(); }
  Eigen::Index cols() const { return w_.cols(); }
  void perform_op(const double* from, double* to) const {
    const Eigen::Map<const Vector> x(from, rows());
    Eigen::Map<Vector> y(to, rows());
    y = w_ * x;
    y.array() += move_ * x.mean();
  }

 private:
  const Sparse& w_;
  double move_;
};

/// Returns one end of the spectrum of an operator, by restarted Lanczos; nothing if it has not converged
/// after `restarts`.
template <class Operator>
std::optional<double> lanczos_end(Operator& product, Spectra::SortRule end, Eigen::Index restarts) {
  constexpr Eigen::Index basis =
      20;  // a larger basis saves products, but orthogonalization costs more than that (measured)
  constexpr double residual = 1e-10;  // an eigenvalue's error is about this squared, over the gap to the next
  Spectra::SymEigsSolver<Operator> solver(product, 1, std::min(basis, product.rows()));
  solver.init();
  solver.compute(end, restarts, residual);
  if (solver.info() != Spectra::CompInfo::Successful) return std::nullopt;
  return solver.eigenvalues()(0);
}

// ---- shift-invert: one sparse factorization, then few steps

/// Which end of the spectrum: the largest eigenvalue or the smallest.
enum class End { top, bottom };

/// x -> P |shift I - W|^-1 P x, with P the projection that subtracts the mean (and with it the constant
/// vector). The shift lies beyond `end` of the spectrum. So the matrix is positive definite, and that end has
/// by far the largest eigenvalue of the inverse.
class InverseProduct {
 public:
  using Scalar = double;
  InverseProduct(const Sparse& w, double shift, End end) : size_(w.rows()) {
    Sparse identity(size_, size_);
    identity.setIdentity();
    const Sparse above = shift * identity - w;
    factor_.compute(end == End::top ? above : Sparse(-above));
  }
  bool positive_definite() const { return factor_.info() == Eigen::Success; }
  Eigen::Index rows() const { return size_; }
  Eigen::Index cols() const { return size_; }
  void perform_op(const double* from, double* to) const {
    const Eigen::Map<const Vector> x(from, size_);
    Eigen::Map<Vector> y(to, size_);
    y = factor_.solve((x.array() - x.mean()).matrix());
    y.array() -= y.mean();
  }

 private:
  Eigen::Index size_;
  Eigen::SimplicialLLT<Sparse> factor_;
};

/// Gershgorin's bound: no eigenvalue lies beyond it at this end.
double bound(const Sparse& w, End end) {
  const double sign = end == End::top ? 1.0 : -1.0;
  double farthest = -std::numeric_limits<double>::infinity();
  for (Eigen::Index column = 0; column < w.outerSize(); ++column) {
    double reach = 0.0;
    for (Sparse::InnerIterator entry(w, column); entry; ++entry)
      reach += entry.row() == column ? sign * entry.value() : std::abs(entry.value());
    farthest = std::max(farthest, reach);
  }
  return sign * farthest;
}

/// Returns an end of the spectrum, the constant vector included, by bisection: a shift lies beyond the end
/// iff the shifted matrix is positive definite. Slow, but it never fails.
double bisected_end(const Sparse& w, End end) {
  double within = interior(w);
  double beyond = bound(w, end);
  for (int step = 0; step < 50; ++step) {
    const double middle = 0.5 * (within + beyond);
    (InverseProduct(w, middle, end).positive_definite() ? beyond : within) = middle;
  }
  return beyond;
}

double shift_invert_end(const Sparse& w, End end) {
  // Far above rounding errors, far below the spectral gap of a path of 10,000 peers (3e-8).
  constexpr double beyond = 1e-10;
  const double sign = end == End::top ? 1.0 : -1.0;
  double shift = bound(w, end) + sign * beyond;
  // Negative weights push Gershgorin's bound above 1, though the eigenvalues mostly stay below.
  if (end == End::top && shift > 1.0 + 2.0 * beyond &&
      InverseProduct(w, 1.0 + beyond, end).positive_definite())
    shift = 1.0 + beyond;
  InverseProduct product(w, shift, end);
  const auto inverse = lanczos_end(product, Spectra::SortRule::LargestAlge, 1000);
  return inverse ? shift - sign / *inverse : bisected_end(w, end);
}

// ---- choosing

/// How far the peers are from one of them, in links.
struct Distances {
  std::vector<double> of_peers;  // -1 in other components
  Eigen::Index farthest;         // a peer at the largest distance
  double largest() const { return of_peers[static_cast<std::size_t>(farthest)]; }
};

Distances distances_from(const Sparse& w, Eigen::Index first) {
  Distances found{std::vector<double>(static_cast<std::size_t>(w.rows()), -1.0), first};
  std::vector<Eigen::Index> reached{first};
  found.of_peers[static_cast<std::size_t>(first)] = 0.0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    found.farthest = reached[next];
    for (Sparse::InnerIterator entry(w, found.farthest); entry; ++entry) {
      double& distance = found.of_peers[static_cast<std::size_t>(entry.row())];
      if (distance >= 0.0) continue;
      distance = found.largest() + 1.0;
      reached.push_back(entry.row());
    }
  }
  return found;
}

/// Both ends of the spectrum of a symmetric W without its constant vector.
///
/// Lanczos needs few products if eigenvalues thin out toward the ends. It does not converge if they crowd
/// there, as on a long ring. A factorization is cheap on long graphs, which have small separators, and fills
/// up on expanders, on which Lanczos is quick. So the length of the graph decides how many restarts Lanczos
/// gets.
Spectrum sparse_ends(const Sparse& w) {
  const bool compact = distances_from(w, 0).largest() < 3.0 * std::log2(static_cast<double>(w.rows()));
  const Eigen::Index restarts = compact ? 5000 : 150;
  MovedProduct product(w);
  const auto top = lanczos_end(product, Spectra::SortRule::LargestAlge, restarts);
  const auto bottom = lanczos_end(product, Spectra::SortRule::SmallestAlge, restarts);
  return symmetric_spectrum(top ? *top : shift_invert_end(w, End::top),
                            bottom ? *bottom : shift_invert_end(w, End::bottom),
                            top && bottom ? SpectrumMethod::lanczos : SpectrumMethod::shift_invert);
}

/// The same for many peers: Lanczos without restarts, since those and keeping a basis would cost most. It
/// begins with the distances from a peer at the edge of the graph: on a long graph the slowest disagreement
/// is one between its two ends.
Spectrum ends_of_many(const Sparse& w) {
  constexpr double entries_in_seconds = 2.5e9;  // what some seconds are enough for
  constexpr double vectors_per_step = 8.0;      // what a step costs beside its product
  const double entries_per_step =
      static_cast<double>(w.nonZeros()) + vectors_per_step * static_cast<double>(w.rows());
  const double steps = std::clamp(entries_in_seconds / entries_per_step, 50.0, 1000.0);
  const auto product = [&w](std::span<const double> from, std::span<double> to) {
    Eigen::Map<Vector>(to.data(), w.rows()).noalias() =
        w.transpose() * Eigen::Map<const Vector>(from.data(), w.rows());  // W is symmetric
  };
  const Distances from_edge = distances_from(w, distances_from(w, 0).farthest);
  const SpectrumEnds ends = lanczos_ends(product, from_edge.of_peers, static_cast<std::size_t>(steps));
  Spectrum found = symmetric_spectrum(ends.top, ends.bottom, SpectrumMethod::lanczos);
  if (!ends.are_found()) found.error = ends.error();
  return found;
}

Spectrum sparse_spectrum(const MixingMatrix& mixing) {
  const auto ends = [](const Sparse& w) { return w.rows() < many_peers ? sparse_ends(w) : ends_of_many(w); };
  const Sparse w = transposed(mixing);
  if (mixing.symmetric()) return ends(w);
  // W'W is symmetric and doubly stochastic, too; without its constant vector it is (W - J)'(W - J).
  const Sparse squared = w * Sparse(w.transpose());
  const Spectrum of_squared = ends(squared);
  Spectrum found = norm_spectrum(std::sqrt(std::max(0.0, of_squared.second)), of_squared.how);
  found.error = of_squared.error / std::max(found.rho, std::sqrt(of_squared.error));
  return found;
}

Spectrum dense_spectrum(const MixingMatrix& mixing) {
  Eigen::MatrixXd w = dense(mixing);
  const double n = mixing.peer_count();
  if (!mixing.symmetric()) {
    w.array() -= 1.0 / n;
    return norm_spectrum(spectral_norm(w), SpectrumMethod::dense);
  }
  w.array() += (interior(w) - 1.0) / n;
  const Vector values = symmetric_eigenvalues(w);
  return symmetric_spectrum(values(values.size() - 1), values(0), SpectrumMethod::dense);
}

}  // namespace

Spectrum spectrum(const MixingMatrix& mixing) {
  if (const auto closed = closed_spectrum(mixing)) return *closed;
  return mixing.peer_count() <= dense_peers ? dense_spectrum(mixing) : sparse_spectrum(mixing);
}

std::optional<double> contraction(const Schedule& schedule, std::uint64_t rounds) {
  const PeerId n = schedule.peer_count();
  if (n > contraction_peers) return std::nullopt;
  Eigen::MatrixXd held = Eigen::MatrixXd::Identity(n, n).array() - 1.0 / n;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Eigen::MatrixXd next(n, n);
    for (PeerId peer = 0; peer < n; ++peer) {
      const MixingRow row = schedule.row(peer, round);
      next.col(peer) = row.self_weight * held.col(peer);
      for (const WeightedNeighbor& neighbor : row.hears)
        next.col(peer) += neighbor.weight * held.col(neighbor.id);
    }
    held.swap(next);
  }
  return spectral_norm(held);
}

}  // namespace hearsay
