#pragma once

#include <filesystem>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "runtime/data/data_memory.hpp"

namespace hearsay {

/// A NumPy array in C order.
template <class Scalar>
struct NpyArray {
  std::vector<Index> shape;
  Vector<Scalar> values;
};

/// Reads a .npy file (versions 1 to 3, gzipped or not) of little-endian f4, f8, i4, i8 or u1 in C order and
/// converts it to Scalar. Throws a Misuse for anything else, and if the shape promises more or fewer bytes
/// than there are.
template <class Scalar>
NpyArray<Scalar> read_npy(const std::filesystem::path& path);
/// The same within a limit: throws Misuse if the file holds more than `memory` has left.
template <class Scalar>
NpyArray<Scalar> read_npy(const std::filesystem::path& path, DataMemory& memory);

/// Writes a vector as a one-dimensional f4 or f8 array. The file appears whole or not at all.
template <class Scalar>
void write_npy(const std::filesystem::path& path, const Vector<Scalar>& vector);

}  // namespace hearsay
