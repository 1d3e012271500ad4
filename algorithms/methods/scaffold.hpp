#pragma once

#include <optional>

#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// SCAFFOLD: a hub, and local steps that are corrected by how the workers' gradients differ.
///
///   down    hub -> i in S_t:   x, c                               (t = 1: an empty message; c = 0)
///   local   y_i = x;  H times: y_i <- y_i - eta (g_i(y_i) - c_i + c)
///   up      i -> hub:          y_i - x
///   follow  i:                 c_i <- c_i - c + (x - y_i) / (H eta)
///   group   j -> hub:          sum_{i of group j in S_t} (y_i - x)          on a tree: j passes x, c on
///   step    hub:               x <- x + (rho/r) sum_{S} (y_i - x);
///                              c <- c + (1/n) sum_{S} (-c + (x - y_i) / (H eta))
///   drop    hub:               keeps every c_i, and c is the mean of those of the workers that are left
///                              (from the round on after that in which the first answer is missing)
///
/// The hub is peer 0, and a worker, too, if it has data. c_i = c = 0 at first.
///
/// On a tree, if workers may sit out, a head also says r_j, of how many that is the sum, and n_j, how many
/// its group has. The hub then steps by (rho/n) sum_j (n_j / r_j) times the sums, whose expectation is the
/// step of all; c is the mean of all c_i all the same.
///
/// Sends      hub: r messages of 8d bytes (16d in double); worker: one of 4d; such a head 8 more (16).
/// Options    local_steps = H, by sgd; outer = none(rho), the hub's step.
/// Shapes     x, c, c_i, y, y - x, g in R^d: memory worker 6 d; hub and heads besides the sum 7 d. Under
///            the policy "drop" the hub has a d more for each other worker.
/// Needs      a star around peer 0, or a tree of two levels below it. No compressor. Any
///            worker may be absent: its c_i stays.
/// Invariant  mean_i c_i = c, to rounding. With H = 1, rho = 1 and all workers it is gradient descent.
///            On a tree every step of all workers is that of the star, to rounding.
/// Source     Karimireddy et al. 2020 (arXiv:1910.06378), Algorithm 1, option II.
/// Departs    the paper also sends c_i' - c_i, which the hub can tell from y_i - x and the c that it sent.
template <class Scalar>
class Scaffold final : public Algorithm<Scalar> {
 public:
  explicit Scaffold(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  bool hear(Iteration<Scalar>& it, std::span<const PacketRef> packets);
  Scalar take(Iteration<Scalar>& it, std::span<const std::byte> bytes);
  CodecStatus follow(PeerId i, std::span<const std::byte> bytes, Scalar step_size);

  bool is_hub_;
  TreePlace place_;
  Scalar worker_count_;  // n
  std::uint64_t local_steps_;
  Scalar server_step_;  // rho
  Vector<Scalar> x_;
  Vector<Scalar> control_;      // c
  Vector<Scalar> own_control_;  // c_i
  Vector<Scalar> point_;        // y_i
  Vector<Scalar> change_;       // y_i - x; then of the hub, the sum that moves x, if counts_ are read
  Vector<Scalar> sum_;          // of the answers, of the hub and of heads
  Vector<Scalar> counts_;       // r_j, n_j, of the hub and of heads; empty unless workers of groups sit out
  bool hub_keeps_each_;         // c_i
  std::optional<Replicas<Scalar>> controls_;  // c_i of the other workers, of such a hub
  Vector<Scalar> sum_of_controls_;            // of those that have answered
};

MethodInfo scaffold_info();

}  // namespace hearsay
