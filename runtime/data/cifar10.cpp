#include <string>

#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"

namespace hearsay {

namespace {

constexpr std::size_t pixel_bytes = 3 * 32 * 32;
constexpr std::size_t record_bytes = 1 + pixel_bytes;
constexpr unsigned class_count = 10;

}  // namespace

template <class Scalar>
Samples<Scalar> read_cifar10(const std::vector<std::filesystem::path>& batches, DataMemory& memory) {
  std::vector<std::string> contents;
  std::size_t count = 0;
  for (const auto& path : batches) {
    contents.push_back(read_data_file(path, memory));
    const std::size_t size = contents.back().size();
    if (size == 0 || size % record_bytes != 0)
      throw bad_offset(
          path, size,
          "the file does not end with a whole record of " + std::to_string(record_bytes) + " bytes");
    count += size / record_bytes;
  }

  Samples<Scalar> samples;
  samples.class_count = class_count;
  DenseRows<Scalar> features(static_cast<Index>(count), static_cast<Index>(pixel_bytes));
  Scalar* out = features.data();
  for (std::size_t b = 0; b < contents.size(); ++b)
    for (std::size_t at = 0; at < contents[b].size(); at += record_bytes) {
      const auto* record = reinterpret_cast<const unsigned char*>(contents[b].data() + at);
      if (record[0] >= class_count)
        throw bad_offset(batches[b], at, "the label is " + std::to_string(record[0]) + ", expected 0 to 9");
      samples.targets.push_back(static_cast<Scalar>(record[0]));
      for (std::size_t k = 1; k < record_bytes; ++k) *out++ = static_cast<Scalar>(record[k]) / Scalar{255};
    }
  samples.features = std::move(features);
  return samples;
}

template Samples<float> read_cifar10<float>(const std::vector<std::filesystem::path>&, DataMemory&);
template Samples<double> read_cifar10<double>(const std::vector<std::filesystem::path>&, DataMemory&);

}  // namespace hearsay
