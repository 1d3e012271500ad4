#include "runtime/experiment/unsound.hpp"

#include "topology/foundation/misuse.hpp"

namespace hearsay {

void refuse_unless_allowed(const RunSettings& settings, const Unsound& found,
                           std::vector<std::string>& warnings) {
  const auto& [key, value, expectation] = found;
  if (!settings.algorithm.allow_unsound)
    throw Misuse(key, value, expectation + " (algorithm.allow_unsound = true tries it all the same)");
  warnings.push_back(key + " = " + value + ": " + expectation);
}

}  // namespace hearsay
