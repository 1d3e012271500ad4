#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/checkpoint/keeper.hpp"
#include "runtime/network/link.hpp"
#include "runtime/process/compute_thread.hpp"
#include "runtime/process/drive_peer.hpp"
#include "runtime/process/event_pump.hpp"
#include "runtime/process/gradient_pace.hpp"
#include "runtime/process/peer_meter.hpp"
#include "runtime/process/watchman.hpp"
#include "runtime/session/edge_request.hpp"
#include "runtime/session/peer_session.hpp"

namespace hearsay {

/// Drives a peer: hands it what comes in at its sockets and sends what it wants sent, all in one thread.
/// What takes long (gradients, with the time that is emulated for them, and whatever waits for a disk)
/// is computed in a second one, so that nobody waits for a message or a sign of life meanwhile. What
/// comes in then waits, since the peer belongs to the computation; but an asynchronous method goes on to
/// listen and to answer, which its gradients bear.
template <class Scalar>
class PeerDriver {
 public:
  PeerDriver(const Experiment<Scalar>& experiment, PeerId id, PeerSession& session, PeerSockets& sockets,
             SilenceWatch watch, const RunControl& control);
  PeerEnd run() {
    const PeerEnd end = drive();
    pump_.carry_out();
    return end;
  }

 private:
  static constexpr Duration look_around_every = std::chrono::milliseconds(200);

  PeerEnd drive();
  /// What the peer's state asks for.
  void act();

  /// Nobody collects the models: this peer keeps its own, and stays until its neighbors have what they
  /// need of it.
  PeerEnd leave_unobserved();
  void tell_evaluation();
  /// Takes a checkpoint.
  void keep();
  void take_gradient();
  enum class Meanwhile { serves, listens };
  /// Does the work beside the sockets, which are served meanwhile; one that listens also hands over what
  /// comes, and answers. Throws what the work throws.
  void compute(std::function<void()> work, Meanwhile meanwhile);
  void send_outbox();
  /// If it says nothing to its neighbors in this iteration, they are to know all the same what it needs
  /// no more.
  void tell_progress();
  void wait_for_others();
  /// Waits for events, or until `also` is readable, at most a little while, and hands them to the peer.
  void receive(int also = -1);
  /// Hands over what was heard. Returns whether anything was.
  bool take_in() {
    return pump_.drain(
        [this](SocketEvent& event) { std::visit([this](auto& news) { this->on(news); }, event); });
  }
  /// Serves the sockets even if no message is awaited; under policy "drop", also takes in news of
  /// returning neighbors.
  void look_around();

  void on(DataArrived& data) {
    if (stage_ == Stage::awaits_start)
      early_.push_back(std::move(data));
    else
      hear(data);
  }
  void on(const ResumeFrom& resume);
  void on(const RunStarts& start);
  void on(const VerdictArrived& verdict) {
    safe_.hear_verdict(verdict.evaluated, verdict.go_on, verdict.checkpoint_every);
    peer_->verdict(verdict.evaluated, verdict.go_on, verdict.checkpoint_every);
  }
  void on(RunStops& stop);
  void on(const EveryPeerEnded& ended);
  void on(const PeerDeparted& departed) { part_from(departed.id, departed.how); }
  void on(const NeighborReturned& returned) { wish(respond(*peer_, returned)); }
  void on(const AttachmentOffered& offered) { wish(respond(*peer_, offered)); }
  void on(const OfferAnswered& answered) { wish(respond(*peer_, answered)); }
  void on(const ModelAsked& asked) {
    peer_->ask_for_model(asked.by);
    give_copies();
  }
  void on(const ModelArrived& arrived);
  void on(const StillWaits& waits);
  void on(TakesNoPart& refusal) { end_with({refusal.exit_code, std::move(refusal.reason)}); }

  void hear(const DataArrived& data);
  void give_copies() {
    for (const ModelCopy& copy : peer_->copies()) session_.give(copy);
    peer_->copies().clear();
  }
  /// The first reason to end is the true one; what follows are its echoes.
  void end_with(PeerEnd end) {
    if (!end_) end_ = std::move(end);
  }
  /// The run ends: from now on this peer does nothing but end its part.
  void stop() {
    if (stage_ == Stage::trains) stage_ = Stage::stopped;
  }
  /// The user wants this peer to stop: the observer is to end the run everywhere.
  void leave_if_interrupted();
  /// The run goes on, without this process or with its successor.
  void leave_alone();
  /// Gives up whoever is silent for too long.
  void look_at_the_clock();
  void judge_observer(Instant now);
  /// It may be back.
  void look_for_the_observer();
  bool drops() const { return experiment_.settings.failure.drops(); }
  /// Policy "drop": a neighbor is gone, or takes this peer for gone.
  void part_from(PeerId neighbor, const std::string& why);
  /// Of an edge that leaves or comes back: the session tells the other end.
  void wish(const std::optional<EdgeWish>& wish);
  /// Tells the others why this peer leaves; each tells its own neighbors in turn, so that all know even
  /// without observer.
  PeerEnd leave();
  const PeerMeters& meters() { return meter_.read(peer_->counters()); }
  PeerId id() const { return peer_->id(); }
  bool has_started() const { return stage_ == Stage::trains || stage_ == Stage::stopped; }

  const Experiment<Scalar>& experiment_;
  const RunControl& control_;
  PeerSession& session_;
  PacketPool packets_;
  Safekeeping<Scalar> safe_;
  SendingTime sending_;
  std::unique_ptr<Peer<Scalar>> peer_;
  EventPump pump_;
  Watchman watchman_;
  PeerMeter meter_;
  GradientPace pace_;
  std::uint64_t told_from_ = 1;  // the first iteration of which neighbors know that messages are needed
  enum class Stage {
    awaits_start,
    restored,  // from a checkpoint, and awaits the start
    trains,
    stopped,
  } stage_ = Stage::awaits_start;
  std::vector<DataArrived> early_;  // in the first stage: nothing is taken in before the log of it is begun
  std::optional<int> run_code_;     // of the run: all have ended
  std::optional<PeerEnd> end_;
  bool interrupted_ = false;
  bool leaves_alone_ = false;
  ComputeThread compute_thread_;  // last: it uses the others
};

}  // namespace hearsay
