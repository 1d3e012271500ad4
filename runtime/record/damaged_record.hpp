#pragma once

#include "topology/foundation/misuse.hpp"

namespace hearsay {

/// A file of a record is not as the run wrote it.
class DamagedRecord : public Misuse {
 public:
  using Misuse::Misuse;
};

}  // namespace hearsay
