#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/seam/method.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// Which memories of its workers a hub keeps.
enum class HubKeeps {
  mean,  ///< hbar alone
  each,  ///< a copy of every h_i
};

/// How workers send their vectors v_i, gradients mostly: as compressed differences to a memory, which both
/// ends move by the same decoded bytes. So the differences, and with them the errors, vanish as v_i settles.
///
///   up      i -> hub:   q_i = C(v_i - h_i)
///   follow  both ends:  h_i <- h_i + alpha q_i;   or the hub:  hbar <- hbar + (alpha/n) sum_{i in S} q_i
///
/// h_i = 0 at first. So hbar is the mean of all h_i, whoever sat out, to rounding. With alpha = 0 there are
/// no memories.
///
/// Memory: h_i at a worker; hbar, or a copy of every other worker's h_i, at the hub.
template <class Scalar>
class DifferenceUplink {
 public:
  DifferenceUplink(const MethodInput<Scalar>& input, double memory_step, HubKeeps keeps)
      : is_hub_(input.self == hub_id),
        keeps_(keeps),
        worker_count_(input.worker_count),
        memory_step_(static_cast<Scalar>(memory_step)),
        compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
        copies_(is_hub_ && keeps == HubKeeps::each && memory_step != 0.0 ? input.neighbors
                                                                         : std::vector<PeerId>(),
                Vector<Scalar>::Zero(input.initial.size())) {
    if (memory_step == 0.0) return;
    memory_.setZero(input.initial.size());
    if (is_hub_ && keeps == HubKeeps::mean) mean_memory_ = memory_;
  }

  /// Sets difference = v_i - h_i.
  template <class Value>
  void subtract_memory(const Value& value, Vector<Scalar>& difference) const {
    difference = value;
    if (memory_.size() != 0) difference -= memory_;
  }

  /// Returns q_i, encoded. A worker posts it, and its memory has followed; the hub hands it to `gather`,
  /// where its memory follows.
  PacketRef answer(Iteration<Scalar>& it, const Vector<Scalar>& difference) {
    PacketRef answer = encoded_packet(it, *compressor_, difference, Purpose::compression);
    if (!is_hub_ && memory_.size() != 0)
      it.report(compressor_->accumulate(answer->bytes(), memory_step_, view(memory_)));
    return answer;
  }

  /// At the hub: takes the answers of the round, in ascending id. `own` is the hub's, or empty. Sets
  ///
  ///     estimate = hbar + (1/r) sum_{i in S} q_i,     each: (1/r) sum_{i in S} (h_i + q_i)
  ///
  /// with the memories of before, and lets them follow. Returns r; `estimate` means nothing if that is 0.
  Scalar gather(Iteration<Scalar>& it, const PacketRef& own, std::span<const PacketRef> packets,
                Vector<Scalar>& estimate) {
    estimate.setZero();
    const Scalar answers = take_answers(it, own, packets, [&](PeerId i, std::span<const std::byte> bytes) {
      CodecStatus status = CodecStatus::ok;
      if (memory_.size() != 0 && (keeps_ == HubKeeps::each || i == hub_id)) {
        Vector<Scalar>& of_worker = i == hub_id ? memory_ : copies_.of(i);
        if (keeps_ == HubKeeps::each) estimate += of_worker;
        status = compressor_->accumulate(bytes, memory_step_, view(of_worker));
      }
      const CodecStatus added = compressor_->accumulate(bytes, 1, view(estimate));
      return added == CodecStatus::ok ? status : added;
    });
    if (answers == 0) return 0;
    if (mean_memory_.size() == 0) {
      estimate *= 1 / answers;
      return answers;
    }
    const Scalar follow = memory_step_ / static_cast<Scalar>(worker_count_);
    for (Index k = 0; k < estimate.size(); ++k) {
      const Scalar sum = estimate[k];
      estimate[k] = mean_memory_[k] + sum / answers;
      mean_memory_[k] += follow * sum;
    }
    return answers;
  }

  /// hbar, if the hub keeps it.
  const Vector<Scalar>& mean_memory() const { return mean_memory_; }
  Compressor<Scalar>& compressor() { return *compressor_; }

  Traffic traffic(std::uint64_t number, const PeerRows& rows, Index dimension) const {
    return compressed_traffic(rows.at(number - 1), *compressor_, dimension);
  }

  void visit(StateVisitor<Scalar>& visitor) {
    if (memory_.size() == 0) return;
    if (keeps_ == HubKeeps::each) {
      visitor.published("memory", memory_);
      if (is_hub_) copies_.visit(visitor, "memory");
      return;
    }
    visitor.state("memory", memory_);
    if (is_hub_) visitor.state("mean memory", mean_memory_);
  }

 private:
  bool is_hub_;
  HubKeeps keeps_;
  PeerId worker_count_;  // n
  Scalar memory_step_;   // alpha
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> memory_;       // h_i; empty if alpha is 0
  Vector<Scalar> mean_memory_;  // hbar, of the hub
  Replicas<Scalar> copies_;     // h_i of the workers, of the hub
};

}  // namespace hearsay
