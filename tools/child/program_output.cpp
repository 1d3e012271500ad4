#include "tools/child/program_output.hpp"

#include <poll.h>

#include <filesystem>

#include "tools/child/child_process.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

std::optional<ProgramOutput> output_of(const std::vector<std::string>& words, std::chrono::seconds patience) {
  using Clock = std::chrono::steady_clock;
  constexpr int look_every = 200;  // milliseconds
  std::optional<ChildProcess> child;
  try {
    child.emplace(words, std::filesystem::current_path(), "");
  } catch (const Misuse&) {
    return std::nullopt;
  }
  child->end_input();
  ProgramOutput result;
  const ChildProcess::Listener listener = {[&](std::string_view text) { result.output += text; },
                                           [&](std::string_view text) { result.error += text; }};
  for (const Clock::time_point end = Clock::now() + patience; !child->ended();) {
    std::vector<pollfd> polled;
    child->add_to(polled);
    poll(polled.data(), polled.size(), look_every);
    if (Clock::now() > end) child->kill();
    child->look(listener);
  }
  result.code = child->code();
  return result;
}

}  // namespace hearsay
