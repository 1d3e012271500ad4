#pragma once

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <vector>

namespace hearsay {

/// Splits line `number` of a file at its commas into trimmed fields, without the quotes around them; a comma
/// in quotes separates nothing. Throws Misuse if a quote stays open. (A doubled quote within quotes is kept
/// as it stands.)
void split_csv_line(const std::filesystem::path& path, std::size_t number, std::string_view line,
                    std::vector<std::string_view>& fields);

/// Throws Misuse if the columns of a line are separated by something else than commas.
void require_commas(const std::filesystem::path& path, std::size_t number, std::string_view line);

/// Returns what a reader should know of a field that is no number, such as "; expected a decimal point";
/// often nothing.
std::string_view advice_on(std::string_view field);

}  // namespace hearsay
