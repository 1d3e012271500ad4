#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/foundation/model_spool.hpp"
#include "runtime/foundation/shared_slots.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/lost_peer.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/transfer/training_traffic.hpp"
#include "runtime/zmq/observer_port.hpp"

namespace hearsay {

/// Runs the observer behind a ROUTER of its own: starts the run when all peers are ready, receives their
/// models, sends the verdicts, ends the run. Its frames pass no emulated link but for those of evaluations
/// under network.evaluations = "shaped" (observer_port.hpp), and no byte counter counts them.
class ObserverServer {
 public:
  /// Binds `bind_address` with the credentials of `observer_peer`, or for plain text if there are none.
  /// `congestion`: network.congestion. `earlier` is not empty if a run is resumed. Throws Misuse if the
  /// address is not available. `evaluator` must outlive the server. `network`: if the emulated network shapes
  /// evaluations. `training`: of the peer in this process, which long frames give way to; null if all peers
  /// are on this machine. `slots`: where these put their evaluations; null: evaluations come over the socket.
  /// `spool`: where the long ones that come are put together; null: in memory.
  ObserverServer(const ObserverInput& input, Evaluator& evaluator, const std::string& bind_address,
                 const SharedCredentials& credentials, const std::string& congestion,
                 const RunRecord& earlier = {}, std::optional<ObserverNetwork> network = {},
                 const TrainingTraffic* training = nullptr, const SharedSlots* slots = nullptr,
                 ModelSpool* spool = nullptr);
  ~ObserverServer();

  const std::string& bound_address() const;

  /// Serves until every peer has ended, and returns the result of the run. `lost` is called several times a
  /// second; it returns a lost peer, or nothing. Throws Misuse if the run is lost before it began because of
  /// wrong input.
  RunResult serve(const RunControl& control, const std::function<std::optional<LostPeer>()>& lost);
  /// Serves until all other peers have been told why this process cannot take part (`why`), or the start
  /// patience is over.
  void turn_away(const std::string& why, const RunControl& control);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace hearsay
