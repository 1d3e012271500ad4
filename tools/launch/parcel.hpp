#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

// What `hearsay launch` and the peers that it starts say to each other over standard input and output:
// parcels, a note and some files each. A parcel is a line "hearsay-parcel {...}", JSON in which `files` lists
// names and bytes, and behind it the files' bytes, one after the other.

struct ParcelFile {
  std::string name;
  std::uint64_t bytes = 0;
};

/// The first line of a parcel; its files follow.
std::string parcel_head(nlohmann::json note, const std::vector<ParcelFile>& files);

/// Takes parcels out of a stream of bytes, in pieces as they come. Lines that begin none (a login script
/// greets) are handed out as what they are.
class ParcelReader {
 public:
  struct Receiver {
    /// A parcel begins: the folder to put its files in.
    std::function<std::filesystem::path(const nlohmann::json& note)> begins;
    /// All its files are there.
    std::function<void()> ends;
    std::function<void(const std::string&)> line = [](const std::string&) {};
  };
  explicit ParcelReader(Receiver receiver) : receiver_(std::move(receiver)) {}

  /// Throws Misuse where a file has a name that could lead out of the folder, or cannot be written.
  void feed(std::string_view bytes);

  /// How many bytes may be read without running past the end of a parcel.
  std::uint64_t safe_bytes() const { return left_ == 0 ? 1 : left_; }
  /// In the middle of one.
  bool inside() const { return next_ < files_.size() || left_ > 0; }

 private:
  void take_line();
  void open_next();

  Receiver receiver_;
  std::string line_;
  std::filesystem::path folder_;
  std::vector<ParcelFile> files_;
  std::size_t next_ = 0;
  std::uint64_t left_ = 0;  ///< of the open file
  std::ofstream out_;
};

}  // namespace hearsay
