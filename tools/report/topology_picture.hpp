#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Draws the topologies of the runs on a page, each once. Of a random one, each seed is another. A picture is
///
///     {"title","peers","links","degree":[least,most],"diameter","weights","svg"}
///
/// "svg" is null if there are more peers than a picture has room for; "why" then says so. If the topology
/// cannot be made any more (its file is gone, say), only "title" and "why" are set.
class TopologyPictures {
 public:
  /// Returns the index of the picture in `pictures`, to which it is appended if it is new.
  std::size_t add(const RunSettings& settings, nlohmann::ordered_json& pictures);

 private:
  struct Drawn {
    TopologySettings topology;
    std::size_t place;
  };
  std::map<std::optional<std::uint64_t>, std::vector<Drawn>> drawn_;  ///< by the seed, if it matters
};

/// Returns the spectral gap of a run; null if it has none, or if the topology cannot be made any more.
nlohmann::ordered_json own_spectral_gap(const RunSettings& settings);

}  // namespace hearsay
