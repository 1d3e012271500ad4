#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// Which memories of its workers a hub keeps.
enum class HubKeeps {
  mean,  ///< hbar alone
  each,  ///< a copy of every h_i
};

/// What `gather` estimates.
enum class Estimate {
  vectors,   ///< the mean of the v_i
  memories,  ///< the mean of the h_i, which have followed
};

/// How workers send their vectors v_i, gradients mostly: as compressed differences to a memory, which both
/// ends move by the same decoded bytes. So the differences, and with them the errors, vanish as v_i settles.
///
///   up      i -> hub:   q_i = C(v_i - h_i)
///   follow  both ends:  h_i <- h_i + alpha q_i;   or the hub:  hbar <- hbar + (alpha/n) sum_{i in S} q_i
///
/// On a tree every link has a memory of its own, and the hub hears heads j instead of workers:
///
///   group   j:          s_j = sum_{i of group j} (h_i + q_i),  j one of them;   the h_i follow. If a part
///                       S_j of the m_j takes part:  sum_i h_i + (m_j/|S_j|) sum_{i in S_j} q_i;
///                       each:  (m_j/|S_j|) sum_{i in S_j} (h_i + q_i)
///           j -> hub:   Q_j = C(s_j - H_j);   H_j <- H_j + alpha Q_j
///   follow  hub:        as above, with H_j and Q_j in the places of h_i and q_i
///
/// h_i = H_j = 0 at first. So hbar is the mean of all h_i, whoever sat out, to rounding; on a tree it is
/// (1/n) sum_j H_j, which tends to that mean, in expectation if a part takes part. With alpha = 0 there are
/// no memories.
///
/// If a lost worker is gone for good (policy "drop"), the hub keeps a copy of every h_i and forgets that of
/// one that is gone: all that are left take part in every round, so the mean over S is the mean over them.
///
/// Memory: h_i at a worker; hbar, or a copy of every other worker's h_i, at the hub; a head has H_j and the
/// sum, or copies, of its group's h_i besides.
template <class Scalar>
class DifferenceUplink {
 public:
  DifferenceUplink(const MethodInput<Scalar>& input, double memory_step, HubKeeps keeps,
                   Estimate estimates = Estimate::vectors)
      : self_(input.self),
        place_(input),
        estimates_(estimates),
        keeps_(input.peers_may_leave ? HubKeeps::each : keeps),
        worker_count_(static_cast<Scalar>(input.worker_count)),
        memory_step_(static_cast<Scalar>(memory_step)),
        compressor_(make_compressor<Scalar>(input.compressor, input.segments)),
        copies_(keeps_ == HubKeeps::each && memory_step != 0.0 ? place_.below : std::vector<PeerId>(),
                Vector<Scalar>::Zero(input.initial.size())) {
    ensure(estimates == Estimate::vectors || memory_step == 1.0, "with alpha = 1 the h_i follow at once");
    if (memory_step == 0.0) return;
    memory_.setZero(input.initial.size());
    if (gathers() && keeps_ == HubKeeps::mean) mean_memory_ = memory_;
    if (place_.is_head()) group_memory_ = memory_;
  }

  /// Sets difference = v_i - h_i.
  template <class Value>
  void subtract_memory(const Value& value, Vector<Scalar>& difference) const {
    difference = value;
    if (memory_.size() != 0) difference -= memory_;
  }

  /// Returns q_i, encoded, for `gather`. The memory of a worker has followed; that of the hub, or a head,
  /// follows in `gather`.
  PacketRef answer(Iteration<Scalar>& it, const Vector<Scalar>& difference) {
    PacketRef answer = encoded_packet(it, *compressor_, difference, Purpose::compression);
    if (!gathers() && memory_.size() != 0)
      it.report(compressor_->accumulate(answer->bytes(), memory_step_, view(memory_)));
    return answer;
  }

  /// co_await uplink.gather(it, own, estimate): q_i goes up to the hub, `own` if this peer's data count in
  /// the round. The hub takes the answers in ascending id, and sets
  ///
  ///     estimate = hbar + (1/r) sum_{i in S} q_i,     each: (1/r) sum_{i in S} (h_i + q_i)
  ///
  /// with the memories of before, which then follow. On a tree it has n for r. Returns the number of answers
  /// at the hub, 0 elsewhere; if that is 0, `estimate` is 0. With Estimate::memories it sets
  ///
  ///     estimate = hbar,                              each: as above, which is the mean of the new h_i
  ///
  /// with the memories that have followed, whoever answered.
  auto gather(Iteration<Scalar>& it, const PacketRef& own, Vector<Scalar>& estimate) {
    return place_.gather(
        it, own, [&](std::span<const PacketRef> packets) { return take(it, own, packets, estimate); },
        [&](Scalar) { return answer_for_group(it, estimate); });
  }

  /// The peers above and below this one.
  TreePlace& place() { return place_; }
  const TreePlace& place() const { return place_; }
  Compressor<Scalar>& compressor() { return *compressor_; }

  /// What a peer sends in iteration `number`. `down`: what it sends to the peers below it, if any.
  Traffic traffic(std::uint64_t number, const PeerRows& rows, Index dimension, const Traffic& down) const {
    return place_.with_answer(down, rows.at(number - 1), *compressor_, dimension);
  }

  void visit(StateVisitor<Scalar>& visitor) {
    if (memory_.size() == 0) return;
    const bool is_head = place_.is_head();
    if (keeps_ == HubKeeps::each) {
      if (is_head) visitor.state("own memory", memory_);
      if (place_.is_hub())
        visitor.state("memory", memory_);  // of which nobody has a copy
      else
        visitor.published("memory", is_head ? group_memory_ : memory_);
      if (gathers()) copies_.visit(visitor, "memory");
      return;
    }
    visitor.state("memory", memory_);
    if (gathers()) visitor.state("mean memory", mean_memory_);
    if (is_head) visitor.state("group's memory", group_memory_);
  }

 private:
  /// Takes the answers, those of a head's group, too. A head then has estimate = s_j.
  Scalar take(Iteration<Scalar>& it, const PacketRef& own, std::span<const PacketRef> packets,
              Vector<Scalar>& estimate) {
    estimate.setZero();
    const Scalar answers = take_answers(it, own, packets, [&](PeerId i, std::span<const std::byte> bytes) {
      CodecStatus status = CodecStatus::ok;
      if (memory_.size() != 0 && (keeps_ == HubKeeps::each || i == self_)) {
        Vector<Scalar>& of_worker = i == self_ ? memory_ : copies_.of(i);
        if (keeps_ == HubKeeps::each) estimate += of_worker;
        status = compressor_->accumulate(bytes, memory_step_, view(of_worker));
      }
      const CodecStatus added = compressor_->accumulate(bytes, 1, view(estimate));
      return added == CodecStatus::ok ? status : added;
    });
    if (answers == 0) {
      if (estimates_ == Estimate::memories && mean_memory_.size() != 0) estimate = mean_memory_;
      return 0;
    }
    const Scalar divisor = place_.divisor(answers);
    if (mean_memory_.size() == 0) {
      estimate *= 1 / divisor;
      return answers;
    }
    const Scalar follow = place_.is_head() ? memory_step_ : memory_step_ / worker_count_;
    for (Index k = 0; k < estimate.size(); ++k) {
      const Scalar sum = estimate[k];
      const Scalar vectors = mean_memory_[k] + sum / divisor;
      mean_memory_[k] += follow * sum;
      estimate[k] = estimates_ == Estimate::vectors ? vectors : mean_memory_[k];
    }
    return answers;
  }

  /// Returns Q_j, encoded, and H_j has followed. `sum` is s_j; afterwards it is s_j - H_j.
  PacketRef answer_for_group(Iteration<Scalar>& it, Vector<Scalar>& sum) {
    if (group_memory_.size() != 0) sum -= group_memory_;
    PacketRef answer = encoded_packet(it, *compressor_, sum, Purpose::group);
    if (group_memory_.size() != 0)
      it.report(compressor_->accumulate(answer->bytes(), memory_step_, view(group_memory_)));
    return answer;
  }

  bool gathers() const { return !place_.is_worker(); }

  PeerId self_;
  TreePlace place_;
  Estimate estimates_;
  HubKeeps keeps_;
  Scalar worker_count_;  // n
  Scalar memory_step_;   // alpha
  std::unique_ptr<Compressor<Scalar>> compressor_;
  Vector<Scalar> memory_;        // h_i; empty if alpha is 0
  Vector<Scalar> mean_memory_;   // hbar, of the hub; the sum of its group's h_i, of a head
  Vector<Scalar> group_memory_;  // H_j, of a head
  Replicas<Scalar> copies_;      // h_i or H_j of the peers below, of a hub or head that keeps each
};

}  // namespace hearsay
