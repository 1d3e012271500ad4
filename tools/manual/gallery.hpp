#pragma once

#include <map>
#include <string>
#include <vector>

namespace hearsay {

/// The run files of bench/papers/, by file name. Made by the build.
extern const std::map<std::string, std::string> gallery_texts;

/// What an entry of the gallery of papers claims of a method.
struct GalleryEntry {
  std::string file;                 ///< "choco-sgd.toml"
  std::string title;                ///< of its page
  std::vector<std::string> claims;  ///< sentences, those about a variant of the method only
  bool wants_data = false;          ///< reads the folder that HEARSAY_DATA_DIR names
};

/// Returns the entries with claims about the method, by file name.
std::vector<GalleryEntry> gallery_of(const std::string& method);

}  // namespace hearsay
