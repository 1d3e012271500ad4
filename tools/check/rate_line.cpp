#include "tools/check/rate_line.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/rate_distortion.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

constexpr std::size_t most_peers = 32;
constexpr Index most_products = 10'000'000;  // samples times parameters, of one peer
constexpr Index bucket = 512;

template <class Scalar>
std::vector<PeerId> asked_peers(const Problem<Scalar>& problem) {
  std::vector<PeerId> with_data;
  for (PeerId id = 0; id < problem.peer_count(); ++id)
    if (problem.objectives[id]->has_data()) with_data.push_back(id);
  std::vector<PeerId> asked(std::min(with_data.size(), most_peers));
  for (std::size_t k = 0; k < asked.size(); ++k) asked[k] = with_data[k * with_data.size() / asked.size()];
  return asked;
}

/// The gradient of the peer's minibatch at the initial model, or of as many samples as do not take long.
template <class Scalar>
Vector<Scalar> gradient_of(const Experiment<Scalar>& experiment, PeerId id) {
  const Problem<Scalar>& problem = experiment.problem;
  const Objective<Scalar>& objective = *problem.objectives[id];
  const auto count = static_cast<Index>(objective.sample_count());
  const auto wanted =
      static_cast<Index>(experiment.settings.algorithm.batch.value_or(static_cast<std::uint64_t>(count)));
  const Index affordable = std::max(Index{1}, most_products / std::max(Index{1}, problem.dimension()));
  std::vector<Index> samples(static_cast<std::size_t>(std::min({wanted, count, affordable})));
  RandomStream random(experiment.settings.run.seed, id, 0, Purpose::decision);
  for (Index& sample : samples) sample = static_cast<Index>(random.below(static_cast<std::uint64_t>(count)));
  Vector<Scalar> gradient(problem.dimension());
  objective.gradient(problem.initial, samples, gradient);
  return gradient;
}

/// The sums of what a message is, and of what it was meant to be.
struct Sums {
  double kept = 0.0;   // <C(g), g>
  double size = 0.0;   // ||C(g)||^2
  double whole = 0.0;  // ||g||^2
  double bytes = 0.0;
};

}  // namespace

template <class Scalar>
std::optional<RateLine> rate_line(const Experiment<Scalar>& experiment) {
  const std::string& spelling = experiment.settings.algorithm.compressor;
  if (spelling == "none" || !experiment.settings.model.program.empty() || experiment.problem.at_home)
    return std::nullopt;
  const std::vector<PeerId> asked = asked_peers(experiment.problem);
  if (asked.size() < 2) return std::nullopt;
  const auto compressor =
      make_compressor<Scalar>(spelling, experiment.problem.objectives.front()->segments());
  const auto dimension = static_cast<std::size_t>(experiment.problem.dimension());
  PacketPool packets;
  Sums sums;
  std::vector<Vector<Scalar>> gradients;
  for (const PeerId id : asked) {
    const Vector<Scalar>& gradient = gradients.emplace_back(gradient_of(experiment, id));
    PacketBuffer message = packets.acquire();
    RandomStream random(experiment.settings.run.seed, id, 0, Purpose::compression);
    Vector<Scalar> decoded = Vector<Scalar>::Zero(gradient.size());
    if (compressor->encode_and_apply({view(gradient), random}, message, view(decoded)) != CodecStatus::ok)
      return std::nullopt;
    sums.kept += static_cast<double>(decoded.dot(gradient));
    sums.size += static_cast<double>(decoded.squaredNorm());
    sums.whole += static_cast<double>(gradient.squaredNorm());
    sums.bytes += static_cast<double>(message.bytes().size());
  }
  const double alpha = 1.0 - sums.kept * sums.kept / (sums.size * sums.whole);
  if (!(0.0 < alpha && alpha < 1.0)) return std::nullopt;
  const auto peers = static_cast<double>(asked.size());
  const auto buckets = correlated_vectors<Scalar>(gradients, bucket);
  double shared = 0.0;
  double variance = 0.0;
  for (const CorrelatedVectors& of : buckets) {
    shared += of.share * of.shared;
    variance += of.share * (of.shared + of.own);
  }
  // Scaled to be unbiased, the message has the relative variance alpha / (1 - alpha).
  const double of_mean = distortion_of_mean(buckets, peers, alpha / (1.0 - alpha) * variance);
  return RateLine{.error = alpha,
                  .bits = 8.0 * sums.bytes / (peers * static_cast<double>(dimension)),
                  .gaussian = gaussian_bits(buckets, alpha * variance),
                  .ceo = ceo_bits(buckets, peers, of_mean),
                  .shared = shared / variance,
                  .peers = static_cast<PeerId>(asked.size())};
}

std::string text_of(const RateLine& line) {
  return "on gradients " + significant(line.bits, 3) + " bits a coordinate, with an error of " +
         significant(line.error, 2) + "; Gaussian ones need " + significant(line.gaussian, 3) + ", and " +
         significant(line.ceo, 3) + " if " + counted(line.peers, "peer") + " coded for what they share (" +
         fixed(100.0 * line.shared, 0) + " %)";
}

nlohmann::ordered_json json_of(const std::optional<RateLine>& line) {
  if (!line) return nullptr;
  return {{"error", line->error},
          {"bits", line->bits},
          {"gaussian_bits", line->gaussian},
          {"ceo_bits", std::isfinite(line->ceo) ? nlohmann::ordered_json(line->ceo) : nullptr},
          {"shared", line->shared},
          {"peers", line->peers}};
}

template std::optional<RateLine> rate_line<float>(const Experiment<float>&);
template std::optional<RateLine> rate_line<double>(const Experiment<double>&);

}  // namespace hearsay
