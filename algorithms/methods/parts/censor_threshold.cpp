#include "algorithms/methods/parts/censor_threshold.hpp"

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

CensorThreshold::CensorThreshold(const std::string& text) {
  if (text == "auto") return;
  double given = 0.0;
  if (!parse_number(text, given) || given < 0.0)
    throw Misuse("algorithm.threshold", text, "expected \"auto\", or a number of at least 0");
  given_ = given;
}

}  // namespace hearsay
