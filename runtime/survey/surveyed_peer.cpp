#include "runtime/survey/surveyed_peer.hpp"

#include <algorithm>
#include <utility>

#include "runtime/wire/agreement.hpp"
#include "runtime/wire/stop.hpp"
#include "runtime/wire/survey_words.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"

namespace hearsay {

SurveyedPeer::SurveyedPeer(PeerId self, std::vector<SurveyStep> steps, const SurveyLimits& limits)
    : self_(self), steps_(std::move(steps)), limits_(limits), source_(limits.bytes, steps_.size()) {}

void SurveyedPeer::get_ready(Instant now) {
  is_ready_ = true;
  heard_at_ = now;
  say_newest(now);
}

void SurveyedPeer::give_up(const std::string& reason, Instant now) {
  if (giving_up_ || end_) return;
  giving_up_ = reason.empty() ? End{survey_interrupted, "interrupted"} : End{survey_failed, reason};
  leaves_at_ = is_ready_ ? now + survey_farewell : now;  // before that, nobody counts on it
  meter_.reset();
  say_newest(now);
}

bool SurveyedPeer::hear_observer(const FrameHeader& header, std::span<const std::byte> payload, Instant now) {
  heard_at_ = now;
  switch (header.kind) {
    case FrameKind::alive:
      return true;
    case FrameKind::measure:
      return begin(header, now);
    case FrameKind::bye:
      if (!is_ready_) return false;
      leave(giving_up_.value_or(End{0, {}}));
      return true;
    case FrameKind::stop: {
      const bool is_interrupted = as_stop(header).exit_code == survey_interrupted;
      leave(giving_up_.value_or(
          End{is_interrupted ? survey_interrupted : survey_failed, printable_text(payload)}));
      return true;
    }
    default:
      return false;
  }
}

bool SurveyedPeer::begin(const FrameHeader& header, Instant now) {
  const Measure told = as_measure(header);
  if (!is_ready_ || giving_up_ || told.step >= steps_.size() || told.steps != steps_.size()) return false;
  if (step_ && told.step <= *step_) return true;  // a repetition
  const SurveyStep& links = steps_[told.step];
  const bool is_planned =
      told.from == self_ || std::ranges::find(links, SurveyedLink{told.from, self_}) != links.end();
  if (!is_planned) return false;
  step_ = told.step;
  report_.reset();
  meter_.reset();
  if (told.from != self_) {
    meter_.emplace(told.step, told.from, limits_, now);
    return true;
  }
  report_.emplace();
  put(Measured{.step = told.step, .from = self_}, *report_);
  say_newest(now);
  return true;
}

bool SurveyedPeer::hear_peer(const FrameHeader& header, std::size_t bytes, Instant now) {
  if (header.kind == FrameKind::allow)
    return is_ready_ && bytes == 0 && source_.hear(header.sender, as_allow(header));
  if (header.kind != FrameKind::load || !meter_ || header.sender != meter_->from()) return false;
  return meter_->hear(as_load(header), bytes, now);
}

void SurveyedPeer::tick(Instant now) {
  if (end_) return;
  if (meter_) {
    while (const auto allow = meter_->tick(now)) {
      FrameHeader header;
      put(*allow, header);
      words_.push_back({meter_->from(), header, {}});
    }
    if (!meter_->failure().empty()) {
      give_up("peer " + std::to_string(meter_->from()) + " " + meter_->failure() + " peer " +
                  std::to_string(self_),
              now);
    } else if (meter_->is_done()) {
      report_.emplace();
      put(meter_->measured(), *report_);
      meter_.reset();
      say_newest(now);
    }
  }
  if (now >= leaves_at_)
    end_ = giving_up_;
  else if (is_ready_ && !giving_up_ && now >= heard_at_ + survey_silence)
    end_ = End{survey_failed,
               "peer 0, which says who measures when, has not been heard of for " + to_text(survey_silence)};
  else if (now >= next_beat_)
    say_newest(now);
}

Instant SurveyedPeer::next() const {
  if (end_) return Instant::max();
  return std::min({next_beat_, leaves_at_, meter_ ? meter_->next() : Instant::max()});
}

std::vector<SurveyedPeer::Word> SurveyedPeer::take_words() { return std::exchange(words_, {}); }

void SurveyedPeer::say_to_observer(const FrameHeader& header, std::string payload) {
  words_.push_back({{}, header, std::move(payload)});
}

void SurveyedPeer::say_newest(Instant now) {
  next_beat_ = now + survey_beat;
  FrameHeader header;
  if (giving_up_) {
    put(Stop{giving_up_->exit_code}, header);
    say_to_observer(header, giving_up_->exit_code == survey_interrupted ? "" : giving_up_->reason);
  } else if (report_) {
    say_to_observer(*report_);
  } else if (step_) {
    put(to_observer::Alive{}, header);
    say_to_observer(header);
  } else {
    put(to_observer::Ready{}, header);
    say_to_observer(header);
  }
}

void SurveyedPeer::leave(End end) {
  if (end_) return;
  FrameHeader header;
  header.kind = FrameKind::bye;
  say_to_observer(header);
  end_ = std::move(end);
}

}  // namespace hearsay
