#pragma once

#include <cstdint>
#include <string>

#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/owed_error.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// DoubleSqueeze and NEOLITHIC: a hub; gradients are compressed both ways. DoubleSqueeze adds the errors to
/// later messages (error feedback), NEOLITHIC compresses each vector R times, each time the residual.
///
///   down    hub -> i:   c of every round that i missed;   x <- x - eta c, one by one
///   up      i -> hub:   p_i = g_i(x) + a e_i;   c_i = C^R(p_i);   e_i <- p_i - c_i
///   step    hub:        p = (1/r) sum_{i in S} c_i + a E;   c = C_dwn^R(p);   E <- p - c;   x <- x - eta c
///
///   C^R(p)              v = 0;   R times: send C(p - v), v <- v + it          (one message: repeat(R){C})
///   g_i                 the mean of R minibatch gradients at x
///
/// The hub is peer 0, and a worker, too, if it has data. e_i = E = 0 at first.
///
/// Sends      hub: r messages of R |C_dwn| + 4 (R - 1) bytes, of the last round (none in iteration 1), to a
///            worker that sat out what it missed, or the model; worker: one of R |C| + 4 (R - 1) bytes.
/// Options    error_decay = a: 1 in double-squeeze, 0 in neolithic, which then remembers nothing; rounds = R,
///            read by neolithic; down_compressor = C_dwn.
/// Shapes     x, p and e in one, g in R^d: memory worker 3 d, hub besides p and E in one, and the sum, 4 d;
///            d more with R > 1, for the sum of the gradients.
/// Needs      a star around peer 0. C and C_dwn contracting. A worker that is absent keeps e_i.
/// Invariant  with a = 1 and all workers x - eta (E + mean_i e_i) follows x' <- x' - eta mean_i g_i, whatever
///            the compressors do. With topk(k) R rounds are topk(R k).
/// Source     DoubleSqueeze: Tang et al. 2019 (arXiv:1905.05957), Algorithm 1. NEOLITHIC: Huang, Chen, Yin,
///            Yuan 2022 (arXiv:2206.03665), Algorithm 1 (reconstruction).
/// Departs    whether NEOLITHIC carries an error from step to step is not known to us: by default it does
///            not, and with error_decay = 1 it does. Its claim of optimality is about worst cases: for a
///            fixed R it has a floor of (1 - delta)^R times how much the workers' gradients differ.
template <class Scalar>
class DoubleSqueeze final : public Algorithm<Scalar> {
 public:
  explicit DoubleSqueeze(const MethodInput<Scalar>& input);

  Task iterate(Iteration<Scalar>& it) override;
  const Vector<Scalar>& model() const override { return x_; }
  void visit_state(StateVisitor<Scalar>& visitor) override;
  bool is_sound(Index) const override { return downlink_.is_sound(); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override;
  bool catches_up() const override { return downlink_.catches_up(); }

 private:
  bool is_hub_;
  Scalar error_decay_;    // a
  std::uint64_t rounds_;  // R
  Vector<Scalar> x_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  Downlink<Scalar> downlink_;
  OwedError<Scalar> error_;   // e_i; p_i while it is encoded
  Vector<Scalar> gradients_;  // their sum; empty for R = 1

  // Of the hub.
  Vector<Scalar> sum_;           // of the answers, then their mean
  OwedError<Scalar> hub_error_;  // E; p while it is encoded
};

/// Returns the spelling of C^R, C in R = `rounds`: each sends what the rounds before have left. Throws Misuse
/// for too many.
std::string repeated_compressor(std::uint64_t rounds, const std::string& compressor);

MethodInfo double_squeeze_info();
MethodInfo neolithic_info();

}  // namespace hearsay
