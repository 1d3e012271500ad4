#include "algorithms/methods/predictive_coding.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/seam/byte_pieces.hpp"
#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "algorithms/seam/run_view.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace option {
const TextOption predictors(
    "predictors", {},
    "predictors of a worker's local model from the last changes of the hub's model, of which it takes the "
    "cheapest: some of `hold` (no change), `last`, `mean3` and `ema`");
const NumberOption rate_weight(
    "rate_weight", {0.0, any_number},
    "lambda: the cost of a predictor is its rms error + lambda times the bits per coordinate");
const CountOption quantizers("quantizers", {1},
                             "Q: quantizers to choose from in the same way, grids 1, 2, 4, ... times as "
                             "coarse as the compressor's; at most 16");
}  // namespace option

namespace {

constexpr std::uint64_t most_quantizers = 16;
constexpr std::size_t choice_bytes = 1;
/// Whose brackets are there at the same time, if they are known apart.
constexpr std::size_t coordinates_at_once = std::size_t{1} << 15;
constexpr std::size_t length_bytes = sizeof(std::uint32_t);

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> compressor_of(const std::string& spelling, const Segment& layer) {
  return make_compressor<Scalar>(spelling, {{layer.name, 0, layer.rows, layer.columns}});
}

unsigned quantizers_of(std::uint64_t quantizers) {
  if (quantizers > most_quantizers)
    throw Misuse("algorithm.quantizers", std::to_string(quantizers), "expected at most 16");
  return static_cast<unsigned>(quantizers);
}

}  // namespace

template <class Scalar>
PredictiveCoding<Scalar>::PredictiveCoding(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      predictors_(parse_predictors(input.options[option::predictors])),
      rate_weight_(input.options[option::rate_weight]),
      quantizers_(quantizers_of(input.options[option::quantizers])),
      x_(input.initial),
      local_(input),
      changes_(input.initial.size()),
      change_(input.initial.size()),
      residual_(input.initial.size()) {
  for (const Segment& segment : input.segments)
    layers_.push_back({segment.begin, segment.size(), compressor_of<Scalar>(input.compressor, segment)});
  if (!is_hub_) return;
  sum_.resize(x_.size());
  outer_.emplace(OuterRule::parse(input.options[option::outer]), x_.size());
}

template <class Scalar>
auto PredictiveCoding<Scalar>::Choice::of(std::byte code) -> Choice {
  const auto number = std::to_integer<unsigned>(code);
  return {static_cast<Predictor>(number % 4), number / 4};
}

/// (y_i - xp)/2^q of the layer
template <class Scalar>
std::span<Scalar> PredictiveCoding<Scalar>::set_residual(const Layer& layer, const Choice& choice) {
  auto residual = residual_.segment(layer.begin, layer.size);
  const std::span<Scalar> entries = view(residual_).subspan(layer.begin, layer.size);
  residual = change_.segment(layer.begin, layer.size);
  changes_.add_to(entries, choice.predictor, -1, layer.begin);
  residual /= choice.scale();
  return entries;
}

/// rms error + lambda (entropy, bits a coordinate)
template <class Scalar>
double PredictiveCoding<Scalar>::cost_of(const Layer& layer, const Choice& choice) {
  const auto* rounding = dynamic_cast<const RoundingCompressor<Scalar>*>(layer.compressor.get());
  if (rounding == nullptr) return 0.0;
  const std::span<const Scalar> residual = set_residual(layer, choice);
  const std::size_t length = rounding->rounds_each_alone() ? coordinates_at_once : residual.size();
  RoundingCostSum<Scalar> sum(outcomes_);
  for (std::size_t begin = 0; begin < residual.size(); begin += length) {
    const std::span<const Scalar> part = residual.subspan(begin, std::min(length, residual.size() - begin));
    const std::vector<Bracket> brackets = rounding->brackets(part);
    if (brackets.empty()) return 0.0;  // it cannot be encoded
    sum.add(part, brackets);
  }
  const RoundingCost cost = sum.cost();
  return static_cast<double>(choice.scale()) * cost.rms_error + rate_weight_ * cost.bits;
}

template <class Scalar>
auto PredictiveCoding<Scalar>::cheapest(const Layer& layer) -> Choice {
  Choice chosen;
  double least = std::numeric_limits<double>::infinity();
  for (const Predictor predictor : {Predictor::hold, Predictor::last, Predictor::mean3, Predictor::ema}) {
    if (!predictors_[static_cast<std::size_t>(predictor)] || !seen_.suffice_for(predictor)) continue;
    for (unsigned coarseness = 0; coarseness < quantizers_; ++coarseness) {
      const Choice choice = {predictor, coarseness};
      const double cost = cost_of(layer, choice);
      if (!(cost < least)) continue;
      least = cost;
      chosen = choice;
    }
  }
  return chosen;
}

template <class Scalar>
PacketRef PredictiveCoding<Scalar>::coded_answer(Iteration<Scalar>& it) {
  PacketBuffer answer = it.new_packet();
  PacketBuffer piece = it.new_packet();
  RandomStream random = it.random(Purpose::compression);
  std::size_t written = 0;
  for (const Layer& layer : layers_) {
    // choose: xp and q of least rms error + lambda (entropy, bits a coordinate)
    const Choice choice = cheapest(layer);

    // xp and q in a byte, c_l = C_q((y_i - xp)_l)
    it.report(layer.compressor->encode({set_residual(layer, choice), random}, piece));
    const bool last = &layer == &layers_.back();
    const std::size_t head = choice_bytes + (last ? 0 : length_bytes);
    const std::span<std::byte> all = answer.resize(written + head + piece.bytes().size());
    BytePieces message(all.subspan(written));
    message.take(choice_bytes).front() = choice.code();
    if (!last) write_scalar(message.take(length_bytes), 0, static_cast<std::uint32_t>(piece.bytes().size()));
    std::ranges::copy(piece.bytes(), message.rest().begin());
    written = all.size();
  }
  return std::move(answer).seal();
}

/// Fills pieces_. False if the bytes are not one piece per layer, each with a choice that there is.
template <class Scalar>
bool PredictiveCoding<Scalar>::split(std::span<const std::byte> answer) {
  pieces_.clear();
  BytePieces message(answer);
  for (const Layer& layer : layers_) {
    const bool last = &layer == &layers_.back();
    if (!message.has(choice_bytes + (last ? 0 : length_bytes))) return false;
    const Choice choice = Choice::of(message.take(choice_bytes).front());
    const std::size_t length =
        last ? message.rest().size() : read_scalar<std::uint32_t>(message.take(length_bytes), 0);
    if (choice.coarseness >= quantizers_ || !message.has(length)) return false;
    pieces_.push_back({choice, message.take(length)});
  }
  return true;
}

/// sum <- sum + (xp - x + c), layer by layer
template <class Scalar>
CodecStatus PredictiveCoding<Scalar>::take(std::span<const std::byte> answer) {
  if (!split(answer)) return CodecStatus::malformed;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const auto& [choice, bytes] = pieces_[l];
    const std::span<Scalar> sum = view(sum_).subspan(layer.begin, layer.size);
    const CodecStatus status = layer.compressor->accumulate(bytes, choice.scale(), sum);
    if (status != CodecStatus::ok) return status;
    changes_.add_to(sum, choice.predictor, 1, layer.begin);
  }
  return CodecStatus::ok;
}

template <class Scalar>
Task PredictiveCoding<Scalar>::iterate(Iteration<Scalar>& it) {
  // down: hub -> i in S_t: x
  if (is_hub_) {
    tell_model(it, x_);
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0);
    changes_.begin(x_);
    if (!hear_model(it, packets, x_)) co_return;

    // D'' <- D',  D' <- D,  D <- x' - x
    changes_.end(x_);
    seen_.hear(it.number());
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // local: y_i = x;  H times: y_i <- y_i - eta g_i(y_i)
    co_await local_.steps(it, x_);

    // up: for each layer l: xp and q in a byte, c_l = C_q((y_i - xp)_l)
    change_.setZero();
    local_.add_to(change_);
    answer = coded_answer(it);
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // step: x' = x + (rho/r) sum_{i in S_t} (xp - x + c)
  const std::span<const PacketRef> packets = co_await it.collect(0);
  sum_.setZero();
  const Scalar answers = take_answers(it, answer, packets,
                                      [&](PeerId, std::span<const std::byte> bytes) { return take(bytes); });
  changes_.begin(x_);
  if (answers != 0) {
    sum_ *= -1 / answers;
    outer_->apply(sum_, it.step_size(), x_);
  }

  // D'' <- D',  D' <- D,  D <- x' - x
  changes_.end(x_);
}

template <class Scalar>
void PredictiveCoding<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  local_.visit(visitor);
  changes_.visit(visitor);
  visitor.scratch("change", change_);
  visitor.scratch("residual", residual_);
  if (!is_hub_) {
    seen_.visit(visitor);
    return;
  }
  visitor.scratch("sum", sum_);
  outer_->visit(visitor);
}

template <class Scalar>
Traffic PredictiveCoding<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  if (is_hub_) return model_traffic(number, rows, view(x_).size_bytes());
  std::uint64_t bytes = layers_.size() * (choice_bytes + length_bytes) - length_bytes;
  bool exact = true;
  for (const Layer& layer : layers_) {
    const Traits piece = layer.compressor->traits(static_cast<std::size_t>(layer.size));
    bytes += piece.bytes;
    exact = exact && !piece.data_dependent_size;
  }
  return gossip_traffic(rows.at(number - 1), bytes, exact);
}

namespace {

/// Refuses a layer that may be longer in a message than the length before it can say.
template <class Scalar>
void check_layers(const RunView& view, const Advice& advice) {
  for (const Segment& layer : view.segments) {
    const auto coordinates = static_cast<std::size_t>(layer.size());
    const std::size_t bytes = compressor_of<Scalar>(view.compressor, layer)->traits(coordinates).bytes;
    if (bytes > std::numeric_limits<std::uint32_t>::max())
      advice.refuse("algorithm.compressor", view.compressor,
                    "layer " + layer.name + " can take " + std::to_string(bytes) +
                        " bytes of a message, and its length is written with 32 bits");
  }
}

/// Warns of a compressor of which no cost is known before it draws. Refuses quantizers to choose from where
/// all would be the same, and layers that are too long.
void check_predictors(const RunView& view, Advice& advice) {
  view.scalar_bytes == sizeof(float) ? check_layers<float>(view, advice) : check_layers<double>(view, advice);
  const auto made = make_compressor<double>(view.compressor, {});
  const auto* rounding = dynamic_cast<const RoundingCompressor<double>*>(made.get());
  const double zero = 0;
  const bool costs_are_known = rounding != nullptr && !rounding->brackets({&zero, 1}).empty();
  const bool has_grid = made->traits(1).absolute_error_per_coordinate.value_or(0.0) > 0.0;
  if (view.options[option::quantizers] > 1 && !(costs_are_known && has_grid))
    advice.refuse("algorithm.quantizers", std::to_string(view.options[option::quantizers]),
                  view.compressor +
                      " rounds to no grid of its own that could be coarser; expected 1, or a grid as the "
                      "compressor, such as grid(0.01) | entropy");
  if (costs_are_known || view.compressor == "none") return;
  advice.warn(view.compressor + ": it does not round each coordinate by itself, so " + view.method.name +
              " cannot tell which predictor is the cheapest, and takes the first; expected grid(0.01) | "
              "entropy, or another without selector and transform");
}

}  // namespace

MethodInfo predictive_coding_info() {
  return {
      .name = "predictive-coding",
      .summary =
          "a hub: the change by H local steps, predicted from the hub's last changes; the residual is coded",
      .equation =
          "y_i = x after H local steps; x <- x + (rho/r) sum_{i in S} (xp - x + C(y_i - xp)), xp = x, or x "
          "and its last change, or a mean of changes: the cheapest",
      .bytes = "hub r (4d + 64), worker |C| + 60 + 5 a layer",
      .source = "Yue et al. 2022, arXiv:2108.00918",
      .compressor = CompressorNeed::absolute,
      .membership = Membership::exact,
      .may_be_joined = true,
      .default_compressor = "grid(0.01) | entropy",
      .pattern = Pattern::star,
      .permits_negative_weights = true,
      .permits_time_varying = true,
      .answers_may_be_late = true,
      .options = {{option::optimizer, "sgd"},
                  {option::local_steps, 10},
                  {option::outer, "none(1)"},
                  {option::predictors, "hold, last, mean3, ema"},
                  {option::rate_weight, 0.1},
                  {option::quantizers, 1}},
      .check = check_predictors,
      .unknown_sizes = [](const MethodOptions&) { return UnknownSizes{"the gradients"}; },
      .trials = {.none_because =
                     "as fed-paq, in a few bits less, with a grid that has to be chosen for each problem"},
      .manual = {.memory = "hub 10, worker 9", .needs = "a hub and workers; C unbiased"},
      .make = factory<PredictiveCoding>()};
}

}  // namespace hearsay
