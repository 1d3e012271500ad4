#include <string>

#include "runtime/data/data_file.hpp"
#include "runtime/data/formats.hpp"

namespace hearsay {

namespace {

std::uint64_t big_endian_32(const std::string& bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (std::size_t k = 0; k < 4; ++k) value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
  return value;
}

/// The header of an IDX file of bytes.
struct IdxHeader {
  std::uint64_t count;
  std::uint64_t item_bytes;
  std::size_t size;
};

/// Reads the header. Checks the magic 0x000008 DIMENSIONS, and that exactly the promised bytes follow.
IdxHeader read_header(const std::filesystem::path& path, const std::string& bytes, std::uint64_t dimensions) {
  const std::size_t size = 4 + 4 * dimensions;
  if (bytes.size() < size)
    throw bad_offset(path, bytes.size(),
                     "the file ends inside its header of " + std::to_string(size) + " bytes");
  const std::uint64_t magic = big_endian_32(bytes, 0);
  if (magic != (0x800 | dimensions))
    throw bad_offset(path, 0,
                     "the magic number is " + std::to_string(magic) + ", expected " +
                         std::to_string(0x800 | dimensions) + " (unsigned bytes, " +
                         std::to_string(dimensions) + (dimensions == 1 ? " dimension)" : " dimensions)"));
  IdxHeader header{big_endian_32(bytes, 4), 1, size};
  const std::uint64_t present = bytes.size() - size;
  for (std::uint64_t k = 1; k < dimensions; ++k) {
    const std::uint64_t extent = big_endian_32(bytes, 4 + 4 * k);
    // The product of two extents below 2^32 fits into 64 bits; the product of three may not.
    if (extent == 0 || header.item_bytes > UINT32_MAX)
      throw bad_offset(path, 4 + 4 * k,
                       "dimension " + std::to_string(k + 1) + " is " + std::to_string(extent));
    header.item_bytes *= extent;
  }
  if (header.count != present / header.item_bytes || present % header.item_bytes != 0)
    throw bad_offset(path, bytes.size(),
                     "the header promises " + std::to_string(header.count) + " items of " +
                         std::to_string(header.item_bytes) + " bytes, and " + std::to_string(present) +
                         " bytes follow it");
  return header;
}

}  // namespace

template <class Scalar>
Samples<Scalar> read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                         DataMemory& memory) {
  const std::string pixels = read_data_file(images, memory);
  const IdxHeader image_header = read_header(images, pixels, 3);
  const std::string label_bytes = read_data_file(labels, memory);
  const IdxHeader label_header = read_header(labels, label_bytes, 1);
  if (image_header.count != label_header.count)
    throw bad_offset(labels, 4,
                     std::to_string(label_header.count) + " labels for the " +
                         std::to_string(image_header.count) + " images of " + images.string());

  Samples<Scalar> samples;
  DenseRows<Scalar> features(static_cast<Index>(image_header.count),
                             static_cast<Index>(image_header.item_bytes));
  for (Index k = 0; k < features.size(); ++k)
    features.data()[k] = static_cast<Scalar>(static_cast<unsigned char>(
                             pixels[image_header.size + static_cast<std::size_t>(k)])) /
                         Scalar{255};
  samples.features = std::move(features);
  for (std::size_t s = label_header.size; s < label_bytes.size(); ++s)
    samples.targets.push_back(static_cast<Scalar>(static_cast<unsigned char>(label_bytes[s])));
  return samples;
}

template Samples<float> read_idx<float>(const std::filesystem::path&, const std::filesystem::path&,
                                        DataMemory&);
template Samples<double> read_idx<double>(const std::filesystem::path&, const std::filesystem::path&,
                                          DataMemory&);

}  // namespace hearsay
