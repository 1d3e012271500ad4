#pragma once

#include <string>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

/// A Misuse that another host might not have: a file that is not there or cannot be read, a full disk, too
/// little memory. Where many hosts share work, another one may try; elsewhere it is a Misuse like any.
class HostRefusal : public Misuse {
 public:
  using Misuse::Misuse;
};

/// Throws `misuse` with another sentence.
[[noreturn]] inline void throw_reworded(const Misuse& misuse, const std::string& sentence) {
  if (dynamic_cast<const HostRefusal*>(&misuse) != nullptr) throw HostRefusal(sentence);
  throw Misuse(sentence);
}

}  // namespace hearsay
