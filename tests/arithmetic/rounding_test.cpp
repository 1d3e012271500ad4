// Optimizations that would change the bits of a run.
#include <doctest/doctest.h>

#include <vector>

namespace rounding_test {

namespace {

struct Pair {
  double first, second;
};

float rounded(double step, long code) { return static_cast<float>(static_cast<double>(code) * step); }

[[gnu::noinline]] void push_pair(std::vector<Pair>& into, double step, long code) {
  into.push_back({static_cast<double>(rounded(step, code)), static_cast<double>(rounded(step, code + 1))});
}

}  // namespace

TEST_CASE("compiler: two doubles rounded to float side by side are rounded") {
  std::vector<Pair> pairs;
  push_pair(pairs, 1e-3, 229);
  const volatile float first = 0.229f;
  const volatile float second = 0.23f;
  CHECK(pairs[0].first == static_cast<double>(first));
  CHECK(pairs[0].second == static_cast<double>(second));
}

TEST_CASE("compiler: a product is rounded before it is added to") {
  const volatile double a = 1.0 + 0x1p-30;
  const volatile double c = -(1.0 + 0x1p-29);
  CHECK(a * a + c == 0.0);  // a fused multiply-add leaves 2^-60
}

}  // namespace rounding_test
