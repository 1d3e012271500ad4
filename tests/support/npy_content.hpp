#pragma once

#include <initializer_list>
#include <string>

namespace hearsay::test {

/// Returns the content of a .npy file. `descr`, `shape` and `fortran` are as its header has them.
inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       const std::string& fortran = "False") {
  std::string header =
      "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header + data;
}

/// Returns the numbers as they lie in memory.
template <class T>
std::string bytes_of(std::initializer_list<T> values) {
  std::string bytes;
  for (const T value : values) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

}  // namespace hearsay::test
