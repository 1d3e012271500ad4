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

void ProgramFates::note_restart(std::size_t k, bool elsewhere) {
  ++fates_[k].restarts;
  if (!elsewhere) return;
  note_end(k, "has ended with the process of its peer");
  fates_[k].elsewhere = true;
}

std::uint64_t ProgramFates::restarts() const {
  std::uint64_t sum = 0;
  for (const Fate& fate : fates_) sum += fate.restarts;
  return sum;
}

void ProgramFates::note_end(std::size_t k, const std::string& failure) {
  auto& text = fates_[k].failure;
  text.fill('\0');
  std::copy_n(failure.begin(), std::min(failure.size(), text.size() - 1), text.begin());
}

}  // namespace hearsay
