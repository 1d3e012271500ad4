#include "runtime/zmq/keys.hpp"

#include <zmq.h>

#include <array>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

void require_curve() {
  if (zmq_has("curve") == 0)
    throw Misuse("the ZeroMQ library of this machine was built without CURVE; keys need one that has it");
}

KeyPair new_key_pair() {
  require_curve();
  std::array<char, 41> public_key{}, secret_key{};  // 40 characters and a zero
  do {  // not with a dash in front: on a command line it would look like an option
    if (zmq_curve_keypair(public_key.data(), secret_key.data()) != 0)
      throw Misuse("this machine gives out no random numbers for keys");
  } while (public_key[0] == '-');
  return {public_key.data(), secret_key.data()};
}

}  // namespace hearsay
