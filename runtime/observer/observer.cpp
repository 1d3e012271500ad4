#include "runtime/observer/observer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "runtime/observer/distances.hpp"
#include "runtime/observer/model_scores.hpp"
#include "runtime/record/json.hpp"
#include "runtime/wire/frame.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::evaluate_if_complete(std::uint64_t iteration) {
  auto complete = gathering_.take_if_complete(iteration);
  return complete ? evaluate(std::move(*complete)) : std::nullopt;
}

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::take(PeerId peer, std::uint64_t iteration, Vector<Scalar> model,
                                              PeerMeters meters) {
  return take(peer, iteration, ToldModel<Scalar>(std::move(model)), std::move(meters));
}

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::take(PeerId peer, std::uint64_t iteration, ToldModel<Scalar> model,
                                              PeerMeters meters) {
  ensure(static_cast<Index>(model.all().size()) == problem_->dimension(),
         "a snapshot is of a model of this run");
  gathering_.add(peer, iteration, std::move(model), told_meters(meters));
  meters_.note(peer, std::move(meters));
  return evaluate_if_complete(iteration);
}

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::take_own(PeerId peer, std::uint64_t iteration,
                                                  const OwnEvaluation& own, PeerMeters meters) {
  gathering_.add(peer, iteration, own, told_meters(meters));
  meters_.note(peer, std::move(meters));
  return evaluate_if_complete(iteration);
}

template <class Scalar>
std::optional<std::vector<Verdict>> Observer<Scalar>::take_payload(PeerId peer, std::uint64_t iteration,
                                                                   std::span<const std::byte> payload) {
  std::optional<Verdict> verdict;
  if (judges_own()) {
    const auto snapshot = decode_own_snapshot(payload);
    if (!snapshot) return std::nullopt;
    verdict = take_own(peer, iteration, snapshot->own, snapshot->meters);
  } else {
    auto snapshot = read_snapshot<Scalar>(payload, problem_->dimension(), in_place_);
    if (!snapshot) return std::nullopt;
    verdict = take(peer, iteration, std::move(snapshot->model), std::move(snapshot->meters));
  }
  return verdict ? std::vector{*verdict} : std::vector<Verdict>();
}

template <class Scalar>
WhenRead<Scalar> Observer<Scalar>::when_read() const {
  if (!in_place_) return {};
  return [memory = in_place_](std::span<const Scalar> read) { memory->let_go(std::as_bytes(read)); };
}

template <class Scalar>
std::vector<Verdict> Observer<Scalar>::drop(PeerId peer) {
  gathering_.drop(peer);
  questions_.release(peer);
  std::vector<Verdict> verdicts;
  close_answered(verdicts);
  while (auto complete = gathering_.take_first_if_complete())
    if (const auto verdict = evaluate(std::move(*complete))) verdicts.push_back(*verdict);
  return verdicts;
}

template <class Scalar>
void Observer<Scalar>::take_back(PeerId peer, std::uint64_t iteration) {
  gathering_.take_back(peer, iteration);
}

template <class Scalar>
void Observer<Scalar>::take_in(PeerId peer, std::uint64_t iteration) {
  gathering_.take_back(peer, iteration);
  meters_.begin_anew(peer);
}

template <class Scalar>
std::vector<Verdict> Observer<Scalar>::answer(PeerId peer, std::uint64_t iteration, const LocalScore& score) {
  questions_.answer(peer, iteration, score);
  std::vector<Verdict> verdicts;
  close_answered(verdicts);
  return verdicts;
}

/// Appends the verdicts on the questions that nobody owes an answer to any more. A question whose peers were
/// all lost before they answered gets none.
template <class Scalar>
void Observer<Scalar>::close_answered(std::vector<Verdict>& verdicts) {
  while (auto closed = questions_.close_next()) {
    const std::vector<LocalScore> scores = closed->scores();
    if (scores.empty()) continue;
    const bool is_of_own_models = closed->mean.size() == 0;
    if (!is_of_own_models)
      closed->evaluation.evaluation_bytes += scores.size() * (header_bytes + score_bytes);
    const ModelScore score =
        is_of_own_models ? problem_->mean_of_own(scores) : problem_->score_of(scores, closed->mean);
    verdicts.push_back(judge(std::move(*closed), score));
  }
}

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::begin() {
  const std::vector<std::optional<ToldMeters>> meters(problem_->peer_count(), ToldMeters{});
  Asked asked;
  asked.evaluation = meters_.together(0, meters);
  asked.mean = problem_->initial;  // where all peers are
  note_distances(SquaredDistances(problem_->peer_count(), 0.0), asked.evaluation);
  note_losses({view(problem_->initial)}, asked.evaluation);
  return asks_ == Asks::nobody ? judge_here(std::move(asked)) : ask_peers(std::move(asked));
}

template <class Scalar>
std::vector<Verdict> Observer<Scalar>::resume(const std::vector<Evaluation>& record,
                                              const std::optional<KeptModel>& kept) {
  ensure(!record.empty(), "a run that is resumed has an evaluation");
  models_.clear();
  mean_ = problem_->initial;
  evaluations_.clear();
  evaluation_bytes_ = record.back().evaluation_bytes;
  last_score_ = {.samples = static_cast<std::uint64_t>(problem_->sample_count()), .judged = problem_->judged};
  judge_ = judge_of(problem_->judged, rules_);
  losses_.note_first(record.front().loss);
  std::vector<Verdict> verdicts;
  for (const Evaluation& evaluation : record) {
    evaluations_.push_back(evaluation);
    verdicts.push_back({evaluation.iteration, judge_.proceeds_after(evaluation)});
  }
  if (rules_.keep == RunSettings::Run::Keep::last) return verdicts;
  best_ = Best{record.front(), problem_->initial};
  if (kept && kept->model.size() == model_bytes()) {
    best_->of = kept->of;
    std::ranges::copy(kept->model, std::as_writable_bytes(view(best_->model)).begin());
  }
  return verdicts;
}

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::evaluate(Snapshots<Scalar> gathered) {
  const std::uint64_t iteration = gathered.iteration;
  Asked asked;
  asked.evaluation = meters_.together(iteration, gathered.meters);
  if (iteration > 0) {  // x_0 is where all peers are
    const std::size_t told = gathered.has_models() ? model_bytes() : own_evaluation_bytes;
    asked.evaluation.evaluation_bytes = gathered.count() * (header_bytes + told);
  }
  if (!gathered.has_models()) {
    gathered.own.resize(gathered.models.size());
    return judge_own(std::move(asked), gathered.own);
  }
  // Without any hub the run is about to end.
  const auto hub =
      std::ranges::find_if(evaluated_.hubs, [&](PeerId id) { return gathered.models[id].is_there(); });
  // Two means at the same time would be memory that only the first needs. Whoever may still want the last
  // one that was judged, since peers or an objective may fail to judge this one, has it.
  if (in_place_ && asks_ == Asks::nobody) mean_ = {};
  ModelViews<Scalar> models;
  for (const ToldModel<Scalar>& model : gathered.models) models.push_back(model.all());
  if (hub != evaluated_.hubs.end())
    asked.mean = Eigen::Map<const Vector<Scalar>>(models[*hub].data(), problem_->dimension());
  else
    asked.mean = mean_of<Scalar>(models, crew(), when_read());
  note_distances(squared_distances<Scalar>(models, asked.mean, crew(), when_read()), asked.evaluation);
  note_losses(models, asked.evaluation);
  if (keeps_models_)
    for (ToldModel<Scalar>& model : gathered.models) asked.models.push_back(std::move(model).take());
  gathered.models.clear();
  return asks_ == Asks::nobody ? judge_here(std::move(asked)) : ask_peers(std::move(asked));
}

/// Under run.evaluate = "peers": notes the loss at each of the models.
template <class Scalar>
void Observer<Scalar>::note_losses(const ModelViews<Scalar>& models, Evaluation& evaluation) {
  if (rules_.evaluate != RunSettings::Run::Evaluate::peers) return;
  const auto [least, largest] = losses_of<Scalar>(*problem_, models, crew(), when_read());
  evaluation.loss_worst = largest;
  evaluation.loss_spread = largest - least;
}

/// The peers have told how each judges its own model.
template <class Scalar>
std::optional<Verdict> Observer<Scalar>::judge_own(Asked asked,
                                                   const std::vector<std::optional<OwnEvaluation>>& told) {
  note_distances(squared_distances(told), asked.evaluation);
  asked.owed.resize(told.size());
  for (const std::optional<OwnEvaluation>& own : told)
    asked.answers.push_back(own ? std::optional(own->score) : std::nullopt);
  questions_.open(std::move(asked));  // nobody owes an answer, but that on x_0 may be open
  std::vector<Verdict> verdicts;
  close_answered(verdicts);
  return verdicts.empty() ? std::nullopt : std::optional(verdicts.back());
}

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::judge_here(Asked asked) {
  const std::vector<LocalScore> scores = scores_of(*problem_, asked.mean, crew());
  if (problem_->at_home) {  // in a run of processes these peers would be asked
    asked.evaluation.evaluation_bytes +=
        problem_->peer_count() * (question_bytes(asked.evaluation.iteration) + header_bytes + score_bytes);
    asked.answers.assign(scores.begin(), scores.end());
  }
  const ModelScore score = problem_->score_of(scores, asked.mean);
  return judge(std::move(asked), score);
}

/// Asks the peers that count for their scores of the mean model.
template <class Scalar>
std::optional<Verdict> Observer<Scalar>::ask_peers(Asked asked) {
  const std::uint64_t iteration = asked.evaluation.iteration;
  asked.owed.resize(problem_->peer_count());
  asked.answers.resize(problem_->peer_count());
  for (PeerId peer = 0; peer < asked.owed.size(); ++peer) {
    asked.owed[peer] = gathering_.needs(peer, iteration);
    if (asked.owed[peer]) asked.evaluation.evaluation_bytes += question_bytes(iteration);
  }
  questions_.open(std::move(asked));
  return std::nullopt;
}

template <class Scalar>
void Observer<Scalar>::note_distances(const SquaredDistances& squares, Evaluation& evaluation) const {
  evaluation.consensus_distance = consensus_distance(squares);
  const auto is_gone = [](const std::optional<double>& square) { return !square; };
  evaluation.gone = static_cast<PeerId>(std::ranges::count_if(squares, is_gone));
  if (keeps_distances(evaluations_.size() + questions_.all().size()))
    evaluation.distances = peer_distances(squares);
}

template <class Scalar>
void Observer<Scalar>::prove_losses(const std::vector<std::optional<LocalScore>>& answers,
                                    Evaluation& evaluation) {
  if (evaluations_.empty()) losses_.note_first(answers);
  const std::optional<FalseLoss> found = losses_.first_false(answers, evaluation.iteration);
  if (!found) return;
  evaluation.loss = std::numeric_limits<double>::quiet_NaN();
  if (!false_loss_) false_loss_ = found;
}

template <class Scalar>
Verdict Observer<Scalar>::judge(Asked closed, const ModelScore& score) {
  Evaluation& evaluation = closed.evaluation;
  ensure(evaluations_.empty() || evaluations_.back().iteration < evaluation.iteration,
         "evaluations are judged in the order of their iterations");
  // Which samples the peers judge, they say with their first answers.
  if (evaluations_.empty()) judge_ = judge_of(score.judged, rules_);
  evaluation.loss = score.loss;
  evaluation.accuracy = score.accuracy;
  prove_losses(closed.answers, evaluation);
  evaluation_bytes_ += evaluation.evaluation_bytes;
  evaluation.evaluation_bytes = evaluation_bytes_;
  if (score.samples > 0)
    evaluation.epoch =
        static_cast<double>(evaluation.gradient_evaluations) / static_cast<double>(score.samples);
  last_score_ = score;
  mean_ = std::move(closed.mean);
  models_ = std::move(closed.models);
  evaluations_.push_back(evaluation);
  if (rules_.keep_models.at(evaluation.iteration)) note_models_to_keep(evaluation.iteration);
  if (!keeps_models_) models_.clear();
  const Verdict verdict{evaluation.iteration, judge_.proceeds_after(evaluation)};
  const bool may_be_best = rules_.keep == RunSettings::Run::Keep::best && !judge_.diverged();
  if (may_be_best && (!best_ || judge_.is_better(evaluation, best_->of))) best_ = Best{evaluation, mean_};
  return verdict;
}

template <class Scalar>
void Observer<Scalar>::note_models_to_keep(std::uint64_t iteration) {
  ModelSet set{.iteration = iteration, .models = {}};
  const auto add = [&](const Vector<Scalar>& model) {
    const auto bytes = std::as_bytes(view(model));
    set.models.emplace_back(bytes.begin(), bytes.end());
  };
  if (rules_.keep_models.of_peers)
    for (PeerId peer = 0; peer < problem_->peer_count(); ++peer)
      add(models_.empty() ? problem_->initial : models_[peer]);
  else
    add(mean_);
  models_to_keep_.push_back(std::move(set));
}

template <class Scalar>
std::vector<Vector<Scalar>> Observer<Scalar>::models_at_start() const {
  const bool began = keeps_models_ && mean_.size() != 0;
  return began ? std::vector<Vector<Scalar>>(problem_->peer_count(), problem_->initial)
               : std::vector<Vector<Scalar>>();
}

template <class Scalar>
std::optional<std::uint64_t> Observer<Scalar>::best_iteration() const {
  return best_ ? std::optional(best_->of.iteration) : std::nullopt;
}

template <class Scalar>
KeptModel Observer<Scalar>::best() const {
  ensure(best_.has_value(), "a best model is kept under run.keep = \"best\"");
  const auto bytes = std::as_bytes(view(best_->model));
  return {best_->of, {bytes.begin(), bytes.end()}};
}

template <class Scalar>
RunResult Observer<Scalar>::conclude(std::vector<PeerOutcome> peers) const {
  RunResult result;
  result.evaluations = evaluations_;
  result.loss_samples = last_score_.samples;
  result.judged = last_score_.judged;
  if (best_) result.best = best_->of;
  judge_.conclude(result);
  if (result.status == RunStatus::diverged && false_loss_)
    result.reason = (false_loss_->is_finite ? "" : result.reason + ": ") + false_loss_->what;
  note_first_divergence(peers, result);
  result.peers = std::move(peers);
  return result;
}

template class Observer<float>;
template class Observer<double>;

}  // namespace hearsay
