// All compressors in one table: what each costs and loses on 270,000 Gaussian floats in two layers. Bits and
// error are those of one message; the bounds are those that a compressor states for itself. A speed is bytes
// of float input per second, on one core, in the fastest of several messages.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "algorithms/compression/registry.hpp"
#include "algorithms/compression/seam/compressor.hpp"

using namespace hearsay;

namespace {

constexpr std::size_t dimension = 270'000;
constexpr int messages = 25;

const SegmentTable layers = {{"a", 0, 200'000}, {"b", 200'000, 70'000}};

std::vector<float> gaussian() {
  RandomStream random(1, 0, 0, Purpose::data);
  std::vector<float> z(dimension);
  for (float& value : z) value = static_cast<float>(random.normal());
  return z;
}

/// Runs `work` several times, and returns the GB of float input per second of the fastest time.
template <class Work>
double gigabytes_per_s(const Work& work) {
  double best = std::numeric_limits<double>::infinity();
  for (int k = 0; k < messages; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work(static_cast<std::uint64_t>(k));
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return static_cast<double>(dimension * sizeof(float)) / best / 1e9;
}

std::string bound_of(const Traits& traits) {
  char text[64];
  if (traits.unbiased && std::isfinite(traits.omega))
    std::snprintf(text, sizeof text, "omega <= %.3g", traits.omega);
  else if (traits.absolute_error_per_coordinate && *traits.absolute_error_per_coordinate > 0.0)
    std::snprintf(text, sizeof text, "rms error <= %.3g", *traits.absolute_error_per_coordinate);
  else if (traits.contraction)
    std::snprintf(text, sizeof text, "delta >= %.3g", *traits.contraction);
  else
    std::snprintf(text, sizeof text, "none stated");
  return text;
}

void show(const std::string& spelling, const std::vector<float>& z) {
  const auto compressor = make_compressor<float>(spelling, layers);
  PacketPool pool;
  PacketBuffer packet = pool.acquire();
  const double encode = gigabytes_per_s([&](std::uint64_t message) {
    RandomStream random(1, 0, message, Purpose::compression);
    compressor->encode({z, random}, packet);
  });
  std::vector<float> decoded(dimension, 0.0f);
  const double decode =
      gigabytes_per_s([&](std::uint64_t) { compressor->accumulate(packet.bytes(), 1.0f, decoded); });
  std::ranges::fill(decoded, 0.0f);
  compressor->accumulate(packet.bytes(), 1.0f, decoded);
  double error = 0.0;
  double norm = 0.0;
  for (std::size_t k = 0; k < dimension; ++k) {
    error += std::pow(static_cast<double>(decoded[k]) - static_cast<double>(z[k]), 2);
    norm += std::pow(static_cast<double>(z[k]), 2);
  }
  std::printf("%-42s %8.3f %10.3g  %-20s %7.2f %7.2f\n", spelling.c_str(),
              8.0 * static_cast<double>(packet.bytes().size()) / static_cast<double>(dimension), error / norm,
              bound_of(compressor->traits(dimension)).c_str(), encode, decode);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<float> z = gaussian();
  std::printf("%-42s %8s %10s  %-20s %7s %7s\n", "compressor", "bits", "error", "bound", "encode", "decode");
  std::printf("%-42s %8s %10s  %-20s %7s %7s\n", "", "a coord.", "relative", "", "GB/s", "GB/s");
  if (argc > 1)
    for (int k = 1; k < argc; ++k) show(argv[k], z);
  else
    for (const CompressorName& entry : compressor_names()) show(std::string(entry.example), z);
}
