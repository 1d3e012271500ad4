#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// A counter that every peer tells.
struct PeerCounterFamily {
  std::string_view name;
  std::string_view help;
  double (*of)(const PeerMeters& meters);
};

constexpr std::size_t peer_counter_count = 15;
extern const std::array<PeerCounterFamily, peer_counter_count> peer_counters;

/// The numbers of one peer that only grow.
struct PeerCounts {
  using OfNeighbor = std::pair<PeerId, double>;

  std::array<double, peer_counter_count> counters{};  ///< in the order of `peer_counters`
  std::vector<OfNeighbor> sent_bytes = {};            ///< by neighbor, ascending
  std::vector<OfNeighbor> waited_seconds = {};        ///< for its messages; the same

  static PeerCounts of(const PeerMeters& meters);
};

/// Adds up how far the numbers of a peer have risen since they were seen first. Where they fall, because the
/// peer has come back from a checkpoint, the sums stay. Prometheus takes a counter that falls for one that
/// was reset, and counts all of it once more.
class RisingCounts {
 public:
  void see(const PeerCounts& now);
  const PeerCounts& risen() const { return risen_; }

 private:
  std::optional<PeerCounts> last_;
  PeerCounts risen_;
};

/// What is told of a run, or of one peer of it, at one moment.
struct RunMetrics {
  struct OfPeer {
    PeerId id;
    std::optional<std::uint64_t>
        iteration;  ///< the last one that it has completed; empty if that is not known
    PeerCounts counts;
  };

  std::string run;
  std::string method;
  std::string topology;
  PeerId peer_count = 0;
  std::uint64_t iterations = 0;           ///< that the run is to do
  std::optional<Evaluation> newest = {};  ///< empty where no evaluations arrive, and before the first one
  std::vector<OfPeer> peers = {};         ///< those that are told of one by one
};

/// Text in the exposition format of Prometheus (version 0.0.4): families of samples, each family once.
class Exposition {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  /// A number that goes up and down.
  void gauge(std::string_view name, std::string_view help) { family(name, help, "gauge"); }
  /// One that only grows; its name ends with _total.
  void counter(std::string_view name, std::string_view help) { family(name, help, "counter"); }
  /// A sample of the newest family.
  void sample(const Labels& labels, double value);

  const std::string& text() const { return text_; }

 private:
  void family(std::string_view name, std::string_view help, std::string_view type);

  std::string name_;
  std::string text_;
};

/// Returns what `/metrics` says. `version`: of the program.
std::string exposition_of(const RunMetrics& metrics, std::string_view version);

}  // namespace hearsay
