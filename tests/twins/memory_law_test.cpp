// Memory is what is stated: real processes of every method, measured by the kernel. The model is so large
// that its vectors are nearly all that they take.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "runtime/experiment/memory_need.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/process/local_run.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitizers.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"

#ifndef HEARSAY_TESTS_ARE_SANITIZED
namespace hearsay::test::memory_law_test {

namespace {

constexpr Index dimension = 2'400'000;
constexpr double vector_bytes = dimension * sizeof(float);
constexpr PeerId peers = 3;  // two neighbors each; with a hub, two workers
// Half of the 32 MiB that are granted beside a model of twice the size: threads, sockets, heap.
constexpr double fixed_bytes = 16 * 1048576.0;

/// A quadratic whose minimiser takes no memory: its numbers are computed. All differ, and no gradient is 0.
class Computed final : public Objective<float> {
 public:
  explicit Computed(PeerId peer) : peer_(peer) {}
  Index dimension() const override { return memory_law_test::dimension; }
  Index sample_count() const override { return 1; }
  SegmentTable segments() const override { return {{"weights", 0, 1200, dimension() / 1200}}; }
  double loss(const Vector<float>& x) const override { return std::abs(static_cast<double>(x[0])); }
  void gradient(const Vector<float>& x, std::span<const Index>, Vector<float>& gradient) const override {
    auto number = static_cast<std::uint32_t>(peer_);
    for (Index k = 0; k < x.size(); ++k) {
      number += 2654435761u;  // over all residues, evenly
      gradient[k] = x[k] - static_cast<float>(static_cast<std::int32_t>(number)) * 0x1p-31f;
    }
  }

 private:
  PeerId peer_;
};

RunSettings settings_of(const MethodInfo& method) {
  RunSettings settings =
      test::settings_of(method.name, {"ring", peers}, {.iterations = 4, .step_size = 0.01});
  if (method.options.has(option::local_steps))
    settings.algorithm.options.set(option::local_steps, method.options.has(option::fragments) ? 6 : 3);
  return settings;
}

Experiment<float> experiment_of(const RunSettings& settings) {
  Problem<float> problem;
  for (PeerId id = 0; id < peers; ++id) problem.objectives.push_back(std::make_unique<Computed>(id));
  problem.initial = Vector<float>::Zero(dimension);
  return prepare<float>(settings, std::move(problem));
}

/// Memory in vectors of the model.
struct Measured {
  double stated;
  double peak;
};
std::ostream& operator<<(std::ostream& out, const Measured& measured) {
  return out << measured.stated << ' ' << measured.peak << ' ';
}

double resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0.0, resident = 0.0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Returns 1 where x_0, which is zero and given back, takes memory as methods and the observer read it: there
/// the kernel has no page of zeros that all share. Else 0.
double zeros_that_are_read() {
  constexpr std::size_t bytes = std::size_t{4} << 20;
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  const double before = resident_bytes();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  for (std::size_t k = 0; k < bytes; k += page) (void)static_cast<const volatile char*>(memory)[k];
  const double after = resident_bytes();
  munmap(memory, bytes);
  return after > before + bytes / 2.0 ? 1.0 : 0.0;
}

/// Runs the experiment, in this process and those that it forks, and returns "stated peak" of the observer
/// and of every peer, without what a process is made of.
std::string measured_in(const RunSettings& settings) {
  const double of_program = resident_bytes();
  const auto experiment = experiment_of(settings);
  RunControl control;
  control.wants_models_of_peers = false;
  const RunOutcome<float> outcome = run_local(experiment, control);
  if (outcome.status != RunStatus::done) return outcome.reason;
  if (!settings.faults.empty() && outcome.restarts == 0) return "no process was killed";
  const auto in_vectors = [&](std::uint64_t bytes) {
    return (static_cast<double>(bytes) - of_program) / vector_bytes;
  };
  std::ostringstream text;
  text << Measured{process_bytes(experiment).observer / vector_bytes, in_vectors(peak_memory_bytes())};
  for (PeerId id = 0; id < peers; ++id)
    text << Measured{memory_of_peer(experiment, id).most(), in_vectors(outcome.peers[id].peak_memory_bytes)};
  return text.str();
}

/// Messages whose size depends on the data are stated by their longest, and asynchronous ones by the most.
bool is_a_bound(const MethodInfo& method) {
  return method.asynchronous ||
         make_compressor<float>(method.default_compressor, {})->traits(64).data_dependent_size;
}

enum class Law { no_more_and_no_less, no_more };

void check(const RunSettings& settings, Law law) {
  const double of_x_0 = zeros_that_are_read();
  const Ended ended = Process([&] { return Ended{0, measured_in(settings)}; }).join();
  CAPTURE(ended.text);
  std::istringstream numbers(ended.text);
  for (PeerId process = 0; process <= peers; ++process) {  // the observer's first
    Measured memory{};
    REQUIRE((numbers >> memory.stated >> memory.peak));
    CHECK(memory.peak <= 1.1 * (memory.stated + of_x_0) + fixed_bytes / vector_bytes);
    if (law == Law::no_more || process == 0) continue;  // not every method's compressor is tried
    CHECK(memory.peak >= 0.9 * memory.stated - fixed_bytes / vector_bytes);
  }
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("memory law: the processes of every method take what is stated, no more and no less") {
    for (const MethodInfo& method : methods()) {
      CAPTURE(method.name);
      check(settings_of(method), is_a_bound(method) ? Law::no_more : Law::no_more_and_no_less);
    }
  }

  TEST_CASE("memory law: with staleness more messages are kept and ahead, and no more than stated") {
    RunSettings settings = settings_of(find_method("d-psgd"));
    settings.run.iterations = 8;
    settings.algorithm.options.set(option::staleness, 2);
    settings.algorithm.options.set(option::consensus_step, 0.2);
    check(settings, Law::no_more);
  }

  TEST_CASE("memory law: a method that keeps the sum of its replicas takes what is stated") {
    for (const MethodInfo& method : methods()) {
      if (!method.options.has(option::memory)) continue;
      CAPTURE(method.name);
      RunSettings settings = settings_of(method);
      settings.algorithm.options.set(option::memory, "aggregate");
      check(settings, is_a_bound(method) ? Law::no_more : Law::no_more_and_no_less);
    }
  }

  TEST_CASE("memory law: where each peer judges its own model, none is told, and none is counted") {
    for (const std::string method : {"d-psgd", "dcd-psgd", "choco-sgd"}) {
      CAPTURE(method);
      const TemporaryFolder folder("hearsay_memory_law");
      RunSettings settings = settings_of(find_method(method));
      settings.run.output = folder.path();  // each peer writes its model
      settings.run.evaluate = RunSettings::Run::Evaluate::own;
      check(settings, Law::no_more_and_no_less);
    }
  }

  TEST_CASE(
      "memory law: a process that comes back from its checkpoint and its log takes no more than stated") {
    for (const char* method : {"d-psgd", "dcd-psgd"}) {
      CAPTURE(method);
      const TemporaryFolder folder("hearsay_memory_law");
      RunSettings settings = settings_of(find_method(method));
      settings.run.iterations = 6;
      settings.run.output = folder.path();
      settings.failure.checkpoint_every = 3;
      settings.network.compute = {ComputeTime::Kind::constant, std::chrono::milliseconds(50), 0.0};
      settings.faults = {
          Fault{.at = std::chrono::milliseconds(120), .peers = {1}, .lasts = std::chrono::milliseconds(10)}};
      check(settings, Law::no_more);
    }
  }
}

}  // namespace hearsay::test::memory_law_test
#endif
