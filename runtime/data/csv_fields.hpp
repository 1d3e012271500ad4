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

/// True for Excel's first line "sep=,", which names the separator. Throws Misuse if it names another one than
/// a comma.
bool names_separator(const std::filesystem::path& path, std::size_t number, std::string_view line);

/// True for a line that begins with "#" or "%". numpy.savetxt writes a header so.
bool is_marked_as_comment(std::string_view line);

/// Throws Misuse for a first line that no CSV file begins with: a comment without any comma, a line of ARFF.
void refuse_other_openings(const std::filesystem::path& path, std::size_t number, std::string_view line);

/// Throws Misuse if the columns of a line are separated by something else than commas.
void require_commas(const std::filesystem::path& path, std::size_t number, std::string_view line);

/// Returns what a reader should know of a field that is a number, but not written as data need it ("2,5",
/// "1%", "$1.5"), such as "; expected a decimal point, not a comma"; nothing for other fields.
std::string_view advice_on(std::string_view field);

/// True for a field that may name its row: a word, a date or a time. A word for a missing number is no name.
bool looks_like_name(std::string_view field);

}  // namespace hearsay
