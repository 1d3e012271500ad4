#include "runtime/observer/open_questions.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
std::vector<LocalScore> OpenQuestions<Scalar>::Asked::scores() const {
  std::vector<LocalScore> scores;
  for (const std::optional<LocalScore>& answer : answers)
    if (answer) scores.push_back(*answer);
  return scores;
}

template <class Scalar>
void OpenQuestions<Scalar>::open(Asked asked) {
  ensure(open_.empty() || open_.back().evaluation.iteration < asked.evaluation.iteration,
         "questions are opened in the order of their iterations");
  ensure(asked.owed.size() == asked.answers.size(), "a question is to each peer");
  open_.push_back(std::move(asked));
}

template <class Scalar>
std::vector<Question> OpenQuestions<Scalar>::all() const {
  std::vector<Question> questions;
  for (const Asked& asked : open_)
    if (asked.mean.size() != 0)
      questions.push_back({asked.evaluation.iteration, std::as_bytes(view(asked.mean))});
  return questions;
}

template <class Scalar>
bool OpenQuestions<Scalar>::owes(PeerId peer, std::uint64_t iteration) const {
  return std::ranges::any_of(
      open_, [&](const Asked& asked) { return asked.evaluation.iteration == iteration && asked.owed[peer]; });
}

template <class Scalar>
void OpenQuestions<Scalar>::answer(PeerId peer, std::uint64_t iteration, const LocalScore& score) {
  for (Asked& asked : open_) {
    if (asked.evaluation.iteration != iteration || !asked.owed[peer]) continue;
    asked.owed[peer] = false;
    asked.answers[peer] = score;
  }
}

template <class Scalar>
void OpenQuestions<Scalar>::release(PeerId peer) {
  for (Asked& asked : open_) asked.owed[peer] = false;
}

template <class Scalar>
auto OpenQuestions<Scalar>::close_next() -> std::optional<Asked> {
  if (open_.empty() || std::ranges::find(open_.front().owed, true) != open_.front().owed.end())
    return std::nullopt;
  Asked closed = std::move(open_.front());
  open_.pop_front();
  return closed;
}

template class OpenQuestions<float>;
template class OpenQuestions<double>;

}  // namespace hearsay
