#pragma once

#include <filesystem>
#include <set>
#include <string>

namespace hearsay {

/// Returns a folder name for any text: "5-mbit-s" for "5 Mbit/s".
std::string slug(const std::string& text);

/// Makes folder names unique: if two values have the same slug, the later folder gets a number, "5-mbit-s-2".
class SweepFolders {
 public:
  std::filesystem::path take(const std::filesystem::path& wanted);

 private:
  std::set<std::filesystem::path> taken_;
};

}  // namespace hearsay
