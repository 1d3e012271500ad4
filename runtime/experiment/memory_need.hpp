#pragma once

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// What the process of a peer takes, in vectors of R^d.
struct PeerMemory {
  double method = 0.0;     ///< the vectors that its method keeps, and its gradient: the table of methods
  double objective = 0.0;  ///< of an objective that is drawn; samples, which are shared, do not count
  double messages =
      0.0;  ///< its own of two iterations, which it may have to send again, and one of each peer
            ///< that it hears; a message that is as long as its compressor says at most

  double total() const { return method + objective + messages; }
};

/// Returns the memory of peer `id`, without taking any: its method is made for a small model. A method whose
/// vectors do not grow with the model alone (of matrices of low rank) is estimated.
template <class Scalar>
PeerMemory memory_of_peer(const Experiment<Scalar>& experiment, PeerId id);

/// Whose peers are to fit into the memory of this machine.
enum class Holds {
  all_in_processes,  ///< each in a process of its own
  all_at_once,       ///< all in this process, in virtual time
  one,               ///< the others are on other hosts
};

/// Throws Misuse, which says how many peers and parameters fit, if the peers need more memory than this
/// machine has. Counts what they need at least.
template <class Scalar>
void require_memory(const Experiment<Scalar>& experiment, Holds holds);

}  // namespace hearsay
