#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/objectives/problem.hpp"
#include "runtime/foundation/crew.hpp"
#include "runtime/foundation/read_in_place.hpp"
#include "runtime/observer/distances.hpp"
#include "runtime/observer/evaluated.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/gathering.hpp"
#include "runtime/observer/loss_range.hpp"
#include "runtime/observer/meter_readings.hpp"
#include "runtime/observer/open_questions.hpp"
#include "runtime/observer/run_judge.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// Evaluates the mean of the models of all peers at the same iteration, and decides whether the run goes on.
/// Pure: used by the simulator and, behind sockets, in real runs.
template <class Scalar>
class Observer final : public Evaluator {
 public:
  /// `rules`: what is evaluated, when the run ends, and which model is kept. `crew` evaluates, and outlives
  /// the observer; null: the caller's thread.
  explicit Observer(const Problem<Scalar>& problem, const RunSettings::Run& rules = {},
                    Evaluated evaluated = {}, Asks asks = Asks::nobody, Crew* crew = nullptr)
      : problem_(&problem),
        rules_(rules),
        asks_(asks),
        crew_(crew),
        evaluated_(evaluated),
        judge_(judge_of(problem.judged, rules)),
        losses_(problem.least_loss),
        gathering_(problem.peer_count()),
        meters_(problem.peer_count()) {}

  std::optional<Verdict> begin() override;
  std::vector<Verdict> resume(const std::vector<Evaluation>& record,
                              const std::optional<KeptModel>& kept) override;
  std::optional<std::vector<Verdict>> take_payload(PeerId peer, std::uint64_t iteration,
                                                   std::span<const std::byte> payload) override;
  std::vector<Question> questions() const override { return questions_.all(); }
  bool owes_answer(PeerId peer, std::uint64_t iteration) const override {
    return questions_.owes(peer, iteration);
  }
  std::vector<Verdict> answer(PeerId peer, std::uint64_t iteration, const LocalScore& score) override;
  std::vector<Verdict> drop(PeerId peer) override;
  void take_back(PeerId peer, std::uint64_t iteration) override;
  void take_in(PeerId peer, std::uint64_t iteration) override;
  const std::vector<Evaluation>& evaluations() const override { return evaluations_; }
  const std::vector<PeerMeters>& last_meters() const override { return meters_.last(); }
  std::size_t model_bytes() const override {
    return static_cast<std::size_t>(problem_->dimension()) * sizeof(Scalar);
  }
  RunResult conclude(std::vector<PeerOutcome> peers) const override;

  /// Peer `peer` has ended iteration `iteration` with this model. Returns the verdict if no model is missing
  /// any more and no peer has to be asked, else nothing.
  std::optional<Verdict> take(PeerId peer, std::uint64_t iteration, Vector<Scalar> model, PeerMeters meters);

  /// The same under run.evaluate = "own".
  std::optional<Verdict> take_own(PeerId peer, std::uint64_t iteration, const OwnEvaluation& own,
                                  PeerMeters meters);

  /// From now on the models of the peers are forgotten once they are evaluated, and `with_models` has the
  /// mean model and the best one alone. run.keep_models = "..., peers" keeps them in memory all the same.
  void forget_models() { keeps_models_ = rules_.keep_models.of_peers; }

  /// Models that stand in this memory stay there until the verdict on their evaluation is said: they are read
  /// where they are, one part after the other, so that all of them take the memory of one. Null: none do.
  void read_in_place(const ReadInPlace* memory) { in_place_ = memory; }

  /// From now on nobody asks for `last_meters`, and every peer tells its meters with each evaluation.
  void forget_meters() { meters_.keep_none(); }

  const Vector<Scalar>& mean_model() const { return mean_; }
  std::optional<std::uint64_t> best_iteration() const override;
  KeptModel best() const override;
  std::vector<ModelSet> take_models_to_keep() override { return std::exchange(models_to_keep_, {}); }
  const RunJudge& verdicts() const { return judge_; }
  /// Returns `result` with the models, the mean model and the best model. There are none if each peer judges
  /// and keeps its own: x_0, which is known of all, would be taken for them.
  RunOutcome<Scalar> with_models(RunResult result) const& {
    if (rules_.evaluate == RunSettings::Run::Evaluate::own) return {std::move(result), {}, {}, {}};
    return {std::move(result), models_.empty() ? models_at_start() : models_, mean_,
            best_ ? best_->model : Vector<Scalar>()};
  }
  /// The same with the models themselves, of which there may be many, and not with copies.
  RunOutcome<Scalar> with_models(RunResult result) && {
    if (rules_.evaluate == RunSettings::Run::Evaluate::own) return {std::move(result), {}, {}, {}};
    if (models_.empty()) models_ = models_at_start();
    return {std::move(result), std::move(models_), std::move(mean_),
            best_ ? std::move(best_->model) : Vector<Scalar>()};
  }

 private:
  using Asked = typename OpenQuestions<Scalar>::Asked;

  bool judges_own() const { return rules_.evaluate == RunSettings::Run::Evaluate::own; }
  std::optional<Verdict> evaluate_if_complete(std::uint64_t iteration);
  /// Returns the verdict on a complete set. Nothing if the peers are asked for their scores.
  std::optional<Verdict> evaluate(Snapshots<Scalar> gathered);
  void note_losses(const ModelViews<Scalar>& models, Evaluation& evaluation);
  std::optional<Verdict> take(PeerId peer, std::uint64_t iteration, ToldModel<Scalar> model,
                              PeerMeters meters);
  /// Lets go of what has been read of a model in its place.
  WhenRead<Scalar> when_read() const;
  std::optional<Verdict> judge_own(Asked asked, const std::vector<std::optional<OwnEvaluation>>& told);
  std::optional<Verdict> judge_here(Asked asked);
  std::optional<Verdict> ask_peers(Asked asked);
  /// The length of a question. That on x_0 has no model.
  std::size_t question_bytes(std::uint64_t iteration) const {
    return header_bytes + (iteration > 0 ? model_bytes() : 0);
  }
  void note_distances(const SquaredDistances& squares, Evaluation& evaluation) const;
  Verdict judge(Asked closed, const ModelScore& score);
  /// Looks at what the peers say: if one tells no loss, the mean is none.
  void prove_losses(const std::vector<std::optional<LocalScore>>& answers, Evaluation& evaluation);
  void close_answered(std::vector<Verdict>& verdicts);
  void note_models_to_keep(std::uint64_t iteration);
  /// Returns x_0 for each peer; nothing if the run has not begun, or models are forgotten.
  std::vector<Vector<Scalar>> models_at_start() const;
  Crew& crew() {
    const std::size_t coordinates = problem_->peer_count() * static_cast<std::size_t>(problem_->dimension());
    static CrewOfOne alone;  // has no state
    return crew_ && coordinates >= worth_a_crew ? *crew_ : alone;
  }
  static RunJudge judge_of(const JudgedSamples& judged, const RunSettings::Run& rules) {
    return {rules, judged.are_test ? BestBy::accuracy : BestBy::loss};
  }

  const Problem<Scalar>* problem_;
  RunSettings::Run rules_;
  Asks asks_;
  Crew* crew_;  // null: alone
  const ReadInPlace* in_place_ = nullptr;
  Evaluated evaluated_;
  RunJudge judge_;
  LossRange losses_;
  OpenQuestions<Scalar> questions_;
  Gathering<Scalar> gathering_;
  MeterReadings meters_;
  std::vector<Evaluation> evaluations_;
  std::uint64_t evaluation_bytes_ = 0;  // of all evaluations so far
  ModelScore last_score_;               // of the last evaluation
  struct Best {
    Evaluation of;
    Vector<Scalar> model;  // the mean model
  };
  std::optional<FalseLoss> false_loss_;  // the first answer that cannot be a loss
  std::optional<Best> best_;             // so far; empty under run.keep = "last"
  bool keeps_models_ = true;
  /// Of the last evaluation, by peer; empty vectors for peers that are gone. None while all are at x_0.
  std::vector<Vector<Scalar>> models_;
  Vector<Scalar> mean_;
  std::vector<ModelSet> models_to_keep_;
};

}  // namespace hearsay
