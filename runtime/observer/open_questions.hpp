#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/objectives/local_score.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Evaluations whose mean model is known, and whose loss is not: every peer is asked for its own score of it.
/// In the order of their iterations; each closes after those before it. At most two are open in a run, since
/// no peer passes an evaluation before the verdict on the previous one.
template <class Scalar>
class OpenQuestions {
 public:
  struct Asked {
    Evaluation evaluation;  ///< all but loss and accuracy
    Vector<Scalar>
        mean;  ///< what the question is on; empty if the peers have told scores of their own models
    std::vector<Vector<Scalar>> models;  ///< by peer; empty for a peer that is gone
    std::vector<bool> owed;              ///< by peer: whether its answer is missing
    std::vector<std::optional<LocalScore>>
        answers;  ///< by peer; empty: it has not answered, or was not asked

    /// The answers that came, in peer order.
    std::vector<LocalScore> scores() const;
  };

  void open(Asked asked);
  std::vector<Question> all() const;
  bool owes(PeerId peer, std::uint64_t iteration) const;
  /// Ignores an answer that is not owed.
  void answer(PeerId peer, std::uint64_t iteration, const LocalScore& score);
  /// Peer `peer` owes no answers any more.
  void release(PeerId peer);
  /// Returns the first question if nobody owes an answer to it any more, and closes it; else nothing.
  std::optional<Asked> close_next();

 private:
  std::deque<Asked> open_;
};

}  // namespace hearsay
