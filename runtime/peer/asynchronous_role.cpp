#include "runtime/peer/asynchronous_role.hpp"

namespace hearsay {

template <class Scalar>
bool AsynchronousRole<Scalar>::take_in(Iteration<Scalar>& iteration, const MessageKey& key,
                                       const PacketRef& packet, bool has_ended,
                                       std::vector<Outgoing>& outbox) {
  const Exchanges::Outcome heard = exchanges_->hear(key, packet);
  switch (heard) {
    case Exchanges::Outcome::late:
      ++counters_.late;
      return false;
    case Exchanges::Outcome::duplicate:
      ++counters_.duplicate;
      return false;
    case Exchanges::Outcome::overflow:
      ++counters_.overflow;
      return false;
    case Exchanges::Outcome::busy:
      reply(key, refusal(), outbox);
      return false;
    case Exchanges::Outcome::reply:
      if (packet->size() == 0) break;  // its sender is busy, or has ended
      ++counters_.exchanges_asked;
      ++counters_.gossip_rounds;
      method_.take_reply(iteration, key.sender, packet);
      break;
    case Exchanges::Outcome::request:
      break;
  }
  while (const auto request = exchanges_->next())
    reply(request->key, has_ended ? refusal() : answer_to(*request, iteration), outbox);
  return heard == Exchanges::Outcome::reply;
}

template <class Scalar>
PacketRef AsynchronousRole<Scalar>::answer_to(const Exchanges::Request& request,
                                              Iteration<Scalar>& iteration) {
  PacketRef answer = method_.answer(iteration, request.key.sender, request.packet);
  if (!answer) return refusal();
  ++counters_.exchanges_answered;
  return answer;
}

template class AsynchronousRole<float>;
template class AsynchronousRole<double>;

}  // namespace hearsay
