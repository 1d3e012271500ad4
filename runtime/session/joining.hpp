#pragma once

#include "runtime/peer/joining.hpp"
#include "runtime/session/context.hpp"
#include "runtime/wire/words_to_neighbor.hpp"

namespace hearsay {

/// Policy "drop": a peer that the run has gone on without asks its neighbors for a model, one after the other
/// (runtime/peer/joining.hpp).
class Joining {
 public:
  /// That neighbor is asked first.
  Joining(PeerId neighbor, const SessionContext& context)
      : question_(neighbor, patience_heartbeats * context.input.heartbeat, context.now) {}

  /// It may be asked, too.
  void add(PeerId neighbor) { question_.add(neighbor); }
  bool may_ask(PeerId neighbor) const { return question_.may_ask(neighbor); }
  void ask(SessionContext& context) {
    context.say(PeerWord::Way::outlet, question_.whom(context.now), FrameKind::join);
  }
  /// Whether that can be a model of this run.
  static bool fits(const to_neighbor::Model& model, std::size_t bytes, const PeerSessionInput& input) {
    return input.model_bytes == bytes && model.iteration < input.iterations &&
           (!model.last_verdict || *model.last_verdict <= model.iteration);
  }
  /// The answer to a peer that joins.
  static void give(const ModelCopy& copy, SessionContext& context);

 private:
  /// A neighbor answers at the end of its iteration; after so many signs of life without that, another one is
  /// asked.
  static constexpr int patience_heartbeats = 5;

  JoiningQuestion question_;
};

}  // namespace hearsay
