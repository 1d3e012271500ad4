#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

/// The texts that a spelling with numbers in brackets stands for, in order:
///
///     node[08-11]                      node08 node09 node10 node11     (as wide as it is written)
///     node[1-3,7]                      node1 node2 node3 node7
///     tcp://10.0.0.[1-4]:[7000-7003]   tcp://10.0.0.1:7000 ... tcp://10.0.0.4:7003   (they step together)
///
/// A text without a range stands for itself; brackets around nothing or anything but digits, commas and
/// dashes are plain text, an IPv6 address for one. Misuse (with `key`) for a range that is none or runs
/// backwards, for ranges of different lengths, and beyond `most_names_of_a_range`.
std::vector<std::string> expand_ranges(const std::string& key, std::string_view text);

/// Whether the text has a range in it, right or wrong.
bool has_range(std::string_view text);

/// The same of a list as Slurm writes it, its parts separated by the commas outside brackets:
/// "node[1-3,7],gpu1".
std::vector<std::string> expand_list(const std::string& key, std::string_view text);

inline constexpr std::size_t most_names_of_a_range = 10'000;

}  // namespace hearsay
