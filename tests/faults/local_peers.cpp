#include "tests/faults/local_peers.hpp"

#include <signal.h>

#include <algorithm>

#include "tests/support/run_record.hpp"

namespace hearsay::test {

namespace fs = std::filesystem;

namespace {

std::vector<std::string> words_of(const fs::path& output, std::vector<std::string> more) {
  std::vector<std::string> words = {"run", "run.toml", "--quiet", "--output", output.string()};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

LocalPeers::LocalPeers(const fs::path& folder, const fs::path& output, std::vector<std::string> more,
                       const std::function<void()>& prepare)
    : output_(output), program_(folder, words_of(output, std::move(more)), Program::Output::file, prepare) {}

bool LocalPeers::reaches(std::size_t evaluations) const {
  return program_.wait_until([&] { return evaluations_in(output_) >= evaluations; });
}

std::vector<pid_t> LocalPeers::returned() const {
  const std::vector<pid_t> children = program_.children();
  std::vector<pid_t> alive = children.empty() ? children : children_of(children.front());
  std::erase_if(alive, [&](pid_t peer) { return std::ranges::find(killed_, peer) != killed_.end(); });
  return alive;
}

std::vector<pid_t> LocalPeers::peers() const {
  std::vector<pid_t> alive = program_.children();
  if (!alive.empty()) alive.erase(alive.begin());
  std::erase_if(alive, [&](pid_t peer) { return std::ranges::find(killed_, peer) != killed_.end(); });
  for (const pid_t peer : returned()) alive.push_back(peer);
  return alive;
}

void LocalPeers::kill_peer(pid_t peer) {
  killed_.push_back(peer);
  kill(peer, SIGKILL);
}

std::optional<pid_t> LocalPeers::kill_and_see_it_return(pid_t peer) {
  const std::vector<pid_t> before = returned();
  kill_peer(peer);
  std::optional<pid_t> successor;
  program_.wait_until([&] {
    for (const pid_t now : returned())
      if (std::ranges::find(before, now) == before.end()) successor = now;
    return successor.has_value();
  });
  return successor;
}

bool has_open(pid_t process, const std::string& beginning) {
  std::error_code error;
  fs::directory_iterator entry("/proc/" + std::to_string(process) + "/fd", error);
  for (const fs::directory_iterator end; !error && entry != end; entry.increment(error)) {
    std::error_code gone;
    const fs::path file = fs::read_symlink(entry->path(), gone);
    if (!gone && file.filename().string().starts_with(beginning)) return true;
  }
  return false;
}

}  // namespace hearsay::test
