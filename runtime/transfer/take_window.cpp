#include "runtime/transfer/take_window.hpp"

namespace hearsay {

void TakeWindow::note(std::uint64_t bytes, Duration delay, std::uint64_t under_way, Instant now) {
  const Duration queueing = delay - quickest_.of(delay, now);
  if (queueing > queueing_limit) {
    // Pieces that were asked for before the window was halved tell nothing of the smaller window.
    if (now - delay >= halved_at_) halve(now);
    return;
  }
  if (2 * under_way < bytes_) return;
  const std::uint64_t grows = doubles_ ? bytes : std::max(std::uint64_t{1}, piece_bytes() * bytes / bytes_);
  bytes_ = std::min(bytes_ + grows, most_bytes);
}

}  // namespace hearsay
