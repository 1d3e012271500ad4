#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace hearsay::test {

/// A process of `hearsay run`, and the processes of its peers, which a test may kill or stop.
class LocalPeers {
 public:
  /// Starts the run of `folder`/run.toml; its output goes to `output`.
  LocalPeers(const std::filesystem::path& folder, const std::filesystem::path& output,
             std::vector<std::string> more = {}, const std::function<void()>& prepare = {});

  Program& program() { return program_; }

  /// Waits until `evaluations` evaluations are recorded. False if the run ends before.
  bool reaches(std::size_t evaluations) const;

  /// Returns all peers that are alive: first those of the beginning, then those that came back, each in the
  /// order of their start. Only for runs with checkpoints: their first child is the fork server, the process
  /// that starts killed peers anew.
  std::vector<pid_t> peers() const;
  /// Returns the peers that came back, in the order of their start.
  std::vector<pid_t> returned() const;
  /// Kills a peer (SIGKILL). From then on peers() leaves it out.
  void kill_peer(pid_t peer);
  /// Kills a peer, waits for the process that takes its place, and returns that process. Empty if none comes.
  std::optional<pid_t> kill_and_see_it_return(pid_t peer);

  /// Returns how many peers were killed.
  std::size_t kills() const { return killed_.size(); }

 private:
  std::filesystem::path output_;
  Program program_;
  std::vector<pid_t> killed_;
};

/// True if the process has a file open whose name begins with `beginning`.
bool has_open(pid_t process, const std::string& beginning);

}  // namespace hearsay::test
