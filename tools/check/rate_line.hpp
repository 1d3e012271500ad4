#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "runtime/experiment/experiment.hpp"

namespace hearsay {

/// A compressor's messages of the run's gradients, beside the bits that theory allows for their error
/// (rate_distortion.hpp). All bits are per coordinate and peer.
struct RateLine {
  double error;     ///< ||C(g) - g||^2 / ||g||^2 of the best multiple of the message, over all peers
  double bits;      ///< of the messages
  double gaussian;  ///< with which Gaussian vectors of the gradients' variances can have that error
  double ceo;       ///< the same for the mean of all peers, if they code for what their gradients share
  double shared;    ///< the part of the gradients' squares that all peers share
  PeerId peers;     ///< whose gradients were looked at
};

/// Measures them on a minibatch of each peer (of 32 of them, if there are more) at the initial model. Nothing
/// if the compressor is lossless or cannot encode the gradients alone, if fewer than two peers have data, or
/// if the data are not here.
template <class Scalar>
std::optional<RateLine> rate_line(const Experiment<Scalar>& experiment);

/// Returns the bits of the compressor's messages beside those that theory allows, in a sentence.
std::string text_of(const RateLine& line);
/// The same as a member of `hearsay check --json`; null for nothing.
nlohmann::ordered_json json_of(const std::optional<RateLine>& line);

}  // namespace hearsay
