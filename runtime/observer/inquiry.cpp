#include "runtime/observer/inquiry.hpp"

#include <algorithm>
#include <vector>

namespace hearsay {

void Inquiry::ask_what_is_new(std::uint32_t beat) {
  for (const Question& question : schedule_.questions()) {
    if (newest_ && question.iteration <= *newest_) continue;
    newest_ = question.iteration;
    for (PeerId id = 0; id < asked_.size(); ++id)
      if (!members_.is_gone(id)) ask(id, question, beat);
  }
}

void Inquiry::ask(PeerId id, std::uint32_t beat) {
  for (const Question& question : schedule_.questions()) {
    newest_ = std::max(newest_, std::optional(question.iteration));
    ask(id, question, beat);
  }
}

void Inquiry::note_alive(PeerId id, std::uint32_t heard, std::span<const std::uint64_t> being_answered,
                         std::uint32_t beat) {
  for (const Question& question : schedule_.questions()) {
    if (std::ranges::find(being_answered, question.iteration) != being_answered.end()) continue;
    const auto asked = std::ranges::find(asked_[id], question.iteration, &Asked::iteration);
    if (asked != asked_[id].end() && asked->sent.is_settled(heard)) ask(id, question, beat);
  }
}

void Inquiry::ask(PeerId id, const Question& question, std::uint32_t beat) {
  if (!schedule_.owes_answer(id, question.iteration)) return;
  std::erase_if(asked_[id], [&](const Asked& asked) {
    return asked.iteration == question.iteration || !schedule_.owes_answer(id, asked.iteration);
  });
  asked_[id].push_back({question.iteration, SentBefore(beat + 1)});
  ObserverFrame& said = words_.say(id, FrameKind::question);
  said.header.iteration = question.iteration;
  if (question.iteration != 0)  // x_0 all peers have
    said.payload = model_of(question);
}

/// One copy for all peers.
const SharedBytes& Inquiry::model_of(const Question& question) {
  const std::vector<Question> open = schedule_.questions();
  std::erase_if(models_, [&](const auto& known) {
    return std::ranges::find(open, known.first, &Question::iteration) == open.end();
  });
  const auto known = models_.find(question.iteration);
  return known != models_.end() ? known->second
                                : models_.emplace(question.iteration, question.model).first->second;
}

}  // namespace hearsay
