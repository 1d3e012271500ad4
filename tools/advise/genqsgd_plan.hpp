#pragma once

#include <optional>
#include <vector>

/// Chooses the constants of GenQSGD (gen_qsgd.hpp): how many rounds, how many local steps at each worker, how
/// large a minibatch, and how long a step. No I/O, and no chance.
///
///   minimise    seconds   K_0 (B max_n C_n K_n / F_n + C_0 / F_0 + max_n M_n / r_n + M_0 / r_0)
///   or          joules    K_0 (B sum_n alpha C_n F_n^2 K_n + alpha C_0 F_0^2 + sum_n p_n M_n / r_n
///                              + p_0 M_0 / r_0)
///   subject to  bound     c1 / (gamma K_0 S) + c2 gamma^2 max_n K_n^2 + c3 gamma / B
///                              + c4 gamma (sum_n q_n K_n^2) / S  <=  C_max,          S = sum_n K_n
///               seconds <= T_max (if set),   gamma <= 1 / L,   K_0, K_n, B >= 1 whole
///
///   c1 = 2 N Q,   c2 = 4 G^2 L^2,   c3 = L sigma^2 / N,   c4 = 2 L G^2
///   q_n = q(s_0) + q(s_n) + q(s_0) q(s_n)
///
///   K_0       rounds                              N        workers: the peers with data, n = 1, ..., N
///   K_n       local steps of worker n in a round  B        samples of a minibatch
///   gamma     step size                           L        Lipschitz constant of the gradient of f
///   C_n, F_n  cycles of the gradient of a sample, and cycles a second; C_0, F_0: of the hub's round
///   M_n, r_n  bits of a message, and bits a second; M_0, r_0: of the hub
///   alpha, p  energy of a cycle (alpha F^2), and power of a sender
///   Q         f(x_0) - min f                      sigma^2  variance of the gradient of a single sample
///   G^2       largest mean square of a gradient   C_max    wanted mean of |grad f|^2 over the local steps
///   q(s)      relative variance of the quantizer with s levels: E |C(z) - z|^2 <= q |z|^2
///
/// C_max is of a gradient, not of a loss. The bound is a worst case: real runs are far below it.
///
/// Source: Li, Lai, Cui, Lau 2021 (arXiv:2111.13526). Departs: alike workers share one K_n; whole numbers are
/// searched for thoroughly (`plan`); least sizes are constraints of the geometric program, too.
namespace hearsay::gen_qsgd {

struct Worker {
  double seconds_per_sample = 0.0;  ///< C_n / F_n, of a gradient; above 0
  double seconds_up = 0.0;  ///< M_n / r_n. If messages queue at the hub's port, until the last one is through
  double q = 0.0;           ///< q(s_n) of its quantizer; 0: it sends what it has
  double joules_per_sample = 0.0;   ///< alpha C_n F_n^2; above 0 if energy is minimised
  double joules_per_message = 0.0;  ///< p_n M_n / r_n
  bool operator==(const Worker&) const = default;
};

struct Hub {
  double seconds_of_work = 0.0;  ///< C_0 / F_0, in a round
  /// M_0 / r_0: from the first bit out until the last worker has heard. A hub that sends to its workers one
  /// after the other needs r times as long for r messages as for one.
  double seconds_down = 0.0;
  double q = 0.0;  ///< q(s_0)
  double joules_of_work = 0.0;
  double joules_down = 0.0;  ///< p_0 M_0 / r_0, of all messages of a round
};

enum class Objective { time, energy };

struct PlanProblem {
  std::vector<Worker> workers;  ///< at least one
  Hub hub;
  double smoothness = 1.0;          ///< L, above 0
  double variance = 0.0;            ///< sigma^2
  double gradient_square = 0.0;     ///< G^2
  double gap = 1.0;                 ///< Q, above 0
  double most_error = 1.0;          ///< C_max
  std::optional<double> most_time;  ///< T_max
  std::optional<double> most_batch;
  Objective objective = Objective::time;
};

/// What is chosen. `plan` returns whole numbers, but for the step size.
struct Plan {
  double rounds = 1.0;        ///< K_0
  std::vector<double> steps;  ///< K_n
  double batch = 1.0;         ///< B
  double step_size = 0.0;     ///< gamma
};

double bound(const PlanProblem& problem, const Plan& plan);
double seconds(const PlanProblem& problem, const Plan& plan);
double energy(const PlanProblem& problem, const Plan& plan);
/// Seconds or joules, whichever is to be least.
double objective(const PlanProblem& problem, const Plan& plan);
/// True if bound, T_max, gamma <= 1 / L and the least and largest sizes are kept.
bool is_feasible(const PlanProblem& problem, const Plan& plan);

/// The way of the successive geometric programs from one start.
struct Relaxation {
  Plan plan;  ///< the last point; not whole
  std::vector<double>
      objectives;  ///< of the start (if T_max is set, of the first point that keeps it) and after
                   ///< each program; never rises
};

/// Solves the problem in real numbers, from K_n = `first_steps` on. All but 1 / S are posynomials (sums of
/// products of powers), with T1 >= C_n K_n / F_n and T2 >= K_n in the place of the maxima. For S stands
///
///     V <= prod_n (K_n / beta_n)^beta_n <= S,         beta_n = K_n / S at the last point
///
/// by the inequality of the means; both are equal at the last point, which so stays feasible. Each of these
/// programs is solved in logarithms (geometric_program.hpp) until K_0, B and gamma move by less than 0.01, or
/// by a 10^5th part of themselves. The end is a KKT point, not the optimum: starts may differ. With T_max,
/// the seconds are minimised first. Empty if they do not come below T_max.
std::optional<Relaxation> relax(const PlanProblem& problem, double first_steps);

/// Returns the plan with the least objective that was found. Empty if none keeps T_max, or C_max with a
/// finite number of rounds.
///
/// Given K_n and B, the best gamma and the least K_0 have closed forms; given K_n and K_0, so have the least
/// B and its gamma. So the search in whole numbers is one over K_n and either B or K_0. It starts at `relax`
/// from K_n = 1, 3, 10, and at the best of a coarse grid of limits for K_n and C_n K_n / F_n, which guards
/// against bad KKT points. It ends where no neighbour is better: K_0 or B one more or less, all K_n scaled so
/// that the largest moves by one, a single K_n one more or less, or (up to 24 kinds of workers) a step that
/// one kind takes instead of another; gamma and the remaining number as best they fit.
///
/// Alike workers get the same K_n. In real numbers nothing is lost by that: their mean in the place of each
/// keeps S and the energy, and raises no maximum and no sum of squares.
std::optional<Plan> plan(const PlanProblem& problem);

/// All combinations of these choices.
struct Grid {
  std::vector<double> rounds;
  std::vector<std::vector<double>> steps;  ///< each with K_n of all workers
  std::vector<double> batches;
  std::vector<double> step_sizes;
};

/// Tries every point of the grid. Empty if none is feasible.
std::optional<Plan> best_on_grid(const PlanProblem& problem, const Grid& grid);

}  // namespace hearsay::gen_qsgd
