#pragma once

#include <optional>
#include <string>

#include "runtime/participant/part.hpp"
#include "runtime/session/edge_request.hpp"

namespace hearsay {

/// What a participant decides on those that are silent or gone: neighbors, the hub, its standby, the
/// observer. Under policy "wait" the run ends; under "drop" it goes on without them, and with them once they
/// are back.
template <class Scalar>
class Losses {
 public:
  /// `part` must outlive this object.
  explicit Losses(Part<Scalar>& part) : part_(part) {}

  /// Gives up neighbors, and the observer, that are silent for too long. Looks at them several times within
  /// failure.lost_after, and when one of them may be lost.
  void check_deadlines();
  /// If a lost observer is heard again, goes on with it.
  void look_for_observer();
  /// Policy "drop": a neighbor is gone, or takes this peer for gone.
  void hear(const PeerDeparted& departed);
  /// Hands a change of an edge, if there is one, to the session.
  void send(const std::optional<EdgeRequest>& request);

 private:
  void judge_neighbors();
  void judge_offers();
  void judge_hub_with_standby();
  void judge_observer();
  void judge_destinations();
  Duration patience_with_standby() const;
  void part_from(PeerId neighbor, const std::string& why);
  void leave_before_the_start(PeerId neighbor);
  std::string what_follows(PeerId lost) const;
  /// The hub with which this worker trains is gone, so the worker ends. If the hub is alive, the run goes on
  /// without the worker; if not, the observer ends it. So the worker says no more than that it leaves.
  void lose_hub(const std::string& how);
  /// This hub was silent for too long: its standby has taken over, and the run goes on without it.
  void end_as_replaced();

  using News = PeerNews::Kind;
  using Phase = typename Part<Scalar>::Phase;

  Part<Scalar>& part_;
  Instant check_again_{};  // a check looks at all awaited peers: not after every frame
};

}  // namespace hearsay
