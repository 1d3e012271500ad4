#pragma once

#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/partition.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test {

/// A data set of three classes in one file, and the same samples in a file for each of three peers, dealt as
/// the pooled run deals them.
struct PrivateFiles {
  static constexpr std::size_t peers = 3;
  static constexpr std::size_t samples = 90;
  static constexpr std::size_t features = 5;

  TemporaryFolder folder{"hearsay_private"};

  PrivateFiles() {
    RandomStream stream(11, 0, 0, Purpose::data);
    std::vector<std::string> lines;
    std::vector<double> targets;
    for (std::size_t s = 0; s < samples; ++s) {
      const std::size_t label = s % 3;
      std::string line;
      for (std::size_t k = 0; k < features; ++k) {
        char text[40];
        std::snprintf(text, sizeof text, "%.17g,", stream.normal() + (k == label ? 2.0 : 0.0));
        line += text;
      }
      lines.push_back(line + std::to_string(label) + "\n");
      targets.push_back(static_cast<double>(label));
    }
    std::string all;
    for (const std::string& line : lines) all += line;
    folder.write("all.csv", all);
    const auto parts = partition("iid", targets, 3, peers, pooled().run.seed);
    for (std::size_t id = 0; id < peers; ++id) {
      std::string own;
      for (const Index row : parts[id]) own += lines[static_cast<std::size_t>(row)];
      folder.write("private-" + std::to_string(id) + ".csv", own);
    }
  }

  /// A run in which every peer has all data.
  RunSettings pooled() const {
    RunSettings settings;
    settings.run.iterations = 30;
    settings.run.evaluate_every = 5;
    settings.topology.kind = "ring";
    settings.topology.peers = peers;
    settings.algorithm.kind = "dcd-psgd";
    settings.algorithm.batch = 4;
    settings.model.kind = "softmax";
    settings.data.source = "csv:" + (folder.path() / "all.csv").string();
    return settings;
  }
  /// The same run in which each peer has its own file.
  RunSettings at_home() const {
    RunSettings settings = pooled();
    settings.data.source = "csv:" + (folder.path() / "private-{id}.csv").string();
    settings.data.partition = "home";
    settings.data.samples = samples;
    settings.data.classes = 3;
    return settings;
  }
};

}  // namespace hearsay::test
