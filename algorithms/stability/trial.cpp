#include "algorithms/stability/trial.hpp"

#include <cmath>

namespace hearsay {

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> trial_compressor(const std::string& spelling, const LinearError& of_run,
                                                     std::size_t coordinates) {
  const SegmentTable whole = {{"all", 0, static_cast<Index>(coordinates)}};
  auto compressor = make_compressor<Scalar>(spelling, whole);
  const std::optional<LinearError> of_trial = typical_error(*compressor, coordinates);
  if (!of_trial || std::abs(of_trial->keep - of_run.keep) > 0.2 * of_run.keep) return nullptr;
  return compressor;
}

template std::unique_ptr<Compressor<float>> trial_compressor(const std::string&, const LinearError&,
                                                             std::size_t);
template std::unique_ptr<Compressor<double>> trial_compressor(const std::string&, const LinearError&,
                                                              std::size_t);

}  // namespace hearsay
