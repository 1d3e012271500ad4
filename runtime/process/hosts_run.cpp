#include "runtime/process/hosts_run.hpp"

#include <exception>
#include <filesystem>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "runtime/cluster/addresses.hpp"
#include "runtime/experiment/slow_pace.hpp"
#include "runtime/foundation/model_spool.hpp"
#include "runtime/network/congestion.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/process/open_file_limit.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/rules/failure_rules.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/zmq/observer_server.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

/// The observer at peer 0, in a thread of its own.
template <class Scalar>
class ObserverThread {
 public:
  ObserverThread(const Experiment<Scalar>& experiment, const std::vector<std::string>& peers,
                 const std::string& address, const HostsPatience& patience, const RunControl& control,
                 const SharedCredentials& credentials, const TrainingTraffic& training)
      : spool_(spool_of(experiment, control.notice)),
        evaluator_(experiment.problem, experiment.settings.run,
                   evaluated_in(*experiment.method, experiment.settings), who_judges(experiment.problem)),
        server_(observer_input(experiment, patience.start, peers), evaluator_, address, credentials,
                experiment.settings.congestion, control.record, observer_network(experiment, false),
                &training, nullptr, spool_.get()),
        thread_([this, &control] { serve(control); }) {}

  ~ObserverThread() {
    if (!thread_.joinable()) return;
    give_up("peer 0 has ended");
    thread_.join();
  }

  /// Returns the run's outcome, once the run has ended. `reason`: why peer 0 could not go on; empty if it
  /// could.
  RunOutcome<Scalar> join(const std::string& reason) {
    if (!reason.empty()) give_up(reason);
    thread_.join();
    if (error_) std::rethrow_exception(error_);
    return std::move(evaluator_).with_models(std::move(result_));
  }

 private:
  /// Room for the models of two evaluations. Null if they are few or short, or come whole.
  static std::unique_ptr<ModelSpool> spool_of(const Experiment<Scalar>& experiment, const Notice& notice) {
    const std::size_t peers = experiment.peer_count();
    const std::size_t model_bytes = static_cast<std::size_t>(experiment.problem.dimension()) * sizeof(Scalar);
    const RunSettings& settings = experiment.settings;
    const bool come_in_pieces = !settings.shapes_evaluations();
    const bool are_told = settings.run.evaluate != RunSettings::Run::Evaluate::own;
    if (!come_in_pieces || !are_told || peers * model_bytes < worth_a_spool_bytes) return nullptr;
    std::error_code ignored;  // without a working directory no file is made, and the notice says so
    const std::filesystem::path output = std::filesystem::absolute(settings.run.output, ignored);
    return ModelSpool::make(existing_part(output), peers, model_bytes + meters_limit_bytes, notice);
  }

  void serve(const RunControl& control) {
    evaluator_.read_in_place(spool_.get());
    if (!control.wants_models_of_peers) evaluator_.forget_models();
    try {
      result_ = server_.serve(control, [&]() -> std::optional<LostPeer> {
        if (const auto reason = given_up()) return LostPeer{{}, *reason};
        if (const auto reason = control.lost()) return LostPeer{{}, *reason};
        if (const auto ended = control.ended_peer()) return LostPeer{ended->id, ended->how, {}, true};
        return std::nullopt;
      });
    } catch (const Misuse&) {  // the record cannot be written, or some peer's input is wrong
      error_ = std::current_exception();
    }
  }

  void give_up(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    reason_ = reason;
  }
  std::optional<std::string> given_up() {
    const std::lock_guard lock(mutex_);
    return reason_;
  }

  static constexpr std::size_t worth_a_spool_bytes = std::size_t{16} << 20;

  std::unique_ptr<ModelSpool> spool_;
  Observer<Scalar> evaluator_;
  ObserverServer server_;
  std::mutex mutex_;
  std::optional<std::string> reason_;
  RunResult result_;
  std::exception_ptr error_;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

template <class Scalar>
HostsPeerEnd<Scalar> run_hosts_peer(const Experiment<Scalar>& experiment, PeerId id,
                                    const HostsPatience& patience, const RunControl& control,
                                    const Placement& place) {
  require_no_faults(experiment.settings, "hearsay peer");
  require_tcp(experiment.settings, "hearsay peer");
  if (id >= experiment.peer_count())
    throw Misuse("--id", std::to_string(id),
                 "the topology has peers 0 to " + std::to_string(experiment.peer_count() - 1));
  require_open_files_of(experiment, id);
  congestion_here(experiment.settings.congestion);
  if (const auto warning = slow_pace_warning(experiment, id)) control.notice("warning: " + *warning);
  const ClusterAddresses addresses = addresses_of(experiment.topology, place);
  const SharedCredentials credentials =
      load_credentials(experiment.settings.security, experiment.topology.peers, id, control.notice);
  TrainingTraffic traffic;
  std::optional<ObserverThread<Scalar>> observer;
  HostsPeerEnd<Scalar> result;
  const PeerEntry entry{
      .bind_address = peer_listening_address(addresses, experiment.topology, id, place),
      .same_machine = false,
      .start_patience = patience.start,
      .credentials = credentials,
      .resumes = control.resumes,
      .traffic = id == observer_peer ? &traffic : nullptr,
      .meet =
          [&](const std::string&) {
            if (id == observer_peer)
              observer.emplace(experiment, addresses.peers,
                               observer_listening_address(addresses, experiment.topology, place), patience,
                               control, credentials, traffic);
            control.on_listening();
            return RunAddresses{addresses.peers, addresses.observer};
          },
      .on_end =
          [&](const PeerEnd& end) {
            const bool took_no_part = !end.run_goes_on && (end.exit_code == 2 || end.exit_code == 3);
            if (observer) result.outcome = observer->join(took_no_part ? end.reason : "");
          }};
  result.end = drive_peer(experiment, id, entry, control);
  if (result.end.exit_code == 2) throw Misuse(result.end.reason);
  return result;
}

template <class Scalar>
void turn_peers_away(const Experiment<Scalar>& experiment, const HostsPatience& patience,
                     const RunControl& control, const Placement& place, const std::string& why) {
  try {
    const std::string address =
        observer_listening_address(addresses_of(experiment.topology, place), experiment.topology, place);
    Observer<Scalar> evaluator(experiment.problem, experiment.settings.run,
                               evaluated_in(*experiment.method, experiment.settings),
                               who_judges(experiment.problem));
    ObserverServer(observer_input(experiment, patience.start), evaluator, address,
                   load_credentials(experiment.settings.security, experiment.topology.peers, observer_peer,
                                    control.notice),
                   experiment.settings.congestion)
        .turn_away(why, control);
  } catch (const Misuse&) {  // the caller reports `why`, the first error
  }
}

#define HEARSAY_TURN_PEERS_AWAY(Scalar)                                                                     \
  template void turn_peers_away<Scalar>(const Experiment<Scalar>&, const HostsPatience&, const RunControl&, \
                                        const Placement&, const std::string&);
HEARSAY_TURN_PEERS_AWAY(float)
HEARSAY_TURN_PEERS_AWAY(double)
#undef HEARSAY_TURN_PEERS_AWAY

template HostsPeerEnd<float> run_hosts_peer<float>(const Experiment<float>&, PeerId, const HostsPatience&,
                                                   const RunControl&, const Placement&);
template HostsPeerEnd<double> run_hosts_peer<double>(const Experiment<double>&, PeerId, const HostsPatience&,
                                                     const RunControl&, const Placement&);

}  // namespace hearsay
