#include <cmath>
#include <string>
#include <vector>

#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"
#include "runtime/data/npy.hpp"

namespace hearsay {

namespace {

template <class Scalar>
void require_finite(const std::filesystem::path& path, const Vector<Scalar>& values) {
  for (Index k = 0; k < values.size(); ++k)
    if (!std::isfinite(values[k]))
      throw Misuse(path.string() + ", element " + std::to_string(k) + ": not a finite number");
}

/// Returns a shape as numpy prints it: "(50,)", "(50, 2)".
std::string spelled(const std::vector<Index>& shape) {
  std::string text;
  for (const Index extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "(" + text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

template <class Scalar>
Samples<Scalar> read_npy_pair(const std::filesystem::path& features, const std::filesystem::path& targets,
                              DataMemory& memory) {
  const NpyArray<Scalar> x = read_npy<Scalar>(features, memory);
  if (x.shape.size() < 2)
    throw Misuse(features.string() + ": the array has the shape " + spelled(x.shape) +
                 "; expected (samples, features)");
  const NpyArray<Scalar> y = read_npy<Scalar>(targets, memory);
  if (y.values.size() != x.shape[0])
    throw Misuse(targets.string() + ": the array has the shape " + spelled(y.shape) + "; expected (" +
                 std::to_string(x.shape[0]) + ",), a target for each sample of " + features.string());
  require_finite(features, x.values);
  require_finite(targets, y.values);
  Samples<Scalar> samples;
  // Further dimensions (of images, say) are flattened into features.
  samples.features = DenseRows<Scalar>(Eigen::Map<const DenseRows<Scalar>>(
      x.values.data(), x.shape[0], x.shape[0] == 0 ? 0 : x.values.size() / x.shape[0]));
  samples.targets.assign(y.values.begin(), y.values.end());
  return samples;
}

template Samples<float> read_npy_pair<float>(const std::filesystem::path&, const std::filesystem::path&,
                                             DataMemory&);
template Samples<double> read_npy_pair<double>(const std::filesystem::path&, const std::filesystem::path&,
                                               DataMemory&);

}  // namespace hearsay
