#include "runtime/data/data_memory.hpp"

#include "runtime/foundation/machine.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

std::string gigabytes(std::uint64_t bytes) { return three_digits(static_cast<double>(bytes) / 1e9) + " GB"; }

}  // namespace

DataMemory::DataMemory(const std::string& spelled)
    : spelled_(spelled), bytes_(parse_memory("data.memory", spelled)) {}

void DataMemory::require_room(const std::filesystem::path& file, std::uint64_t bytes) const {
  if (bytes <= left_) return;
  const bool is_share = spelled_.ends_with('%');
  const std::string lack = "with " + file.string() + " the data files come to more than " +
                           (is_share ? gigabytes(bytes_) : spelled_) +
                           "; expected files that hold less, or a larger data.memory";
  if (is_share) throw HostRefusal("data.memory", spelled_, lack);
  throw Misuse("data.memory", spelled_, lack);
}

void DataMemory::take(const std::filesystem::path& file, std::uint64_t bytes) {
  require_room(file, bytes);
  left_ -= bytes;
}

}  // namespace hearsay
