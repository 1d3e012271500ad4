#include "algorithms/methods/double_squeeze.hpp"

#include <string>

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "algorithms/seam/run_view.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

std::string repeated_compressor(std::uint64_t rounds, const std::string& compressor) {
  constexpr std::uint64_t most = 64;  // of repeat
  if (rounds > most)
    throw Misuse("algorithm.rounds", std::to_string(rounds), "expected at most " + std::to_string(most));
  return rounds == 1 || compressor == "none" ? compressor
                                             : "repeat(" + std::to_string(rounds) + "){" + compressor + "}";
}

namespace {

/// Refuses rounds whose lengths in a message are too large, which depends on the layers of the model.
void check_rounds(const RunView& view, Advice&) {
  const std::uint64_t rounds = view.options[option::rounds];
  const std::string& down = view.options[option::down_compressor];
  for (const std::string& compressor :
       {repeated_compressor(rounds, view.compressor), repeated_compressor(rounds, down)}) {
    if (view.scalar_bytes == sizeof(float))
      make_compressor<float>(compressor, view.segments);
    else
      make_compressor<double>(compressor, view.segments);
  }
}

}  // namespace

template <class Scalar>
DoubleSqueeze<Scalar>::DoubleSqueeze(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      error_decay_(static_cast<Scalar>(input.options[option::error_decay])),
      rounds_(input.options.find(option::rounds).value_or(1)),
      x_(input.initial),
      compressor_(make_compressor<Scalar>(repeated_compressor(rounds_, input.compressor), input.segments)),
      down_compressor_(make_compressor<Scalar>(
          repeated_compressor(rounds_, input.options[option::down_compressor]), input.segments)),
      downlink_(input),
      error_(input.initial.size()),
      hub_error_(is_hub_ ? input.initial.size() : 0) {
  if (rounds_ > 1) gradients_.resize(x_.size());
  if (is_hub_) sum_.resize(x_.size());
}

template <class Scalar>
Task DoubleSqueeze<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: c of every round that i missed;  x <- x - eta c, one by one
  const auto step = [&](std::span<const std::byte> c, std::uint64_t number) {
    return down_compressor_->accumulate(c, -it.step_size_of(number), view(x_));
  };
  const bool heard = co_await downlink_.share(it, x_, step);
  if (!heard) co_return;

  PacketRef answer;
  if (it.mixing().trains) {
    // up: p_i = g_i(x) + a e_i, g_i the mean of R minibatch gradients
    Vector<Scalar>& error = error_.in(it);
    error *= error_decay_;
    for (std::uint64_t draw = 0; draw < rounds_; ++draw) {
      if (draw > 0) it.next_minibatch();
      const Vector<Scalar>& gradient = co_await it.gradient(x_);
      if (rounds_ == 1)
        error += gradient;
      else if (draw == 0)
        it.keep_gradient(gradients_);
      else
        gradients_ += gradient;
    }
    if (rounds_ > 1) error += gradients_ / static_cast<Scalar>(rounds_);

    // c_i = C^R(p_i);  e_i <- p_i - c_i
    answer = encoded_packet(it, *compressor_, error, Purpose::compression);
    it.report(compressor_->accumulate(answer->bytes(), -1, view(error)));
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // step: p = (1/r) sum_{i in S} c_i + a E
  const std::span<const PacketRef> packets = co_await it.collect(0);
  const Scalar answers = sum_answers(it, *compressor_, answer, packets, sum_);
  Vector<Scalar>& error = hub_error_.in(it);
  error *= error_decay_;
  if (answers != 0) error += sum_ / answers;

  // c = C_dwn^R(p);  E <- p - c;  x <- x - eta c
  const PacketRef c = encoded_packet(it, *down_compressor_, error, Purpose::downlink);
  it.report(down_compressor_->accumulate(c->bytes(), -1, view(error)));
  it.report(step(c->bytes(), it.number()));
  downlink_.say(c->bytes());
}

template <class Scalar>
void DoubleSqueeze<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  downlink_.visit(visitor);
  error_.visit(visitor);
  if (gradients_.size() != 0) visitor.scratch("gradients", gradients_);
  if (!is_hub_) return;
  hub_error_.visit(visitor, "hub's error");
  visitor.scratch("sum", sum_);
}

template <class Scalar>
Traffic DoubleSqueeze<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (!is_hub_) return compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
  const Traits packet = down_compressor_->traits(static_cast<std::size_t>(x_.size()));
  return downlink_.traffic(number, rows, packet, view(x_).size_bytes());
}

MethodInfo double_squeeze_info() {
  return {
      .name = "double-squeeze",
      .aliases = {"doublesqueeze"},
      .summary = "a hub: gradients compressed both ways, with error feedback at both ends",
      .equation = "c_i = C(g_i + e_i); c = C_dwn((1/r) sum_S c_i + E); x <- x - eta c",
      .bytes = "hub r (|C_dwn| + 64), worker |C| + 64",
      .source = "Tang et al. 2019, arXiv:1905.05957, Algorithm 1",
      .compressor = CompressorNeed::contracting,
      .down_compressor = CompressorNeed::contracting,
      .membership = Membership::no_return,
      .default_compressor = "topk(10%)",
      .pattern = Pattern::star,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .options = {{option::error_decay, 1.0}, {option::down_compressor, "topk(10%)"}},
      .trials = {.none_because = "ef21-bc has no floor where peers have different data"},
      .manual = {.iteration = "c_i = C(g_i + e_i), e_i <- g_i + e_i - c_i; c = C_dwn((1/r) sum_S c_i + E), "
                              "E what that leaves out; x <- x - eta c",
                 .bytes_note = "(*)",
                 .memory = "hub 5, worker 3",
                 .needs = "a hub and workers; both compressors contracting"},
      .make = factory<DoubleSqueeze>()};
}

MethodInfo neolithic_info() {
  MethodInfo info = double_squeeze_info();
  info.name = "neolithic";
  info.aliases = {};
  info.summary = "a hub: every vector is compressed R times, each time the residual; both ways";
  info.equation = "c_i = C^R(g_i); x <- x - eta C_dwn^R((1/r) sum_S c_i); g_i the mean of R gradients";
  info.bytes = "hub r (R |C_dwn| + 64), worker R |C| + 64";
  info.source = "Huang et al. 2022, arXiv:2206.03665 (reconstruction)";
  info.options.set(option::error_decay, 0.0);
  info.options.set(option::rounds, 4);
  info.check = check_rounds;
  info.manual.iteration = "";
  info.manual.memory = "hub 6, worker 4";
  info.trials = {.none_because = "ef21-bc has no floor in the same bytes"};
  return info;
}

}  // namespace hearsay
