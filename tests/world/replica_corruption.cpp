#include "tests/world/replica_corruption.hpp"

#include <bit>
#include <vector>

namespace hearsay {

namespace {

struct NonzeroEntries final : StateVisitor<double> {
  std::vector<double*> entries;
  void state(std::string_view, Vector<double>&) override {}
  void published(std::string_view, Vector<double>&) override {}
  void replica(std::string_view, PeerId, Vector<double>& vector) override {
    for (double& entry : vector)
      if (entry != 0.0) entries.push_back(&entry);
  }
  void scratch(std::string_view, Vector<double>&) override {}
};

}  // namespace

bool flip_replica_bit(Algorithm<double>& holder, RandomStream& random) {
  NonzeroEntries replicas;
  holder.visit_state(replicas);
  if (replicas.entries.empty()) return false;
  double& entry = *replicas.entries[random.below(replicas.entries.size())];
  entry = std::bit_cast<double>(std::bit_cast<std::uint64_t>(entry) ^ std::uint64_t{1} << 51);
  return true;
}

}  // namespace hearsay
