#include "runtime/session/joining.hpp"

namespace hearsay {

void Joining::give(const ModelCopy& copy, SessionContext& context) {
  if (!copy.model) {
    const std::string why = "the run ends before peer " + std::to_string(copy.to) + " can join it";
    context.say(PeerFrame::Way::reply, copy.to, FrameKind::refuse,
                SharedBytes(std::as_bytes(std::span(why))));
    return;
  }
  const to_neighbor::Model model{copy.entry.iteration, copy.entry.last_verdict};
  context.say(PeerFrame::Way::reply, copy.to, model, SharedBytes(copy.model->bytes()));
}

}  // namespace hearsay
