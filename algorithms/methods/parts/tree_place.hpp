#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// A peer's place in the tree of a hub (is_hub_tree): a star, or a star of stars. On a star the hub gathers
/// what all workers answer. On a tree some of them are heads of groups: a head passes on to its group what
/// the hub says, gathers what the group answers, and answers the hub for all of it.
struct TreePlace {
  std::vector<PeerId> above;  ///< the peer that it hears the model from; none for the hub
  std::vector<PeerId> below;  ///< the peers whose answers it gathers, ascending

  /// A peer's neighbors are the one above and those below. The hub is below nobody and has the least id, so
  /// whoever is linked with it is below it.
  template <class Scalar>
  explicit TreePlace(const MethodInput<Scalar>& input)
      : below(input.neighbors), worker_count_(input.worker_count), has_groups_(input.has_groups) {
    if (input.self == hub_id || below.empty()) return;
    above = {below.front()};
    below.erase(below.begin());
    round_.reserve(below.size());
  }

  bool is_hub() const { return above.empty(); }
  bool is_head() const { return !above.empty() && !below.empty(); }
  bool is_worker() const { return !above.empty() && below.empty(); }

  /// Of a head: the peers of its group that take part in the round, ascending, valid until the next call.
  template <class Scalar>
  std::span<const PeerId> group(const Iteration<Scalar>& it) {
    const std::vector<PeerId>& linked = it.mixing().heard_by;
    round_.assign(linked.begin() + 1, linked.end());  // the first is the hub
    return round_;
  }

  /// A head sends its group the packet that it heard in `slot`, as it came.
  template <class Scalar>
  void pass_on(Iteration<Scalar>& it, Slot slot, std::span<const PacketRef> packets) {
    if (!is_head() || packets.empty() || !packets.front()) return;
    for (const PeerId worker : group(it)) it.send(slot, worker, packets.front());
  }

  template <class Scalar, class Hear>
  class Share;
  /// co_await place.share(it, tell, hear): what comes down in slot 0 of a round. The hub calls tell(). The
  /// others wait for the packets of the peer above, and return what hear(packets) returns: false if nothing
  /// came, since the hub is gone. Returns true at the hub.
  template <class Scalar, class Tell, class Hear>
  Share<Scalar, Hear> share(Iteration<Scalar>& it, const Tell& tell, const Hear& hear) const {
    if (is_hub()) tell();
    return {*this, it, hear};
  }

  template <class Scalar, class Take, class ForGroup>
  class Gather;
  /// co_await place.gather(it, own, take, for_group): the answers of a round, on their way up. A worker posts
  /// its own. A head and the hub wait for those of the peers below; take(packets) takes them and `own` in,
  /// and returns a number, mostly that of the answers. A head then sends the hub the packet
  /// for_group(number). The result is the number at the hub, and 0 elsewhere.
  template <class Scalar, class Take, class ForGroup>
  Gather<Scalar, Take, ForGroup> gather(Iteration<Scalar>& it, const PacketRef& own, const Take& take,
                                        const ForGroup& for_group) {
    if (is_worker()) it.post(own);
    return {*this, it, take, for_group};
  }

  /// By what the sum of `answers` answers is divided: the hub's becomes the mean over all workers of the
  /// round, and on a tree over all n; a head's the sum over its whole group, itself among them.
  template <class Scalar>
  Scalar divisor(Scalar answers) const {
    if (is_head()) return answers / static_cast<Scalar>(1 + below.size());
    return has_groups_ ? static_cast<Scalar>(worker_count_) : answers;
  }

  /// Of the peers linked with the hub or a head, the one that it tells nothing: the one above, or itself.
  PeerId not_told(const PeerRows& rows) const { return is_hub() ? rows.self() : above.front(); }

  /// A message of at most `bytes` to each peer below that takes part in the round of `row`.
  Traffic to_below(const MixingRow& row, std::uint64_t bytes, bool exact = true) const {
    if (is_worker() || row.heard_by.empty()) return {0, 0, exact};
    const std::uint64_t count = row.heard_by.size() - above.size();
    return {count, count * bytes, exact};
  }

  /// Adds an answer of at most `bytes` to the peer above, if the peer takes part.
  Traffic with_answer(const Traffic& down, const MixingRow& row, std::uint64_t bytes, bool exact) const {
    if (is_hub() || row.heard_by.empty()) return down;
    return {down.messages + 1, down.payload_bytes + bytes, down.exact && exact};
  }
  template <class Scalar>
  Traffic with_answer(const Traffic& down, const MixingRow& row, const Compressor<Scalar>& compressor,
                      Index dimension) const {
    const Traits traits = compressor.traits(static_cast<std::size_t>(dimension));
    return with_answer(down, row, traits.bytes, !traits.data_dependent_size);
  }

 private:
  PeerId worker_count_;  // n
  bool has_groups_;      // the peers below the hub answer for others, too
  std::vector<PeerId> round_;
};

/// The message from above, at one peer.
template <class Scalar, class Hear>
class TreePlace::Share final : public StepsOf<TreePlace::Share<Scalar, Hear>> {
 public:
  Share(const TreePlace& place, Iteration<Scalar>& it, const Hear& hear)
      : place_(place), it_(it), hear_(hear), has_more_(!place.is_hub()) {}

  bool has_more() const { return has_more_; }
  bool begin_step() { return it_.request_packets(0, place_.above); }
  void end_step() {
    has_more_ = false;
    heard_ = hear_(it_.requested_packets());
  }
  bool await_resume() const { return heard_; }

 private:
  const TreePlace& place_;
  Iteration<Scalar>& it_;
  Hear hear_;
  bool has_more_;
  bool heard_ = true;
};

/// The answers of a round, at one peer.
template <class Scalar, class Take, class ForGroup>
class TreePlace::Gather final : public StepsOf<TreePlace::Gather<Scalar, Take, ForGroup>> {
 public:
  Gather(TreePlace& place, Iteration<Scalar>& it, const Take& take, const ForGroup& for_group)
      : place_(place), it_(it), take_(take), for_group_(for_group), has_more_(!place.is_worker()) {}

  bool has_more() const { return has_more_; }
  bool begin_step() {
    return place_.is_head() ? it_.request_packets(0, place_.group(it_)) : it_.request_packets(0);
  }
  void end_step() {
    has_more_ = false;
    const Scalar answers = take_(it_.requested_packets());
    if (place_.is_head())
      it_.send(0, place_.above.front(), for_group_(answers));
    else
      answers_ = answers;
  }
  Scalar await_resume() const { return answers_; }

 private:
  TreePlace& place_;
  Iteration<Scalar>& it_;
  Take take_;
  ForGroup for_group_;
  bool has_more_;
  Scalar answers_ = 0;
};

}  // namespace hearsay
