#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/cluster/topology_description.hpp"
#include "runtime/cluster/topology_file.hpp"

namespace hearsay {

/// Returns the topology of a TOML file with this text.
inline NamedTopology parse_topology(std::string_view toml_text, std::uint64_t seed,
                                    const std::string& file_name_for_messages,
                                    const std::string& weights = "auto") {
  return build_topology(parse_cluster_description(toml_text, file_name_for_messages), seed, weights,
                        {.file = file_name_for_messages});
}

}  // namespace hearsay
