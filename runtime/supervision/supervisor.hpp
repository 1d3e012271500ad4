#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/foundation/notice.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/observer/lost_peer.hpp"
#include "runtime/settings/run_settings.hpp"
#include "runtime/supervision/child_words.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// The parent of the peers of a run, on this machine or in virtual time: who is started again, when all go
/// back to a checkpoint, who is lost, and in which words. Pure: what the children say and how they end go in,
/// decisions come out.
///
/// The driver must, after every call that is not const, carry out `next_decision` until there is none, and
/// report what the decision wants to know.
class Supervisor {
 public:
  /// What the end of a child that was killed means.
  enum class Policy {
    end,      ///< the run ends
    restore,  ///< it is started again, from its checkpoint
    drop,     ///< the run goes on without it
  };
  struct Terms {
    Policy policy = Policy::end;
    bool resumes = false;    ///< the run goes on from checkpoints, also where all its peers are started first
    bool can_start = false;  ///< there is a process that starts peers again
    bool can_go_back = true;  ///< there are checkpoints that all peers hold
    Duration lost_after{};
  };
  enum class Phase {
    absent,     ///< it joins later: there was no process yet
    coming_up,  ///< its process has not said its address
    up,         ///< it has
    frozen,     ///< a fault has stopped its process
    ending,     ///< it has said its last words: the end of its process is awaited
    felled,     ///< it is killed, by a fault or to go back: the end of its process is awaited
    down,       ///< it was killed so, and may be started again
    starting,   ///< its process is being started again
    ended,      ///< it has ended well
    lost,       ///< it is gone for good
  };

  /// How often one peer is started again: a peer that always dies must not keep the run alive for ever.
  static constexpr int most_restarts = 100;
  /// How often all peers go back to a checkpoint of all.
  static constexpr int most_go_backs = 20;
  /// From the start of a process to its first words.
  static constexpr Duration time_to_come_up = std::chrono::seconds(10);

  /// Returns the policy of a run that fails so.
  static Policy policy_of(const RunSettings::Failure& failure);

  // Decisions.

  /// Start the process of peer `id` at its address; report note_started or note_not_started.
  struct Start {
    PeerId id;
    bool resumes;  ///< from its checkpoints
  };
  /// Kill it, and wait until it is gone; report note_end.
  struct End {
    PeerId id;
  };
  /// It goes by itself: report note_end when it has gone, or at once if that cannot be known.
  struct AwaitEnd {
    PeerId id;
  };
  struct Freeze {
    PeerId id;
  };
  struct Thaw {
    PeerId id;
  };
  /// Tell it `addresses`.
  struct TellAddresses {
    PeerId id;
  };
  /// End the run: its input is wrong, or the machine cannot run it.
  struct Refuse {
    std::string why;
  };
  using Decision = std::variant<Start, End, AwaitEnd, Freeze, Thaw, TellAddresses, Refuse>;

  /// `notice` must outlive this object.
  Supervisor(Terms terms, const Notice& notice) : terms_(terms), notice_(notice) {}

  std::optional<Decision> next_decision();

  // The start of a run.

  /// The process of the next peer was started. `address`: where it is to listen.
  void add_child(std::string address) { children_.push_back({Phase::coming_up, std::move(address), {}, 1}); }
  /// The next peer joins later, and will listen at `address`.
  void add_absent(std::string address) { children_.push_back({Phase::absent, std::move(address)}); }

  bool awaits_address_of(PeerId id) const { return children_[id].phase == Phase::coming_up; }
  /// A child whose address is awaited has said nothing for `silence`. It is lost if that is too long.
  void note_silence(PeerId id, Duration silence);
  /// Returns how a peer was lost without which the run cannot begin; empty if there is none.
  std::optional<std::string> cannot_begin() const;
  /// All addresses that come are known: they are told, with that of the observer.
  void tell_addresses(const std::string& observer);
  /// The addresses of all peers and of the observer, a line each.
  const std::string& addresses() const { return addresses_; }
  /// The run begins: from now on a killed peer comes back from its checkpoint.
  void note_start() { run_has_begun_ = true; }

  // Children.

  /// True if its process may say something.
  bool listens_to(PeerId id) const { return has_process(children_[id].phase); }
  /// The child has said `text`; empty if its end of the connection is closed.
  void hear(PeerId id, std::string text);
  /// `end` is empty if it cannot be known.
  void note_end(PeerId id, std::optional<ProcessEnd> end);
  void note_started(PeerId id);
  void note_not_started(PeerId id);
  /// No process can be started any more.
  void note_end_of_starter();

  /// Returns the next peer that is lost, and forgets it. It has no id if all have to go back, since one
  /// cannot come back alone.
  std::optional<LostPeer> next_loss();
  /// All children were ended, since one cannot come back alone.
  bool have_to_go_back() const { return have_to_go_back_; }
  /// Starts all children again, to resume from the newest checkpoint that all hold.
  void go_back();

  // Faults that are to happen (FaultInjector). What cannot happen returns false, or nothing.

  /// Kills peer `id`. If it `comes_back`, start_by_fault will be called.
  bool end_by_fault(PeerId id, bool comes_back);
  /// The number of its last process among those of the peer; 0: there was none.
  int life(PeerId id) const { return children_[id].life; }
  /// True if a fault has killed that process, and none was started since.
  bool is_down(PeerId id, int life) const {
    return children_[id].phase == Phase::down && children_[id].life == life;
  }
  /// Starts a peer that a fault has killed: from its checkpoint, or, if the run takes none, without a state.
  /// The same of a peer that joins later.
  bool start_by_fault(PeerId id);
  /// Stops the process of peer `id`, and returns the number of that process among those of the peer.
  std::optional<int> freeze(PeerId id);
  /// Lets it go on, if it is still that process.
  void thaw(PeerId id, int life);

  // The end of a run that ends well.

  bool stands_still(PeerId id) const { return children_[id].phase == Phase::frozen; }
  /// True if it began to join, and may have come after the end of the run: it would wait for somebody who
  /// tells it a model.
  bool may_have_come_late(PeerId id) const { return listens_to(id) && children_[id].joins_anew; }

  PeerId peer_count() const { return static_cast<PeerId>(children_.size()); }
  Phase phase(PeerId id) const { return children_[id].phase; }
  const std::string& address(PeerId id) const { return children_[id].address; }
  /// How often a killed peer came back from its checkpoint.
  std::uint64_t restarts() const { return restarts_; }

 private:
  /// Why a process is started.
  enum class Cause { outside_kill, fault, go_back };
  struct Child {
    Phase phase;
    std::string address = {};           // until it is up: where it is to listen
    std::string words = {};             // ending: its reason; down, starting: how its last process has ended
    int life = 0;                       // processes so far
    int restarts = 0;                   // after it was killed from outside
    Cause cause = Cause::outside_kill;  // starting
    bool is_awaited = false;            // felled, down, starting by a fault: the run waits for it
    bool joins_anew = false;            // its process was started without a state
    bool was_up = false;                // its last process had said its address
  };

  static bool has_process(Phase phase) {
    return phase == Phase::coming_up || phase == Phase::up || phase == Phase::frozen;
  }
  bool can_go_back() const {
    return terms_.can_go_back && terms_.can_start && run_has_begun_ && go_backs_ < most_go_backs;
  }
  void end_all(PeerId because_of, std::string why);
  void let_go_on(PeerId id);
  void await_end(PeerId id, std::string reason);
  void end_by_itself(PeerId id, const std::optional<ProcessEnd>& end);
  bool comes_back(const Child& child) const {
    return terms_.policy == Policy::restore && terms_.can_start && child.restarts < most_restarts;
  }
  void start(PeerId id, Cause cause, bool resumes);
  bool resumes_after_fault(const Child& child) const {
    return terms_.policy == Policy::restore && child.life > 0;
  }
  void lose(PeerId id, std::string how, std::string to_others = {});

  Terms terms_;
  const Notice& notice_;
  std::vector<Child> children_;
  std::deque<Decision> decisions_;
  std::deque<LostPeer> losses_;
  std::string addresses_;  // empty until they are told
  bool run_has_begun_ = false;
  bool have_to_go_back_ = false;
  int go_backs_ = 0;
  std::uint64_t restarts_ = 0;
};

}  // namespace hearsay
