#include "algorithms/methods/gen_qsgd.hpp"

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/seam/method_factory.hpp"

namespace hearsay {

namespace {

/// Returns the options with the local steps of this peer.
template <class Scalar>
MethodInput<Scalar> with_own_steps(MethodInput<Scalar> input) {
  input.options.set(option::local_steps,
                    local_steps_of(input.options, input.self, input.peer_count, input.worker_count));
  return input;
}

}  // namespace

template <class Scalar>
GenQsgd<Scalar>::GenQsgd(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      place_(input),
      x_(input.initial),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      down_compressor_(make_compressor<Scalar>(input.options[option::down_compressor], input.segments)),
      downlink_(input),
      local_(with_own_steps(input)),
      change_(input.initial.size()) {
  if (!place_.is_worker()) sum_.resize(x_.size());
}

template <class Scalar>
Task GenQsgd<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: c of every round that i missed;  xhat <- xhat + gamma c, one by one
  const auto step = [&](std::span<const std::byte> c, std::uint64_t number) {
    return down_compressor_->accumulate(c, it.step_size_of(number), view(x_));
  };
  const bool heard = co_await downlink_.share(it, x_, step);
  if (!heard) co_return;

  PacketRef answer;
  if (it.mixing().trains) {
    // local: y_i = xhat;  H_i times: y_i <- y_i - gamma g_i(y_i)
    co_await local_.steps(it, x_);

    // up: c_i = C((y_i - xhat) / gamma)
    change_.setZero();
    local_.add_to(change_);
    if (it.step_size() != 0) change_ /= it.step_size();  // else it is 0
    answer = encoded_packet(it, *compressor_, change_, Purpose::compression);
  }

  // group: C((m_j/r_j) sum_{i in S_j} c_i)
  const Scalar answers = co_await gather_sum(it, place_, *compressor_, answer, sum_);
  if (!is_hub_) co_return;

  // step: c = C_dwn((1/r) sum_{i in S} c_i);  xhat <- xhat + gamma c
  if (answers != 0) sum_ *= 1 / place_.divisor(answers);
  const PacketRef c = encoded_packet(it, *down_compressor_, sum_, Purpose::downlink);
  it.report(step(c->bytes(), it.number()));
  downlink_.say(c->bytes());
}

template <class Scalar>
void GenQsgd<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  downlink_.visit(visitor);
  local_.visit(visitor);
  visitor.scratch("change", change_);
  if (sum_.size() != 0) visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic GenQsgd<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const Traits packet = down_compressor_->traits(static_cast<std::size_t>(x_.size()));
  return place_.with_answer(downlink_.traffic(number, rows, packet, view(x_).size_bytes()),
                            rows.at(number - 1), *compressor_, x_.size());
}

MethodInfo gen_qsgd_info() {
  return {
      .name = "gen-qsgd",
      .aliases = {"genqsgd"},
      .summary = "a hub: each worker takes local steps of its own number, both directions are quantized",
      .equation = "y_i = x after H_i local steps; x <- x + eta C_dwn((1/r) sum_S C((y_i - x) / eta))",
      .bytes = "hub r (|C_dwn| + 64), worker |C| + 64",
      .source = "Li, Lai, Cui, Lau 2021, arXiv:2111.13526, Algorithm 1",
      .compressor = CompressorNeed::unbiased,
      .down_compressor = CompressorNeed::unbiased,
      .membership = Membership::no_return,
      .default_compressor = "dither(linf, levels=7, bucket=512)",
      .pattern = Pattern::star,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .permits_tree = true,
      .options = {{option::optimizer, "sgd"},
                  {option::local_steps, 10},
                  {option::down_compressor, "dither(linf, levels=7, bucket=512)"},
                  {option::worker_steps, "equal"}},
      .trials =
          {.with =
               {{.compressor = "dither(linf, bits=4, bucket=512)",
                 .because =
                     "fed-avg in an eighth of the bytes both ways: the fewest bytes through the hub's port",
                 .iterations = 0.2,
                 .options = {{option::down_compressor, "dither(linf, bits=4, bucket=512)"}}}}},
      .manual = {.bytes_note = "(*)",
                 .memory = "hub 5, worker 4",
                 .needs = "a hub and workers; both compressors unbiased"},
      .make = factory<GenQsgd>()};
}

}  // namespace hearsay
