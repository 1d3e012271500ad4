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
  } else if (to != to_) {
    return false;
  }
  if (allow.piece > 0 && allow.bytes > allowed_) {
    allowed_ = allow.bytes;
    piece_ = std::min<std::size_t>(allow.piece, longest_piece);
    return true;
  }
  if (allow.piece == 0) allowed_ = position_;
  question_ = allow.number;
  return true;
}

std::optional<LoadSource::Piece> LoadSource::next() const {
  if (position_ < allowed_)
    return Piece{
        to_, {.step = *step_, .position = position_}, std::min<std::size_t>(piece_, allowed_ - position_)};
  if (!question_) return std::nullopt;
  return Piece{to_, {.step = *step_, .position = position_, .number = *question_}, 0};
}

void LoadSource::sent() {
  if (position_ < allowed_)
    position_ += std::min<std::uint64_t>(piece_, allowed_ - position_);
  else
    question_.reset();
}

}  // namespace hearsay
