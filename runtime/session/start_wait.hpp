#pragma once

#include <optional>
#include <string>

#include "runtime/foundation/units.hpp"
#include "runtime/session/context.hpp"
#include "runtime/session/greetings.hpp"
#include "runtime/session/observer_link.hpp"
#include "runtime/session/outgoing_links.hpp"

namespace hearsay {

/// The deadlines of a peer that waits for its run to begin: first for its neighbors, then for the observer.
class StartWait {
 public:
  explicit StartWait(Duration patience) : patience_(patience) {}

  /// The wait begins. A peer that resumes has the observer's deadline from the start: it greets its neighbors
  /// only when all peers are there, and the observer alone knows who is missing.
  void begin(Instant now, bool resumes) {
    began_ = now;
    next_word_ = now + first_word_after;
    greet(now);
    if (resumes) for_neighbors_ = for_observer_;
  }
  /// The neighbors are greeted now: both deadlines count from here.
  void greet(Instant now) {
    for_neighbors_ = now + patience_;
    for_observer_ = for_neighbors_ + grace_for_the_observer;
  }
  /// The peer joins: its neighbors have `patience` from now on to give it a model.
  void join(Instant now) { for_neighbors_ = now + patience_; }
  /// The peer has a model: the observer has `patience` from now on to say `start`.
  void enter(Instant now) { for_observer_ = now + patience_; }

  /// When to give up. `is_ready`: the peer waits for nothing but the observer.
  Instant deadline(bool is_ready) const { return is_ready ? for_observer_ : for_neighbors_; }
  /// How long the peer has waited so far, after two seconds, ten, twenty and so on; empty in between.
  std::optional<Duration> word_due(Instant now) {
    if (now < next_word_) return std::nullopt;
    next_word_ = now < began_ + word_every ? began_ + word_every : now + word_every;
    return now - began_;
  }
  /// A possible reason for a late start: the end of the sentence with which the peer gives up.
  void doubt(const std::string& why) { doubt_ = why; }
  const std::string& doubt() const { return doubt_; }

 private:
  // The observer has the same patience and names who is missing; a ready peer gives it this much longer.
  static constexpr Duration grace_for_the_observer = std::chrono::seconds(5);
  static constexpr Duration first_word_after = std::chrono::seconds(2);
  static constexpr Duration word_every = std::chrono::seconds(10);

  Duration patience_;
  Instant began_{};
  Instant next_word_{};
  Instant for_neighbors_{};
  Instant for_observer_{};
  std::string doubt_;
};

/// Words the messages about a run that does not begin: whom the peer waits for, and who answers at another's
/// address.
class StartReport {
 public:
  StartReport(const SessionContext& context, const Greetings& greetings, const OutgoingLinks& outgoing,
              const ObserverLink& observer)
      : context_(context),
        greetings_(greetings),
        outgoing_(outgoing),
        observer_(observer),
        phase_(context.phase) {}

  /// What the peer waits for: "peer 2 (tcp://10.0.0.2:7000) to come up".
  std::string awaited() const;
  /// Why the peer gives up: "peer 2 (tcp://10.0.0.2:7000) did not come up within 60 s".
  std::string missing() const;
  /// What this peer knows of the reason when another one has given up, as the end of a sentence: who answers
  /// at another's address. Empty if this peer knows nothing.
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
