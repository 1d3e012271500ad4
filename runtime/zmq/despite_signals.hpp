#pragma once

#include <cerrno>
#include <zmq.hpp>

namespace hearsay {

/// What a call of ZeroMQ returns. It gives up, and has done nothing, where a signal comes, be it one that does not wait; the signal's
/// handler has seen to the signal, so the call is made again.
template <class Call>
auto despite_signals(const Call& call) {
  for (;;) {
    try {
      return call();
    } catch (const zmq::error_t& error) {
      if (error.num() != EINTR) throw;
    }
  }
}

}  // namespace hearsay
