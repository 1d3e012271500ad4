#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/observer/claims.hpp"
#include "runtime/observer/observer_input.hpp"

namespace hearsay {

/// What a run needs before it can start: every peer, and, if it is resumed, a checkpoint that all of
/// them hold.
class RunStart {
 public:
  /// `input` and `claims` must outlive this.
  RunStart(const ObserverInput& input, const NameClaims& claims)
      : input_(input), claims_(claims), peers_(input.peer_count) {}

  /// A process was welcomed as peer `id`. If it resumes, it will report the checkpoints that it holds.
  void note_welcome(PeerId id, bool resumes);
  /// The process of peer `id` holds a checkpoint of each of these iterations (u64 each).
  void note_checkpoints(PeerId id, std::span<const std::byte> payload);
  /// Peer `id` is not ready, since it waits for `whom`.
  void note_waiting(PeerId id, const std::string& whom) { peers_[id].waits_for = whom; }

  bool resumes(PeerId id) const { return peers_[id].resumes; }
  bool has_reported(PeerId id) const { return peers_[id].has_reported; }

  /// Whether the checkpoint is to be chosen now: some peer resumes, and all have reported what they hold.
  bool can_choose() const;
  /// Chooses the newest iteration of which all peers hold a checkpoint. Returns false if there is none.
  bool choose();
  /// The iteration that all peers resume from, once it is chosen.
  const std::optional<std::uint64_t>& resumed_from() const { return resumed_from_; }
  /// The same in a sentence, which says also why it is no later one.
  const std::string& resume_text() const { return resume_text_; }

  /// Whether some peer is still to come, or not ready.
  bool is_blocked() const { return !blockers().peers.empty(); }
  /// Why the run did not start in time.
  std::string missing_peers() const;
  /// Which peers all others wait for. Empty if no peer is missing.
  std::string for_whom_all_wait() const;

 private:
  struct Peer {
    bool resumes = false;
    bool has_reported = false;
    std::vector<std::uint64_t> holds = {0};  // the iterations it can go on from; every peer can begin
    std::string waits_for = {};
  };
  struct Blockers {
    std::vector<PeerId> peers;
    bool never_called;
  };
  Blockers blockers() const;
  std::string reasons(const std::vector<PeerId>& missing) const;
  std::string describe_resume() const;
  bool comes_later(PeerId id) const;

  const ObserverInput& input_;
  const NameClaims& claims_;
  std::vector<Peer> peers_;
  std::optional<std::uint64_t> resumed_from_;
  std::string resume_text_;
};

}  // namespace hearsay
