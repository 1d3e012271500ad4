#include "algorithms/seam/iteration.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// Calls send(k) for every index k of `to`, in cyclic id order beginning after `self`.
template <class Send>
void send_in_turn(const std::vector<PeerId>& to, PeerId self, Send send) {
  const auto first = static_cast<std::size_t>(std::upper_bound(to.begin(), to.end(), self) - to.begin());
  for (std::size_t k = first; k < to.size(); ++k) send(k);
  for (std::size_t k = 0; k < first; ++k) send(k);
}

}  // namespace

template <class Scalar>
void Iteration<Scalar>::begin(std::uint64_t number, const StepSize& step_sizes) {
  number_ = number;
  step_sizes_ = &step_sizes;
  step_size_ = step_size_of(number);
  next_slot_ = 0;
  turn_to(number - 1);
}

template <class Scalar>
void Iteration<Scalar>::turn_to(std::uint64_t round) {
  if (!instead_) {
    if (row_ == &scheduled_ && rows_.period() == 1) return;
    rows_.write(round, scheduled_);
  }
  row_ = instead_ ? instead_ : &scheduled_;
  heard_ids_.clear();
  for (const WeightedNeighbor& neighbor : row_->hears) heard_ids_.push_back(neighbor.id);
}

template <class Scalar>
Slot Iteration<Scalar>::post(const PacketRef& packet) {
  const Slot slot = next_slot_++;
  const std::vector<PeerId>& to = row_->heard_by;
  send_in_turn(to, self(), [&](std::size_t k) { host_->send(slot, to[k], packet); });
  return slot;
}

template <class Scalar>
Slot Iteration<Scalar>::post(std::span<const PacketRef> packets) {
  const Slot slot = next_slot_++;
  const std::vector<PeerId>& to = row_->heard_by;
  ensure(packets.size() == to.size(), "there is a packet for every peer that hears this one");
  send_in_turn(to, self(), [&](std::size_t k) { host_->send(slot, to[k], packets[k]); });
  return slot;
}

template class Iteration<float>;
template class Iteration<double>;

}  // namespace hearsay
