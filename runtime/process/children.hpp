#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/foundation/notice.hpp"
#include "runtime/process/fork_server.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/zmq/observer_server.hpp"

namespace hearsay {

inline constexpr PeerId most_local_peers = 512;

// Parent and child exchange whole texts over a seqpacket socket pair: first the child sends its address,
// then the parent sends all addresses, and at its end the child sends its reason, or `ended_well`. A child
// that was started again and cannot take up its part sends `cannot_come_back` before its reason.
inline constexpr const char* ended_well = "ended well";
inline constexpr const char* cannot_come_back = "cannot come back: ";

bool say(int socket, const std::string& text);
/// Returns the next text; empty if the other end is gone.
std::string hear(int socket);

/// The peers of a run on this machine: children of this process, or of its fork server.
class Children {
 public:
  struct Terms {
    bool drops = false;              ///< the run goes on without a peer that is gone
    bool keeps_checkpoints = false;  ///< a killed peer comes back
    bool resumes = false;  ///< a peer that is started again before the run begins resumes as the others do
    Duration lost_after{};
  };
  /// `fork_server` starts killed peers again; null: they are not.
  Children(ForkServer* fork_server, Terms terms, const Notice& notice)
      : fork_server_(fork_server), terms_(terms), notice_(notice) {}
  ~Children() { kill_all(); }
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Forks the next peer. Its process runs `main`, which gets its end of the socket and returns the exit
  /// code. `first_address`: where it listens.
  void fork_one(const std::function<int(int socket)>& main, const std::string& first_address);

  /// Notes the address of every child, in order. A child that ends before is started again, if it can be;
  /// under policy "drop" the run begins without it. Else returns how it ended. Empty if all others listen,
  /// or if the user has interrupted the run.
  std::optional<std::string> gather_addresses(const RunControl& control);
  void tell_addresses(const std::string& observer);
  /// The run begins: from now on a killed peer comes back from its checkpoint.
  void note_start() { run_has_begun_ = true; }

  /// Returns the next child that was lost and could not be started anew; empty if there is none. If a child
  /// cannot come back alone, ends all children, and says so: all have to go back.
  std::optional<LostPeer> lost();
  bool have_to_go_back() const { return have_to_go_back_; }
  /// Starts all children again, to resume from the newest checkpoint that all hold.
  void go_back();

  std::uint64_t restarts() const { return restarts_; }

  // Faults that are to happen (FaultInjector).

  /// Kills peer `id`. If it `comes_back`, start_anew will be called. False if there is no such process.
  bool end_by_fault(PeerId id, bool comes_back);
  /// Starts peer `id` again, which was killed by a fault: from its checkpoint, or, if the run takes none,
  /// without a state. False if it was not, or cannot be started.
  bool start_anew(PeerId id);
  /// Stops the process of peer `id`, and returns the process; empty if there is none, or it stands still.
  std::optional<pid_t> freeze(PeerId id);
  /// Lets it go on, if it is still the process of peer `id`.
  void thaw(PeerId id, pid_t process);

  /// After the observer's `bye`: waits until the children have ended by themselves.
  void reap();

 private:
  struct Child {
    pid_t process = -1;
    bool is_own = true;  // a child of this process, not of the fork server
    int socket = -1;
    std::string address = {};  // until it listens: where it is to listen
    int restarts = 0;
    bool killed = false;
    bool gone = false;            // the process has ended, and that was handled
    bool ended_by_fault = false;  // and was not started again
    bool joins_anew = false;      // it was started without a state
    bool is_frozen = false;
  };

  void kill_all();
  static void end(Child& child);
  bool comes_back(std::size_t id);
  bool start_again(std::size_t id, bool resumes);
  std::string how_it_ended(std::size_t id, const std::string& reason);

  ForkServer* fork_server_;
  Terms terms_;
  const Notice& notice_;
  std::vector<Child> children_;
  std::vector<LostPeer> lost_before_;  // while addresses were gathered, or by a fault
  std::string addresses_;              // all, as they are told; empty before
  bool run_has_begun_ = false;
  bool have_to_go_back_ = false;
  int go_backs_ = 0;
  std::uint64_t restarts_ = 0;
};

}  // namespace hearsay
