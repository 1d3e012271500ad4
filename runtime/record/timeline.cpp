#include "runtime/record/timeline.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <new>
#include <tuple>

namespace hearsay {

struct Timeline::Place {
  Activity activity;
  std::uint64_t
      written;  ///< 1 at the end: a process that was killed may have taken a place and left it empty
};

/// Begins the memory that the processes share; the places of the activities follow. All bytes are 0 at first.
struct Timeline::Shared {
  std::uint64_t taken;
};

namespace {

template <class Place, class Shared>
std::size_t bytes_of(std::size_t most) {
  return sizeof(Shared) + most * sizeof(Place);
}

}  // namespace

Timeline::Timeline(std::size_t most) : most_(most) {
  void* const memory = mmap(nullptr, bytes_of<Place, Shared>(most), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  shared_ = static_cast<Shared*>(memory);
  places_ = reinterpret_cast<Place*>(shared_ + 1);
}

Timeline::~Timeline() { munmap(shared_, bytes_of<Place, Shared>(most_)); }

void Timeline::add(const Activity& activity) {
  const std::uint64_t number = std::atomic_ref(shared_->taken).fetch_add(1, std::memory_order_relaxed);
  if (number >= most_) return;
  places_[number].activity = activity;
  std::atomic_ref(places_[number].written).store(1, std::memory_order_release);
}

std::vector<Activity> Timeline::activities() const {
  std::vector<Activity> activities;
  const std::size_t count = std::min<std::uint64_t>(std::atomic_ref(shared_->taken).load(), most_);
  activities.reserve(count);
  for (std::size_t k = 0; k < count; ++k)
    if (std::atomic_ref(places_[k].written).load(std::memory_order_acquire) != 0)
      activities.push_back(places_[k].activity);
  // Stable: messages that take no time stay in the order in which they were sent.
  std::ranges::stable_sort(activities, {}, [](const Activity& activity) {
    return std::tuple(activity.peer, activity.kind, activity.begin);
  });
  return activities;
}

bool Timeline::is_cut() const { return std::atomic_ref(shared_->taken).load() > most_; }

void PeerTimeline::computes(Instant begin, Instant end, std::uint64_t iteration,
                            const Availability& availability) {
  if (!timeline_) return;
  const Duration to = end - origin_;
  const Duration period = availability.period();
  // One period after the other, since a gradient may span more of them than anybody could visit.
  for (Duration from = begin - origin_; from < to && !timeline_->is_cut();) {
    const Duration next = availability.unlimited() ? to : std::min(to, from - from % period + period);
    availability.visit(from, next, [&](Duration there_from, Duration there_to) {
      add({ActivityKind::computes, peer_, Activity::nobody, 0, iteration, 0, there_from,
           there_to - there_from});
    });
    from = next;
  }
}

}  // namespace hearsay
