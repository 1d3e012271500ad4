#include "algorithms/methods/lgc.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/downlink.hpp"
#include "algorithms/methods/parts/option_checks.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method_factory.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

template <class Scalar>
Lgc<Scalar>::Lgc(const MethodInput<Scalar>& input)
    : is_hub_(input.self == hub_id),
      first_worker_(input.peer_count - input.worker_count),
      dense_rounds_(input.options[option::dense_rounds]),
      full_precision_(make_compressor<Scalar>("none", input.segments)),
      compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
      x_(input.initial),
      error_(input.initial.size()),
      basis_(input),
      code_(basis_.rank()),
      kept_(input.worker_count) {
  if (!is_hub_) return;
  mean_.resize(x_.size());
  taught_.resize(input.peer_count);
}

/// hub -> i: x, and P where i does not have it yet
template <class Scalar>
void Lgc<Scalar>::tell(Iteration<Scalar>& it) {
  const PacketRef model_alone = model_packet(it, x_);
  PacketRef model_and_basis;
  for (const PeerId worker : it.mixing().heard_by) {
    if (is_dense(it.number()) || taught_[worker] != 0) {
      messages_.push_back(model_alone);
      continue;
    }
    if (!model_and_basis) {
      const PacketRef basis = full_packet(it, basis_.rows());
      PacketBuffer both = it.new_packet();
      const std::span<std::byte> bytes = both.resize(model_alone->size() + basis->bytes().size());
      std::ranges::copy(model_alone->bytes(), bytes.begin());
      std::ranges::copy(basis->bytes(), bytes.subspan(model_alone->size()).begin());
      model_and_basis = std::move(both).seal();
    }
    messages_.push_back(model_and_basis);
    taught_[worker] = 1;
  }
  it.post(messages_);
  messages_.clear();
}

/// A worker takes x, and P if it needs it. False if nothing came: the hub is gone.
template <class Scalar>
bool Lgc<Scalar>::hear(Iteration<Scalar>& it, std::span<const PacketRef> packets) {
  if (packets.empty() || !packets.front()) return false;
  const std::span<const std::byte> message = packets.front()->bytes();
  const bool learns = !is_dense(it.number()) && !basis_.is_known();
  if (it.number() == 1 && !learns && message.empty()) return true;
  const std::span<Scalar> basis = learns ? basis_.begin() : std::span<Scalar>();
  const std::size_t model_bytes = view(x_).size_bytes();
  if (message.size() != model_bytes + basis.size_bytes()) {
    it.report(CodecStatus::malformed);
    return true;
  }
  read_full<Scalar>(message.first(model_bytes), view(x_));
  if (learns) read_full<Scalar>(message.subspan(model_bytes), basis);
  return true;
}

template <class Scalar>
PacketRef Lgc<Scalar>::coded_answer(Iteration<Scalar>& it, const Vector<Scalar>& gradient) {
  // p = g_i(x) + e_i;  z_i = P p
  Vector<Scalar>& error = error_.in(it);
  error += gradient;
  it.report(basis_.take_out(error, code_));

  // s_i = C(p - P' z_i);  e_i <- p - c_i, c_i = P' z_i + s_i
  const PacketRef rest = encoded_packet(it, *compressor_, error, Purpose::compression);
  it.report(compressor_->accumulate(rest->bytes(), -1, view(error)));

  // z_i, s_i
  PacketBuffer answer = it.new_packet();
  const std::span<std::byte> bytes = answer.resize(code_bytes() + rest->size());
  for (std::size_t k = 0; k < code_.size(); ++k) write_scalar(bytes, k, code_[k]);
  std::ranges::copy(rest->bytes(), bytes.subspan(code_bytes()).begin());
  return std::move(answer).seal();
}

/// Adds g_i to the sum of the answers, and keeps it in the place of the oldest of the last m.
template <class Scalar>
CodecStatus Lgc<Scalar>::take_dense(PeerId worker, std::span<const std::byte> answer) {
  const CodecStatus status = full_precision_->accumulate(answer, 1, view(mean_));
  if (status == CodecStatus::ok) kept_.keep(worker - first_worker_, answer);
  return status;
}

/// Adds z_i to the sum of the codes, and s_i to the sum of the rests.
template <class Scalar>
CodecStatus Lgc<Scalar>::take_coded(std::span<const std::byte> answer) {
  if (answer.size() < code_bytes()) return CodecStatus::malformed;
  const auto code = answer.first(code_bytes());
  if (!all_finite<Scalar>(code)) return CodecStatus::not_finite;
  const CodecStatus status = compressor_->accumulate(answer.subspan(code_bytes()), 1, view(mean_));
  if (status != CodecStatus::ok) return status;
  for (std::size_t k = 0; k < code_.size(); ++k) code_[k] += read_scalar<Scalar>(code, k);
  return status;
}

template <class Scalar>
Task Lgc<Scalar>::iterate(Iteration<Scalar>& it) {
  const bool dense = is_dense(it.number());
  if (is_hub_) {
    // learn: P = the r leading right singular vectors of all gradients kept, as rows
    if (dense) kept_.begin(x_.size());
    if (!dense && !basis_.is_known()) {
      basis_.learn(kept_);
      kept_.end();
    }

    // down: hub -> i: x, and P where i does not have it yet
    tell(it);
  } else {
    const std::span<const PacketRef> packets = co_await it.collect(0);
    if (!hear(it, packets)) co_return;
  }

  PacketRef answer;
  if (it.mixing().trains) {
    // up: g_i(x), or z_i and s_i
    const Vector<Scalar>& gradient = co_await it.gradient(x_);
    answer = dense ? full_packet(it, gradient) : coded_answer(it, gradient);
  }
  if (!is_hub_) {
    it.post(answer);
    co_return;
  }

  // step: (1/|S|) sum_{i in S} g_i, or (1/|S|) (P' sum_{i in S} z_i + sum_{i in S} s_i)
  const std::span<const PacketRef> packets = co_await it.collect(0);
  mean_.setZero();
  std::ranges::fill(code_, Scalar(0));
  const Scalar answers = take_answers(it, answer, packets, [&](PeerId i, std::span<const std::byte> bytes) {
    return dense ? take_dense(i, bytes) : take_coded(bytes);
  });
  if (answers == 0) co_return;
  if (!dense) basis_.add_decoded(1, code_, mean_);
  mean_ *= 1 / answers;

  // x <- x - eta times that
  x_ -= it.step_size() * mean_;
}

template <class Scalar>
void Lgc<Scalar>::visit_state(StateVisitor<Scalar>& visitor) {
  visitor.state("model", x_);
  error_.visit(visitor);
  basis_.visit(visitor);
  if (!is_hub_) return;
  visitor.scratch("mean", mean_);
  kept_.visit(visitor);
  visitor.numbers("peers with the basis", taught_);
}

template <class Scalar>
bool Lgc<Scalar>::is_sound(Index) const {
  return basis_.is_sound() && kept_.is_sound(x_.size()) &&
         std::ranges::all_of(taught_, [&](std::uint64_t taught) {
           return taught == 0 || (taught == 1 && basis_.is_known());
         });
}

/// Returns the number of messages in the first iterations, if the schedule has a period. Every period has the
/// same rounds, in any order.
template <class Scalar>
std::uint64_t Lgc<Scalar>::messages_up_to(std::uint64_t last, const PeerRows& rows) const {
  const auto sum = [&](std::uint64_t begin, std::uint64_t end) {
    std::uint64_t messages = 0;
    for (std::uint64_t round = begin; round < end; ++round) messages += rows.at(round).heard_by.size();
    return messages;
  };
  const std::uint64_t period = *rows.period();
  const std::uint64_t periods = last / period;
  const std::uint64_t of_a_period = periods == 0 ? 0 : sum(0, period);
  return periods * of_a_period + sum(periods * period, last);
}

/// Returns how many workers were sent P in the first iterations. Two periods hold a whole one; without a
/// period, it looks on until all workers were sent it.
template <class Scalar>
std::uint64_t Lgc<Scalar>::taught_up_to(std::uint64_t last, const PeerRows& rows) const {
  if (last <= dense_rounds_) return 0;
  std::vector<bool> is_taught(rows.peer_count());
  std::uint64_t taught = 0;
  const std::uint64_t end = rows.period() ? std::min(last, dense_rounds_ + 2 * *rows.period()) : last;
  for (std::uint64_t round = dense_rounds_; round < end && taught + 1 < rows.peer_count(); ++round)
    for (const PeerId worker : rows.at(round).heard_by) {
      taught += is_taught[worker] ? 0 : 1;
      is_taught[worker] = true;
    }
  return taught;
}

template <class Scalar>
Traffic Lgc<Scalar>::traffic(std::uint64_t number, const PeerRows& rows) const {
  const std::uint64_t model_bytes = view(x_).size_bytes();
  const MixingRow& row = rows.at(number - 1);
  if (is_hub_) {
    Traffic traffic = gossip_traffic(row, number == 1 ? 0 : model_bytes);
    const std::uint64_t taught = taught_up_to(number, rows) - taught_up_to(number - 1, rows);
    traffic.payload_bytes += taught * basis_.rank() * model_bytes;
    return traffic;
  }
  if (is_dense(number)) return gossip_traffic(row, model_bytes);
  Traffic traffic = compressed_traffic(rows.at(number - 1), *compressor_, x_.size());
  traffic.payload_bytes += traffic.messages * code_bytes();
  return traffic;
}

template <class Scalar>
std::optional<Traffic> Lgc<Scalar>::traffic_up_to(std::uint64_t last, const PeerRows& rows) const {
  if (!rows.period()) return std::nullopt;
  const std::uint64_t model_bytes = view(x_).size_bytes();
  const std::uint64_t messages = messages_up_to(last, rows);
  if (is_hub_) {
    const std::uint64_t empty = messages_up_to(std::min<std::uint64_t>(last, 1), rows);
    const std::uint64_t bases = taught_up_to(last, rows) * basis_.rank();
    return Traffic{messages, (messages - empty + bases) * model_bytes};
  }
  const std::uint64_t dense = messages_up_to(std::min(last, dense_rounds_), rows);
  const Traits rest = compressor_->traits(static_cast<std::size_t>(x_.size()));
  return Traffic{messages, dense * model_bytes + (messages - dense) * (code_bytes() + rest.bytes),
                 last <= dense_rounds_ || !rest.data_dependent_size};
}

MethodInfo lgc_info() {
  return {.name = "lgc",
          .summary = "a hub: coordinates in a basis learned from the first gradients, the rest compressed",
          .equation =
              "c_i = P' z_i + C(p - P' z_i), z_i = P p, p = g_i + e_i; e_i <- p - c_i; x <- x - eta "
              "(1/|S|) sum_S c_i",
          .bytes = "hub |S| (4d + 64), and 4d rank once; worker 4 rank + |C| + 64; dense_rounds with 4d",
          .source = "Abrahamyan et al. 2021, arXiv:2103.08870 (LGC-like, linear)",
          .compressor = CompressorNeed::contracting,
          .membership = Membership::no_return,
          .default_compressor = "topk(1%)",
          .pattern = Pattern::star,
          .permits_negative_weights = true,
          .permits_time_varying = true,
          .options = {{option::rank, 8}, {option::dense_rounds, 20}},
          .check = check_learned_rank,
          .unknown_sizes = [](const MethodOptions&) { return UnknownSizes{"the gradients"}; },
          .trials = {.none_because = "it gains only where workers differ for long; its rank and dense rounds "
                                     "have to be chosen for each problem"},
          .manual = {.memory = "hub 4 + rank, while dense 4 + 4 n, worker 3 + rank",
                     .needs = "a hub and workers; C contracting"},
          .make = factory<Lgc>()};
}

}  // namespace hearsay
