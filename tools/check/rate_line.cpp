#include "tools/check/rate_line.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/compression/seam/near_compressor.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

namespace {

constexpr std::size_t most_peers_of_a_rate = 32;
constexpr Index most_products_of_a_rate = 10'000'000;  // samples times parameters, of one peer
constexpr Index bucket = 512;
constexpr int curve_steps = 60;

template <class Scalar>
std::vector<PeerId> asked_peers(const Problem<Scalar>& problem) {
  std::vector<PeerId> with_data;
  for (PeerId id = 0; id < problem.peer_count(); ++id)
    if (problem.objectives[id]->has_data()) with_data.push_back(id);
  std::vector<PeerId> asked(std::min(with_data.size(), most_peers_of_a_rate));
  for (std::size_t k = 0; k < asked.size(); ++k) asked[k] = with_data[k * with_data.size() / asked.size()];
  return asked;
}

/// The gradient of the peer's minibatch at the initial model, or of as many samples as do not take long.
template <class Scalar>
Vector<Scalar> gradient_of(const RunSettings& settings, const Problem<Scalar>& problem, PeerId id) {
  const Objective<Scalar>& objective = *problem.objectives[id];
  const auto count = static_cast<Index>(objective.sample_count());
  const Index affordable =
      std::max(Index{1}, most_products_of_a_rate / std::max(Index{1}, problem.dimension()));
  RandomStream random(settings.run.seed, id, 0, Purpose::decision);
  const auto below = [&](Index bound) {
    return static_cast<Index>(random.below(static_cast<std::uint64_t>(bound)));
  };
  std::vector<Index> samples;
  if (settings.algorithm.batch) {
    const auto wanted = static_cast<Index>(*settings.algorithm.batch);
    for (Index k = std::min({wanted, count, affordable}); k > 0; --k) samples.push_back(below(count));
  } else {  // all samples, each once
    samples.resize(static_cast<std::size_t>(count));
    std::iota(samples.begin(), samples.end(), Index{0});
    for (Index k = 0; affordable < count && k < affordable; ++k)
      std::swap(samples[static_cast<std::size_t>(k)],
                samples[static_cast<std::size_t>(k + below(count - k))]);
    samples.resize(static_cast<std::size_t>(std::min(count, affordable)));
  }
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

/// What the gradients are like, bucket by bucket, and on the whole.
struct Likeness {
  std::vector<CorrelatedVectors> buckets;
  double shared = 0.0;
  double variance = 0.0;  // with what is not shared
  double peers;

  template <class Scalar>
  explicit Likeness(const PeerGradients<Scalar>& of)
      : buckets(correlated_vectors<Scalar>(of.gradients, bucket)),
        peers(static_cast<double>(of.gradients.size())) {
    for (const CorrelatedVectors& one : buckets) {
      shared += one.share * one.shared;
      variance += one.share * (one.shared + one.own);
    }
  }

  double gaussian(double alpha) const { return gaussian_bits(buckets, alpha * variance); }
  /// Scaled to be unbiased, a message of error alpha has the relative variance alpha / (1 - alpha).
  double ceo(double alpha) const {
    return ceo_bits(buckets, peers, distortion_of_mean(buckets, peers, alpha / (1.0 - alpha) * variance));
  }
};

}  // namespace

template <class Scalar>
std::optional<PeerGradients<Scalar>> peer_gradients(const RunSettings& settings,
                                                    const Problem<Scalar>& problem) {
  if (!settings.model.program.empty() || problem.at_home) return std::nullopt;
  const std::vector<PeerId> asked = asked_peers(problem);
  if (asked.size() < 2) return std::nullopt;
  PeerGradients<Scalar> of{{}, problem.objectives.front()->segments()};
  for (const PeerId id : asked) of.gradients.push_back(gradient_of(settings, problem, id));
  return of;
}

template <class Scalar>
std::optional<RateLine> rate_line(const RunSettings& settings, const PeerGradients<Scalar>& of) {
  const std::string& spelling = settings.algorithm.compressor;
  if (spelling.empty() || spelling == "none") return std::nullopt;
  const auto compressor = make_sent_compressor<Scalar>(
      spelling, settings.algorithm.options.find(option::side_information), of.segments);
  const auto dimension = static_cast<std::size_t>(of.gradients.front().size());
  PacketPool packets;
  Sums sums;
  for (std::size_t k = 0; k < of.gradients.size(); ++k) {
    const Vector<Scalar>& gradient = of.gradients[k];
    PacketBuffer message = packets.acquire();
    RandomStream random(settings.run.seed, k, 0, Purpose::compression);
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
  const Likeness like(of);
  const Traits traits = compressor->traits(dimension);
  const double coordinates = static_cast<double>(dimension);
  return RateLine{.error = alpha,
                  .bits = 8.0 * sums.bytes / (like.peers * coordinates),
                  .gaussian = like.gaussian(alpha),
                  .ceo = like.ceo(alpha),
                  .shared = like.shared / like.variance,
                  .peers = static_cast<PeerId>(of.gradients.size()),
                  .worst_error = worst_relative_error(traits),
                  .most_bits = 8.0 * static_cast<double>(traits.bytes) / coordinates};
}

template <class Scalar>
nlohmann::ordered_json rate_curves(const PeerGradients<Scalar>& of) {
  const Likeness like(of);
  nlohmann::ordered_json curves;
  for (int step = 0; step <= curve_steps; ++step) {
    const double alpha = std::pow(10.0, -6.0 * step / curve_steps);
    const double ceo = alpha < 1.0 ? like.ceo(alpha) : 0.0;
    curves["error"].push_back(alpha);
    curves["universal"].push_back(universal_bits(alpha));
    curves["gaussian"].push_back(like.gaussian(alpha));
    curves["ceo"].push_back(std::isfinite(ceo) ? nlohmann::ordered_json(ceo) : nullptr);
  }
  return curves;
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

template std::optional<PeerGradients<float>> peer_gradients(const RunSettings&, const Problem<float>&);
template std::optional<PeerGradients<double>> peer_gradients(const RunSettings&, const Problem<double>&);
template std::optional<RateLine> rate_line(const RunSettings&, const PeerGradients<float>&);
template std::optional<RateLine> rate_line(const RunSettings&, const PeerGradients<double>&);
template nlohmann::ordered_json rate_curves(const PeerGradients<float>&);
template nlohmann::ordered_json rate_curves(const PeerGradients<double>&);

}  // namespace hearsay
