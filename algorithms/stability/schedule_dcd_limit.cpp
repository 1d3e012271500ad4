#include "algorithms/stability/schedule_dcd_limit.hpp"

#include <Eigen/Core>
#include <cmath>
#include <limits>
#include <vector>

namespace hearsay {

namespace {

constexpr std::uint64_t most_rows = 1024;
/// What stands for a schedule that draws each round anew: its first rounds, again and again.
constexpr std::uint64_t first_rounds = 64;
/// The largest number of multiplications and additions: about a second.
constexpr double most_work = 2e9;
/// Smaller responses are left out, since only their squares are summed.
constexpr double negligible = 1e-7;

/// Entry (i, j) is the response at peer i to one unit of noise at peer j.
using Responses = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Whom each peer hears in a round.
using Round = std::vector<std::vector<WeightedNeighbor>>;

/// The rounds of a period. Each is mixed with several times for each phase, and some take long to draw.
std::vector<Round> rounds_of(const Schedule& schedule, std::uint64_t period) {
  std::vector<Round> rounds(period, Round(schedule.peer_count()));
  for (std::uint64_t round = 0; round < period; ++round)
    for (PeerId i = 0; i < schedule.peer_count(); ++i) rounds[round][i] = schedule.row(i, round).hears;
  return rounds;
}

/// differences = (W - I) G, with the W of `round`.
void mix_differences(const Round& round, const Responses& G, Responses& differences) {
  differences.setZero();
  for (std::size_t i = 0; i < round.size(); ++i)
    for (const WeightedNeighbor& neighbor : round[i])
      differences.row(static_cast<Eigen::Index>(i)) +=
          neighbor.weight * (G.row(neighbor.id) - G.row(static_cast<Eigen::Index>(i)));
}

double links_per_round(const std::vector<Round>& rounds) {
  double links = 0.0;
  for (const Round& round : rounds)
    for (const auto& hears : round) links += static_cast<double>(hears.size());
  return links / static_cast<double>(rounds.size());
}

/// Returns the sums of the K_ts, in row (t, i) and column (s, j). Empty if gossip is too slow to compute
/// them.
std::optional<Eigen::MatrixXd> noise_gains(const Schedule& schedule, std::uint64_t phases) {
  const auto n = static_cast<Eigen::Index>(schedule.peer_count());
  const auto period = static_cast<Eigen::Index>(phases);
  const std::vector<Round> rounds = rounds_of(schedule, phases);
  const double work_per_round = static_cast<double>(n) * (links_per_round(rounds) + 2.0 * n);
  double work = 0.0;
  Eigen::MatrixXd gains = Eigen::MatrixXd::Zero(n * period, n * period);
  Responses G(n, n), differences(n, n);
  for (Eigen::Index s = 0; s < period; ++s) {
    // The mean is left out, since it cancels in differences.
    G = Responses::Identity(n, n).array() - 1.0 / static_cast<double>(n);
    for (Eigen::Index t = s + 1; G.cwiseAbs().maxCoeff() > negligible; ++t) {
      if ((work += work_per_round) > most_work) return std::nullopt;
      mix_differences(rounds[static_cast<std::size_t>(t % period)], G, differences);
      gains.block(t % period * n, s * n, n, n) += differences.cwiseAbs2();
      G += differences;
    }
  }
  return gains;
}

/// Returns the largest eigenvalue of a matrix without negative entries. The shift makes the iteration
/// converge even if the noise only cycles through the phases.
double largest_eigenvalue(const Eigen::MatrixXd& matrix) {
  const double shift = 0.5 * matrix.rowwise().sum().mean();
  Eigen::VectorXd d = Eigen::VectorXd::Ones(matrix.rows()).normalized();
  double largest = 0.0;
  for (int step = 0; step < 1000; ++step) {
    const Eigen::VectorXd next = matrix * d + shift * d;
    const double before = largest;
    largest = next.norm();
    if (largest == 0.0) return 0.0;
    d = next / largest;
    if (std::abs(largest - before) <= 1e-11 * largest) break;
  }
  return largest - shift;
}

}  // namespace

std::optional<double> dcd_omega_limit(const Schedule& schedule) {
  if (schedule.peer_count() == 1) return std::numeric_limits<double>::infinity();
  const std::uint64_t phases = schedule.period().value_or(first_rounds);
  if (!schedule.repeats_in_order() || phases > most_rows / schedule.peer_count()) return std::nullopt;
  const auto gains = noise_gains(schedule, phases);
  if (!gains) return std::nullopt;
  return 1.0 / largest_eigenvalue(*gains);
}

}  // namespace hearsay
