#include "runtime/settings/fault_settings.hpp"

#include <algorithm>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

std::string sentence_on(const Fault& fault, PeerId id) {
  const auto what = [&]() -> std::string {
    switch (fault.kind) {
      case Fault::Kind::death:
        return " is killed";
      case Fault::Kind::freeze:
        return " stands still";
      case Fault::Kind::partition:
        return " is cut off";
      case Fault::Kind::rejoin:
        return " is started";
    }
    return {};
  };
  return "peer " + std::to_string(id) + what() + (fault.lasts ? " for " + to_text(*fault.lasts) : "") +
         ": a [[fault]]";
}

std::vector<Fault> faults_of(const std::vector<FaultTable>& tables, PeerId peer_count) {
  std::vector<Fault> faults;
  for (std::size_t k = 0; k < tables.size(); ++k) {
    if (const auto* const fault = std::get_if<Fault>(&tables[k])) {
      faults.push_back(*fault);
      continue;
    }
    const auto& random = std::get<RandomKills>(tables[k]);
    RandomStream stream(random.seed, 0, k, Purpose::faults);
    for (std::uint64_t kill = 0; kill < random.kills; ++kill) {
      const auto peer = static_cast<PeerId>(stream.below(peer_count));
      const Duration when(
          static_cast<Duration::rep>(stream.uniform() * static_cast<double>(random.within.count())));
      faults.push_back({when, {peer}, Fault::Kind::death, random.lasts});
    }
  }
  std::ranges::stable_sort(faults, {}, &Fault::at);
  return faults;
}

}  // namespace hearsay
