#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/settings/run_settings_file.hpp"

namespace hearsay {

/// A method that only measures the transport. In every iteration a peer sends a new packet to all neighbors,
/// and ignores the content of the packets that it receives. The packet is new because the checksum of one
/// packet is computed only once.
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
  /// Returns the bytes of a packet: as many as the model has. The size of the model bounds what a peer
  /// accepts from the wire.
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

/// Returns the experiment of eight peers in a ring that exchange packets of `packet_bytes` bytes and do
/// nothing else, over TCP, as what they are compared with. Their ports are limited to `bandwidth`. `method`
/// must outlive the experiment.
inline Experiment<float> exchange_experiment(const MethodInfo& method, std::size_t packet_bytes,
                                             int iterations, const std::string& bandwidth = "unlimited") {
  const std::string count = std::to_string(iterations);
  auto experiment = prepare<float>(parse_run(
      "run.iterations = " + count + "\nrun.evaluate_every = " + count + "\nmodel.kind = \"quadratic(" +
          std::to_string(packet_bytes / sizeof(float)) +
          ")\"\ntopology = { kind = \"ring\", peers = 8 }\nalgorithm = { kind = \"d-psgd\", batch = "
          "\"full\" }\nnetwork.bandwidth = \"" +
          bandwidth + "\"\nnetwork.transport = \"tcp\"\n",
      ".", {}, "bench"));
  experiment.method = &method;
  return experiment;
}

}  // namespace hearsay
