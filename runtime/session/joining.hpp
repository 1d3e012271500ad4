#pragma once

#include "runtime/peer/joining.hpp"
#include "runtime/session/context.hpp"
#include "runtime/wire/words_to_neighbor.hpp"

namespace hearsay {

/// Policy "drop": the session's part of joining a run (runtime/peer/joining.hpp). The joining peer asks its
/// neighbors for a model, one after the other; `give` is the answer of a neighbor.
class Joining {
 public:
  /// `neighbor` is asked first.
  Joining(PeerId neighbor, const SessionContext& context)
      : question_(neighbor, patience_heartbeats * context.input.heartbeat, context.now) {}

  /// `neighbor` has parted from this peer, too, so it may be asked if the others do not answer.
  void add(PeerId neighbor) { question_.add(neighbor); }
  bool may_ask(PeerId neighbor) const { return question_.may_ask(neighbor); }
  void ask(SessionContext& context) {
    context.say(PeerFrame::Way::outlet, question_.whom(context.now), FrameKind::join);
  }
  /// True if a `model` frame with a payload of `bytes` bytes can be a model of this run.
  static bool fits(const to_neighbor::Model& model, std::size_t bytes, const PeerSessionInput& input) {
    return input.model_bytes == bytes && model.iteration < input.iterations &&
           (!model.last_verdict || *model.last_verdict <= model.iteration);
  }
  /// Sends `copy.to` the model; or `refuse`, if the copy has none.
  static void give(const ModelCopy& copy, SessionContext& context);

 private:
  /// How many heartbeats long this peer waits for an answer before it asks another neighbor. A neighbor
  /// answers at the end of its iteration.
  static constexpr int patience_heartbeats = 5;

  JoiningQuestion question_;
};

}  // namespace hearsay
