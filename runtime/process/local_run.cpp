#include "runtime/process/local_run.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/cluster/address.hpp"
#include "runtime/experiment/join_later.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/process/drive_peer.hpp"
#include "runtime/process/fork_server.hpp"
#include "runtime/process/freed_pages.hpp"
#include "runtime/process/open_file_limit.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/zmq/keys.hpp"
#include "runtime/zmq/observer_server.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr Duration start_patience = std::chrono::seconds(60);
constexpr PeerId most_local_peers = 512;
constexpr std::size_t word_limit_bytes = 128 * most_local_peers;  // an address is at most 127 bytes

// Parent and child exchange whole texts over a seqpacket socket pair: first the child sends its address, then
// the parent sends all addresses, and at its end the child sends its reason, or `ended_well`.
constexpr const char* ended_well = "ended well";

bool say(int socket, const std::string& text) {
  return send(socket, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

/// Returns the next text; empty if the other end is gone.
std::string hear(int socket) {
  std::string text(word_limit_bytes, '\0');
  const ssize_t length = recv(socket, text.data(), text.size(), 0);
  text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
  return text;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

// Flags of a child that may outlive its parent (policy "drop"). Ctrl-C reaches all processes of the group,
// and the parent tells the children what to do. But a parent that ended at once (second Ctrl-C) may have told
// none, so a child ends by itself if both flags are set.
std::atomic<bool> parent_is_gone{false};
std::atomic<bool> was_interrupted{false};

void note_end_of_parent(int) { parent_is_gone = true; }
void note_interrupt(int) { was_interrupted = true; }

void outlive_parent() {
  signal(SIGUSR1, note_end_of_parent);
  for (const int number : {SIGINT, SIGHUP})
    if (signal(number, note_interrupt) == SIG_IGN) signal(number, SIG_IGN);  // keep what nohup has set
}

/// Runs peer `id` in a child process; returns its exit code. `address`: where to listen. `resumes`: whether
/// to resume from checkpoints. With a `network` the process enters its host's namespace first.
template <class Scalar>
int child_main(const Experiment<Scalar>& experiment, PeerId id, const std::string& address, bool resumes,
               int parent, const std::vector<KeyPair>& keys, const KernelNetwork* network,
               const RunControl& of_run) {
  keep_freed_pages();
  const Notice& notice = of_run.notice;
  try {
    if (network) network->peer(id).enter();
    // True: frames say at which instant they are due. False: they say for how long the receiver holds them
    // after they have come. The latter is right if the kernel limits bandwidth and the built-in link adds the
    // latency.
    const bool absolute_due = !network || network->holds_latency();
    RunControl control;
    control.notice = notice;
    control.timeline = of_run.timeline;
    control.observer_is_gone = [] { return parent_is_gone.load(); };
    control.out_of_patience = [] { return parent_is_gone && was_interrupted; };
    const PeerEntry entry{
        .bind_address = address,
        .same_machine = absolute_due,
        .start_patience = start_patience,
        .credentials = share_credentials(keys, id, notice),
        .resumes = resumes,
        .limits_bandwidth = !network,
        .meet = [&](const std::string& own) -> std::optional<RunAddresses> {
          say(parent, own);
          std::vector<std::string> addresses = split_lines(hear(parent));
          if (addresses.size() != experiment.peer_count() + 1) return std::nullopt;  // the parent is gone
          const std::string observer = addresses.back();
          addresses.pop_back();
          return RunAddresses{std::move(addresses), observer};
        },
        .on_end = [&](const PeerEnd& end) { say(parent, end.exit_code == 0 ? ended_well : end.reason); }};
    const PeerEnd end = drive_peer(experiment, id, entry, control);
    if (experiment.problem.say_end)
      experiment.problem.say_end(end.exit_code, end.reason, experiment.settings.run.output.string());
    return end.exit_code;
  } catch (const Misuse& misuse) {
    say(parent, misuse.what());
    return 2;
  }
}

/// Returns the address at which peer `id` listens first; its port may be "*".
std::string first_address(const NamedPeer& peer, PeerId id, const KernelNetwork* network) {
  if (network) return "tcp://" + network->address(id) + ":*";
  return peer.address.empty() ? "tcp://127.0.0.1:*" : listening_address(peer.address, peer.bind);
}

/// How often a peer is started again: a peer that always dies must not keep the run alive for ever.
constexpr int most_restarts = 100;

struct Child {
  pid_t process = -1;
  int socket = -1;
  std::string address = {};
  int restarts = 0;
  bool killed = false;
  bool gone = false;  // the process has ended, and that was handled
};

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

class Children {
 public:
  /// `fork_server` starts killed peers again; null: they are not.
  Children(ForkServer* fork_server, const Notice& notice) : fork_server_(fork_server), notice_(notice) {}

  ~Children() {
    for (Child& child : children_) {
      if (child.socket >= 0) close(child.socket);
      if (child.process > 0) {
        kill(child.process, SIGKILL);
        waitpid(child.process, nullptr, 0);
      }
    }
  }

  template <class Main>
  void fork_one(const Main& main, bool dies_with_parent) {
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
      if (dies_with_parent)
        signal(SIGINT, SIG_IGN);
      else
        outlive_parent();
      signal(SIGTERM, SIG_DFL);
      prctl(PR_SET_PDEATHSIG, dies_with_parent ? SIGKILL : SIGUSR1);
      if (getppid() != parent) _exit(3);  // the parent died before prctl
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
    children_.push_back({process, ends[0], {}});
  }

  /// Notes the address of every child, in order. Returns how a child ended, if one did before; empty if all
  /// listen.
  std::optional<std::string> gather_addresses() {
    for (Child& child : children_) {
      const auto id = static_cast<std::size_t>(&child - children_.data());
      child.address = hear(child.socket);
      if (child.address.empty()) return how_it_ended(id, "");
      if (child.address.rfind("tcp://", 0) != 0) return how_it_ended(id, child.address);
    }
    return std::nullopt;
  }

  void tell_addresses(const std::string& observer) {
    for (const Child& child : children_) addresses_ += child.address + "\n";
    addresses_ += observer + "\n";
    for (const Child& child : children_) say(child.socket, addresses_);
  }

  /// Returns the next child that was lost and could not be started anew; empty if there is none.
  std::optional<LostPeer> lost() {
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
      const std::string word = hear(children_[id].socket);
      // A peer that was started anew sends its address, which is the old one.
      if (word.starts_with("tcp://")) continue;
      if (word == ended_well) {
        children_[id].gone = true;
        continue;
      }
      const std::string how = how_it_ended(id, word);
      if (comes_back(id)) continue;
      children_[id].gone = true;
      return LostPeer{static_cast<PeerId>(id), how};
    }
    return std::nullopt;
  }

  std::uint64_t restarts() const { return restarts_; }

  /// After the observer's `bye`: waits until the children have ended by themselves.
  void reap() {
    for (Child& child : children_) {
      hear(child.socket);  // returns when the child is gone
      if (child.process > 0) waitpid(child.process, nullptr, 0);
      child.process = -1;
    }
  }

 private:
  /// The Misuse of a machine that cannot run so many peers.
  Misuse out_of(const std::string& what) const {
    return Misuse("this machine gives out no more " + what + " for peer " + std::to_string(children_.size()) +
                  " (" + std::strerror(errno) + "); expected fewer topology.peers, or hearsay simulate");
  }

  /// Starts a killed child anew, from its checkpoints. False if it was not killed, or cannot be started. Call
  /// how_it_ended first.
  bool comes_back(std::size_t id) {
    Child& child = children_[id];
    if (!fork_server_ || !child.killed || child.restarts == most_restarts) return false;
    const int socket = fork_server_->fork_peer(static_cast<PeerId>(id), child.address);
    if (socket < 0) return false;
    close(child.socket);
    child.socket = socket;
    ++child.restarts;
    ++restarts_;
    say(socket, addresses_);
    notice_("peer " + std::to_string(id) + " was killed; it comes back from its checkpoint");
    return true;
  }

  /// Waits for the end of a child, and returns how it ended, in a sentence. Throws Misuse if its input was
  /// wrong. `reason`: the child's own last words; empty if there were none.
  std::string how_it_ended(std::size_t id, const std::string& reason) {
    Child& child = children_[id];
    int status = 0;
    if (child.process > 0)
      waitpid(child.process, &status, 0);
    else  // a child of the fork server: its status is not known here
      status = reason.empty() ? SIGKILL : 0;
    child.process = -1;
    child.killed = reason.empty() && was_killed(status);
    const std::string name = "peer " + std::to_string(id);
    if (!reason.empty() && WIFEXITED(status) && WEXITSTATUS(status) == 2) throw Misuse(name + ": " + reason);
    if (!reason.empty()) return says_whose_it_is(reason) ? reason : name + ": " + reason;
    if (WIFSIGNALED(status)) return name + " was lost: killed by signal " + std::to_string(WTERMSIG(status));
    return name + " was lost: it ended with code " + std::to_string(WEXITSTATUS(status));
  }

  ForkServer* fork_server_;
  const Notice& notice_;
  std::vector<Child> children_;
  std::string addresses_;
  std::uint64_t restarts_ = 0;
};

}  // namespace

template <class Scalar>
RunOutcome<Scalar> run_local(const Experiment<Scalar>& experiment, const RunControl& control,
                             const KernelNetwork* network) {
  require_all_from_the_start(experiment.settings, "hearsay run");
  if (experiment.peer_count() > most_local_peers)
    throw Misuse("topology.peers", std::to_string(experiment.peer_count()),
                 "at most " + std::to_string(most_local_peers) +
                     " peers run as processes of one machine; hearsay simulate takes any number");
  require_open_files(open_files_of_parent(experiment.peer_count()), "the run");
  for (PeerId id = 0; id < experiment.peer_count(); ++id) require_open_files_of(experiment, id);
  // Keys made for this run alone. The key files of the hosts do not help: each holds the secret of one peer,
  // and here run all peers.
  std::vector<KeyPair> keys;
  if (has_keys(experiment.settings.security))
    for (PeerId id = 0; id < experiment.peer_count(); ++id) keys.push_back(new_key_pair());
  if (control.resumes)  // throws if checkpoints are unusable: once, before any peer begins
    for (PeerId id = 0; id < experiment.peer_count(); ++id)
      PeerArchive<Scalar>(experiment, id, archive_directory(experiment.settings)).holds();
  std::optional<ForkServer> fork_server;
  if (experiment.settings.failure.keeps_checkpoints())
    fork_server.emplace(
        [&](PeerId id, const std::string& address, int parent) {
          return child_main(experiment, id, address, true, parent, keys, network, control);
        },
        control.notice);
  // Under policy "drop" the children survive their parent.
  const bool drops = experiment.settings.failure.drops();
  Children children(fork_server ? &*fork_server : nullptr, control.notice);
  for (PeerId id = 0; id < experiment.peer_count(); ++id)
    children.fork_one(
        [&](int parent) {
          return child_main(experiment, id, first_address(experiment.topology.peers[id], id, network),
                            control.resumes, parent, keys, network, control);
        },
        !drops);

  RunOutcome<Scalar> outcome;
  if (const auto failure = children.gather_addresses()) {
    outcome.status = RunStatus::lost;
    outcome.reason = *failure;
    return outcome;
  }
  std::optional<NamespaceVisit> at_the_switch;
  if (network) at_the_switch.emplace(network->hub());
  Observer<Scalar> evaluator(experiment.problem, experiment.settings.run,
                             evaluated_in(*experiment.method, experiment.settings),
                             who_judges(experiment.problem));
  ObserverServer observer(observer_input(experiment, start_patience), evaluator,
                          "tcp://" + (network ? network->observer_address() : "127.0.0.1") + ":*",
                          share_credentials(keys, observer_peer, control.notice), control.record,
                          observer_network(experiment, true));
  at_the_switch.reset();
  children.tell_addresses(observer.bound_address());
  outcome = evaluator.with_models(observer.serve(control, [&] { return children.lost(); }));
  outcome.restarts = children.restarts();
  if (outcome.status != RunStatus::lost && outcome.status != RunStatus::interrupted) children.reap();
  return outcome;
}

template RunOutcome<float> run_local<float>(const Experiment<float>&, const RunControl&,
                                            const KernelNetwork*);
template RunOutcome<double> run_local<double>(const Experiment<double>&, const RunControl&,
                                              const KernelNetwork*);

}  // namespace hearsay
