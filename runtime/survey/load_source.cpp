#include "runtime/survey/load_source.hpp"

#include <algorithm>

namespace hearsay {

bool LoadSource::hear(PeerId to, const Allow& allow) {
  if (allow.step >= steps_ || (step_ && allow.step < *step_) || allow.bytes > most_bytes_) return false;
  if (!step_ || allow.step > *step_) {
    step_ = allow.step;
    to_ = to;
    allowed_ = position_ = 0;
    question_.reset();
    deliveries_.clear();
    is_stopped_ = false;
  } else if (to != to_) {
    return false;
  }
  if (allow.piece > 0 && allow.bytes > allowed_) {
    allowed_ = allow.bytes;
    piece_ = std::min<std::size_t>(allow.piece, longest_piece);
    return true;
  }
  if (allow.piece == 0) {
    allowed_ = position_;
    is_stopped_ = true;
  }
  question_ = allow.number;
  return true;
}

std::optional<LoadSource::Piece> LoadSource::next() const {
  if (position_ < allowed_)
    return Piece{
        to_, {.step = *step_, .position = position_}, std::min<std::size_t>(piece_, allowed_ - position_)};
  if (!question_) return std::nullopt;
  return Piece{to_,
               {.step = *step_,
                .position = position_,
                .number = *question_,
                .bytes_per_s = is_stopped_ ? delivered_per_s() : 0},
               0};
}

std::optional<PeerId> LoadSource::transfers_to() const {
  return is_stopped_ || allowed_ == 0 ? std::nullopt : std::optional(to_);
}

void LoadSource::note_delivered(std::uint64_t bytes, Instant now) {
  if (is_stopped_) return;
  if (!deliveries_.empty() && bytes < deliveries_.back().bytes) deliveries_.clear();  // another connection
  if (deliveries_.empty() || bytes > deliveries_.back().bytes) deliveries_.push_back({now, bytes});
}

// In the second half of the transfer's time, as the peer itself counts it (LinkMeter).
std::uint64_t LoadSource::delivered_per_s() const {
  constexpr std::size_t fewest = 16;
  if (deliveries_.size() < fewest) return 0;
  const Delivery last = deliveries_.back();
  const Instant middle = deliveries_.front().at + (last.at - deliveries_.front().at) / 2;
  const Delivery from = *std::ranges::lower_bound(deliveries_, middle, {}, &Delivery::at);
  if (from.at >= last.at) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(last.bytes - from.bytes) /
                                    seconds(last.at - from.at));
}

void LoadSource::sent() {
  if (position_ < allowed_)
    position_ += std::min<std::uint64_t>(piece_, allowed_ - position_);
  else
    question_.reset();
}

}  // namespace hearsay
