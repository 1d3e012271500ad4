#include "runtime/session/joining.hpp"

#include "runtime/session/observer_link.hpp"

namespace hearsay {

void Joining::give(const ModelCopy& copy, SessionContext& context) {
  if (!copy.model) {
    const std::string why = "the run ends before peer " + std::to_string(copy.to) + " can join it";
    context.say(PeerWord::Way::reply, copy.to, FrameKind::refuse, std::as_bytes(std::span(why)));
    return;
  }
  FrameHeader& head = context.say(PeerWord::Way::reply, copy.to, FrameKind::model, copy.model->bytes());
  head.iteration = copy.entry.iteration;
  head.sequence = ObserverLink::to_sequence(copy.entry.last_verdict);
}

}  // namespace hearsay
