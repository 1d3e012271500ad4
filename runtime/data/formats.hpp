#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/objectives/samples.hpp"
#include "runtime/data/data_memory.hpp"

namespace hearsay {

// One reader per file format, each in a .cpp file of its own. They return the numbers as the file has them.
// `class_count` is the number of classes if the format itself numbers them from 0; it is 0 if targets are
// arbitrary numbers. All take what they read from `memory`, and throw a Misuse that names file and position.

/// Sparse text, one sample a line: "LABEL INDEX:VALUE INDEX:VALUE ...", indices from `first_index` on (0 or
/// 1), ascending; "#" begins a comment. The number of features is that of the indices up to the largest.
template <class Scalar>
Samples<Scalar> read_libsvm(const std::filesystem::path& path, std::uint64_t first_index, DataMemory& memory);

/// What a file of columns does not say of itself: data.target, data.header, data.skip and data.ignore.
struct CsvLayout {
  std::optional<std::string> target = {};
  std::optional<bool> header = {};
  std::optional<std::uint64_t> skip = {};
  std::vector<std::string> ignore = {};
};

/// The names that a header gives to what is read of a file.
struct CsvColumns {
  std::filesystem::path file = {};  ///< whose names these are
  std::vector<std::string> features = {};
  std::string target = {};
};

/// Numbers separated by commas, with a target. A first line without any number is a header, the last column
/// the target, unless `layout` says otherwise. Throws a Misuse that names the key if the file may be meant in
/// another way: if the first line may be a header of numbers, the first column an index, or the label in
/// another column. Files that belong together share `columns`: the first one with a header fills it, and the
/// columns of the next ones with a header are found by their names; Misuse if the names are not the same.
template <class Scalar>
Samples<Scalar> read_csv(const std::filesystem::path& path, const CsvLayout& layout, CsvColumns& columns,
                         DataMemory& memory);

/// MNIST's pair of files: big-endian, magic 0x0803 (count, rows, columns, then bytes) and 0x0801 (count, then
/// bytes). Features are pixels / 255.
template <class Scalar>
Samples<Scalar> read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                         DataMemory& memory);

/// CIFAR-10's binary files: records of a label byte 0...9 and 3 x 32 x 32 bytes. Features are pixels / 255.
template <class Scalar>
Samples<Scalar> read_cifar10(const std::vector<std::filesystem::path>& batches, DataMemory& memory);

/// A matrix of samples x features and a vector of targets.
template <class Scalar>
Samples<Scalar> read_npy_pair(const std::filesystem::path& features, const std::filesystem::path& targets,
                              DataMemory& memory);

/// The same two arrays in a file of numpy.savez or savez_compressed. Their names say which are the features
/// ("x", "X_train", "data"; "y", "labels"), else their shapes: those with more numbers a sample, or with more
/// dimensions. Misuse if neither does.
template <class Scalar>
Samples<Scalar> read_npz(const std::filesystem::path& path, DataMemory& memory);

}  // namespace hearsay
