#pragma once

#include <algorithm>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// What the process of a peer takes, in vectors of R^d. Samples, which all processes share, and the program
/// itself do not count.
struct PeerMemory {
  double method = 0.0;     ///< the vectors that its method keeps, and its gradient: the table of methods
  double scratch = 0.0;    ///< what its compressors keep from message to message
  double objective = 0.0;  ///< of an objective that is drawn
  /// Its messages of two iterations, two more for each of the staleness: the last ones it may have to send
  /// again. Asynchronous: the last request to each neighbor, and the last answer.
  double sent = 0.0;
  /// As many messages of each peer that it hears, which may be as far ahead. With a hub: one of each, and a
  /// long one more. Of methods that send several long ones in an iteration: those of an iteration more, whose
  /// storage is not back in time. Of long ones that are mixed piece by piece: those on their way.
  double received = 0.0;
  double told = 2.0;     ///< the models of two evaluations, until the verdict on the earlier one comes;
                         ///< nothing under run.evaluate = "own"
  double initial = 1.0;  ///< x_0; nothing if it is zero, since its pages are given back
  /// Long messages that come take the storage of those that were sent and are needed no more: the
  /// announcement of a newer one says so.
  bool is_storage_shared = false;
  /// Long messages that come are mixed piece by piece: their pieces are what is received.
  bool mixes_pieces = false;

  /// The messages under way at the same time.
  double messages() const { return is_storage_shared ? std::max(sent, received) : sent + received; }
  double total() const { return method + scratch + objective + messages() + told + initial; }

  double checkpoint = 0.0;  ///< the file of one: its vectors and the messages that it has sent
  double log = 0.0;         ///< what it may have received since
  bool comes_back = false;  ///< the run has checkpoints
  /// What a process takes that comes back, while it reads checkpoint and log. What it sends again was read.
  double restored() const { return method + scratch + objective + initial + checkpoint + sent + log; }
  double most() const { return comes_back ? std::max(total(), restored()) : total(); }
};

/// Returns the memory of peer `id`, without taking any: its method is made for a small model. A method whose
/// vectors or messages do not grow with the model alone (matrices of low rank) is estimated.
template <class Scalar>
PeerMemory memory_of_peer(const Experiment<Scalar>& experiment, PeerId id);

/// What the memory of a peer depends on beside its method and its links.
struct ModelMemory {
  double bytes;      // of a vector of R^d
  double objective;  // in such vectors, of an objective that is drawn
  double initial;    // the same, of x_0: none if it is zero, since its pages are given back
};
template <class Scalar>
ModelMemory model_memory_of(const Experiment<Scalar>& experiment);

/// The same of peer `id`, which has such a model. The experiment needs no problem.
template <class Scalar>
PeerMemory memory_with(const Experiment<Scalar>& experiment, PeerId id, const ModelMemory& model);

}  // namespace hearsay
