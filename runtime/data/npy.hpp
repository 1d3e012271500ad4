#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "runtime/data/data_memory.hpp"

namespace hearsay {

/// The beginning of every .npy file.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// A NumPy array in C order.
template <class Scalar>
struct NpyArray {
  std::vector<Index> shape;
  Vector<Scalar> values;
  bool holds_floats = true;  ///< in the file; else whole numbers, or bool
};

/// Reads a .npy file (versions 1 to 3, gzipped or not) and converts its numbers to Scalar: bool, integers of
/// 1, 2, 4 or 8 bytes with or without a sign, floats of 2, 4 or 8 bytes, in either byte order, in C or
/// Fortran order. Throws a Misuse for anything else, and if the shape promises more or fewer bytes than there
/// are.
template <class Scalar>
NpyArray<Scalar> read_npy(const std::filesystem::path& path);
/// The same within a limit: throws Misuse if the file holds more than `memory` has left.
template <class Scalar>
NpyArray<Scalar> read_npy(const std::filesystem::path& path, DataMemory& memory);

/// The same for the content of a .npy file. `path` is what a Misuse names.
template <class Scalar>
NpyArray<Scalar> npy_array(const std::filesystem::path& path, std::string_view bytes);

/// Writes a vector as a one-dimensional f4 or f8 array. The file appears whole or not at all.
template <class Scalar>
void write_npy(const std::filesystem::path& path, const Vector<Scalar>& vector);
/// The same for an array of any shape, in C order.
template <class Scalar>
void write_npy(const std::filesystem::path& path, const NpyArray<Scalar>& array);
/// The same for numbers of 8 bytes: f8, or u8.
void write_npy(const std::filesystem::path& path, std::span<const double> numbers);
void write_npy(const std::filesystem::path& path, std::span<const std::uint64_t> numbers);

}  // namespace hearsay
