#include "algorithms/methods/parts/memory_step.hpp"

#include <cmath>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

double parse_memory_step(const std::string& key, const std::string& text) {
  double alpha = 0.0;
  if (!parse_number(text, alpha) || alpha < 0.0 || alpha > 1.0)
    throw Misuse("algorithm." + key, text, "expected \"auto\", or a number from 0 to 1");
  return alpha;
}

std::string resolved_memory_step(const std::string& key, const std::string& text, const Traits& compressor) {
  if (text != "auto") return number_text(parse_memory_step(key, text));
  if (!compressor.unbiased || !std::isfinite(compressor.omega)) return "1";
  return number_text(1.0 / (2.0 * (1.0 + compressor.omega)));
}

}  // namespace hearsay
