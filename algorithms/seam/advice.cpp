#include "algorithms/seam/advice.hpp"

#include "topology/foundation/misuse.hpp"

namespace hearsay {

void Advice::refuse(const std::string& key, const std::string& value, const std::string& expectation) const {
  throw Misuse(key, value, expectation);
}

void Advice::unsound(const std::string& key, const std::string& value, const std::string& expectation) {
  if (!allows_unsound_)
    refuse(key, value, expectation + " (algorithm.allow_unsound = true tries it all the same)");
  warn(key + " = " + value + ": " + expectation);
}

}  // namespace hearsay
