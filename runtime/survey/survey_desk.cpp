#include "runtime/survey/survey_desk.hpp"

#include <algorithm>
#include <utility>

#include "runtime/foundation/peer_name.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/wire/stop.hpp"
#include "runtime/wire/survey_words.hpp"
#include "runtime/wire/words_from_observer.hpp"

namespace hearsay {

SurveyDesk::SurveyDesk(PeerId peers, std::vector<SurveyStep> steps, Instant ready_by)
    : members_(peers), steps_(std::move(steps)), ready_by_(ready_by) {}

bool SurveyDesk::hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now) {
  if (header.sender >= members_.size()) return false;
  Member& member = members_[header.sender];
  if (header.kind == FrameKind::ready && member.is_ready && member.incarnation != header.incarnation) {
    fail(name_of(header.sender) + " was started again in the middle of the measurement", survey_failed, now);
    return true;
  }
  if (member.is_ready && member.incarnation != header.incarnation) return false;
  member.heard_at = now;
  switch (header.kind) {
    case FrameKind::ready:
      if (!std::exchange(member.is_ready, true)) {
        member.incarnation = header.incarnation;
        say_to(header.sender);
      }
      return true;
    case FrameKind::alive:
      return member.is_ready;
    case FrameKind::measured:
      return hear_measured(header, now);
    case FrameKind::stop: {
      const bool is_interrupted = as_stop(header).exit_code == survey_interrupted;
      const std::string why = printable_text(payload);
      fail(is_interrupted || why.empty() ? name_of(header.sender) + " was interrupted" : why,
           is_interrupted ? survey_interrupted : survey_failed, now);
      member.has_left |= !member.is_ready;
      if (member.is_ready) say_to(header.sender);
      return true;
    }
    case FrameKind::bye:
      member.has_left = state_ == State::dismissing || state_ == State::failing;
      return member.has_left;
    default:
      return false;
  }
}

bool SurveyDesk::hear_measured(const FrameHeader& header, Instant now) {
  const Measured said = as_measured(header);
  Member& member = members_[header.sender];
  if (!member.is_ready || said.step > step_ || state_ == State::gathering) return false;
  if (state_ != State::measuring || said.step < step_ || member.has_reported) return true;  // a repetition
  if (said.from != source_of(header.sender)) return false;
  if (said.from != header.sender) {
    if (said.bytes_per_s == 0) return false;
    measured_.push_back({said.from, header.sender, said.bytes_per_s, said.round_trip});
  }
  member.has_reported = true;
  if (!std::ranges::all_of(members_, &Member::has_reported)) return true;
  if (step_ + 1 < steps_.size()) {
    begin_step(step_ + 1, now);
  } else {
    state_ = State::complete;
    links_ = std::move(measured_);
  }
  return true;
}

void SurveyDesk::begin_step(std::size_t step, Instant now) {
  state_ = State::measuring;
  step_ = step;
  for (Member& member : members_) member.has_reported = false;
  say_to_all(now);
}

void SurveyDesk::tick(Instant now) {
  if (state_ == State::gathering && std::ranges::all_of(members_, &Member::is_ready)) begin_step(0, now);
  if (state_ == State::gathering || state_ == State::measuring) miss_the_silent(now);
  if (now >= next_beat_) say_to_all(now);
}

void SurveyDesk::miss_the_silent(Instant now) {
  for (PeerId peer = 0; peer < members_.size(); ++peer) {
    const Member& member = members_[peer];
    if (member.is_ready && now >= member.heard_at + survey_silence)
      fail(name_of(peer) + " has not been heard of for " + to_text(survey_silence), survey_failed, now);
    else if (!member.is_ready && now >= ready_by_)
      fail(name_of(peer) + " did not come up", survey_failed, now);
  }
}

PeerId SurveyDesk::source_of(PeerId peer) const {
  const auto link = std::ranges::find(steps_[step_], peer, &SurveyedLink::to);
  return link == steps_[step_].end() ? peer : link->from;
}

void SurveyDesk::say_to(PeerId peer) {
  FrameHeader header;
  std::string payload;
  switch (state_) {
    case State::gathering:
    case State::complete:
      put(from_observer::Alive{}, header);
      break;
    case State::measuring:
      put(Measure{step_, static_cast<std::uint32_t>(steps_.size()), source_of(peer)}, header);
      break;
    case State::dismissing:
      put(from_observer::Bye{}, header);
      break;
    case State::failing:
      put(Stop{exit_code_}, header);
      payload = reason_;
      break;
  }
  words_.push_back({peer, header, std::move(payload)});
}

void SurveyDesk::say_to_all(Instant now) {
  next_beat_ = now + survey_beat;
  for (PeerId peer = 0; peer < members_.size(); ++peer)
    if (!members_[peer].has_left && (members_[peer].is_ready || state_ == State::failing)) say_to(peer);
}

std::vector<SurveyDesk::Word> SurveyDesk::take_words() { return std::exchange(words_, {}); }

void SurveyDesk::dismiss(Instant now) {
  state_ = State::dismissing;
  leaves_at_ = now + survey_farewell;
  say_to_all(now);
}

void SurveyDesk::fail(const std::string& reason, int exit_code, Instant now) {
  if (state_ == State::failing || state_ == State::dismissing) return;
  state_ = State::failing;
  links_.clear();
  reason_ = reason;
  exit_code_ = exit_code;
  leaves_at_ = now + survey_farewell;
  say_to_all(now);
}

bool SurveyDesk::has_ended(Instant now) const {
  if (state_ != State::dismissing && state_ != State::failing) return false;
  return now >= leaves_at_ ||
         std::ranges::all_of(members_, [](const Member& member) { return member.has_left; });
}

}  // namespace hearsay
