#pragma once

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/data/data_memory.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

/// Returns the whole content of a file, inflated if its first bytes say that it is gzipped, and takes its
/// bytes from `memory`. A pipe is read to its end. Throws Misuse if the file cannot be read, is a device, is
/// cut off inside its compressed stream, fails its checksum, or holds more than `memory` has left.
std::string read_data_file(const std::filesystem::path& path, DataMemory& memory);

/// The same for a text format: throws Misuse "PATH is no text file: what it is" for other content, and leaves
/// out a byte order mark.
std::string read_data_text(const std::filesystem::path& path, DataMemory& memory);

/// Returns the double nearest to the number in `text` ("-1", "+1", "2.5e-3", "1e-400"); empty unless all of
/// the text is one finite number.
std::optional<double> finite_number(std::string_view text);

/// Returns the Misuse "PATH, line 3: WHAT".
Misuse bad_line(const std::filesystem::path& path, std::size_t line, const std::string& what);
/// Returns the Misuse "PATH, offset 8: WHAT"; the offset is in bytes of the inflated content.
Misuse bad_offset(const std::filesystem::path& path, std::size_t offset, const std::string& what);

/// Calls visit(line, number) for the lines of a text, numbered from 1, without their line ends: LF, CR LF or
/// CR.
template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end);
    text.remove_prefix(text.starts_with("\r\n") ? 2 : text.empty() ? 0 : 1);
    visit(line, number);
  }
}

}  // namespace hearsay
