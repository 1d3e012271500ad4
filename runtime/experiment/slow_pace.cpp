#include "runtime/experiment/slow_pace.hpp"

#include <algorithm>
#include <cstdint>

#include "runtime/experiment/method_size.hpp"
#include "runtime/network/pace.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/long_message.hpp"

namespace hearsay {

template <class Scalar>
std::optional<std::string> slow_pace_warning(const Experiment<Scalar>& experiment, PeerId id) {
  const Bandwidth pace = experiment.settings.pace;
  const Duration lost_after = experiment.settings.failure.lost_after;
  if (pace.unlimited()) return std::nullopt;
  const double model_bytes = static_cast<double>(experiment.problem.dimension()) * sizeof(Scalar);
  const double message_bytes = size_of_method(experiment, id).a_message * model_bytes;
  const double frame_bytes = header_bytes + std::min<double>(message_bytes, to_neighbor::usual_piece_bytes);
  const Duration takes = payload_rate(pace).time_for(static_cast<std::uint64_t>(frame_bytes));
  if (takes <= lost_after) return std::nullopt;
  return "network.pace = " + to_text(pace) + ": a message, or a piece of it, takes up to " +
         std::to_string(static_cast<std::int64_t>(seconds(takes))) +
         " s, and heartbeats wait behind it: after failure.lost_after = " + to_text(lost_after) +
         " the receiver takes this peer for lost";
}

template std::optional<std::string> slow_pace_warning<float>(const Experiment<float>&, PeerId);
template std::optional<std::string> slow_pace_warning<double>(const Experiment<double>&, PeerId);

}  // namespace hearsay
