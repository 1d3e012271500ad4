#include "runtime/process/children.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "runtime/process/parent_end.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr std::size_t word_limit_bytes = 128 * most_local_peers;  // an address is at most 127 bytes
constexpr std::chrono::milliseconds poll_interval{50};
/// From the start of a process to its first words.
constexpr Duration time_to_come_up = std::chrono::seconds(10);
/// How often a peer is started again: a peer that always dies must not keep the run alive for ever.
constexpr int most_restarts = 100;
/// How often all peers go back to a checkpoint of all.
constexpr int most_go_backs = 20;
/// Nobody listens there: the address of a peer that is gone before the run begins.
constexpr const char* nowhere = "tcp://127.0.0.1:1";

/// True if the process was killed from outside, so it may be started anew. False for signals that show a bug.
bool was_killed(int status) {
  if (!WIFSIGNALED(status)) return false;
  const int number = WTERMSIG(status);
  return number != SIGABRT && number != SIGSEGV && number != SIGBUS && number != SIGFPE && number != SIGILL;
}

/// True if the reason begins with the peer whose it is: "peer 1: its objective failed". Its neighbors end
/// with the same sentence, and may be heard first.
bool says_whose_it_is(std::string_view reason) {
  constexpr std::string_view peer = "peer ";
  if (!reason.starts_with(peer)) return false;
  const std::size_t end = reason.find_first_not_of("0123456789", peer.size());
  return end != reason.npos && end > peer.size() && reason.substr(end).starts_with(": ");
}

bool is_address(const std::string& word) { return word.starts_with("tcp://"); }

bool is_readable(int socket) {
  pollfd polled{socket, POLLIN, 0};
  return poll(&polled, 1, static_cast<int>(poll_interval.count())) > 0;
}

std::string name_of(std::size_t id) { return "peer " + std::to_string(id); }

}  // namespace

bool say(int socket, const std::string& text) {
  return send(socket, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::string hear(int socket) {
  std::string text(word_limit_bytes, '\0');
  ssize_t length = -1;
  do length = recv(socket, text.data(), text.size(), 0);
  while (length < 0 && errno == EINTR);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

void Children::fork_one(const std::function<int(int)>& main, const std::string& first_address) {
  const auto out_of = [&](const std::string& what) {
    return Misuse("this machine gives out no more " + what + " for " + name_of(children_.size()) + " (" +
                  std::strerror(errno) + "); expected fewer topology.peers, or hearsay simulate");
  };
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) throw out_of("sockets");
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    throw out_of("processes");
  }
  if (process == 0) {
    terms_.drops ? outlive_parent() : end_with_parent();
    if (getppid() != parent) _exit(3);  // the parent died before that
    for (const Child& sibling : children_) close(sibling.socket);
    if (fork_server_) close(fork_server_->socket());
    close(ends[0]);
    // Whatever happens, a child never returns into the parent's code.
    int code = 3;
    try {
      code = main(ends[1]);
    } catch (const std::exception& error) {
      say(ends[1], error.what());
    }
    std::fflush(nullptr);
    _exit(code);
  }
  close(ends[1]);
  children_.push_back({.process = process, .socket = ends[0], .address = first_address});
}

std::optional<std::string> Children::gather_addresses(const RunControl& control) {
  for (std::size_t id = 0; id < children_.size(); ++id) {
    Child& child = children_[id];
    Duration silence{0};  // a time in which this process itself stood still does not count
    while (!child.gone) {
      if (control.is_interrupted()) return std::nullopt;
      std::string how;
      if (is_readable(child.socket)) {
        const std::string word = hear(child.socket);
        if (is_address(word)) {
          child.address = word;
          break;
        }
        how = how_it_ended(id, word);
        if (comes_back(id)) continue;
      } else if ((silence += poll_interval) > terms_.lost_after + time_to_come_up) {
        how = name_of(id) + " was lost: it has said nothing for " + to_text(silence);
        end(child);  // it would never know where the others are
      } else {
        continue;
      }
      if (!terms_.drops) return how;
      child.gone = true;
      child.address = nowhere;
      lost_before_.push_back({static_cast<PeerId>(id), how});
    }
  }
  return std::nullopt;
}

void Children::tell_addresses(const std::string& observer) {
  addresses_.clear();
  for (const Child& child : children_) addresses_ += child.address + "\n";
  addresses_ += observer + "\n";
  for (const Child& child : children_) say(child.socket, addresses_);
}

std::optional<LostPeer> Children::lost() {
  if (!lost_before_.empty()) {
    const LostPeer peer = lost_before_.back();
    lost_before_.pop_back();
    return peer;
  }
  std::vector<pollfd> polled;
  for (const Child& child : children_) polled.push_back({child.gone ? -1 : child.socket, POLLIN, 0});
  polled.push_back({fork_server_ ? fork_server_->socket() : -1, POLLIN, 0});
  if (poll(polled.data(), polled.size(), 0) <= 0) return std::nullopt;
  if (polled.back().revents != 0) {
    fork_server_ = nullptr;
    notice_("the process that starts peers anew was killed; another peer that is killed ends the run");
  }
  for (std::size_t id = 0; id < children_.size(); ++id) {
    if (polled[id].revents == 0) continue;
    std::string word = hear(children_[id].socket);
    // A peer that was started anew sends its address, which is the old one.
    if (is_address(word)) continue;
    if (word == ended_well) {
      children_[id].gone = true;
      continue;
    }
    if (word.starts_with(cannot_come_back)) {
      word.erase(0, std::strlen(cannot_come_back));
      if (fork_server_ && run_has_begun_ && go_backs_ < most_go_backs) {
        notice_(name_of(id) + " cannot come back alone (" + word +
                "); all peers go back to a checkpoint of all");
        have_to_go_back_ = true;
        kill_all();
        return LostPeer{{}, word};
      }
    }
    const std::string how = how_it_ended(id, word);
    if (comes_back(id)) continue;
    children_[id].gone = true;
    return LostPeer{static_cast<PeerId>(id), how};
  }
  return std::nullopt;
}

void Children::go_back() {
  have_to_go_back_ = false;
  run_has_begun_ = false;
  terms_.resumes = true;
  addresses_.clear();
  ++go_backs_;
  for (std::size_t id = 0; id < children_.size(); ++id) {
    children_[id] = {.address = children_[id].address};
    if (!start_again(id, true)) throw Misuse("this machine gives out no more processes for " + name_of(id));
  }
}

void Children::reap() {
  for (Child& child : children_) {
    if (child.socket < 0) continue;
    if (child.is_frozen) kill(child.process, SIGCONT);
    // Who began to join a run that has ended meanwhile would wait for somebody who tells it a model.
    if (child.joins_anew && !is_readable(child.socket)) kill(child.process, SIGKILL);
    while (!hear(child.socket).empty()) {  // until the child is gone
    }
    if (child.process > 0 && child.is_own) waitpid(child.process, nullptr, 0);
    child.process = -1;
  }
}

std::optional<pid_t> Children::freeze(PeerId id) {
  Child& child = children_[id];
  if (child.process <= 0 || child.gone || std::exchange(child.is_frozen, true)) return std::nullopt;
  kill(child.process, SIGSTOP);
  return child.process;
}

void Children::thaw(PeerId id, pid_t process) {
  Child& child = children_[id];
  if (child.process != process || child.gone || !std::exchange(child.is_frozen, false)) return;
  kill(process, SIGCONT);
}

bool Children::end_by_fault(PeerId id, bool comes_back) {
  Child& child = children_[id];
  if (child.process <= 0 || child.gone) return false;
  kill(child.process, SIGKILL);
  child.is_frozen = false;
  while (!hear(child.socket).empty()) {  // until the child is gone
  }
  const std::string how = how_it_ended(id, {});
  child.gone = child.ended_by_fault = true;
  if (!comes_back || !terms_.keeps_checkpoints) lost_before_.push_back({id, how});
  return true;
}

bool Children::start_anew(PeerId id) {
  Child& child = children_[id];
  if (!std::exchange(child.ended_by_fault, false)) return false;
  const bool resumes = terms_.keeps_checkpoints;
  if (!start_again(id, resumes)) return false;
  child.joins_anew = !resumes;
  child.gone = false;
  restarts_ += resumes;
  say(child.socket, addresses_);
  return true;
}

void Children::kill_all() {
  for (Child& child : children_) end(child);
}

/// Kills the process, unless it has ended, and waits until its sockets are closed.
void Children::end(Child& child) {
  if (child.process > 0) kill(child.process, SIGKILL);
  if (child.process > 0 && child.is_own) waitpid(child.process, nullptr, 0);
  while (child.socket >= 0 && !hear(child.socket).empty()) {
  }
  if (child.socket >= 0) close(child.socket);
  child.process = child.socket = -1;
}

/// Starts a killed child anew: from its checkpoints, if the run has begun. False if it was not killed, or
/// cannot be started. Call how_it_ended first.
bool Children::comes_back(std::size_t id) {
  Child& child = children_[id];
  if (!child.killed || !terms_.keeps_checkpoints || child.restarts == most_restarts) return false;
  if (!start_again(id, run_has_begun_ || terms_.resumes)) return false;
  ++child.restarts;
  ++restarts_;
  if (!addresses_.empty()) say(child.socket, addresses_);
  notice_(name_of(id) + (run_has_begun_ ? " was killed; it comes back from its checkpoint"
                                        : " was killed before the run began; it is started again"));
  return true;
}

bool Children::start_again(std::size_t id, bool resumes) {
  Child& child = children_[id];
  if (!fork_server_) return false;
  const auto forked = fork_server_->fork_peer(static_cast<PeerId>(id), child.address, resumes);
  if (!forked) return false;
  if (child.socket >= 0) close(child.socket);
  child.socket = forked->socket;
  child.process = forked->process;
  child.is_own = false;
  return true;
}

/// Waits for the end of a child, and returns how it ended, in a sentence. Throws Misuse if its input was
/// wrong. `reason`: the child's own last words; empty if there were none.
std::string Children::how_it_ended(std::size_t id, const std::string& reason) {
  Child& child = children_[id];
  int status = 0;
  if (child.process > 0 && child.is_own)
    waitpid(child.process, &status, 0);
  else  // a child of the fork server: its status is not known here
    status = reason.empty() ? SIGKILL : 0;
  child.process = -1;
  child.killed = reason.empty() && was_killed(status);
  const std::string name = name_of(id);
  if (!reason.empty() && WIFEXITED(status) && WEXITSTATUS(status) == 2) throw Misuse(name + ": " + reason);
  if (!reason.empty()) return says_whose_it_is(reason) ? reason : name + ": " + reason;
  if (WIFSIGNALED(status)) return name + " was lost: killed by signal " + std::to_string(WTERMSIG(status));
  return name + " was lost: it ended with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace hearsay
