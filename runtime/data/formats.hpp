#pragma once

#include <filesystem>

#include "algorithms/objectives/samples.hpp"
#include "runtime/data/data_memory.hpp"

namespace hearsay {

// One reader per file format, each in a .cpp file of its own. They return the numbers as the file has them.
// `class_count` is the number of classes if the format itself numbers them from 0; it is 0 if targets are
// arbitrary numbers. All take what they read from `memory`, and throw a Misuse that names file and position.

/// Sparse text, one sample a line: "LABEL INDEX:VALUE INDEX:VALUE ...", indices from 1, ascending; "#" begins
/// a comment. The number of features is the largest index.
template <class Scalar>
Samples<Scalar> read_libsvm(const std::filesystem::path& path, DataMemory& memory);

/// Numbers separated by commas, the target in the last column; a first line without any number is a header.
template <class Scalar>
Samples<Scalar> read_csv(const std::filesystem::path& path, DataMemory& memory);

/// MNIST's pair of files: big-endian, magic 0x0803 (count, rows, columns, then bytes) and 0x0801 (count, then
/// bytes). Features are pixels / 255; classes = largest label + 1.
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

}  // namespace hearsay
