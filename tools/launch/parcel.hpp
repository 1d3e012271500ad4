#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearsay {

// `hearsay launch` and its peers talk over standard input and output in parcels: a note and some files. A
// parcel is a line "hearsay-parcel {...}" and then the bytes of its files, one after the other. The line
// holds JSON, in which `files` lists names and sizes.

struct ParcelFile {
  std::string name;
  std::uint64_t bytes = 0;
};

/// Returns the first line of a parcel; the bytes of its files follow.
std::string parcel_head(nlohmann::json note, const std::vector<ParcelFile>& files);

/// Reads parcels from a stream of bytes, piece by piece. Passes every other line, such as the greeting of a
/// login script, to `Receiver::line`.
class ParcelReader {
 public:
  struct Receiver {
    /// Called at the beginning of a parcel. Returns the folder for its files.
    std::function<std::filesystem::path(const nlohmann::json& note)> begins;
    /// Called when all its files are written.
    std::function<void()> ends;
    std::function<void(const std::string&)> line = [](const std::string&) {};
  };
  explicit ParcelReader(Receiver receiver) : receiver_(std::move(receiver)) {}

  /// Takes the next bytes. Throws Misuse if a file cannot be written, or has a name that could lead out of
  /// the folder.
  void feed(std::string_view bytes);

  /// Returns how many bytes may be read without reading past the end of the parcel.
  std::uint64_t safe_bytes() const { return left_ == 0 ? 1 : left_; }

 private:
  void take_line();
  void open_next();

  Receiver receiver_;
  std::string line_;
  std::filesystem::path folder_;
  std::vector<ParcelFile> files_;
  std::size_t next_ = 0;
  std::uint64_t left_ = 0;  ///< bytes that the open file still lacks
  std::ofstream out_;
};

}  // namespace hearsay
