#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/process/compute_thread.hpp"
#include "runtime/network/link.hpp"
#include "runtime/checkpoint/keeper.hpp"
#include "runtime/session/silence_watch.hpp"
#include "runtime/process/drive_peer.hpp"

namespace hearsay {

/// Drives a peer: hands it what comes in at its sockets and sends what it wants sent, all in one thread. What takes long (gradients,
/// with the time that is emulated for them, and whatever waits for a disk) is computed in a second one, so that nobody waits for a
/// message or a sign of life meanwhile. What comes in then waits, since the peer belongs to the computation; but an asynchronous
/// method goes on to listen and to answer, which its gradients bear.
template <class Scalar>
class PeerDriver {
 public:
  PeerDriver(const Experiment<Scalar>& experiment, PeerId id, PeerSockets& sockets, SilenceWatch watch,
             const RunControl& control);
  PeerEnd run();

 private:
  static constexpr Duration look_around_every = std::chrono::milliseconds(200);
  /// Somebody may wait for what is here, but so little does not matter.
  static constexpr Duration longest_absence = std::chrono::milliseconds(1);
  /// A gradient that will take less, as the last one says, is computed where the sockets are served: two threads need as long to
  /// change places.
  static constexpr Duration worth_a_thread = std::chrono::microseconds(50);

  PeerEnd drive();

  /// Nobody collects the models: this peer keeps its own, and stays until its neighbors have what they need of it.
  PeerEnd leave_unobserved();
  void tell_evaluation();
  /// Takes a checkpoint.
  void keep();
  /// Becomes what an earlier process under this id was, or all were at one iteration.
  void come_back(std::optional<std::uint64_t> iteration);
  void take_gradient();
  /// In the time that the run's network says, if it says one.
  void compute_gradient(Instant begin);
  enum class Meanwhile { serves, listens };
  /// Does the work beside the sockets, which are served meanwhile; one that listens also hands over what comes, and answers. Throws
  /// what the work throws.
  void compute(std::function<void()> work, Meanwhile meanwhile);
  void send_outbox();
  /// Where it says nothing to its neighbors in this iteration, they are to know all the same what it needs no more.
  void tell_progress();
  void wait_for_others();
  /// When the peer has ended: those who ask it are told so.
  void receive_and_answer();
  /// Waits for events, or until `also` is readable, at most a little while, and hands them to the peer.
  void receive(int also = -1);
  /// Hands over what was heard. Whether anything was.
  bool take_in();
  /// One that waits for nobody serves its sockets all the same, and one that is left alone wants to know who comes back.
  void look_around();
  /// Without waiting, where that was long ago.
  void serve_now_and_then();
  void serve(Instant until, int also = -1);
  void listen();
  void handle(SocketEvent& event);
  void begin();
  void hear(const DataArrived& data);
  /// The run has gone on without this peer, which becomes a new one with a neighbor's model.
  void join(const ModelArrived& arrived);
  void give_copies();
  /// The first reason to end is the true one; what follows are its echoes.
  void end_with(PeerEnd end);
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
  void wish(const EdgeWish& wish);
  /// Tells the others why this peer leaves; each tells its own neighbors in turn, so that all know even without observer.
  PeerEnd leave();
  const PeerMeters& meters();

  const Experiment<Scalar>& experiment_;
  const RunControl& control_;
  const NetworkSettings& network_;
  PeerSockets& sockets_;
  Duration lost_after_;
  PeerId id_;
  PacketPool packets_;
  Safekeeping<Scalar> safe_;
  SendingTime sending_;
  SilenceWatch watch_;
  std::unique_ptr<Peer<Scalar>> peer_;
  std::vector<SocketEvent> heard_;    // and not handed to the peer yet
  std::vector<SocketEvent> handled_;  // what of it is handed over now
  PeerMeters meters_;
  PeerMeters earlier_;  // of the processes before this one
  std::uint64_t gradients_ = 0;
  Instant gradient_ended_{};
  /// For the gradient of one minibatch; not known yet.
  double gradient_takes_s_ = std::numeric_limits<double>::infinity();
  std::uint64_t told_from_ = 1;  // the first iteration of which neighbors know that messages are needed
  Instant origin_{};
  Instant waits_since_{};
  Instant served_at_{};                  // the sockets, last
  Instant look_again_ = Instant::max();  // at the clock, since somebody may be lost then
  std::vector<DataArrived> early_;       // before the run began here
  bool unobserved_ = false;              // the observer is gone, and the run goes on
  bool came_back_ = false;
  bool started_ = false;
  bool stopped_ = false;
  bool all_ended_ = false;
  bool interrupted_ = false;
  bool leaves_alone_ = false;
  int run_code_ = 0;
  std::optional<PeerEnd> end_;
  ComputeThread compute_thread_;  // last: it uses the others
};

}  // namespace hearsay
