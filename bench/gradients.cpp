// Minibatch gradients of the models on random samples, one thread.
//
//   build/bench/bench_gradients --benchmark_filter=lenet
//
// Time is CPU time of the thread, of one gradient in float; x_0 is the model's own start.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/registry.hpp"

using namespace hearsay;

namespace {

constexpr Index sample_count = 1024;

Shard<float> random_shard(Index features) {
  RandomStream random(1, 0, 0, Purpose::data);
  DenseRows<float> rows(sample_count, features);
  for (float& value : rows.reshaped()) value = static_cast<float>(random.uniform());
  auto samples = std::make_shared<Samples<float>>();
  samples->features = std::move(rows);
  samples->class_count = 10;
  std::vector<Index> all;
  for (Index s = 0; s < sample_count; ++s) {
    samples->targets.push_back(static_cast<float>(random.below(10)));
    all.push_back(s);
  }
  return {std::move(samples), std::move(all)};
}

void gradient(benchmark::State& state, const std::string& spelling, Index features, Index batch) {
  const Model model = parse_model(spelling);
  const auto f = std::get<SampleModel>(model.info->make)
                     .make<float>(model.shape, random_shard(features), 1.0 / sample_count, 0.0);
  const Vector<float> x = f->initial(1);
  Vector<float> gradient(x.size());
  RandomStream random(1, 0, 0, Purpose::minibatch);
  std::vector<Index> minibatch(static_cast<std::size_t>(batch));
  for (Index& sample : minibatch) sample = static_cast<Index>(random.below(sample_count));
  for (auto _ : state) {
    f->gradient(x, minibatch, gradient);
    benchmark::ClobberMemory();
  }
  state.counters["d"] = static_cast<double>(x.size());
}

}  // namespace

int main(int argc, char** argv) {
  for (const char* spelling : {"softmax", "mlp(64)", "lenet"})
    for (const Index features : {784, 3072})
      for (const Index batch : {1, 32, 256})
        benchmark::RegisterBenchmark((std::string(spelling) + ", " + std::to_string(features) +
                                      " features, batch " + std::to_string(batch))
                                         .c_str(),
                                     gradient, spelling, features, batch)
            ->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
