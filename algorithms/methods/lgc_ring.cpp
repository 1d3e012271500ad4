#include "algorithms/methods/lgc_ring.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/in_turn.hpp"
#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
LgcRing<Scalar>::LgcRing(const MethodInput<Scalar>& input)
    : peer_count_(input.peer_count),
      learns_(input.self == 0),
      dense_rounds_(input.options[option::dense_rounds]),
      gathered_rounds_(std::min(dense_rounds_, KeptGradients<Scalar>::of_each)),
      ring_(input.self, input.peer_count),
      gather_(input.self, input.peer_count),
      full_precision_(make_compressor<Scalar>("none", input.segments)),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      choice_(input.self, input.peer_count, *compressor_, input.initial.size()),
      rests_(*compressor_),
      x_(input.initial),
      error_(input.initial.size()),
      sum_(input.initial.size()),
      basis_(input),
      code_(basis_.rank()),
      kept_(input.peer_count) {}

template <class Scalar>
Task LgcRing<Scalar>::iterate(Iteration<Scalar>& it) {
  // gradient: g_i = grad F_i(x; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);

  if (it.number() + gathered_rounds_ <= dense_rounds_) {
    // sum: sum_j g_j
    it.keep_gradient(sum_);
    co_await ring_.sum(it, view(sum_));
    step(it);
    co_return;
  }

  if (it.number() <= dense_rounds_) {
    // gather: g_j, n-1 hops; peer 0 keeps them
    gather_.begin(it, full_packet(it, gradient), rest_slot());
    co_await gather_.rest(it);
    take_gradients(it);
    step(it);
    co_return;
  }

  if (it.number() == dense_rounds_ + 1) {
    // learn: P = the r leading right singular vectors of all gradients kept, as rows
    learn();
    // share: P
    co_await ring_.sum(it, basis_.all(), basis_slot());
  }
  if (!basis_.is_known()) {  // a checkpoint without it
    it.report(CodecStatus::malformed);
    co_return;
  }

  // code: p = g_i + e_i;  z_i = P p;  p <- p - P' z_i
  Vector<Scalar>& p = error_.in(it);
  p += gradient;
  it.report(basis_.take_out(p, code_));

  // choose: peer t mod n, by its own p; n-1 hops
  co_await choice_.round(it, choice_slot(), p);

  // rest: s_i = C(p), encoded once;  e_i <- p - s_i
  gather_.begin(it, encoded(it, p), rest_slot());
  it.report(choice_.accumulate(gather_.of(it.self())->bytes(), -1, p));

  // sum: sum_j z_j; gather: s_j, n-1 hops
  auto codes = ring_.sum(it, std::span<Scalar>(code_), code_slot());
  auto rests = gather_.rest(it);
  co_await InTurn(codes, rests);

  // step: x <- x - (eta/n) (P' sum_j z_j + sum_j s_j), in ascending j
  sum_rests(it);
  basis_.add_decoded(1, code_, sum_);
  step(it);
}

/// learn: peer 0: P of all gradients kept, which the others wait for
template <class Scalar>
void LgcRing<Scalar>::learn() {
  if (learns_)
    basis_.learn(kept_);
  else
    basis_.begin();
  kept_.end();
}

/// rest: C(p)
template <class Scalar>
PacketRef LgcRing<Scalar>::encoded(Iteration<Scalar>& it, const Vector<Scalar>& p) {
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  it.report(compressor_->encode({view(p), random, {}, choice_.indices()}, buffer));
  return std::move(buffer).seal();
}

/// gather: sum_j s_j, in ascending j
template <class Scalar>
void LgcRing<Scalar>::sum_rests(Iteration<Scalar>& it) {
  sum_ = rests_.of(it, gather_, choice_, sum_);
  gather_.end();
}

/// gather: sum_j g_j, in ascending j; peer 0 keeps the g_j
template <class Scalar>
void LgcRing<Scalar>::take_gradients(Iteration<Scalar>& it) {
  if (learns_) kept_.begin(x_.size());
  sum_.setZero();
  for (PeerId j = 0; j < peer_count_; ++j) {
    const CodecStatus status = full_precision_->accumulate(gather_.of(j)->bytes(), 1, view(sum_));
    it.report(status);
    if (learns_ && status == CodecStatus::ok) kept_.keep(j, gather_.of(j)->bytes());
  }
  gather_.end();
}

template <class Scalar>
void LgcRing<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  error_.visit(visitor);
  visitor.scratch("sum", sum_);
  basis_.visit(visitor);
  if (learns_) kept_.visit(visitor);
}

template <class Scalar>
bool LgcRing<Scalar>::is_sound(Index) const {
  return basis_.is_sound() && kept_.is_sound(x_.size());
}

template <class Scalar>
Traffic LgcRing<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  Traffic traffic = *traffic_up_to(number, rows);
  const Traffic before = *traffic_up_to(number - 1, rows);
  traffic.messages -= before.messages;
  traffic.payload_bytes -= before.payload_bytes;
  return traffic;
}

template <class Scalar>
std::optional<Traffic> LgcRing<Scalar>::traffic_up_to(std::uint64_t last, const PeerRows&) const {
  const auto dimension = static_cast<std::uint64_t>(x_.size());
  Traffic all;
  const auto add = [&](std::uint64_t times, const Traffic& traffic) {
    all.messages += times * traffic.messages;
    all.payload_bytes += times * traffic.payload_bytes;
    all.exact = all.exact && (times == 0 || traffic.exact);
  };
  const std::uint64_t dense = std::min(last, dense_rounds_);
  const std::uint64_t summed = std::min(dense, dense_rounds_ - gathered_rounds_);
  add(summed, ring_.traffic(dimension, sizeof(Scalar)));
  add(dense - summed, {gather_.hops(), gather_.hops() * dimension * sizeof(Scalar)});
  if (last == dense) return all;
  add(1, ring_.traffic(static_cast<std::uint64_t>(basis_.size()), sizeof(Scalar)));
  add(last - dense, ring_.traffic(basis_.rank(), sizeof(Scalar)));
  add(1, choice_.traffic(dense, last));
  return all;
}

MethodInfo lgc_ring_info() {
  return {
      .name = "lgc-ring",
      .summary = "lgc round a ring: coordinates in a learned basis are summed, the compressed rest gathered",
      .equation =
          "x <- x - (eta/n) (P' sum_j P p_j + sum_j C(p_j - P' P p_j)), p_i = g_i + e_i; e_i by feedback",
      .bytes = "2(n-1) (4 rank / n + 64) + (n-1) (|C| + 64); dense_rounds with 4d",
      .source = "Abrahamyan et al. 2021, arXiv:2103.08870 (LGC-like, linear)",
      .compressor = CompressorNeed::contracting,
      .default_compressor = "topk(1%)",
      .pattern = Pattern::ring,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::rank, 8}, {option::dense_rounds, 20}},
      .check = check_learned_rank,
      .unknown_sizes = [](const MethodOptions&) { return UnknownSizes{"the gradients"}; },
      .trials = {.none_because = "it gains only where peers differ for long; its rank and dense rounds have "
                                 "to be chosen for each problem"},
      .manual = {.iteration = "c_i = P' z_i + C(p - P' z_i), z_i = P p, p = g_i + e_i; e_i <- p - c_i; x <- "
                              "x - (eta/n) sum_j c_j; P is learned from the gradients of dense_rounds; the "
                              "z_j are summed and the rest gathered round a ring",
                 .bytes_note = ", four of them (n-1) (4d + 64), and 2(n-1) (4d rank / n + 64) once",
                 .memory = "4 + rank; peer 0, in the last dense rounds, 4 + 4 n",
                 .needs = "nothing of W; C contracting"},
      .make = factory<LgcRing>()};
}

}  // namespace hearsay
