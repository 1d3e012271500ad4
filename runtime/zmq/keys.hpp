#pragma once

#include "runtime/security/key_file.hpp"

namespace hearsay {

/// Misuse if the ZeroMQ of this machine was built without CURVE.
void require_curve();

/// Returns a new random key pair. Misuse without CURVE, or if the machine gives out no random numbers.
KeyPair new_key_pair();

}  // namespace hearsay
