#include "runtime/program/program_fates.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <memory>

#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

ProgramFates::ProgramFates(std::size_t programs) {
  const std::size_t size = programs * sizeof(Fate);
  void* const address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) throw HostRefusal("this machine does not give another page of memory");
  memory_ = {static_cast<std::byte*>(address), [size](std::byte* memory) { munmap(memory, size); }};
  Fate* const first = static_cast<Fate*>(address);
  std::uninitialized_default_construct_n(first, programs);
  fates_ = {first, programs};
}

void ProgramFates::note_restart(std::size_t k, bool elsewhere, std::uint64_t iteration) {
  Fate& fate = fates_[k];
  fate.iterations[std::min<std::uint64_t>(fate.restarts, fate.iterations.size() - 1)] = iteration;
  ++fate.restarts;
  if (!elsewhere) return;
  note_end(k, "has ended with the process of its peer");
  fates_[k].elsewhere = true;
}

std::vector<std::uint64_t> ProgramFates::restarts(std::size_t k) const {
  const Fate& fate = fates_[k];
  std::vector<std::uint64_t> iterations;
  for (std::uint64_t n = 0; n < fate.restarts; ++n)
    iterations.push_back(fate.iterations[std::min<std::uint64_t>(n, fate.iterations.size() - 1)]);
  return iterations;
}

void ProgramFates::note_end(std::size_t k, const std::string& failure) {
  auto& text = fates_[k].failure;
  text.fill('\0');
  std::copy_n(failure.begin(), std::min(failure.size(), text.size() - 1), text.begin());
}

}  // namespace hearsay
