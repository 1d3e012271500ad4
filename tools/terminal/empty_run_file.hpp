#pragma once

#include <filesystem>

namespace hearsay {

/// Says on standard error that an empty run file means the built-in example, since every key has a default.
/// An empty file may also be a mistake.
void say_if_empty(const std::filesystem::path& run_file);

}  // namespace hearsay
