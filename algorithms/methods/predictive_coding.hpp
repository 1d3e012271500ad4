#pragma once

#include <array>
#include <span>
#include <vector>
#include "algorithms/seam/method_options.hpp"

#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/methods/parts/local_steps.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/predictors.hpp"
#include "algorithms/methods/parts/rounding_cost.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

namespace option {
extern const TextOption predictors;
extern const NumberOption rate_weight;
extern const CountOption quantizers;
}  // namespace option

/// Predictive coding: FedPAQ whose workers send their models as differences to a prediction, and choose
/// predictor and quantizer by their cost in bits and error.
///
///   down      hub -> i in S_t:   x                              (t = 1: an empty message, all know x_0)
///   local     y_i = x;  H times: y_i <- y_i - eta g_i(y_i)      each on its own minibatch
///   predict   both ends:         xp = x, x + D, x + (D + D' + D'')/3 or x + m;  m <- 0.8 m + 0.2 D;
///                                D, D', D'' the last three changes of x: hold, last, mean3 and ema
///   choose    i, for a layer l:  xp, and C_q(z) = 2^q C(z/2^q) with q = 0 ... Q-1, of least
///                                rms error + lambda (entropy, bits a coordinate), for z = (y_i - xp)_l:
///                                means over the rounding (RoundingCost), which is not drawn yet
///   up        i -> hub:          for each layer l: xp and q in a byte, c_l = C_q((y_i - xp)_l)
///   step      hub:               x' = x + (rho/r) sum_{i in S_t} (xp - x + c), in ascending i;  r = |S_t|;
///                                D'' <- D',  D' <- D,  D <- x' - x;  a worker does so when it hears x'
///
/// The hub is peer 0. It is a worker, too, if it has data, and sends itself nothing. All D and m are 0 at
/// first. Of equal costs the first is taken: in the order hold, last, mean3, ema, and of them the least q.
///
/// Sends      hub: r messages of 4d bytes (8d in double), fewer by one if it is itself in S_t; worker: one.
///            For every layer it holds a byte (the predictor's place + 4 q), u32 the length of c_l, but for
///            the last layer, and c_l.
/// Options    optimizer, local_steps = H: see LocalSteps; outer, the hub's step (OuterRule); predictors,
///            to choose from; rate_weight = lambda; quantizers = Q, for a C whose error is absolute (grid): a
///            relative C is the same for every q.
/// Shapes     x, y, y - x, y - xp, D, D', D'', m, g in R^d: memory worker 9 d, hub with the sum 10 d, and the
///            optimizer's state. To choose takes about 50 bytes for every value that a coordinate may be
///            rounded to, and, unless C is a grid, 24 bytes a coordinate of a layer, meanwhile.
/// Needs      a star around peer 0. C unbiased, relative or absolute: a bias moves the limit. C rounds every
///            coordinate by itself; else (none, topk, with transforms) the costs are not known, and the first
///            predictor is taken. Any worker may be absent. The hub keeps the changes of x once, not for each
///            worker; so one that was absent takes hold, and last from its second round in a row on, mean3
///            from its fourth on, and ema never again (SeenChanges).
/// Invariant  the hub and all workers that have seen the same x predict the same bits. With predictors = hold
///            it is fed-avg if C is none, and fed-paq if there is one layer, bit for bit. Whatever is chosen,
///            E c_l = (y_i - xp)_l, so the expected step is fed-avg's. If x moves by the same D in every
///            round, and y_i with it, `last` leaves nothing to send.
/// Source     Yue, Jin, Wong, Dai 2022 (arXiv:2108.00918).
/// Departs    the authors' predictors with learned or adaptive gains (Adam-like, Ornstein-Uhlenbeck) are left
///            out, and their quantizers of 3 levels are any C. Their "up to 99 %" counts from 32 bits a
///            number, with quantization and skipped layers in it.
template <class Scalar>
class PredictiveCoding final : public Algorithm<Scalar> {
 public:
  explicit PredictiveCoding(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;

 private:
  struct Layer {
    Index begin;
    Index size;
    std::unique_ptr<Compressor<Scalar>> compressor;  // C
  };
  /// xp and q, and the byte that stands for them.
  struct Choice {
    Predictor predictor = Predictor::hold;
    unsigned coarseness = 0;  // q

    std::byte code() const {
      return static_cast<std::byte>(4 * coarseness + static_cast<unsigned>(predictor));
    }
    static Choice of(std::byte code);
    Scalar scale() const { return static_cast<Scalar>(1u << coarseness); }
  };
  struct Piece {
    Choice choice;
    std::span<const std::byte> bytes;  // of c_l
  };

  std::span<Scalar> set_residual(const Layer& layer, const Choice& choice);
  double cost_of(const Layer& layer, const Choice& choice);
  Choice cheapest(const Layer& layer);
  PacketRef coded_answer(Iteration<Scalar>& it);
  bool split(std::span<const std::byte> answer);
  CodecStatus take(std::span<const std::byte> answer);

  bool is_hub_;
  std::array<bool, predictor_count> predictors_;
  double rate_weight_;   // lambda
  unsigned quantizers_;  // Q
  std::vector<Layer> layers_;
  Vector<Scalar> x_;
  LocalSteps<Scalar> local_;
  ModelChanges<Scalar> changes_;
  SeenChanges seen_;         // of a worker; the hub has seen all
  Vector<Scalar> change_;    // y_i - x
  Vector<Scalar> residual_;  // (y_i - xp)/2^q
  OutcomeCounts outcomes_;   // scratch of a cost

  // Of the hub.
  Vector<Scalar> sum_;  // of xp - x + c over the answers, then minus their mean
  std::optional<OuterStep<Scalar>> outer_;
  std::vector<Piece> pieces_;  // of one answer, by layer
};

MethodInfo predictive_coding_info();

}  // namespace hearsay
