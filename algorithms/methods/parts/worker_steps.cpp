#include "algorithms/methods/parts/worker_steps.hpp"

#include <string_view>
#include <vector>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

std::vector<std::uint64_t> parsed(const std::string& text, PeerId peer_count) {
  std::vector<std::uint64_t> steps;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::uint64_t count = 0;
    const std::string_view entry = trimmed(rest.substr(0, comma));
    if (!parse_whole(entry, count) || count == 0) break;
    steps.push_back(count);
    if (comma == rest.npos) {
      if (steps.size() == peer_count) return steps;
      break;
    }
    rest.remove_prefix(comma + 1);
  }
  throw Misuse("algorithm.worker_steps", text,
               "expected \"equal\", or a whole number of at least 1 for each of the " +
                   std::to_string(peer_count) + " peers, as in \"2, 4, 8\"");
}

}  // namespace

std::uint64_t local_steps_of(const MethodOptions& options, PeerId peer, PeerId peer_count) {
  if (options.worker_steps.value_or("equal") == "equal") return options.local_steps.value_or(1);
  return parsed(*options.worker_steps, peer_count)[peer];
}

double mean_local_steps(const MethodOptions& options, PeerId peer_count) {
  if (options.worker_steps.value_or("equal") == "equal")
    return static_cast<double>(options.local_steps.value_or(1));
  double sum = 0.0;
  for (const std::uint64_t steps : parsed(*options.worker_steps, peer_count))
    sum += static_cast<double>(steps);
  return sum / peer_count;
}

}  // namespace hearsay
