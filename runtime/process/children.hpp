#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/process/fork_server.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/supervision/supervisor.hpp"

namespace hearsay {

inline constexpr PeerId most_local_peers = 512;

// Parent and child exchange whole texts over a seqpacket socket pair: first the child sends its address, then
// the parent sends all addresses, and at its end the child sends its reason (supervisor.hpp).

bool say(int socket, const std::string& text);
/// Returns the next text; empty if the other end is gone.
std::string hear(int socket);

/// The processes of the peers of a run on this machine: children of this process, or of its fork server.
/// Does what their supervisor decides, and reports to it.
class Children {
 public:
  /// `fork_server` starts peers again; null: none is. `drops`: they outlive this process.
  Children(ForkServer* fork_server, Supervisor& supervisor, bool drops)
      : fork_server_(fork_server), supervisor_(supervisor), outlive_parent_(drops) {}
  ~Children();
  Children(const Children&) = delete;
  Children& operator=(const Children&) = delete;

  /// Forks the next peer. Its process runs `main`, which gets its end of the socket and returns the exit
  /// code. `first_address`: where it listens.
  void fork_one(const std::function<int(int socket)>& main, const std::string& first_address);
  /// The next peer joins later, and will listen at `address`.
  void leave_out_one(const std::string& address);

  /// Hears the address of every child, in order. Returns how one was lost without which the run cannot begin.
  /// Empty if all others listen, or if the user has interrupted the run.
  std::optional<std::string> gather_addresses(const RunControl& control);

  /// Hears what children say, until one is lost; empty if none is.
  std::optional<LostPeer> lost();
  /// Does what the supervisor has decided. Throws Misuse if the run cannot go on.
  void carry_out();

  /// After the observer's `bye`: waits until the children have ended by themselves.
  void reap();
  /// The same, but no longer than this: they were told to end, and may still write what they keep.
  void await_ends(Duration longest);

 private:
  struct Child {
    pid_t process = -1;
    bool is_own = true;  // a child of this process, not of the fork server
    int socket = -1;
  };

  void on(const Supervisor::Start& start);
  void on(const Supervisor::End& end);
  void on(const Supervisor::AwaitEnd& await);
  void on(const Supervisor::Freeze& freeze);
  void on(const Supervisor::Thaw& thaw);
  void on(const Supervisor::TellAddresses& tell);
  [[noreturn]] void on(const Supervisor::Refuse& refuse);
  static std::optional<ProcessEnd> wait_for(Child& child);

  ForkServer* fork_server_;
  Supervisor& supervisor_;
  bool outlive_parent_;
  std::vector<Child> children_;
};

}  // namespace hearsay
