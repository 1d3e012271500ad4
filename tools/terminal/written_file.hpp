#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace hearsay {

/// Throws Misuse if a command may not write `file`, which its option names, or could not now: there is no
/// folder for it, no file can be made in the folder, or it is there and does not begin with `mark`, so the
/// command has not written it, or it is there and `overwrite` is false. The sentence calls what the command
/// writes `what`: "report".
void require_replaceable(const std::string& option, const std::filesystem::path& file, std::string_view mark,
                         const std::string& what, bool overwrite);

/// Writes the mark and `text` to such a file, as a whole. Throws the same Misuse: what has come to be there
/// while the command worked is not replaced without `overwrite`, either.
void write_replaceable(const std::string& option, const std::filesystem::path& file, std::string_view mark,
                       const std::string& what, bool overwrite, std::string_view text);

}  // namespace hearsay
