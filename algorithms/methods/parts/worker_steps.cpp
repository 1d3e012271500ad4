#include "algorithms/methods/parts/worker_steps.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

std::vector<std::uint64_t> parsed(const std::string& text, PeerId worker_count) {
  std::vector<std::uint64_t> steps;
  std::string_view rest = text;
  while (true) {
    const std::size_t comma = rest.find(',');
    std::uint64_t count = 0;
    const std::string_view entry = trimmed(rest.substr(0, comma));
    if (!parse_whole(entry, count) || count == 0) break;
    steps.push_back(count);
    if (comma == rest.npos) {
      if (steps.size() == worker_count) return steps;
      break;
    }
    rest.remove_prefix(comma + 1);
  }
  throw Misuse("algorithm.worker_steps", text,
               "expected \"equal\", or a whole number of at least 1 for each of the " +
                   std::to_string(worker_count) + " peers with data, as in \"2, 4, 8\"");
}

}  // namespace

bool lists_worker_steps(const MethodOptions& options) {
  return options.find(option::worker_steps).value_or("equal") != "equal";
}

std::uint64_t local_steps_of(const MethodOptions& options, PeerId peer, PeerId peer_count,
                             PeerId worker_count) {
  if (!lists_worker_steps(options)) return options.find(option::local_steps).value_or(1);
  const std::vector<std::uint64_t> steps = parsed(options[option::worker_steps], worker_count);
  const PeerId without_data = peer_count - worker_count;  // the hub, if it is dedicated
  return peer < without_data ? 1 : steps[peer - without_data];
}

double mean_local_steps(const MethodOptions& options, PeerId worker_count) {
  if (!lists_worker_steps(options)) return static_cast<double>(options.find(option::local_steps).value_or(1));
  double sum = 0.0;
  for (const std::uint64_t steps : parsed(options[option::worker_steps], worker_count))
    sum += static_cast<double>(steps);
  return sum / worker_count;
}

std::uint64_t most_local_steps(const MethodOptions& options, PeerId worker_count) {
  if (!lists_worker_steps(options)) return options.find(option::local_steps).value_or(1);
  return std::ranges::max(parsed(options[option::worker_steps], worker_count));
}

}  // namespace hearsay
