#include "runtime/observer/inquiry.hpp"

#include <vector>

namespace hearsay {

void Inquiry::ask_what_is_new() {
  for (const Question& question : schedule_.questions()) {
    if (newest_ && question.iteration <= *newest_) continue;
    for (PeerId id = 0; id < peer_count_; ++id)
      if (!members_.is_gone(id)) ask(id, question);
  }
}

void Inquiry::ask(PeerId id) {
  for (const Question& question : schedule_.questions()) ask(id, question);
}

void Inquiry::beat() {
  const std::vector<Question> questions = schedule_.questions();
  if (questions.empty() || !newest_ || --beats_left_ > 0) return;
  wait_ *= 2;
  beats_left_ = wait_;
  for (const Question& question : questions)
    for (PeerId id = 0; id < peer_count_; ++id)
      if (!members_.is_gone(id)) ask(id, question);
}

void Inquiry::ask(PeerId id, const Question& question) {
  if (!schedule_.owes_answer(id, question.iteration)) return;
  if (!newest_ || *newest_ < question.iteration) {
    newest_ = question.iteration;
    wait_ = beats_left_ = first_wait;
  }
  ObserverFrame& said = words_.say(id, FrameKind::question);
  said.header.iteration = question.iteration;
  said.payload.assign(question.model.begin(), question.model.end());
}

}  // namespace hearsay
