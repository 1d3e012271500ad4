#pragma once

#include <cerrno>
#include <zmq.hpp>

namespace hearsay {

/// Returns what `call` returns, and repeats the call if a signal interrupted it (EINTR). `call` is a call of
/// ZeroMQ. Even a call that does not wait can be interrupted; it has then done nothing, and the handler of
/// the signal has run.
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
