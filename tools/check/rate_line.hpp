#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/compression/rate_distortion.hpp"
#include "algorithms/objectives/problem.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Gradients of several peers of a run, on which its compressor is judged.
template <class Scalar>
struct PeerGradients {
  std::vector<Vector<Scalar>> gradients;
  SegmentTable segments;
};

/// Returns that of a minibatch of each peer (of 32 of them, if there are more) at the initial model. Nothing
/// if fewer than two peers have data, or if the data are not here.
template <class Scalar>
std::optional<PeerGradients<Scalar>> peer_gradients(const RunSettings& settings,
                                                    const Problem<Scalar>& problem);

/// A compressor's messages of the run's gradients, beside the bits that theory allows for their error
/// (rate_distortion.hpp). All bits are per coordinate and peer.
struct RateLine {
  double error;     ///< ||C(g) - g||^2 / ||g||^2 of the best multiple of the message, over all peers
  double bits;      ///< of the messages
  double gaussian;  ///< with which Gaussian vectors of the gradients' variances can have that error
  double ceo;       ///< the same for the mean of all peers, if they code for what their gradients share
  double shared;    ///< the part of the gradients' squares that all peers share
  PeerId peers;     ///< whose gradients were looked at
  std::optional<double> worst_error;  ///< of the best multiple, of any vector; if one is promised
  double most_bits;                   ///< of a message of any vector
};

/// Nothing if the compressor is lossless, or cannot encode the gradients alone.
template <class Scalar>
std::optional<RateLine> rate_line(const RunSettings& settings, const PeerGradients<Scalar>& of);

/// Returns the bits of the compressor's messages beside those that theory allows, in a sentence.
std::string text_of(const RateLine& line);
/// The same as a member of `hearsay check --json`; null for nothing.
nlohmann::ordered_json json_of(const std::optional<RateLine>& line);

/// The bits that theory allows for relative squared errors from 1 down to 10^-6, in columns: {"error",
/// "universal" (of any compressor, for its worst error), "gaussian", "ceo"}, the last two as in RateLine.
template <class Scalar>
nlohmann::ordered_json rate_curves(const PeerGradients<Scalar>& of);

}  // namespace hearsay
