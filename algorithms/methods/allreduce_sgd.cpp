#include "algorithms/methods/allreduce_sgd.hpp"

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace {

std::uint64_t chunk_begin(std::uint64_t chunk, std::uint64_t dimension, std::uint64_t peer_count) {
  return chunk * dimension / peer_count;
}

}  // namespace

template <class Scalar>
std::span<Scalar> AllreduceSgd<Scalar>::chunk(PeerId c) {
  const auto dimension = static_cast<std::uint64_t>(sum_.size());
  const std::uint64_t begin = chunk_begin(c, dimension, peer_count_);
  return view(sum_).subspan(begin, chunk_begin(c + 1, dimension, peer_count_) - begin);
}

template <class Scalar>
Task AllreduceSgd<Scalar>::iterate(Iteration<Scalar>& it) {
  const PeerId next = (self_ + 1) % peer_count_;
  const PeerId previous = (self_ + peer_count_ - 1) % peer_count_;
  Slot slot = 0;

  // gradient: g_i = grad F_i(x; xi_i)
  const Vector<Scalar>& gradient = co_await it.gradient(x_);
  sum_ = gradient;

  // reduce-scatter: in step s, pass chunk i-s on and add this peer's part to chunk i-s-1
  for (PeerId step = 0; step + 1 < peer_count_; ++step, ++slot) {
    PacketBuffer buffer = it.new_packet();
    write_full<Scalar>(chunk(chunk_back(step)), buffer);
    it.send(slot, next, std::move(buffer).seal());
    const PacketRef partial = co_await it.receive(slot, previous);
    if (!partial || !add_full<Scalar>(partial->bytes(), 1, chunk(chunk_back(step + 1))))
      it.report(CodecStatus::malformed);
  }

  // all-gather: chunk i+1 is complete here; in step s, pass chunk i+1-s on and take chunk i-s
  for (PeerId step = 0; step + 1 < peer_count_; ++step, ++slot) {
    PacketBuffer buffer = it.new_packet();
    write_full<Scalar>(chunk(chunk_back(step + peer_count_ - 1)), buffer);
    it.send(slot, next, std::move(buffer).seal());
    const PacketRef complete = co_await it.receive(slot, previous);
    if (!complete || !read_full<Scalar>(complete->bytes(), chunk(chunk_back(step))))
      it.report(CodecStatus::malformed);
  }

  // step: x <- x - (eta/n) sum_j g_j
  x_ -= it.step_size() / static_cast<Scalar>(peer_count_) * sum_;
}

template <class Scalar>
void AllreduceSgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic AllreduceSgd<Scalar>::traffic(std::uint64_t, const PeerRows&) const {
  // Every chunk passes through this peer twice, except the two chunks whose way begins or ends here.
  Traffic traffic{2 * (std::uint64_t{peer_count_} - 1), 0};
  const auto dimension = static_cast<std::uint64_t>(x_.size());
  const auto bytes_of = [&](PeerId c) {
    return (chunk_begin(c + 1, dimension, peer_count_) - chunk_begin(c, dimension, peer_count_)) *
           sizeof(Scalar);
  };
  for (PeerId step = 0; step + 1 < peer_count_; ++step)
    traffic.payload_bytes += bytes_of(chunk_back(step)) + bytes_of(chunk_back(step + peer_count_ - 1));
  return traffic;
}

MethodInfo allreduce_sgd_info() {
  return {.name = "allreduce-sgd",
          .summary = "centralized SGD by ring all-reduce: the baseline",
          .equation = "x <- x - (eta/n) sum_j g_j",
          .bytes = "2(n-1) (4d/n + 64)",
          .source = "ring of Patarasuk and Yuan 2009, section 4",
          .compressor = CompressorNeed::none,
          .pattern = Pattern::ring,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .manual = {.iteration = "x <- x - (eta/n) sum_j g_j, by a ring all-reduce",
                     .memory = "3",
                     .needs = "nothing of W"},
          .make = factory<AllreduceSgd>()};
}

}  // namespace hearsay
