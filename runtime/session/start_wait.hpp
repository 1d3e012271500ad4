#pragma once

#include <optional>
#include <string>

#include "runtime/foundation/units.hpp"
#include "runtime/session/context.hpp"
#include "runtime/session/greetings.hpp"
#include "runtime/session/observer_link.hpp"
#include "runtime/session/outgoing_links.hpp"

namespace hearsay {

/// How long a peer waits for its run to begin: for its neighbors first, and then for the observer.
class StartWait {
 public:
  explicit StartWait(Duration patience) : patience_(patience) {}

  /// Of a peer that resumes, nobody greets its neighbors until all are there; the observer alone knows who is
  /// missing, and says so in time.
  void begin(Instant now, bool resumes) {
    began_ = now;
    next_word_ = now + word_every;
    greet(now);
    if (resumes) for_neighbors_ = for_observer_;
  }
  /// The neighbors are greeted now.
  void greet(Instant now) {
    for_neighbors_ = now + patience_;
    for_observer_ = for_neighbors_ + grace_for_the_observer;
  }
  /// A neighbor has as long from now on to give this peer a model.
  void join(Instant now) { for_neighbors_ = now + patience_; }
  /// It has given one, and the observer has as long to say start.
  void enter(Instant now) { for_observer_ = now + patience_; }

  Instant deadline(bool is_ready) const { return is_ready ? for_observer_ : for_neighbors_; }
  /// Every ten seconds: how long the peer has waited so far.
  std::optional<Duration> word_due(Instant now) {
    if (now < next_word_) return std::nullopt;
    next_word_ = now + word_every;
    return now - began_;
  }
  /// Why the run may not begin in time: the end of a sentence.
  void doubt(const std::string& why) { doubt_ = why; }
  const std::string& doubt() const { return doubt_; }

 private:
  // The observer names who is missing; a peer that is ready gives it this much longer to do so.
  static constexpr Duration grace_for_the_observer = std::chrono::seconds(5);
  static constexpr Duration word_every = std::chrono::seconds(10);

  Duration patience_;
  Instant began_{};
  Instant next_word_{};
  Instant for_neighbors_{};
  Instant for_observer_{};
  std::string doubt_;
};

/// For whom a peer waits before the run begins, and who answered in somebody else's place: in words.
class StartReport {
 public:
  StartReport(const SessionContext& context, const Greetings& greetings, const OutgoingLinks& outgoing,
              const ObserverLink& observer)
      : context_(context),
        greetings_(greetings),
        outgoing_(outgoing),
        observer_(observer),
        phase_(context.phase) {}

  /// "peer 2 (tcp://10.0.0.2:7000) to come up"
  std::string awaited() const;
  /// Who did not come up in time, of those that the peer has waited for.
  std::string missing() const;
  /// The end of the sentence of somebody who gave the run up: this peer may know why, better than whoever
  /// says so.
  std::string known_here() const;

 private:
  std::string missing_observer() const;
  std::string answers_instead(PeerId destination) const;
  bool awaits_observer() const { return phase_ == SessionPhase::ready || phase_ == SessionPhase::entering; }

  const SessionContext& context_;
  const Greetings& greetings_;
  const OutgoingLinks& outgoing_;
  const ObserverLink& observer_;
  SessionPhase phase_;  // when the report was made
};

}  // namespace hearsay
