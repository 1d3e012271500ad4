#include "algorithms/methods/ad_psgd.hpp"

#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

template <class Scalar>
Task AdPsgd<Scalar>::iterate(Iteration<Scalar>& it) {
  // snapshot: xhat = x_i; j drawn evenly from the neighbors
  snapshot_ = x_;
  const bool asks = !neighbors_.empty();
  const PeerId partner = asks ? neighbors_[it.random(Purpose::decision).below(neighbors_.size())] : it.self();

  // ask: send x_i to j
  if (asks) it.send(request_slot, partner, full_packet(it, x_));

  // gradient: g = grad F_i(xhat; xi)
  const Vector<Scalar>& gradient = co_await it.gradient(snapshot_);

  // average: when the reply comes or has come (take_reply)
  if (asks) co_await it.receive(reply_slot, partner);

  // step: x_i <- x_i - eta g
  x_ -= it.step_size() * gradient;
}

template <class Scalar>
PacketRef AdPsgd<Scalar>::answer(Iteration<Scalar>& it, PeerId, const PacketRef& request) {
  // average, at j: reply x_j, x_j <- (x_i + x_j) / 2
  PacketRef reply = full_packet(it, x_);
  if (average_full<Scalar>(request->bytes(), view(x_))) return reply;
  it.report(CodecStatus::malformed);
  return {};
}

template <class Scalar>
void AdPsgd<Scalar>::take_reply(Iteration<Scalar>& it, PeerId, const PacketRef& reply) {
  // average, at i: x_i <- (x_i + x_j) / 2
  if (!average_full<Scalar>(reply->bytes(), view(x_))) it.report(CodecStatus::malformed);
}

template <class Scalar>
void AdPsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("snapshot", snapshot_);
}

template <class Scalar>
Traffic AdPsgd<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  // An upper bound: one request, and an answer to every neighbor.
  const std::uint64_t messages = neighbors_.empty() ? 0 : 1 + neighbors_.size();
  return {messages, messages * view(x_).size_bytes(), neighbors_.empty()};
}

MethodInfo ad_psgd_info() {
  return {.name = "ad-psgd",
          .summary = "asynchronous D-PSGD: pairs average whenever they can, gradients are stale",
          .equation = "x_i, x_j <- (x_i + x_j) / 2 for a random neighbor j; x_i <- x_i - eta g_i(xhat_i)",
          .bytes = "(1 + answered) (4d + 64) + 64 refused",
          .source = "Lian et al. 2018, arXiv:1710.06952, Algorithm 1",
          .compressor = CompressorNeed::none,
          .permits_negative_weights = true,
          .asynchronous = true,
          .trials = {.none_because = "asynchronous: how long it takes depends on when real messages come"},
          .manual = {.overlap = Overlap::some,
                     .iteration = "x_i, x_j <- (x_i + x_j)/2 for a random neighbor j, at any time; x_i <- "
                                  "x_i - eta g_i, g_i of an earlier x_i",
                     .bytes_note = ", asked at most 1",
                     .memory = "3",
                     .needs = "links both ways, whatever their weights; asynchronous"},
          .make = factory<AdPsgd>()};
}

}  // namespace hearsay
