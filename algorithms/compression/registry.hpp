#pragma once

#include <span>
#include <string_view>

namespace hearsay {

/// One registered compressor: what the user may write before the parenthesis.
struct CompressorName {
  std::string_view name;
  std::string_view summary;
  std::string_view example;  ///< a spelling that builds it
};

/// All of them, aliases included, in the order of a listing.
std::span<const CompressorName> compressor_names();

}  // namespace hearsay
