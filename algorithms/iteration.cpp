#include "algorithms/iteration.hpp"

#include <algorithm>

namespace hearsay {

template <class Scalar>
void Iteration<Scalar>::begin(std::uint64_t number, double step_size, double previous_step_size) {
  number_ = number;
  step_size_ = static_cast<Scalar>(step_size);
  previous_step_size_ = static_cast<Scalar>(previous_step_size);
  next_slot_ = 0;
  turn_to(number - 1);
}

template <class Scalar>
void Iteration<Scalar>::turn_to(std::uint64_t round) {
  const MixingRow& row = rows_.at(round);
  if (row_ == &row) return;  // a schedule's reference always shows the same row
  row_ = &row;
  heard_ids_.clear();
  for (const WeightedNeighbor& neighbor : row.hears) heard_ids_.push_back(neighbor.id);
}

template <class Scalar>
Slot Iteration<Scalar>::post(const PacketRef& packet) {
  const Slot slot = next_slot_++;
  const std::vector<PeerId>& to = row_->heard_by;
  const auto first = std::upper_bound(to.begin(), to.end(), self());
  for (auto peer = first; peer != to.end(); ++peer) host_->send(slot, *peer, packet);
  for (auto peer = to.begin(); peer != first; ++peer) host_->send(slot, *peer, packet);
  return slot;
}

template class Iteration<float>;
template class Iteration<double>;

}  // namespace hearsay
