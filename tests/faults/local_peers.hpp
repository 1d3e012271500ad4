#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/program.hpp"

namespace hearsay::test {

/// `hearsay run`, and the processes of its peers, which a test may do harm to.
class LocalPeers {
 public:
  /// "run.toml" of `folder`; the output goes to `output`.
  LocalPeers(const std::filesystem::path& folder, const std::filesystem::path& output,
             std::vector<std::string> more = {}, const std::function<void()>& prepare = {});

  Program& program() { return program_; }

  /// Waits until so many evaluations are recorded; false where the run ends before.
  bool reaches(std::size_t evaluations) const;

  /// All peers that are alive: the first ones, then those that came back, each ascending. Needs checkpoints:
  /// the first child is the one that bears them.
  std::vector<pid_t> peers() const;
  /// Those that came back.
  std::vector<pid_t> returned() const;
  /// Kills one, at once. The next call of peers() does not know it any more.
  void kill_peer(pid_t peer);
  /// Kills one and waits for the process that takes its place.
  std::optional<pid_t> kill_and_see_it_return(pid_t peer);

  /// How often a peer was killed so far.
  std::size_t kills() const { return killed_.size(); }

 private:
  std::filesystem::path output_;
  Program program_;
  std::vector<pid_t> killed_;
};

/// Whether the process has a file open whose name begins so.
bool has_open(pid_t process, const std::string& beginning);

}  // namespace hearsay::test
