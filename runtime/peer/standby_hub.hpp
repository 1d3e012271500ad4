#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "runtime/peer/divergence.hpp"
#include "runtime/peer/outgoing.hpp"

namespace hearsay {

template <class Scalar>
class Peer;

/// The hub that a standby keeps ready (failure.hub_standby): a second hub, with the hub's method, that hears
/// what the hub hears, and is silent until the hub is lost.
///
///     follows     after each round t the hub tells whose answers it has counted (roster_slot). The standby
///                 hub counts the same ones, from the copies that the workers send. So it takes the hub's
///                 step, and what it would say next equals what the hub says, bit for bit: it compares.
///     serves      the hub is lost. The standby hub says again what it has said in its round, and goes on
///                 with all workers that are there.
///     dismissed   it could not follow, and its peer is a worker like the others. Or it served and was
///                 mistaken: a worker has answered the hub in a round that the hub reached without it.
///
/// A worker that was lost in the very round in which the hub is lost may be counted by one hub and not by
/// the other. Who hears both then finds that they differ (HubSeat::agrees).
///
/// It does no I/O. It belongs to the peer of the worker that stands by, which hands in what comes.
template <class Scalar>
class StandbyHub {
 public:
  /// `hub` is peer 0 with all workers. `self` is the worker that stands by.
  StandbyHub(std::unique_ptr<Peer<Scalar>> hub, PeerId self);
  ~StandbyHub();

  bool serves() const { return phase_ == Phase::serves; }
  bool is_dismissed() const { return phase_ == Phase::dismissed; }
  /// Why it was dismissed, in a sentence for the user; once, else empty.
  std::optional<std::string> take_word() {
    if (!is_dismissed() || word_taken_) return std::nullopt;
    word_taken_ = true;
    return dismissed_because_;
  }
  /// The iteration that it has begun last.
  std::uint64_t round() const;
  /// The iteration in which it took over; empty if it has not.
  std::optional<std::uint64_t> took_over_in() const { return took_over_in_; }

  void start();
  /// Takes a copy of a worker's answer, a roster, or what the hub says to this worker. False if it is of no
  /// use: of a round that is over, or too far ahead.
  bool hear(const MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata);
  /// A worker is lost: no further copy of it will come.
  void lose(PeerId worker);
  bool has_lost(PeerId worker) const;
  /// The hub is lost.
  void take_over();
  /// The hub goes on without this worker. One that serves already stays: the hub had been lost.
  void stand_down() {
    if (phase_ == Phase::follows) dismiss("the hub has gone on without it");
  }
  /// True if it took over although the hub was alive, and went on with the others.
  bool was_mistaken() const { return is_dismissed() && took_over_in_; }
  void verdict(std::uint64_t evaluated, bool proceed);
  /// Whether verdicts come: without an observer the hub does not wait for them.
  void observe(bool observed);
  /// Goes on as far as it can. What it says is in `outbox` then, also what it says to this worker.
  void advance();
  std::vector<Outgoing>& outbox() { return outbox_; }

  /// True if the round is over here. A dismissed one keeps nobody waiting.
  bool has_completed(std::uint64_t iteration) const;
  /// The peers without which it cannot go on.
  std::vector<PeerId> waiting_for() const;
  /// The hub's model. Not to be asked of a dismissed one.
  const Vector<Scalar>& model() const;
  std::optional<Divergence> divergence() const;

 private:
  enum class Phase { follows, serves, dismissed };
  /// Where a message belongs: iteration, slot, sender.
  using Place = std::tuple<std::uint64_t, Slot, PeerId>;
  struct Copy {
    PacketRef packet;
    MessageMetadata metadata;
  };

  /// More rounds ahead nobody can be who heard the hub: this worker takes part in all rounds.
  static constexpr std::uint64_t most_rounds_ahead = 2;

  bool hear_roster(std::uint64_t iteration, const PacketRef& packet);
  /// Goes through what the hub asks of its driver.
  void settle();
  void take_what_it_says();
  void compare(const Outgoing& said);
  bool hear_copy(const MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata);
  bool take_answers_of_the_round();
  void take_answers_of(const std::vector<PeerId>* counted);
  void dismiss(std::string why);

  std::unique_ptr<Peer<Scalar>> hub_;
  PeerId self_;
  Phase phase_ = Phase::follows;
  std::map<Place, Copy> copies_;                            // of answers, not taken yet
  std::map<std::uint64_t, std::vector<PeerId>> rosters_;    // by iteration, of rounds that are not over here
  std::vector<Outgoing> said_;                              // in its round, while it follows
  std::vector<std::pair<MessageKey, PacketRef>> hub_said_;  // to this worker, and not compared yet
  std::vector<PeerId> lost_;                                // workers
  std::vector<Outgoing> outbox_;
  std::optional<std::uint64_t> took_over_in_;
  std::optional<Divergence> contradiction_;
  std::string dismissed_because_;
  bool word_taken_ = false;
};

}  // namespace hearsay
