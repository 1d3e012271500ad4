#pragma once

#include <filesystem>
#include <initializer_list>
#include <string_view>

namespace hearsay {

/// Writes the parts, one behind the other, as a file that is there as a whole or not at all: under a name of its own (NAME.partial)
/// first. Misuse with the reason where it cannot be written.
void write_file(const std::filesystem::path& path, std::initializer_list<std::string_view> parts);

}  // namespace hearsay
