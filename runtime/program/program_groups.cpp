#include "runtime/program/program_groups.hpp"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace hearsay {

namespace {

/// A place for a group. Places are never freed, so that a signal handler may walk along them at any moment.
struct Place {
  std::atomic<pid_t> group{0};  // 0: free
  std::atomic<pid_t> owner{0};  // a forked process has the places of its parent, too, and ends none of them
  Place* next = nullptr;
};

std::atomic<Place*> first_place{nullptr};

constexpr pid_t taken = -1;  // while the owner is being noted

Place& free_place() {
  for (Place* place = first_place; place != nullptr; place = place->next)
    if (pid_t free = 0; place->group.compare_exchange_strong(free, taken)) return *place;
  auto* const place = new Place;
  place->group = taken;
  place->next = first_place;
  while (!first_place.compare_exchange_weak(place->next, place)) continue;
  return *place;
}

static_assert(std::atomic<pid_t>::is_always_lock_free && std::atomic<Place*>::is_always_lock_free,
              "a signal handler reads them");

}  // namespace

void note_program_group(pid_t group) {
  Place& place = free_place();
  place.owner = getpid();
  place.group = group;
}

void forget_program_group(pid_t group) {
  for (Place* place = first_place; place != nullptr; place = place->next)
    if (place->owner == getpid() && place->group == group) place->group = 0;
}

void kill_program_groups() {
  for (Place* place = first_place; place != nullptr; place = place->next)
    if (const pid_t group = place->group; group > 0 && place->owner == getpid()) kill(-group, SIGKILL);
}

}  // namespace hearsay
