// Compression kernels, each beside memcpy of the same input in the same run.
//
//   build/bench/bench_kernels --benchmark_filter=dither.*linf
//
// GB/s counts the bytes of the uncompressed vector (memcpy: the bytes copied, read once and written once).
// The counter `of_memcpy` is the kernel's GB/s over memcpy's, measured around it in the same repetition.
#include <benchmark/benchmark.h>

#include <time.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/compression/registry.hpp"
#include "algorithms/compression/seam/compressor.hpp"

using namespace hearsay;

namespace {

/// Returns the CPU seconds of this thread, so that other programs on a shared machine do not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Vector<float> gaussian(std::size_t n) {
  RandomStream random(1, 0, 0, Purpose::data);
  Vector<float> x(static_cast<Index>(n));
  for (float& value : view(x)) value = static_cast<float>(random.normal());
  return x;
}

/// Returns the seconds of one call, averaged over about 2 ms of calls.
template <class Work>
double seconds_of(Work work) {
  const double begin = thread_seconds();
  double elapsed = 0.0;
  int calls = 0;
  do {
    work();
    ++calls;
    elapsed = thread_seconds() - begin;
  } while (elapsed < 2e-3);
  return elapsed / calls;
}

/// Measures `kernel` and memcpy in turns, so that a noisy neighbor or a change of clock hits both.
template <class Kernel>
void beside_memcpy(benchmark::State& state, const Vector<float>& input, Kernel kernel) {
  const double bytes = static_cast<double>(input.size()) * sizeof(float);
  Vector<float> copy = input;
  double kernel_seconds = 0.0;
  double memcpy_seconds = 0.0;
  for (auto _ : state) {
    memcpy_seconds += seconds_of([&] {
      std::memcpy(copy.data(), input.data(), static_cast<std::size_t>(bytes));
      benchmark::ClobberMemory();
    });
    const double seconds = seconds_of([&] {
      kernel();
      benchmark::ClobberMemory();
    });
    kernel_seconds += seconds;
    state.SetIterationTime(seconds);
  }
  const auto rounds = static_cast<double>(state.iterations());
  state.counters["GB/s"] = rounds * bytes / kernel_seconds * 1e-9;
  state.counters["memcpy_GB/s"] = rounds * bytes / memcpy_seconds * 1e-9;
  state.counters["of_memcpy"] = memcpy_seconds / kernel_seconds;
}

void require_ok(benchmark::State& state, CodecStatus status) {
  if (status != CodecStatus::ok) state.SkipWithError("the kernel refused its input");
}

void encode(benchmark::State& state, const std::string& spelling) {
  const auto input = gaussian(static_cast<std::size_t>(state.range(0)));
  const auto compressor = make_compressor<float>(spelling, {});
  PacketPool pool;
  PacketBuffer out = pool.acquire();
  RandomStream random(1, 0, 0, Purpose::compression);
  beside_memcpy(state, input, [&] { require_ok(state, compressor->encode({view(input), random}, out)); });
}

void encode_and_apply(benchmark::State& state, const std::string& spelling) {
  const auto input = gaussian(static_cast<std::size_t>(state.range(0)));
  Vector<float> into = Vector<float>::Zero(input.size());
  const auto compressor = make_compressor<float>(spelling, {});
  PacketPool pool;
  PacketBuffer out = pool.acquire();
  RandomStream random(1, 0, 0, Purpose::compression);
  beside_memcpy(state, input, [&] {
    require_ok(state, compressor->encode_and_apply({view(input), random}, out, view(into)));
  });
}

void accumulate(benchmark::State& state, const std::string& spelling) {
  const auto input = gaussian(static_cast<std::size_t>(state.range(0)));
  Vector<float> into = Vector<float>::Zero(input.size());
  const auto compressor = make_compressor<float>(spelling, {});
  PacketPool pool;
  PacketBuffer out = pool.acquire();
  RandomStream random(1, 0, 0, Purpose::compression);
  require_ok(state, compressor->encode({view(input), random}, out));
  beside_memcpy(state, input,
                [&] { require_ok(state, compressor->accumulate(out.bytes(), 0.5f, view(into))); });
}

/// Returns a transform alone, without the stages that would cost more behind it.
std::unique_ptr<Transform<float>> make_transform(const std::string& spelling) {
  const StageSpelling stage = parse_pipeline(spelling).front();
  for (const StageEntry& entry : stage_entries())
    if (entry.name.name == stage.name) return std::get<StageMaker<Transform>>(entry.make).in_float(stage, {});
  return nullptr;
}

void transform_forward(benchmark::State& state, const std::string& spelling) {
  const auto input = gaussian(static_cast<std::size_t>(state.range(0)));
  const auto transform = make_transform(spelling);
  Vector<float> out(static_cast<Index>(transform->coefficients(view(input).size())));
  beside_memcpy(state, input, [&] { transform->forward(view(input), 1, view(out)); });
}

void transform_inverse(benchmark::State& state, const std::string& spelling) {
  const auto input = gaussian(static_cast<std::size_t>(state.range(0)));
  const auto transform = make_transform(spelling);
  Vector<float> out(input.size());
  Vector<float> coefficients =
      Vector<float>::Zero(static_cast<Index>(transform->coefficients(view(input).size())));
  beside_memcpy(state, input, [&] { transform->inverse(view(coefficients), 1, view(out)); });
}

/// Runs the stages of "quantizer | coder" one by one. The throughput of the coder counts the floats for which
/// its codes stand.
class CoderBench {
 public:
  CoderBench(const std::string& spelling, std::span<const float> values) {
    const PipelineSpelling stages = parse_pipeline(spelling);
    const auto quantizer =
        std::get<StageMaker<Quantizer>>(makers(stages.front())).in_float(stages.front(), {});
    coder_ = std::get<CoderMaker>(makers(stages.back()))(stages.back());
    range_ = quantizer->range();
    buckets_ = quantizer->buckets();
    codes_.resize(values.size());
    out_.resize(coder_->most_bytes(values.size(), range_, *buckets_));
    std::vector<std::byte> header(quantizer->header_bytes(values.size()));
    RandomStream random(1, 0, 0, Purpose::compression);
    quantizer->quantize(values, {random.element_key(), std::nullopt}, header, codes_);
    encode();
  }
  void encode() { used_ = coder_->encode(codes_, range_, *buckets_, out_); }
  bool decode() { return coder_->decode(std::span(out_).first(used_), range_, *buckets_, codes_); }
  double bits_per_code() const {
    return 8.0 * static_cast<double>(used_) / static_cast<double>(codes_.size());
  }

 private:
  static const StageMakers& makers(const StageSpelling& stage) {
    const auto named = [&](const StageEntry& entry) { return entry.name.name == stage.name; };
    return std::ranges::find_if(stage_entries(), named)->make;
  }

  std::unique_ptr<Coder> coder_;
  CodeRange range_{0, 0};
  std::optional<Buckets> buckets_;
  std::vector<std::int32_t> codes_;
  std::vector<std::byte> out_;
  std::size_t used_ = 0;
};

void coder_encode(benchmark::State& state, const std::string& spelling) {
  const auto input = gaussian(static_cast<std::size_t>(state.range(0)));
  CoderBench coder(spelling, view(input));
  state.counters["bits"] = coder.bits_per_code();
  beside_memcpy(state, input, [&] { coder.encode(); });
}

void coder_decode(benchmark::State& state, const std::string& spelling) {
  const auto input = gaussian(static_cast<std::size_t>(state.range(0)));
  CoderBench coder(spelling, view(input));
  beside_memcpy(state, input,
                [&] { require_ok(state, coder.decode() ? CodecStatus::ok : CodecStatus::malformed); });
}

}  // namespace

int main(int argc, char** argv) {
  const auto add = [](const std::string& spelling, const std::string& label, auto function) {
    benchmark::RegisterBenchmark((label + " " + spelling).c_str(), function, spelling)
        ->Arg(270'000)
        ->Arg(4'194'304)
        ->Iterations(40)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  };
  for (const char* spelling :
       {"dither(linf, bits=8)", "dither(linf, bits=4)", "dither(linf, bits=2)", "dither(l2, bits=4)",
        "natural-dithering(linf)", "nuqsgd(4)", "natural", "natural(bits=8)", "sign(whole)", "sign(512)",
        "none", "grid(step=0.02)", "topk(1%)", "randk(10%)"}) {
    add(spelling, "encode", encode);
    add(spelling, "encode_and_apply", encode_and_apply);
    add(spelling, "accumulate", accumulate);
  }
  // With coders: the whole pipeline, and the coder alone on the codes.
  const std::string ternary = "dither(linf, levels=1, bucket=512) | ";
  const std::string sparse = "dither(l2, levels=7, bucket=512) | ";
  const std::string dense = "dither(linf, levels=7, bucket=512) | ";
  for (const std::string& spelling : {ternary + "trit5", sparse + "elias", sparse + "elias(delta)",
                                      sparse + "elias(omega)", dense + "elias", sparse + "gap", dense + "gap",
                                      sparse + "entropy", dense + "entropy", sparse + "varint"}) {
    add(spelling, "encode", encode);
    add(spelling, "accumulate", accumulate);
    add(spelling, "coder encode", coder_encode);
    add(spelling, "coder decode", coder_decode);
  }
  add("topk(1%) | delta", "encode", encode);
  add("topk(1%) | delta", "accumulate", accumulate);
  for (const char* spelling : {"fwht(block=4096)", "kashin(block=4096)", "clip(2.5sigma)"}) {
    add(spelling, "forward", transform_forward);
    add(spelling, "inverse", transform_inverse);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
