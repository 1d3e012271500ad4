#include "runtime/process/children.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <utility>
#include <variant>

#include "runtime/foundation/peer_name.hpp"
#include "runtime/process/parent_end.hpp"
#include "runtime/zmq/clock.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

namespace {

constexpr std::size_t text_limit_bytes = 128 * most_local_peers;  // an address is at most 127 bytes
constexpr std::chrono::milliseconds poll_interval{50};
// When the user is told what the start of a run waits for.
constexpr Duration first_word_after = std::chrono::seconds(2);
constexpr Duration word_every = std::chrono::seconds(10);

ProcessEnd end_of(int status) {
  if (!WIFSIGNALED(status)) return {ProcessEnd::By::exit, WEXITSTATUS(status)};
  const int number = WTERMSIG(status);
  const bool shows_a_bug =
      number == SIGABRT || number == SIGSEGV || number == SIGBUS || number == SIGFPE || number == SIGILL;
  return {shows_a_bug ? ProcessEnd::By::own_fault : ProcessEnd::By::outside, number};
}

bool is_readable(int socket) {
  pollfd polled{socket, POLLIN, 0};
  return poll(&polled, 1, static_cast<int>(poll_interval.count())) > 0;
}

/// Sends a signal, unless the process is known to be gone.
void send_signal(pid_t process, int number) {
  if (process > 0) kill(process, number);
}

void hear_to_its_end(int socket) {
  while (!hear(socket).empty()) continue;
}

}  // namespace

bool say(int socket, const std::string& text) {
  return send(socket, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

std::string hear(int socket) {
  std::string text(text_limit_bytes, '\0');
  ssize_t length = -1;
  // ECONNRESET: the other end was closed before it had read everything. The kernel says so once, before
  // it hands out what the other end has said.
  do length = recv(socket, text.data(), text.size(), 0);
  while (length < 0 && (errno == EINTR || errno == ECONNRESET));
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

Children::~Children() {
  for (Child& child : children_) {
    send_signal(child.process, SIGKILL);
    wait_for(child);
    if (child.socket < 0) continue;
    hear_to_its_end(child.socket);
    close(child.socket);
  }
}

void Children::fork_one(const std::function<int(int)>& main, const std::string& first_address) {
  const auto out_of = [&](const std::string& what) {
    return HostRefusal("this machine gives out no more " + what + " for peer " +
                       std::to_string(children_.size()) + " (" + std::strerror(errno) +
                       "); expected fewer topology.peers, or hearsay simulate");
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
    outlive_parent_ ? outlive_parent() : end_with_parent();
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
  children_.push_back({.process = process, .socket = ends[0]});
  supervisor_.add_child(first_address);
}

void Children::leave_out_one(const std::string& address) {
  children_.emplace_back();
  supervisor_.add_absent(address);
}

std::optional<std::string> Children::gather_addresses(const RunControl& control) {
  Duration waited{0};
  Duration next_word = first_word_after;
  for (PeerId id = 0; id < children_.size(); ++id) {
    Duration silence{0};  // a time in which this process itself stood still does not count
    while (supervisor_.awaits_address_of(id)) {
      if (control.is_interrupted()) return std::nullopt;
      if (is_readable(children_[id].socket)) {
        silence = Duration{0};
        supervisor_.hear(id, hear(children_[id].socket));
      } else {
        waited += poll_interval;
        supervisor_.note_silence(id, silence += poll_interval);
      }
      if (waited >= next_word) {
        control.notice("waits for " + name_of(id) + " to draw its objective: " + to_text(waited) + " so far");
        next_word = waited + word_every;
      }
      carry_out();
      if (auto reason = supervisor_.cannot_begin()) return reason;
    }
  }
  return std::nullopt;
}

std::optional<LostPeer> Children::lost() {
  if (auto loss = supervisor_.next_loss()) return loss;
  std::vector<pollfd> polled;
  for (PeerId id = 0; id < children_.size(); ++id)
    polled.push_back({supervisor_.listens_to(id) ? children_[id].socket : -1, POLLIN, 0});
  polled.push_back({fork_server_ ? fork_server_->socket() : -1, POLLIN, 0});
  if (poll(polled.data(), polled.size(), 0) <= 0) return std::nullopt;
  if (polled.back().revents != 0) {
    fork_server_ = nullptr;
    supervisor_.note_end_of_starter();
  }
  for (PeerId id = 0; id < children_.size(); ++id) {
    if (polled[id].revents == 0) continue;
    supervisor_.hear(id, hear(children_[id].socket));
    carry_out();
    if (auto loss = supervisor_.next_loss()) return loss;
  }
  return std::nullopt;
}

void Children::carry_out() {
  while (const auto decision = supervisor_.next_decision())
    std::visit([this](const auto& decided) { on(decided); }, *decision);
}

void Children::on(const Supervisor::Start& start) {
  const auto forked = fork_server_
                          ? fork_server_->fork_peer(start.id, supervisor_.address(start.id), start.resumes)
                          : std::nullopt;
  if (!forked) return supervisor_.note_not_started(start.id);
  Child& child = children_[start.id];
  if (child.socket >= 0) close(child.socket);
  child = {.process = forked->process, .is_own = false, .socket = forked->socket};
  supervisor_.note_started(start.id);
}

void Children::on(const Supervisor::End& end) {
  Child& child = children_[end.id];
  send_signal(child.process, SIGKILL);
  hear_to_its_end(child.socket);
  supervisor_.note_end(end.id, wait_for(child));
}

void Children::on(const Supervisor::AwaitEnd& await) {
  supervisor_.note_end(await.id, wait_for(children_[await.id]));
}

void Children::on(const Supervisor::Freeze& freeze) { send_signal(children_[freeze.id].process, SIGSTOP); }

void Children::on(const Supervisor::Thaw& thaw) { send_signal(children_[thaw.id].process, SIGCONT); }

void Children::on(const Supervisor::TellAddresses& tell) {
  say(children_[tell.id].socket, supervisor_.addresses());
}

// The run was judged before any child was forked: what only a child finds wrong is the host's.
void Children::on(const Supervisor::Refuse& refuse) { throw HostRefusal(refuse.why); }

/// Returns how the process has ended; empty if it is a child of the fork server, for which only that waits.
std::optional<ProcessEnd> Children::wait_for(Child& child) {
  const pid_t process = std::exchange(child.process, -1);
  if (process <= 0 || !child.is_own) return std::nullopt;
  int status = 0;
  waitpid(process, &status, 0);
  return end_of(status);
}

void Children::await_ends(Duration longest) {
  const Instant until = monotonic_now() + longest;
  for (const Child& child : children_)
    while (child.socket >= 0 && monotonic_now() < until)
      if (is_readable(child.socket) && hear(child.socket).empty()) break;
}

void Children::reap() {
  for (PeerId id = 0; id < children_.size(); ++id) {
    Child& child = children_[id];
    if (child.socket < 0) continue;
    if (supervisor_.stands_still(id)) send_signal(child.process, SIGCONT);
    if (supervisor_.may_have_come_late(id) && !is_readable(child.socket)) send_signal(child.process, SIGKILL);
    hear_to_its_end(child.socket);
    wait_for(child);
  }
}

}  // namespace hearsay
