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
///     {"title","peers","links","degree":[least,most],"diameter","hub","weights","svg"}
///
/// In methods with a hub, "hub" says which peer it is, the drawing shows it, and there are no "weights",
/// which nobody reads; else "hub" is null.
/// "svg" is null if there are more peers than a picture has room for; "why" then says so. If the topology
/// cannot be made any more (its file is gone, say), only "title" and "why" are set.
class TopologyPictures {
 public:
  /// Returns the index of the picture in `pictures`, to which it is appended if it is new.
  std::size_t add(const RunSettings& settings, nlohmann::ordered_json& pictures);

 private:
  struct Drawn {
    TopologySettings topology;
    bool has_hub;  ///< by its method, so the picture shows it
    std::size_t place;
  };
  std::map<std::optional<std::uint64_t>, std::vector<Drawn>> drawn_;  ///< by the seed, if it matters
};

/// Returns the spectral gap of a run; null if it has none, or if the topology cannot be made any more.
nlohmann::ordered_json own_spectral_gap(const RunSettings& settings);

}  // namespace hearsay
