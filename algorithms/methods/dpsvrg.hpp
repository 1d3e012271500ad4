#pragma once

#include "algorithms/methods/parts/epoch_plan.hpp"
#include "algorithms/methods/parts/gradient_table.hpp"
#include "algorithms/methods/parts/mixing_by_pieces.hpp"
#include "algorithms/seam/method.hpp"
#include "algorithms/seam/method_options.hpp"

namespace hearsay {

namespace option {
extern const TextOption estimator;
extern const CountOption inner_length;
extern const NumberOption inner_growth;
extern const TextOption snapshot;
extern const TextOption consensus;
extern const TextOption gossip;
extern const TextOption prox_order;
}  // namespace option

/// DPSVRG: decentralized proximal stochastic variance-reduced gradient. Minimises (1/n) sum_i f_i + h with a
/// constant step.
///
///   epoch s = 1, 2, ..., of K_s = ceil(beta^s n_0) iterations:
///   snapshot   xt_i <- x_i (or the mean of the last epoch's iterates);
///              m_i = grad f_i(xt_i), all local samples
///   iteration k = 1 ... K_s of the epoch:
///   estimate   v_i = grad f_i(x_i; xi) - grad f_i(xt_i; xi) + m_i       on one minibatch xi
///   step       q_i = x_i - eta v_i
///   mix        c(k) times  q_i <- sum_j w_ij q_j, the schedule's next round every time
///   prox       x_i <- prox_{eta h}(q_i)
///
/// grad f_i(xt_i; xi) of the next iteration needs no message, so it is computed while those of the first
/// gossip round travel, unless an epoch ends. The other one is taken where the last round leads.
///
/// Options    inner_length n_0, inner_growth beta; snapshot = "last" | "average";
///            consensus = c(k): "k", "5", "min(k, 20)"; gossip = "plain" | "chebyshev" (c rounds of FastMix,
///            y_{r+1} = (1 + e) W y_r - e y_{r-1}, which do the work of c^2: Liu, Morse 2011; static W only);
///            prox_order = "mix-then-prox", whose zeros are exact, | "prox-then-mix", as in PMGT-VR (Ye,
///            Xiong, Zhang 2020);
///            estimator = "svrg" | "loopless-svrg" (with probability 1/n_0, at all peers at once, the point
///            before a step is the snapshot of the steps that follow) | "saga" (a table of sample gradients;
///            memory m_i d). The last two have no epochs: k keeps counting, K = infinity. They refuse
///            inner_growth and snapshot, which they would not read; saga refuses inner_length, too.
/// Sends      deg messages of d scalars per gossip round: c(k) deg per iteration. Snapshots cost no message.
/// Shapes     x, xt, m, v, q, g and a mixed copy in R^d: memory 7 d, and d more each for snapshot = "average"
///            and for "chebyshev".
/// Needs      every round's W doubly stochastic, the union of a few consecutive rounds connected; a step size
///            below about 1/(4 L); no compressor.
/// Invariant  E v_i = grad f_i(x_i) over the draws; v_i = m_i, bit for bit, if x_i = xt_i; mixing keeps
///            mean_i q_i.
/// Source     Li, Xu, Wang, Wang, Lui 2021 (arXiv:2112.10389), Algorithm 1, reconstructed from the abstract:
///            a k-step consensus (Chen, Ozdaglar 2012) inside a loop of growing epochs (Allen-Zhu, Yuan 2016,
///            SVRG++). Whatever the text leaves open is an option. SAGA: Defazio, Bach, Lacoste-Julien 2014;
///            loopless: Kovalev, Horvath, Richtarik 2020.
/// Departs    edge-difference form of the mixing; minibatches instead of single samples.
template <class Scalar>
class Dpsvrg final : public Algorithm<Scalar> {
 public:
  explicit Dpsvrg(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool takes_pieces() const override { return true; }
  bool is_sound(Index samples) const override { return table_.is_sound(samples, x_.size()); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  std::optional<Traffic> traffic_up_to(std::uint64_t last, const PeerRows& rows) const override;

 private:
  enum class Estimator { svrg, loopless_svrg, saga };
  static Estimator estimator_of(const MethodOptions& options);
  static EpochPlan plan_of(const MethodOptions& options);
  static std::uint64_t messages_in(std::uint64_t begin, std::uint64_t end, const PeerRows& rows);
  Traffic traffic_of(std::uint64_t messages) const;
  bool draws_snapshot(const Iteration<Scalar>& it) const;
  bool keeps_snapshot_after(std::uint64_t number) const;
  void move_snapshot(std::uint64_t length);

  const Regularizer<Scalar>* regularizer_;  // h
  Estimator estimator_;
  EpochPlan plan_;
  std::uint64_t first_length_;  // n_0
  bool mixes_first_;
  Scalar acceleration_;  // e of FastMix, 0 for plain gossip

  Vector<Scalar> x_;
  Vector<Scalar> snapshot_;       // xt_i
  Vector<Scalar> full_gradient_;  // m_i
  Vector<Scalar> sum_;            // x^(1) + ... + x^(k) of this epoch; empty unless snapshot = "average"
  Vector<Scalar> estimate_;       // v_i
  Vector<Scalar> step_;           // q_i
  Vector<Scalar> mixed_;
  MixingByPieces<Scalar> mixing_;
  Vector<Scalar> before_;        // y_{r-1}; empty unless gossip = "chebyshev"
  GradientTable<Scalar> table_;  // empty unless estimator = "saga"
};

MethodInfo dpsvrg_info();

/// Returns the size of SAGA's gradient tables in bytes, summed over all peers; 0 for every other estimator.
std::uint64_t gradient_table_bytes(const RunView& view);

}  // namespace hearsay
