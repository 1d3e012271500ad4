#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/run_settings_file.hpp"

namespace hearsay {

/// Exchanges a new packet per iteration with all neighbors (a sender checks the same packet's sum only once),
/// and looks at none: what the transport costs.
class Exchange final : public Algorithm<float> {
 public:
  explicit Exchange(const MethodInput<float>& input) : x_(input.initial) {}
  Task iterate(Iteration<float>& it) override {
    PacketBuffer buffer = it.new_packet();
    buffer.resize(packet_bytes()).front() = static_cast<std::byte>(it.number());
    const PacketRef packet = std::move(buffer).seal();
    const std::span<const PacketRef> packets = co_await it.exchange(packet);
    for (const PacketRef& received : packets)
      if (received->size() != packet_bytes()) it.report(CodecStatus::malformed);
  }
  const Vector<float>& model() const override { return x_; }
  void visit_state(StateVisitor<float>& visitor) override { visitor.state("model", x_); }
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const override {
    return gossip_traffic(rows.at(number - 1), packet_bytes());
  }

 private:
  /// As many as the model has: what a peer takes from the wire is bounded by its model's size.
  std::size_t packet_bytes() const { return static_cast<std::size_t>(x_.size()) * sizeof(float); }

  Vector<float> x_;
};

inline MethodInfo exchange_method() {
  MethodInfo exchange{};
  exchange.name = "exchange";
  exchange.make.in_float = [](const MethodInput<float>& input) -> std::unique_ptr<Algorithm<float>> {
    return std::make_unique<Exchange>(input);
  };
  return exchange;
}

/// A ring of eight peers that exchange packets of so many bytes, and nothing else, over ports of so much
/// bandwidth. `method` must outlive it.
inline Experiment<float> exchange_experiment(const MethodInfo& method, std::size_t packet_bytes,
                                             int iterations, const std::string& bandwidth = "unlimited") {
  const std::string count = std::to_string(iterations);
  auto experiment = prepare<float>(parse_run(
      "run.iterations = " + count + "\nrun.evaluate_every = " + count + "\nmodel.kind = \"quadratic(" +
          std::to_string(packet_bytes / sizeof(float)) +
          ")\"\ntopology = { kind = \"ring\", peers = 8 }\nalgorithm = { kind = \"d-psgd\", batch = "
          "\"full\" }\nnetwork.bandwidth = \"" +
          bandwidth + "\"\n",
      ".", {}, "bench"));
  experiment.method = &method;
  return experiment;
}

}  // namespace hearsay
