#pragma once

#include <filesystem>
#include <string>

namespace hearsay {

/// Throws Misuse, in the name of the option, if there is a file where a folder is to be.
void require_export_folder(const std::string& option, const std::filesystem::path& folder);

/// Makes the folder, and those above it. Throws Misuse if that fails.
void make_export_folder(const std::string& option, const std::filesystem::path& folder);

}  // namespace hearsay
