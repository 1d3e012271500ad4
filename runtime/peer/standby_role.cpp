#include "runtime/peer/standby_role.hpp"

namespace hearsay {

template <class Scalar>
NeighborLoss StandbyRole<Scalar>::lose(PeerId neighbor) {
  if (neighbor != hub_)
    second_->lose(neighbor);
  else if (survives_hub())
    second_->take_over();  // the edge stays in: the second hub serves it
  else
    return {neighbor};
  return {std::nullopt};
}

template <class Scalar>
void StandbyRole<Scalar>::post(Outgoing message, std::vector<Outgoing>& outbox) const {
  second_->hear(message.key, message.packet, message.metadata);
  if (!has_taken_over()) outbox.push_back(std::move(message));
}

template <class Scalar>
Hearing StandbyRole<Scalar>::hear(MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata,
                                  std::uint64_t /*completed*/) const {
  const bool is_of_use = second_->hear(key, packet, metadata);
  if (key.sender == hub_ && key.slot != roster_slot && !has_taken_over()) return Hearing::of_the_method;
  return is_of_use ? Hearing::kept : Hearing::late;
}

template <class Scalar>
void StandbyRole<Scalar>::attend(std::uint64_t completed, Inbox& inbox, std::vector<Outgoing>& outbox) const {
  second_->advance();
  for (Outgoing& said : second_->outbox())
    if (said.to != self_)
      outbox.push_back(std::move(said));
    else if (said.key.iteration > completed)
      inbox.file({said.key.iteration, said.key.slot, hub_}, said.packet);
  second_->outbox().clear();
}

template class StandbyRole<float>;
template class StandbyRole<double>;

}  // namespace hearsay
