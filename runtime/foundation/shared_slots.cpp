#include "runtime/foundation/shared_slots.hpp"

#include <algorithm>
#include <limits>
#include <new>

#include "runtime/foundation/pages.hpp"

namespace hearsay {

namespace {

using Mark = std::atomic<std::uint64_t>;
static_assert(Mark::is_always_lock_free, "processes share the marks");

}  // namespace

std::unique_ptr<SharedSlots> SharedSlots::make(std::size_t owners, std::size_t longest_bytes) {
  const std::size_t marks = whole_pages(owners * slots_of_owner * sizeof(Mark));
  const std::size_t slot_bytes = whole_pages(longest_bytes);
  const std::size_t most = std::numeric_limits<std::ptrdiff_t>::max() / 2;
  if (owners == 0 || is_address_space_limited() || slot_bytes > most / (owners * slots_of_owner))
    return nullptr;
  const std::size_t bytes = marks + owners * slots_of_owner * slot_bytes;
  void* const begin =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (begin == MAP_FAILED) return nullptr;
  return std::unique_ptr<SharedSlots>(
      new SharedSlots(owners, slot_bytes, {static_cast<std::byte*>(begin), bytes}));
}

SharedSlots::SharedSlots(std::size_t owners, std::size_t slot_bytes, std::span<std::byte> all)
    : owners_(owners),
      slot_bytes_(slot_bytes),
      all_(all),
      slots_(all.last(owners * slots_of_owner * slot_bytes)),
      own_(owners * slots_of_owner) {
  for (std::size_t place = 0; place < own_.size(); ++place) new (all_.data() + place * sizeof(Mark)) Mark(0);
}

SharedSlots::~SharedSlots() { munmap(all_.data(), all_.size()); }

std::atomic<std::uint64_t>& SharedSlots::mark_of(std::size_t place) const {
  return *std::launder(reinterpret_cast<Mark*>(all_.data() + place * sizeof(Mark)));
}

std::optional<std::size_t> SharedSlots::free_place(std::size_t owner, std::uint64_t read_up_to) const {
  for (std::size_t slot = 0; slot < slots_of_owner; ++slot)
    if (const std::size_t place = place_of(owner, slot); !own_[place].is_kept && mark_of(place) <= read_up_to)
      return place;
  return std::nullopt;
}

std::optional<SharedBytes> SharedSlots::put(std::size_t owner, std::uint64_t mark, std::uint64_t read_up_to,
                                            std::initializer_list<std::span<const std::byte>> parts) {
  std::size_t length = 0;
  for (const auto part : parts) length += part.size();
  const auto place = free_place(owner, read_up_to);
  if (!place || length > slot_bytes_) return std::nullopt;
  const std::span<std::byte> bytes = slot(*place).first(length);
  mark_of(*place) = mark;
  auto end = bytes.begin();
  for (const auto part : parts) end = std::ranges::copy(part, end).out;
  Own& own = own_[*place];
  own.is_kept = true;
  own.has_pages = true;
  const auto release = [](std::atomic<bool>* is_kept) { *is_kept = false; };
  return SharedBytes(std::shared_ptr<std::atomic<bool>>(&own.is_kept, release), bytes);
}

void SharedSlots::give_back(std::size_t owner) {
  for (std::size_t place = place_of(owner, 0); place < place_of(owner + 1, 0); ++place) {
    Own& own = own_[place];
    if (!own.has_pages || own.is_kept) continue;
    own.has_pages = false;
    mark_of(place) = 0;
    madvise(slot(place).data(), slot_bytes_, MADV_REMOVE);  // if it fails, the next content takes the pages
  }
}

std::optional<std::uint32_t> SharedSlots::slot_of(std::size_t owner, std::span<const std::byte> bytes) const {
  for (std::size_t k = 0; k < slots_of_owner; ++k)
    if (!bytes.empty() && slot(place_of(owner, k)).data() == bytes.data())
      return static_cast<std::uint32_t>(k);
  return std::nullopt;
}

std::optional<std::span<const std::byte>> SharedSlots::content(std::size_t owner, std::uint32_t slot_number,
                                                               std::uint64_t mark,
                                                               std::uint64_t length) const {
  if (owner >= owners_ || slot_number >= slots_of_owner || length > slot_bytes_) return std::nullopt;
  const std::size_t place = place_of(owner, slot_number);
  if (mark_of(place) != mark) return std::nullopt;
  return slot(place).first(length);
}

bool SharedSlots::holds(std::span<const std::byte> bytes) const { return hearsay::holds(slots_, bytes); }

void SharedSlots::let_go(std::span<const std::byte> bytes) const {
  if (holds(bytes)) let_go_of_pages(slots_, bytes);
}

void SharedSlots::clear() {
  for (std::size_t place = 0; place < own_.size(); ++place) mark_of(place) = 0;
  madvise(slots_.data(), slots_.size(), MADV_REMOVE);
}

}  // namespace hearsay
