#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/record/run_control.hpp"
#include "runtime/security/credentials.hpp"

namespace hearsay {

/// A peer that somebody knows to be lost, if it is known which, and how.
struct LostPeer {
  std::optional<PeerId> id;
  std::string how;
};

/// The observer behind a ROUTER of its own: begins the run when all peers are ready, collects their
/// models, sends the verdicts, ends the run. No shaped link carries its frames and no byte counter sees
/// them.
class ObserverServer {
 public:
  /// With the credentials of `observer_peer`, or in plain text. Throws Misuse where the address cannot
  /// be had. The evaluator must outlive the server.
  ObserverServer(const ObserverInput& input, Evaluator& evaluator, const std::string& bind_address,
                 const SharedCredentials& credentials = {}, const std::vector<Evaluation>& record = {});
  ~ObserverServer();

  const std::string& bound_address() const;

  /// Serves until every peer has ended. `lost` is asked several times a second whether a peer was lost,
  /// and how. Throws Misuse where a peer refused to take part because somebody's input is wrong.
  RunResult serve(const RunControl& control, const std::function<std::optional<LostPeer>()>& lost);
  /// Serves until everybody else was told why this process cannot take part, or the start patience is over.
  void turn_away(const std::string& why, const RunControl& control);

 private:
  class Server;
  std::unique_ptr<Server> server_;
};

}  // namespace hearsay
