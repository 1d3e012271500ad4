#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"
#include "runtime/data/name_words.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/data/zip_archive.hpp"

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

enum class ArrayRole { unknown, features, targets };

/// What an array in an archive is called: "X_train", "data_labels". The last word that says so decides.
ArrayRole role_called(std::string_view name) {
  constexpr std::array<std::string_view, 11> of_features = {
      "x", "xs", "features", "feature", "data", "images", "image", "input", "inputs", "samples", "pixels"};
  constexpr std::array<std::string_view, 10> of_targets = {
      "y", "ys", "labels", "label", "target", "targets", "class", "classes", "output", "outputs"};
  ArrayRole role = ArrayRole::unknown;
  for (const std::string& word : words_of_name(name)) {
    if (std::ranges::find(of_features, word) != of_features.end()) role = ArrayRole::features;
    if (std::ranges::find(of_targets, word) != of_targets.end()) role = ArrayRole::targets;
  }
  return role;
}

std::string without_ending(const std::string& name) {
  return name.ends_with(".npy") ? name.substr(0, name.size() - 4) : name;
}

/// Checks and joins the two arrays; the paths are what a Misuse names.
template <class Scalar>
Samples<Scalar> samples_of(const std::filesystem::path& features, const NpyArray<Scalar>& x,
                           const std::filesystem::path& targets, const NpyArray<Scalar>& y) {
  if (x.shape.size() < 2)
    throw Misuse(features.string() + ": the array has the shape " + spelled(x.shape) +
                 "; expected (samples, features)");
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

}  // namespace

template <class Scalar>
Samples<Scalar> read_npy_pair(const std::filesystem::path& features, const std::filesystem::path& targets,
                              DataMemory& memory) {
  const NpyArray<Scalar> x = read_npy<Scalar>(features, memory);
  return samples_of(features, x, targets, read_npy<Scalar>(targets, memory));
}

template <class Scalar>
Samples<Scalar> read_npz(const std::filesystem::path& path, DataMemory& memory) {
  std::vector<ZipEntry> entries = read_zip(path, memory);
  if (entries.size() != 2) {
    std::string names;
    for (const ZipEntry& entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
    throw Misuse(path.string() + " has " + std::to_string(entries.size()) + " arrays" +
                 (names.empty() ? "" : " (" + names + ")") +
                 "; expected two, the features (samples, features) and the targets (samples,)");
  }
  const std::filesystem::path names[] = {path / entries[0].name, path / entries[1].name};
  const NpyArray<Scalar> arrays[] = {npy_array<Scalar>(names[0], entries[0].content),
                                     npy_array<Scalar>(names[1], entries[1].content)};
  const std::string called[] = {without_ending(entries[0].name), without_ending(entries[1].name)};
  int x = 0;
  if (const ArrayRole roles[] = {role_called(called[0]), role_called(called[1])}; roles[0] != roles[1]) {
    x = roles[0] == ArrayRole::features || roles[1] == ArrayRole::targets ? 0 : 1;
  } else {
    const auto numbers_a_sample = [&](int k) {
      const std::vector<Index>& shape = arrays[k].shape;
      return shape.empty() || shape[0] == 0 ? Index{0} : arrays[k].values.size() / shape[0];
    };
    // (samples, 1) and (samples,) are features and targets, too.
    const auto order = [&](int k) { return std::pair(numbers_a_sample(k), arrays[k].shape.size()); };
    if (order(0) == order(1))
      throw Misuse(path.string() + ": its arrays " + called[0] + " " + spelled(arrays[0].shape) + " and " +
                   called[1] + " " + spelled(arrays[1].shape) +
                   " do not say which has the features; expected the names x and y, or the shapes (samples, "
                   "features) and (samples,)");
    x = order(0) > order(1) ? 0 : 1;
  }
  return samples_of(names[x], arrays[x], names[1 - x], arrays[1 - x]);
}

template Samples<float> read_npy_pair<float>(const std::filesystem::path&, const std::filesystem::path&,
                                             DataMemory&);
template Samples<float> read_npz<float>(const std::filesystem::path&, DataMemory&);
template Samples<double> read_npz<double>(const std::filesystem::path&, DataMemory&);
template Samples<double> read_npy_pair<double>(const std::filesystem::path&, const std::filesystem::path&,
                                               DataMemory&);

}  // namespace hearsay
