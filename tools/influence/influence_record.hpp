#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "algorithms/objectives/samples.hpp"
#include "tools/influence/influence.hpp"
#include "tools/influence/link_influence.hpp"

namespace hearsay {

/// A test sample whose influences are told.
struct TestSample {
  Index row;  ///< among the test samples, from 0
  double label;
  double loss;  ///< at the last kept model
};

/// Samples that are images, as data: addresses, by their rows.
struct SamplePictures {
  std::map<Index, std::string> training = {};  ///< rows of data.source
  std::map<Index, std::string> test = {};      ///< among the test samples
};

/// What `hearsay influence` has found, whatever the scalar type.
struct InfluenceFindings {
  std::string run;    ///< its folder
  std::string tests;  ///< what the test samples are
  std::uint64_t test_count = 0;
  std::uint64_t kept = 0;  ///< iterations whose models were kept
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool of_peers = false;         ///< at the peers' own models
  std::uint64_t projection = 0;  ///< its size; 0: none
  double loss_before = 0.0;      ///< mean of the test samples, at the first kept model
  double loss_after = 0.0;       ///< at the last one
  std::vector<TrainedSample> samples;
  std::vector<TestSample> rows;
  DenseRows<double> on_tests;  ///< as in InfluenceSum
  Vector<double> on_itself;
  DenseRows<double> of_peers_on_tests;
  DenseRows<double> between_peers;
  std::optional<LinkInfluence> links;  ///< of the mean loss of all test samples, if it was asked for
  SamplePictures pictures;             ///< of the samples told of; none if samples are no images

  double total() const { return on_tests.col(0).sum(); }
  /// Returns how many samples each peer has.
  std::vector<std::uint64_t> shard_sizes() const;
};

/// Returns the `top` samples with the largest values, those with the largest first; with the least instead,
/// if `largest` is false.
std::vector<Index> extremes(const Vector<double>& values, std::size_t top, bool largest);

/// Returns the rows in data.source of the training samples that the record names with `top` in each list.
std::set<Index> told_samples(const InfluenceFindings& found, std::size_t top);

enum class InfluenceBy { sample, peer, link };

/// Returns tables for people.
std::string influence_text(const InfluenceFindings& found, InfluenceBy by, std::size_t top);
nlohmann::ordered_json influence_json(const InfluenceFindings& found, std::size_t top);
/// Writes influence.json (with the pictures), influence-samples.csv, influence-peers.csv and, if links were
/// asked for, influence-links.csv into the run's folder. Throws Misuse.
void write_influence(const InfluenceFindings& found, std::size_t top);

}  // namespace hearsay
