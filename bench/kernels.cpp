// Compression kernels, each beside memcpy of the same input in the same run.
//
//   build/bench/bench_kernels --benchmark_filter=dither.*linf
//
// GB/s counts the bytes of the uncompressed vector (memcpy: the bytes copied, read once and written once).
// The counter `of_memcpy` is the kernel's GB/s over memcpy's, measured around it in the same repetition.
#include <benchmark/benchmark.h>

#include <time.h>

#include <cstring>
#include <string>
#include <vector>

#include "algorithms/compression/compressor.hpp"
#include "algorithms/compression/registry.hpp"
#include "algorithms/vector.hpp"

using namespace hearsay;

namespace {

/// Seconds this thread has run: what other programs take from a shared machine does not count.
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

/// Seconds of one call, repeated for about 2 ms.
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

/// A transform by itself: it stands before stages that cost more.
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
  for (const char* spelling : {"fwht(block=4096)"}) {
    add(spelling, "forward", transform_forward);
    add(spelling, "inverse", transform_inverse);
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
