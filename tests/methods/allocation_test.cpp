// Counts every allocation of the program, those of Eigen, too: a local optimizer may make none after its
// first step, and a method with local steps and rings none after its first iteration but its frame.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "algorithms/methods/parts/local_optimizer.hpp"
#include "algorithms/methods/registry.hpp"
#include "tests/methods/echo_host.hpp"

namespace {
std::atomic<long> allocations{0};

void* counted(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
  ++allocations;
  void* memory = nullptr;
  if (posix_memalign(&memory, alignment, size ? size : 1) != 0) throw std::bad_alloc();
  return memory;
}
}  // namespace

// The linker sends the program's calls of malloc here (tests/CMakeLists.txt).
extern "C" {
void* __real_malloc(std::size_t size);
void* __wrap_malloc(std::size_t size) {
  ++allocations;
  return __real_malloc(size);
}
}

// The forms of new and delete that the compiler and the library use, so that each allocation meets its own
// release.
void* operator new(std::size_t size) { return counted(size); }
void* operator new[](std::size_t size) { return counted(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return counted(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counted(size, static_cast<std::size_t>(alignment));
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

namespace hearsay::allocation_test {

namespace {

template <class Scalar>
long allocations_after_the_first_step(const std::string& spelling) {
  // The matrices are larger than what Eigen keeps on the stack.
  const SegmentTable layers = {
      {"wide", 0, 60, 400}, {"biases", 24'000, 60}, {"tall", 24'060, 300, 60}, {"more", 42'060, 300}};
  constexpr Index dimension = 42'360;
  const auto optimizer = make_local_optimizer<Scalar>(spelling, dimension, layers);
  const Vector<Scalar> x = Vector<Scalar>::LinSpaced(dimension, Scalar(-1), Scalar(1));
  Vector<Scalar> step(dimension);
  optimizer->step(x, x, Scalar(0.1), step);
  const long before = allocations;
  for (int t = 0; t < 2; ++t) optimizer->step(x, x, Scalar(0.1), step);
  return allocations - before;
}

template <class Scalar>
std::vector<long> allocations_by_iteration(const std::string& method, bool suspends) {
  test::EchoHost<Scalar> host(5, 60, suspends);
  const auto algorithm = host.make(method);
  std::vector<long> counts;
  for (std::uint64_t number = 1; number <= 4; ++number) {
    const long before = allocations;
    host.run(*algorithm, number);
    counts.push_back(allocations - before);
  }
  return counts;
}

}  // namespace

TEST_CASE("a method with local steps and rings allocates nothing after its first iteration but its frame") {
  for (const std::string method : {"allreduce-sgd", "local-sgd", "streaming-diloco", "powersgd"})
    for (const bool suspends : {false, true}) {
      CAPTURE(method);
      CAPTURE(suspends);
      const std::vector<long> counts = allocations_by_iteration<float>(method, suspends);
      CHECK(std::vector(counts.begin() + 1, counts.end()) == std::vector<long>{1, 1, 1});
    }
}

TEST_CASE("local optimizer: no step but the first allocates") {
  const long before = allocations;
  const Eigen::VectorXd counts = Eigen::VectorXd::Zero(1000);
  REQUIRE(allocations > before);  // Eigen's are counted
  CHECK(counts.isZero(0));
  for (const Choice& choice : local_optimizer_choices()) {
    CAPTURE(choice.name);
    CHECK(allocations_after_the_first_step<float>(choice.name) == 0);
    CHECK(allocations_after_the_first_step<double>(choice.name) == 0);
  }
}

}  // namespace hearsay::allocation_test
