#pragma once

#include <optional>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The controls that correct the local steps of a hub's workers: c_i, the mean gradient of the last local
/// steps of worker i, and c, the mean of all c_i, at the hub. Workers say how far their steps led; the hub
/// tells from that how each c_i moves, since it knows the c that it sent.
///
///   follow  i:          c_i <- c_i - c + (x - y_i) / (H eta)
///   up      i -> hub:   y_i - x
///   gather  hub:        sum_{i in S} (y_i - x);   c <- c + (1/n) sum_{i in S} (-c + (x - y_i) / (H eta))
///
/// On a tree the head j of a group answers for it: with sum_{i of group j in S} (y_i - x), and if workers may
/// sit out with r_j, of how many that is the sum, and n_j, how many its group has. The hub then gathers
/// sum_j (n_j / r_j) times the sums, whose expectation is the sum of all.
///
/// If a lost worker is gone for good (policy "drop"), the hub keeps every c_i, and c is the mean of those
/// that have answered: of all that are left, from the round on after that in which the first answer is
/// missing.
///
/// Memory: c and c_i; the hub and heads have a sum besides, and a hub that keeps each a c_i for each worker
/// and their sum.
template <class Scalar>
class Controls {
 public:
  /// `local_steps`: H
  Controls(const MethodInput<Scalar>& input, std::uint64_t local_steps)
      : place_(input),
        worker_count_(static_cast<Scalar>(input.worker_count)),
        local_steps_(static_cast<Scalar>(local_steps)),
        hub_keeps_each_(input.peers_may_leave),
        common_(Vector<Scalar>::Zero(input.initial.size())),
        own_(common_) {
    if (!place_.is_worker()) sum_.resize(own_.size());
    if (place_.is_hub() && hub_keeps_each_) {
      of_workers_.emplace(input.neighbors, own_);
      sum_of_controls_.resize(own_.size());
    }
    if (input.has_groups && input.links_vary && !place_.is_worker()) counts_.resize(2);
  }

  TreePlace& place() { return place_; }
  const TreePlace& place() const { return place_; }
  /// c
  Vector<Scalar>& common() { return common_; }
  /// c_i
  const Vector<Scalar>& own() const { return own_; }

  /// follow, at i. `change` is y_i - x.
  void follow(const Vector<Scalar>& change, Scalar step_size) {
    if (step_size != 0) move(own_, change, step_size);
  }

  /// co_await controls.gather(it, own, change): y_i - x goes up to the hub, `own` if this peer's data count
  /// in the round. The hub sets `change` to the sum over the round, and c follows. The result is by what that
  /// sum is divided for the mean: r, and n on a tree. It is 0 elsewhere, and at a hub whose c does not
  /// follow: nobody has answered, or the steps had length 0 and tell nothing of the gradients.
  auto gather(Iteration<Scalar>& it, const PacketRef& own, Vector<Scalar>& change) {
    return place_.gather(
        it, own, [&](std::span<const PacketRef> packets) { return take(it, own, packets, change); },
        [&](Scalar answers) { return answer_for_group(it, answers); });
  }

  /// How many bytes longer than a vector a head's answer is.
  std::uint64_t count_bytes() const { return place_.is_head() ? view(counts_).size_bytes() : 0; }

  void visit(StateVisitor<Scalar>& visitor) {
    visitor.state("control", common_);
    if (hub_keeps_each_ && !place_.is_hub())
      visitor.published("own control", own_);
    else
      visitor.state("own control", own_);
    if (of_workers_) {
      of_workers_->visit(visitor, "own control");
      visitor.scratch("sum of controls", sum_of_controls_);
    }
    if (sum_.size() != 0) visitor.scratch("sum", sum_);
    if (counts_.size() != 0) visitor.scratch("counts", counts_);
  }

 private:
  bool counts() const { return counts_.size() != 0; }
  /// 1 / (H eta)
  Scalar per_step(Scalar step_size) const { return 1 / (local_steps_ * step_size); }

  /// c_i <- c_i - c + (x - y_i) / (H eta)
  void move(Vector<Scalar>& control, const Vector<Scalar>& change, Scalar step_size) {
    control = (control - common_) - per_step(step_size) * change;
  }

  Scalar take(Iteration<Scalar>& it, const PacketRef& own, std::span<const PacketRef> packets,
              Vector<Scalar>& change) {
    sum_.setZero();
    if (counts()) change.setZero();
    if (of_workers_) sum_of_controls_.setZero();
    Scalar workers = 0;
    const Scalar answers = take_answers(it, own, packets, [&](PeerId i, std::span<const std::byte> bytes) {
      if (of_workers_) return take_of_worker(i, bytes, it.step_size(), change);
      return add(bytes, change, workers);
    });
    if (!place_.is_hub()) return answers;
    if (answers == 0 || it.step_size() == 0) return 0;
    const Scalar divisor = place_.divisor(answers);
    if (of_workers_)
      common_ = sum_of_controls_ / answers;
    else
      common_ -= ((counts() ? workers : divisor) / worker_count_) * common_ +
                 (per_step(it.step_size()) / worker_count_) * sum_;
    if (!counts()) change.swap(sum_);
    return divisor;
  }

  /// Adds an answer to the sum, and n_j / r_j times it to `change`; adds r_j to `workers`. Both are 1 unless
  /// the answer says otherwise.
  CodecStatus add(std::span<const std::byte> bytes, Vector<Scalar>& change, Scalar& workers) {
    const std::size_t vector_bytes = view(sum_).size_bytes();
    Scalar answered = 1, scale = 1;
    if (counts() && bytes.size() > vector_bytes) {
      if (!read_full<Scalar>(bytes.subspan(vector_bytes), view(counts_)) || !(counts_[0] > 0))
        return CodecStatus::malformed;
      answered = counts_[0];
      scale = counts_[1] / answered;
      bytes = bytes.first(vector_bytes);
    }
    if (!add_full<Scalar>(bytes, 1, view(sum_))) return CodecStatus::malformed;
    if (counts() && place_.is_hub()) add_full<Scalar>(bytes, scale, view(change));
    workers += answered;
    return CodecStatus::ok;
  }

  /// Adds y_i - x of worker i to the sum, and its new c_i to that of the controls. The hub's own has followed
  /// already.
  CodecStatus take_of_worker(PeerId i, std::span<const std::byte> bytes, Scalar step_size,
                             Vector<Scalar>& change) {
    if (!read_full<Scalar>(bytes, view(change))) return CodecStatus::malformed;
    sum_ += change;
    Vector<Scalar>& control = i == hub_id ? own_ : of_workers_->of(i);
    if (i != hub_id && step_size != 0) move(control, change, step_size);
    sum_of_controls_ += control;
    return CodecStatus::ok;
  }

  PacketRef answer_for_group(Iteration<Scalar>& it, Scalar answers) {
    if (!counts()) return full_packet(it, sum_);
    counts_ << answers, static_cast<Scalar>(1 + place_.below.size());
    return full_packet(it, sum_, counts_);
  }

  TreePlace place_;
  Scalar worker_count_;  // n
  Scalar local_steps_;   // H
  bool hub_keeps_each_;  // c_i
  Vector<Scalar> common_;
  Vector<Scalar> own_;
  Vector<Scalar> sum_;     // of the answers, of the hub and of heads
  Vector<Scalar> counts_;  // r_j, n_j, of the hub and of heads; empty unless workers of groups sit out
  std::optional<Replicas<Scalar>> of_workers_;  // c_i of the other workers, of a hub that keeps each
  Vector<Scalar> sum_of_controls_;              // of those that have answered
};

}  // namespace hearsay
