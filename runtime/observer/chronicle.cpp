#include "runtime/observer/chronicle.hpp"

#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/start.hpp"

namespace hearsay {

void Chronicle::note(RunEvent::What what, PeerId id, std::uint64_t iteration) {
  const Duration since_start = start_.has_begun() ? now_ - start_.origin() : Duration{0};
  events_.push_back({what, id, iteration, seconds(since_start)});
}

void Chronicle::note(RunEvent::What what, PeerId id) { note(what, id, schedule_.evaluated(id)); }

}  // namespace hearsay
