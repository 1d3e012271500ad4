#include "runtime/observer/observer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "algorithms/arithmetic/reductions.hpp"
#include "runtime/record/json.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// Returns the number of models that are not empty.
template <class Scalar>
double count_of(const std::vector<Vector<Scalar>>& models) {
  return static_cast<double>(
      std::ranges::count_if(models, [](const Vector<Scalar>& model) { return model.size() != 0; }));
}

}  // namespace

template <class Scalar>
Vector<Scalar> mean_of(const std::vector<Vector<Scalar>>& models) {
  const auto some = std::ranges::find_if(models, [](const auto& model) { return model.size() != 0; });
  ensure(some != models.end(), "a mean is of one model at least");
  Vector<double> sum = Vector<double>::Zero(some->size());
  for (const Vector<Scalar>& model : models)
    if (model.size() != 0) sum += model.template cast<double>();
  return (sum / count_of(models)).template cast<Scalar>();
}

namespace {

/// Returns ||x_i - mean||^2 by peer; 0 for an empty model.
template <class Scalar>
std::vector<double> squared_distances(const std::vector<Vector<Scalar>>& models, const Vector<Scalar>& mean) {
  std::vector<double> squares;
  for (const Vector<Scalar>& model : models)
    squares.push_back(model.size() == 0 ? 0.0 : squared_distance(view(model), view(mean)));
  return squares;
}

template <class Scalar>
double consensus_distance_of(const std::vector<double>& squares, const std::vector<Vector<Scalar>>& models) {
  return std::sqrt(std::accumulate(squares.begin(), squares.end(), 0.0) / count_of(models));
}

/// True if the record keeps the peers' distances of this evaluation, counted from 0: of all of the first
/// 1,024, of every second of the next 1,024, of every fourth of the next 2,048, and so on. So a record that
/// becomes twice as long grows by 512 lines.
bool keeps_distances(std::size_t evaluation) {
  return evaluation % std::bit_floor(std::max<std::size_t>(1, evaluation / 512)) == 0;
}

template <class Scalar>
PeerDistances peer_distances(const std::vector<double>& squares, const std::vector<Vector<Scalar>>& models) {
  PeerDistances distances;
  for (std::size_t peer = 0; peer < squares.size(); ++peer)
    distances.values.push_back(models[peer].size() == 0 ? std::nan("") : std::sqrt(squares[peer]));
  if (distances.values.size() <= PeerDistances::most) return distances;

  distances.ranked = true;
  std::vector<double> sorted = std::move(distances.values);
  std::erase_if(sorted, [](double distance) { return std::isnan(distance); });
  std::ranges::sort(sorted);
  distances.values.clear();
  for (std::size_t rank = 0; rank < PeerDistances::most && !sorted.empty(); ++rank)
    distances.values.push_back(sorted[rank * (sorted.size() - 1) / (PeerDistances::most - 1)]);
  return distances;
}

}  // namespace

template <class Scalar>
double consensus_distance(const std::vector<Vector<Scalar>>& models, const Vector<Scalar>& mean) {
  return consensus_distance_of(squared_distances(models, mean), models);
}

template <class Scalar>
std::optional<Verdict> Observer<Scalar>::take(PeerId peer, std::uint64_t iteration,
                                              const Vector<Scalar>& model, const PeerMeters& meters) {
  const std::size_t peer_count = problem_->peer_count();
  ensure(peer < peer_count && model.size() == problem_->dimension(), "a snapshot is of a peer of this run");
  Gathering& gathered = gathering_[iteration];
  gathered.models.resize(peer_count);
  gathered.meters.resize(peer_count);
  ensure(gathered.models[peer].size() == 0, "a peer sends one snapshot per evaluation");
  gathered.models[peer] = model;
  gathered.meters[peer] = last_meters_[peer] = meters;
  if (!complete(iteration, gathered)) return std::nullopt;

  const Evaluation evaluation = evaluate(iteration, gathered);
  models_ = std::move(gathered.models);
  gathering_.erase(iteration);
  return judge(evaluation);
}

template <class Scalar>
std::optional<std::vector<Verdict>> Observer<Scalar>::take_payload(PeerId peer, std::uint64_t iteration,
                                                                   std::span<const std::byte> payload) {
  const auto snapshot = decode_snapshot<Scalar>(payload, problem_->dimension());
  if (!snapshot) return std::nullopt;
  std::vector<Verdict> verdicts;
  if (const auto verdict = take(peer, iteration, snapshot->model, snapshot->meters))
    verdicts.push_back(*verdict);
  return verdicts;
}

template <class Scalar>
bool Observer<Scalar>::complete(std::uint64_t iteration, Gathering& gathered) const {
  for (PeerId& peer = gathered.known_to_be_there; peer < counts_from_.size(); ++peer)
    if (counts_from_[peer] <= iteration && gathered.models[peer].size() == 0) return false;
  return true;
}

template <class Scalar>
std::vector<Verdict> Observer<Scalar>::drop(PeerId peer) {
  counts_from_[peer] = never;
  for (auto& [iteration, gathered] : gathering_) gathered.models[peer] = {};
  std::vector<Verdict> verdicts;
  while (!gathering_.empty() && std::ranges::find_if(counts_from_, [](std::uint64_t from) {
                                  return from != never;
                                }) != counts_from_.end()) {
    auto& [iteration, gathered] = *gathering_.begin();
    if (!complete(iteration, gathered)) break;
    if (count_of(gathered.models) == 0.0) {  // all its models were of peers that are gone
      gathering_.erase(gathering_.begin());
      continue;
    }
    const Evaluation evaluation = evaluate(iteration, gathered);
    models_ = std::move(gathered.models);
    gathering_.erase(gathering_.begin());
    verdicts.push_back(judge(evaluation));
  }
  return verdicts;
}

template <class Scalar>
void Observer<Scalar>::take_back(PeerId peer, std::uint64_t iteration) {
  counts_from_[peer] = iteration;
  for (auto& [unused, gathered] : gathering_)
    gathered.known_to_be_there = std::min(gathered.known_to_be_there, peer);
}

template <class Scalar>
void Observer<Scalar>::take_in(PeerId peer, std::uint64_t iteration) {
  take_back(peer, iteration);
  PeerMeters& last = last_meters_[peer];
  before_[peer].bytes_sent += last.bytes_sent;
  before_[peer].messages_sent += last.messages_sent;
  before_[peer].gradient_evaluations += last.counters.gradient_evaluations;
  last = {};
}

template <class Scalar>
Verdict Observer<Scalar>::begin() {
  const std::size_t peer_count = problem_->peer_count();
  Gathering gathered{std::vector<Vector<Scalar>>(peer_count, problem_->initial),
                     std::vector<PeerMeters>(peer_count)};
  const Evaluation evaluation = evaluate(0, gathered);
  models_ = std::move(gathered.models);
  return judge(evaluation);
}

template <class Scalar>
std::vector<Verdict> Observer<Scalar>::resume(const std::vector<Evaluation>& record,
                                              const std::optional<KeptModel>& kept) {
  models_.assign(problem_->peer_count(), problem_->initial);
  mean_ = problem_->initial;
  evaluations_.clear();
  judge_ = judge_of(*problem_, rules_);
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
Verdict Observer<Scalar>::judge(const Evaluation& evaluation) {
  evaluations_.push_back(evaluation);
  const Verdict verdict{evaluation.iteration, judge_.proceeds_after(evaluation)};
  const bool may_be_best = rules_.keep == RunSettings::Run::Keep::best && !judge_.diverged();
  if (may_be_best && (!best_ || judge_.is_better(evaluation, best_->of))) best_ = Best{evaluation, mean_};
  return verdict;
}

/// Returns the least and the largest pooled loss of the models that are not empty. Both are NaN if one is.
template <class Scalar>
std::pair<double, double> Observer<Scalar>::losses_of(const std::vector<Vector<Scalar>>& models) const {
  std::pair<double, double> losses{std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity()};
  for (const Vector<Scalar>& model : models) {
    if (model.size() == 0) continue;
    const double loss = problem_->loss(model);
    if (std::isnan(loss)) return {loss, loss};
    losses = {std::min(losses.first, loss), std::max(losses.second, loss)};
  }
  return losses;
}

template <class Scalar>
Evaluation Observer<Scalar>::evaluate(std::uint64_t iteration, const Gathering& gathered) {
  Evaluation evaluation;
  evaluation.iteration = iteration;
  mean_ = mean_of(gathered.models);
  evaluation.loss = problem_->loss(mean_);
  if (problem_->accuracy) evaluation.accuracy = problem_->accuracy(mean_);
  if (rules_.evaluate == RunSettings::Run::Evaluate::peers) {
    const auto [least, largest] = losses_of(gathered.models);
    evaluation.loss_worst = largest;
    evaluation.loss_spread = largest - least;
  }
  const std::vector<double> squares = squared_distances(gathered.models, mean_);
  evaluation.consensus_distance = consensus_distance_of(squares, gathered.models);
  if (keeps_distances(evaluations_.size())) evaluation.distances = peer_distances(squares, gathered.models);

  Duration last{0};
  for (PeerId peer = 0; peer < gathered.meters.size(); ++peer) {
    const bool counts = gathered.models[peer].size() != 0;
    const PeerMeters& meters = counts ? gathered.meters[peer] : last_meters_[peer];
    last = std::max(last, meters.now);
    // Summed as seconds: durations from a faulty peer could overflow.
    evaluation.compute_seconds += seconds(meters.compute);
    evaluation.wait_seconds += seconds(meters.wait);
    evaluation.wire_seconds += seconds(meters.wire);
    evaluation.bytes_sent += meters.bytes_sent + before_[peer].bytes_sent;
    evaluation.messages_sent += meters.messages_sent + before_[peer].messages_sent;
    evaluation.gradient_evaluations +=
        meters.counters.gradient_evaluations + before_[peer].gradient_evaluations;
    evaluation.gossip_rounds = std::max(evaluation.gossip_rounds, meters.counters.gossip_rounds);
  }
  const auto peer_count = static_cast<double>(gathered.meters.size());
  evaluation.seconds = seconds(last);
  evaluation.compute_seconds /= peer_count;
  evaluation.wait_seconds /= peer_count;
  evaluation.wire_seconds /= peer_count;

  if (const Index samples = problem_->sample_count(); samples > 0)
    evaluation.epoch = static_cast<double>(evaluation.gradient_evaluations) / static_cast<double>(samples);
  return evaluation;
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
  if (best_) result.best = best_->of;
  judge_.conclude(result);
  // Reports the divergence with the lowest iteration.
  std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
  for (PeerId id = 0; id < peers.size(); ++id) {
    const std::optional<Divergence>& divergence = peers[id].divergence;
    if (!divergence || divergence->iteration >= earliest) continue;
    earliest = divergence->iteration;
    result.status = divergence->malformed ? RunStatus::lost : RunStatus::diverged;
    result.reason =
        divergence->what + " (peer " + std::to_string(id) + ", iteration " + std::to_string(earliest) + ")";
  }
  result.peers = std::move(peers);
  return result;
}

template class Observer<float>;
template class Observer<double>;
template Vector<float> mean_of<float>(const std::vector<Vector<float>>&);
template Vector<double> mean_of<double>(const std::vector<Vector<double>>&);
template double consensus_distance<float>(const std::vector<Vector<float>>&, const Vector<float>&);
template double consensus_distance<double>(const std::vector<Vector<double>>&, const Vector<double>&);

}  // namespace hearsay
