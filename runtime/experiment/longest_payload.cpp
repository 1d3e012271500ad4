#include "runtime/experiment/longest_payload.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/shared_options.hpp"

namespace hearsay {

template <class Scalar>
std::size_t longest_payload_bytes(const Experiment<Scalar>& experiment) {
  const RunSettings::Algorithm& algorithm = experiment.settings.algorithm;
  const auto d = static_cast<std::size_t>(experiment.problem.dimension());
  const SegmentTable& segments = experiment.problem.objectives.front()->segments();
  const auto packet_bytes = [&](const std::string& compressor) {
    return make_compressor<Scalar>(compressor, segments)->traits(d).bytes;
  };
  const std::size_t packet =
      std::max(packet_bytes(algorithm.compressor),
               packet_bytes(algorithm.options.find(option::down_compressor).value_or("none")));
  const auto rounds = static_cast<std::size_t>(algorithm.options.find(option::rounds).value_or(1));
  const std::size_t rank = std::min<std::size_t>(algorithm.options.find(option::rank).value_or(0), d);
  return 65'536 + 16 * d + rounds * packet + rank * d * sizeof(Scalar);
}

template std::size_t longest_payload_bytes(const Experiment<float>&);
template std::size_t longest_payload_bytes(const Experiment<double>&);

}  // namespace hearsay
