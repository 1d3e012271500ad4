#include "algorithms/methods/one_bit_adam.hpp"

#include <algorithm>

#include "algorithms/arithmetic/square_roots.hpp"
#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace {

constexpr double beta1 = 0.9;
constexpr double beta2 = 0.999;

}  // namespace

template <class Scalar>
OneBitAdam<Scalar>::OneBitAdam(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      dense_rounds_(input.options[option::dense_rounds]),
      x_(input.initial),
      full_precision_(make_compressor<Scalar>("none", input.segments)),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      down_compressor_(make_compressor<Scalar>(input.options[option::down_compressor], input.segments)),
      downlink_(input),
      mean_(Vector<Scalar>::Zero(input.initial.size())),
      squares_(Vector<Scalar>::Zero(input.initial.size())),
      error_(input.initial.size()),
      hub_error_(is_hub_ ? input.initial.size() : 0),
      sum_(input.initial.size()) {}

/// t <= T_0: m <- b1 m + (1 - b1) gbar;  v <- b2 v + (1 - b2) gbar^2;  then: m <- c;
/// x <- x - eta m / (sqrt(v) + 1e-8)
template <class Scalar>
CodecStatus OneBitAdam<Scalar>::take_step(std::span<const std::byte> said, std::uint64_t number,
                                          Scalar step_size) {
  CodecStatus status;
  if (is_dense(number)) {
    sum_.setZero();
    status = full_precision_->accumulate(said, 1, view(sum_));
    mean_ = Scalar(beta1) * mean_ + Scalar(1 - beta1) * sum_;
    squares_ = Scalar(beta2) * squares_ + Scalar(1 - beta2) * sum_.cwiseAbs2();
  } else {
    mean_.setZero();
    status = down_compressor_->accumulate(said, 1, view(mean_));
  }
  x_ -= (step_size * mean_.array() / (square_roots(squares_.array()) + Scalar(1e-8))).matrix();
  return status;
}

template <class Scalar>
Task OneBitAdam<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: gbar or c of the last round
  const auto last_step = [&](std::span<const std::byte> said, std::uint64_t number) {
    return take_step(said, number, it.step_size_of(number));
  };
  const bool heard = co_await downlink_.share(it, x_, last_step);
  if (!heard) co_return;

  Compressor<Scalar>& up = is_dense(it.number()) ? *full_precision_ : *compressor_;
  PacketRef answer;
  if (it.mixing().trains) {
    // up: g_i(x);  then p_i = b1 m + (1 - b1) g_i(x) + e_i;  c_i = C(p_i);  e_i <- p_i - c_i
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    Vector<Scalar>& error = error_.in(it);
    if (is_dense(it.number()))
      error = gradient;
    else
      error += Scalar(beta1) * mean_ + Scalar(1 - beta1) * gradient;
    answer = encoded_packet(it, up, error, Purpose::compression);
    it.report(up.accumulate(answer->bytes(), -1, view(error)));
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // step: p = (1/r) sum_i c_i + E;  c = C_dwn(p);  E <- p - c;  t <= T_0: c = gbar
  const std::span<const PacketRef> packets = co_await it.collect(0);
  const Scalar answers = sum_answers(it, up, answer, packets, sum_);
  Vector<Scalar>& error = hub_error_.in(it);
  if (answers != 0) error += sum_ / answers;
  Compressor<Scalar>& down = is_dense(it.number()) ? *full_precision_ : *down_compressor_;
  const PacketRef said = encoded_packet(it, down, error, Purpose::downlink);
  it.report(down.accumulate(said->bytes(), -1, view(error)));
  it.report(take_step(said->bytes(), it.number(), it.step_size()));
  downlink_.say(said->bytes());
}

template <class Scalar>
void OneBitAdam<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  downlink_.visit(visitor);
  visitor.state("mean", mean_);
  visitor.state("mean of squares", squares_);
  error_.visit(visitor);
  visitor.scratch("sum", sum_);
  if (is_hub_) hub_error_.visit(visitor, "hub's error");
}

template <class Scalar>
Traffic OneBitAdam<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const auto dimension = static_cast<std::size_t>(x_.size());
  const MixingRow& row = rows.at(number - 1);
  if (!is_hub_) return compressed_traffic(row, is_dense(number) ? *full_precision_ : *compressor_, x_.size());
  if (number == 1) return gossip_traffic(row, 0);
  const Traits packet = (is_dense(number - 1) ? *full_precision_ : *down_compressor_).traits(dimension);
  return gossip_traffic(row, packet.bytes, !packet.data_dependent_size);
}

template <class Scalar>
std::optional<Traffic> OneBitAdam<Scalar>::traffic_up_to(std::uint64_t last, const PeerRows& rows) const {
  Traffic all;
  const std::uint64_t changing = std::min(last, dense_rounds_ + 2);
  for (std::uint64_t number = 1; number <= changing; ++number) {
    const Traffic one = traffic(number, rows);
    all.messages += one.messages;
    all.payload_bytes += one.payload_bytes;
    all.exact = all.exact && one.exact;
  }
  if (last > changing) {
    const Traffic one = traffic(last, rows);
    all.messages += (last - changing) * one.messages;
    all.payload_bytes += (last - changing) * one.payload_bytes;
    all.exact = all.exact && one.exact;
  }
  return all;
}

MethodInfo one_bit_adam_info() {
  return {.name = "one-bit-adam",
          .aliases = {"1-bit-adam"},
          .summary =
              "a hub: Adam, then with frozen variances; the momentum is sent in one bit a number, both ways",
          .equation = "m = C_dwn((1/r) sum_S C(b1 m + (1 - b1) g_i + e_i) + E); x <- x - eta m / sqrt(v)",
          .bytes = "hub r (|C_dwn| + 64), worker |C| + 64; dense_rounds with 4d",
          .source = "Tang et al. 2021, arXiv:2102.02888, Algorithm 1",
          .compressor = CompressorNeed::contracting,
          .down_compressor = CompressorNeed::contracting,
          .membership = Membership::no_return,
          .default_compressor = "sign",
          .default_step_size = 0.001,
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .options = {{option::down_compressor, "sign"}, {option::dense_rounds, 50}},
          .trials = {.none_because = "when it begins to compress has to be chosen for each problem"},
          .manual = {.memory = "hub 7, worker 6",
                     .needs = "a hub and workers, all in every round; both compressors contracting"},
          .make = factory<OneBitAdam>()};
}

}  // namespace hearsay
