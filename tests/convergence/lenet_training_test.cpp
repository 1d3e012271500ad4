#include <doctest/doctest.h>

#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/lenet.hpp"
#include "runtime/data/dataset.hpp"

namespace hearsay::lenet_training_test {

TEST_SUITE("slow") {
  TEST_CASE("lenet: 400 steps of SGD on 8,000 digits of MNIST tell 93 % of 2,000 others") {
    const char* const data = std::getenv("HEARSAY_DATA_DIR");
    if (data == nullptr) {
      MESSAGE("skipped: training LeNet on MNIST (HEARSAY_DATA_DIR is not set)");
      return;
    }
    RunSettings::Data settings;
    const std::string folder = data;
    settings.source = "idx:" + folder + "/t10k-images-idx3-ubyte.gz," + folder + "/t10k-labels-idx1-ubyte.gz";
    const auto samples = load_data<float>(settings, true, 1).train;
    std::vector<Index> seen(8000);
    std::iota(seen.begin(), seen.end(), Index{0});
    std::vector<Index> others(2000);
    std::iota(others.begin(), others.end(), Index{8000});
    const LeNet<float> f({samples, seen}, 1.0 / 8000.0, 0.0);
    const LeNet<float> judge({samples, others}, 1.0 / 2000.0, 0.0);

    Vector<float> x = f.initial(1);
    CHECK(judge.accuracy(x) < 0.3);
    Vector<float> gradient(x.size());
    RandomStream random(1, 0, 0, Purpose::minibatch);
    std::vector<Index> minibatch(32);
    for (int step = 0; step < 400; ++step) {
      for (Index& sample : minibatch) sample = static_cast<Index>(random.below(8000));
      f.gradient(x, minibatch, gradient);
      x -= 0.1F * gradient;
    }
    MESSAGE("accuracy " << judge.accuracy(x) << ", loss " << judge.loss(x));
    CHECK(judge.accuracy(x) > 0.93);
  }
}

}  // namespace hearsay::lenet_training_test
