#include "tools/examples/layer_parallel/layer_parallel.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/methods/parts/shared_options.hpp"

namespace hearsay::layer_parallel {

namespace option {
const NumberOption penalty("penalty", {above_0, any_number},
                           "beta: how hard each stage is tied to the ones beside it");
const CountOption serial_every(
    "serial_every", {0}, "R: iterations between passes in which the stages wait for each other; 0: none");
}  // namespace option

namespace {

constexpr Slot output_slot = 0;   // k -> k + 1
constexpr Slot adjoint_slot = 1;  // k -> k - 1: q_k, or the adjoint itself

Segment segment_called(const SegmentTable& segments, const std::string& name) {
  const auto found = std::ranges::find(segments, name, &Segment::name);
  if (found == segments.end())
    throw Misuse("algorithm.kind", "layer-parallel", "the objective has no part called \"" + name + "\"");
  return *found;
}

template <class Scalar>
auto part(Vector<Scalar>& vector, const Segment& segment) {
  return vector.segment(segment.begin, segment.size());
}
template <class Scalar>
auto part(const Vector<Scalar>& vector, const Segment& segment) {
  return vector.segment(segment.begin, segment.size());
}

}  // namespace

template <class Scalar>
LayerParallel<Scalar>::LayerParallel(const MethodInput<Scalar>& input, bool has_multipliers)
    : self_(input.self),
      stages_(static_cast<Scalar>(input.peer_count)),
      has_multipliers_(has_multipliers),
      relaxation_(static_cast<Scalar>(input.options[hearsay::option::consensus_step])),
      serial_every_(input.options[option::serial_every]),
      weights_(segment_called(input.segments, "stage " + std::to_string(input.self))),
      model_(input.initial),
      point_(Vector<Scalar>::Zero(input.initial.size())) {
  const double beta = input.options[option::penalty];
  std::vector<PeerId> path;
  if (self_ > 0) path.push_back(self_ - 1);
  if (self_ + 1 < input.peer_count) path.push_back(self_ + 1);
  if (input.neighbors != path)
    throw Misuse("topology.kind", "", "the stages follow each other; expected \"path\"");

  part(point_, weights_) = part(input.initial, weights_);
  Index size = 0;
  if (self_ > 0) {
    const std::string k = std::to_string(self_);
    entry_ = {.state = segment_called(input.segments, "state " + k),
              .adjoint = segment_called(input.segments, "adjoint " + k),
              .multiplier = {},
              .heard_output = {},
              .said_pull = {}};
    penalty_ = static_cast<Scalar>(beta / static_cast<double>(entry_->state.rows));
    size = entry_->state.size();
    for (Vector<Scalar>* vector : {&entry_->multiplier, &entry_->heard_output, &entry_->said_pull})
      vector->setZero(size);
    part(point_, entry_->state) = part(input.initial, entry_->state);
  }
  if (self_ + 1 < input.peer_count) {
    exit_ = {.adjoint = segment_called(input.segments, "adjoint " + std::to_string(self_ + 1)),
             .said_output = {},
             .heard_pull = {}};
    penalty_ = static_cast<Scalar>(beta / static_cast<double>(exit_->adjoint.rows));
    size = exit_->adjoint.size();
    for (Vector<Scalar>* vector : {&exit_->said_output, &exit_->heard_pull}) vector->setZero(size);
  }
  change_.setZero(size);
  compressor_ = make_compressor<Scalar>(input.compressor, {{"interface", 0, std::max<Index>(size, 1)}});
}

template <class Scalar>
Task LayerParallel<Scalar>::iterate(Iteration<Scalar>& it) {
  return is_serial(it.number()) ? correct_serially(it) : train_in_parallel(it);
}

template <class Scalar>
Task LayerParallel<Scalar>::correct_serially(Iteration<Scalar>& it) {
  // forward: lambda_k = what stage k - 1 has put out
  if (entry_) {
    const PacketRef packet = co_await it.receive(output_slot, self_ - 1);
    if (!read_full<Scalar>(packet->bytes(), view(entry_->heard_output))) it.report(CodecStatus::malformed);
    part(point_, entry_->state) = entry_->heard_output;
  }
  // k -> k+1: out_k;  p = the adjoint that stage k + 1 says
  if (exit_) {
    part(point_, exit_->adjoint).setZero();
    const Vector<Scalar>& forward = co_await it.full_gradient(point_);
    exit_->said_output = part(forward, exit_->adjoint) / stages_;
    it.send(output_slot, self_ + 1, in_full(it, exit_->said_output));
    const PacketRef packet = co_await it.receive(adjoint_slot, self_ + 1);
    if (!read_full<Scalar>(packet->bytes(), view(change_))) it.report(CodecStatus::malformed);
    part(point_, exit_->adjoint) = change_;
    exit_->heard_pull = change_ - penalty_ * exit_->said_output;
  }
  // backward: g = p propagated back;  k -> k-1: g_lambda
  const Vector<Scalar>& gradient = co_await it.full_gradient(point_);
  if (entry_) {
    change_ = part(gradient, entry_->state) / stages_;
    it.send(adjoint_slot, self_ - 1, in_full(it, change_));
    entry_->said_pull = change_ - penalty_ * entry_->heard_output;
    // dual: kappa_k = g_lambda;  penalty: lambda_k = out_{k-1} - (m/beta) g_lambda
    if (has_multipliers_)
      entry_->multiplier = change_;
    else
      part(point_, entry_->state) -= change_ / penalty_;
  }
  step(it, gradient);
}

template <class Scalar>
Task LayerParallel<Scalar>::train_in_parallel(Iteration<Scalar>& it) {
  // pull: k -> k-1: q_k = kappa_k - (beta/m) lambda_k
  if (entry_) {
    change_ = entry_->multiplier - penalty_ * part(point_, entry_->state);
    it.send(adjoint_slot, self_ - 1, news_of(it, change_, entry_->said_pull, Purpose::compression));
  }
  if (exit_) {
    // forward: out_k = stage(lambda_k, theta_k);  k -> k+1: out_k
    part(point_, exit_->adjoint).setZero();
    const Vector<Scalar>& forward = co_await it.full_gradient(point_);
    change_ = part(forward, exit_->adjoint) / stages_;
    it.send(output_slot, self_ + 1, news_of(it, change_, exit_->said_output, Purpose::downlink));
    // backward: p = q_{k+1} + (beta/m) out_k
    const PacketRef packet = co_await it.receive(adjoint_slot, self_ + 1);
    it.report(compressor_->accumulate(packet->bytes(), 1, view(exit_->heard_pull)));
    part(point_, exit_->adjoint) = exit_->heard_pull + penalty_ * exit_->said_output;
  }
  // g = p propagated back through the stage: by theta_k, and by lambda_k
  const Vector<Scalar>& gradient = co_await it.full_gradient(point_);
  if (entry_) {
    const PacketRef packet = co_await it.receive(output_slot, self_ - 1);
    it.report(compressor_->accumulate(packet->bytes(), 1, view(entry_->heard_output)));
    // state: lambda_k <- lambda_k - gamma (m/beta) (g_lambda - kappa_k - (beta/m) r_k)
    auto state = part(point_, entry_->state);
    change_ = part(gradient, entry_->state) / stages_ - entry_->multiplier -
              penalty_ * (entry_->heard_output - state);
    state -= relaxation_ / penalty_ * change_;
    // dual: kappa_k <- kappa_k + (beta/m) r_k
    if (has_multipliers_) entry_->multiplier += penalty_ * (entry_->heard_output - state);
  }
  step(it, gradient);
}

template <class Scalar>
PacketRef LayerParallel<Scalar>::news_of(Iteration<Scalar>& it, const Vector<Scalar>& vector,
                                         Vector<Scalar>& said, Purpose purpose) {
  const Vector<Scalar> news = vector - said;
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(purpose);
  it.report(compressor_->encode_and_apply({view(news), random}, buffer, view(said)));
  return std::move(buffer).seal();
}

template <class Scalar>
PacketRef LayerParallel<Scalar>::in_full(Iteration<Scalar>& it, const Vector<Scalar>& vector) {
  PacketBuffer buffer = it.new_packet();
  write_full<Scalar>(view(vector), buffer);
  return std::move(buffer).seal();
}

template <class Scalar>
void LayerParallel<Scalar>::step(Iteration<Scalar>& it, const Vector<Scalar>& gradient) {
  part(point_, weights_) -= it.step_size() / stages_ * part(gradient, weights_);
  model_.setZero();
  part(model_, weights_) = stages_ * part(point_, weights_);
  if (!entry_) return;
  part(model_, entry_->state) = stages_ * part(point_, entry_->state);
  part(model_, entry_->adjoint) = stages_ * entry_->multiplier;
}

template <class Scalar>
void LayerParallel<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", model_);
  visitor.state("point", point_);
  if (entry_) {
    visitor.state("multiplier", entry_->multiplier);
    visitor.state("output heard", entry_->heard_output);
    visitor.state("pull said", entry_->said_pull);
  }
  if (exit_) {
    visitor.state("output said", exit_->said_output);
    visitor.state("pull heard", exit_->heard_pull);
  }
  visitor.scratch("change", change_);
}

template <class Scalar>
Traffic LayerParallel<Scalar>::traffic(std::uint64_t number, const PeerRows&) const {
  const std::uint64_t messages = (entry_ ? 1 : 0) + (exit_ ? 1 : 0);
  if (is_serial(number)) return {messages, messages * view(change_).size_bytes()};
  const Traits traits = compressor_->traits(static_cast<std::size_t>(change_.size()));
  return {messages, messages * traits.bytes, !traits.data_dependent_size};
}

namespace {

/// What the two methods have in common.
MethodInfo layer_parallel_family() {
  return {.name = {},
          .summary = {},
          .equation = {},
          .bytes = "2 (|C| + 64), C of what crosses an interface",
          .source = "Sun et al. 2021, arXiv:2112.05387",
          .compressor = CompressorNeed::any,
          .unclippable_because = "a gradient also holds what a stage puts out",
          .options = {{option::serial_every, 20},
                      {hearsay::option::consensus_step, 0.25},
                      {option::penalty, 1.0}},
          .trials = {.none_because = "its objective has to be made of stages"}};
}

}  // namespace

MethodInfo layer_parallel_penalty_info() {
  MethodInfo info = layer_parallel_family();
  info.name = "layer-parallel-penalty";
  info.summary = "stages of a network in parallel, tied by a penalty";
  info.equation = "min loss + sum_k beta/(2m) ||out_{k-1} - lambda_k||^2";
  info.make = factory<LayerParallelPenalty>();
  return info;
}

MethodInfo layer_parallel_lagrangian_info() {
  MethodInfo info = layer_parallel_family();
  info.name = "layer-parallel-lagrangian";
  info.summary = "stages of a network in parallel, tied by multipliers and a penalty";
  info.equation = "min loss + sum_k <kappa_k, r_k> + beta/(2m) ||r_k||^2, r_k = out_{k-1} - lambda_k";
  info.make = factory<LayerParallelLagrangian>();
  return info;
}

}  // namespace hearsay::layer_parallel
