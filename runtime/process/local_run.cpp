#include "runtime/process/local_run.hpp"

#include <algorithm>
#include <chrono>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/foundation/shared_slots.hpp"
#include "runtime/network/congestion.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/process/children.hpp"
#include "runtime/process/drive_peer.hpp"
#include "runtime/process/fork_server.hpp"
#include "runtime/process/freed_pages.hpp"
#include "runtime/process/local_addresses.hpp"
#include "runtime/process/open_file_limit.hpp"
#include "runtime/process/parent_end.hpp"
#include "runtime/process/signs_of_life.hpp"
#include "runtime/rules/failure_rules.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "runtime/supervision/child_words.hpp"
#include "runtime/supervision/fault_injector.hpp"
#include "runtime/supervision/supervisor.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/zmq/clock.hpp"
#include "runtime/zmq/keys.hpp"
#include "runtime/zmq/observer_server.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

constexpr Duration start_patience = std::chrono::seconds(60);

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

/// What all processes of a run know. With a `network` each peer enters its host's namespace first.
template <class Scalar>
struct LocalRun {
  const Experiment<Scalar>& experiment;
  const RunControl& control;
  const KernelNetwork* network;
  std::vector<KeyPair> keys = {};
  std::unique_ptr<SharedSlots> slots = {};  ///< for the evaluations; null if the machine gives none
  bool starts_at_zero = false;              ///< x_0 is zero, and its pages were given back

  const RunSettings& settings() const { return experiment.settings; }
  PeerId peer_count() const { return experiment.peer_count(); }
};

/// Runs peer `id` in a child process; returns its exit code. `address`: where to listen. `resumes`: whether
/// to resume from checkpoints. `parent`: the socket to it.
template <class Scalar>
int child_main(const LocalRun<Scalar>& run, PeerId id, const std::string& address, bool resumes, int parent) {
  keep_freed_pages();
  run.control.in_process_of(id);
  const Experiment<Scalar>& experiment = run.experiment;
  const KernelNetwork* const network = run.network;
  const Notice& notice = run.control.notice;
  try {
    {
      const SignsOfLife signs([parent] { say(parent, at_work); });
      experiment.problem.objectives[id]->get_ready();
    }
    if (network) network->peer(id).enter();
    // True: frames say at which instant they are due. False: they say for how long the receiver holds them
    // after they have come. The latter is right if the kernel limits bandwidth and the built-in link adds the
    // latency.
    const bool absolute_due = !network || network->holds_latency();
    RunControl control;
    control.notice = notice;
    control.timeline = run.control.timeline;
    control.observer_is_gone = parent_has_ended;
    control.out_of_patience = must_end_without_parent;
    const PeerEntry entry{.bind_address = address,
                          .same_machine = absolute_due,
                          .start_patience = start_patience,
                          .credentials = share_credentials(run.keys, id, notice),
                          .resumes = resumes,
                          .limits_bandwidth = !network,
                          .slots = run.slots.get(),
                          .meet = [&](const std::string& own) -> std::optional<RunAddresses> {
                            say(parent, own);
                            std::vector<std::string> addresses = split_lines(hear(parent));
                            if (addresses.size() != experiment.peer_count() + 1)
                              return std::nullopt;  // the parent is gone
                            const std::string observer = addresses.back();
                            addresses.pop_back();
                            return RunAddresses{std::move(addresses), observer};
                          },
                          .on_end = [&](const PeerEnd& end) { say(parent, last_words(end, resumes)); }};
    const PeerEnd end = drive_peer(experiment, id, entry, control);
    if (experiment.problem.say_end)
      experiment.problem.say_end(end.exit_code, end.reason, experiment.settings.run.output.string(), {});
    return end.exit_code;
  } catch (const Misuse& misuse) {
    say(parent, misuse.what());
    return 2;
  }
}

/// The processes of a run, and all that is decided about them.
struct LocalProcesses {
  Supervisor supervisor;
  Children children;
  FaultInjector faults;
  LocalAddresses addresses;

  template <class Scalar>
  LocalProcesses(const LocalRun<Scalar>& run, ForkServer* fork_server)
      : supervisor({.policy = Supervisor::policy_of(run.settings().failure),
                    .resumes = run.control.resumes,
                    .can_start = fork_server != nullptr,
                    .lost_after = run.settings().failure.lost_after},
                   run.control.notice),
        children(fork_server, supervisor, run.settings().failure.drops()),
        faults(faults_of(run.settings().faults, run.peer_count()), supervisor, run.control.notice),
        addresses(run.settings(), run.experiment.topology.peers, run.network) {}

  /// Starts all peers but those that join later. They get their address now: the others have to know it.
  template <class Scalar>
  void start(const LocalRun<Scalar>& run) {
    for (PeerId id = 0; id < run.peer_count(); ++id) {
      if (std::ranges::binary_search(run.settings().failure.join_later, id)) {
        children.leave_out_one(addresses.known_of(id));
        continue;
      }
      const std::string address = addresses.first_of(id);
      children.fork_one([&](int parent) { return child_main(run, id, address, run.control.resumes, parent); },
                        address);
    }
  }

  /// Lets faults happen that are due, and returns the next peer that is lost.
  std::optional<LostPeer> look(Instant now) {
    while (faults.step(now)) children.carry_out();
    return children.lost();
  }
};

/// Runs the peers, which were started, to the end of the run, or until all have to go back. `record` is that
/// of the run so far; what follows is added.
template <class Scalar>
RunOutcome<Scalar> run_once(const LocalRun<Scalar>& run, LocalProcesses& processes, RunRecord& record) {
  const Experiment<Scalar>& experiment = run.experiment;
  const RunControl& caller = run.control;
  const KernelNetwork* const network = run.network;
  RunOutcome<Scalar> outcome;
  const auto failure = processes.children.gather_addresses(caller);
  if (failure || caller.is_interrupted()) {
    outcome.status = failure ? RunStatus::lost : RunStatus::interrupted;
    outcome.reason = failure.value_or("interrupted");
    return outcome;
  }
  RunControl control = caller;
  const RunRecord earlier = record;
  control.on_start = [&](std::uint64_t first) {
    processes.supervisor.note_start();
    processes.faults.begin(monotonic_now());
    std::erase_if(record.evaluations,
                  [&](const Evaluation& evaluation) { return evaluation.iteration >= first; });
    caller.on_start(first);
  };
  control.on_evaluation = [&](const Evaluation& evaluation) {
    record.evaluations.push_back(evaluation);
    caller.on_evaluation(evaluation);
  };
  if (caller.on_best)
    control.on_best = [&](const KeptModel& best) {
      record.best = best;
      caller.on_best(best);
    };
  std::optional<NamespaceVisit> at_the_switch;
  if (network) at_the_switch.emplace(network->hub());
  Observer<Scalar> evaluator(experiment.problem, experiment.settings.run,
                             evaluated_in(*experiment.method, experiment.settings),
                             who_judges(experiment.problem));
  if (!caller.wants_models_of_peers) evaluator.forget_models();
  evaluator.read_in_place(run.slots.get());
  ObserverServer observer(
      observer_input(experiment, start_patience), evaluator, processes.addresses.of_observer(),
      share_credentials(run.keys, observer_peer, control.notice), run.settings().congestion, earlier,
      observer_network(experiment, true), nullptr, run.slots.get());
  if (run.starts_at_zero)  // the observer has read x_0
    give_back_known_zeros(std::as_bytes(view(experiment.problem.initial)));
  at_the_switch.reset();
  processes.supervisor.tell_addresses(observer.bound_address());
  processes.children.carry_out();
  return std::move(evaluator).with_models(
      observer.serve(control, [&] { return processes.look(monotonic_now()); }));
}

/// Throws Misuse if the run cannot be one of processes on this machine.
template <class Scalar>
void require_runnable(const LocalRun<Scalar>& run) {
  require_starts_of_later(run.settings(), "hearsay run");
  if (run.peer_count() > most_local_peers)
    throw Misuse("topology.peers", std::to_string(run.peer_count()),
                 "at most " + std::to_string(most_local_peers) +
                     " peers run as processes of one machine; hearsay simulate takes any number");
  require_open_files(open_files_of_parent(run.peer_count()), "the run");
  for (PeerId id = 0; id < run.peer_count(); ++id) require_open_files_of(run.experiment, id);
  const std::vector<NamedPeer>& peers = run.experiment.topology.peers;
  require_fitting_transport(run.settings(), peers, run.network != nullptr);
  if (transport_of(run.settings(), peers, run.network != nullptr) == Transport::tcp)
    congestion_here(run.settings().congestion);
  if (!run.control.resumes) return;
  for (PeerId id = 0; id < run.peer_count(); ++id)  // unusable checkpoints: once, before any peer begins
    PeerArchive<Scalar>(run.experiment, id, archive_directory(run.settings())).holds();
}

/// So long an interrupted run waits for peers that write their own models (run.evaluate = "own").
constexpr Duration time_to_keep_models = std::chrono::seconds(10);

}  // namespace

template <class Scalar>
RunOutcome<Scalar> run_local(const Experiment<Scalar>& experiment, const RunControl& control,
                             const KernelNetwork* network) {
  LocalRun<Scalar> run{experiment, control, network};
  require_runnable(run);
  run.starts_at_zero = give_back_zeros(std::as_bytes(view(experiment.problem.initial)));
  const bool judges_own = experiment.settings.run.evaluate == RunSettings::Run::Evaluate::own;
  if (!judges_own)
    run.slots = SharedSlots::make(
        experiment.peer_count(),
        static_cast<std::size_t>(experiment.problem.dimension()) * sizeof(Scalar) + meters_limit_bytes);
  // Keys made for this run alone. The key files of the hosts do not help: each holds the secret of one peer,
  // and here run all peers.
  if (has_keys(experiment.settings.security))
    for (PeerId id = 0; id < experiment.peer_count(); ++id) run.keys.push_back(new_key_pair());
  std::optional<ForkServer> fork_server;
  if (experiment.settings.failure.keeps_checkpoints() || !experiment.settings.faults.empty())
    fork_server.emplace([&](PeerId id, const std::string& address, bool resumes,
                            int parent) { return child_main(run, id, address, resumes, parent); },
                        control.notice, experiment.settings.failure.drops());
  LocalProcesses processes(run, fork_server ? &*fork_server : nullptr);
  processes.start(run);
  RunRecord record = control.record;
  RunOutcome<Scalar> outcome = run_once(run, processes, record);
  while (processes.supervisor.have_to_go_back() && !control.is_interrupted()) {
    if (run.slots) run.slots->clear();  // the processes have ended
    processes.supervisor.go_back();
    processes.children.carry_out();
    record.events = std::move(outcome.events);
    outcome = run_once(run, processes, record);
  }
  outcome.restarts = processes.supervisor.restarts();
  if (outcome.status != RunStatus::lost && outcome.status != RunStatus::interrupted)
    processes.children.reap();
  else if (outcome.status == RunStatus::interrupted && judges_own && !outcome.evaluations.empty())
    processes.children.await_ends(time_to_keep_models);
  return outcome;
}

template RunOutcome<float> run_local<float>(const Experiment<float>&, const RunControl&,
                                            const KernelNetwork*);
template RunOutcome<double> run_local<double>(const Experiment<double>&, const RunControl&,
                                              const KernelNetwork*);

}  // namespace hearsay
