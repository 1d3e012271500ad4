#pragma once

#include "runtime/security/key_file.hpp"

namespace hearsay {

/// Misuse if the ZeroMQ of this machine was built without CURVE.
void require_curve();

/// A new key pair, which nobody can guess.
KeyPair new_key_pair();

}  // namespace hearsay
