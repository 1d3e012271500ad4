#include "algorithms/objectives/lenet.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/objectives/cross_entropy.hpp"
#include "tests/support/models.hpp"

namespace hearsay::test::lenet_test {

namespace {

/// LeNet as its papers write it: convolution, bias, ReLU, then pooling, pixel by pixel. Maps are c x s x s.
struct PlainNetwork {
  const Vector<double>& x;
  Index at = 0;  ///< the next parameter

  std::vector<double> convolve(const std::vector<double>& input, Index channels, Index side, Index maps) {
    const Index outputs = side - 4;
    const Index biases = at + maps * channels * 25;
    std::vector<double> result;
    for (Index m = 0; m < maps; ++m)
      for (Index y = 0; y < outputs; ++y)
        for (Index column = 0; column < outputs; ++column) {
          double sum = x[biases + m];
          for (Index c = 0; c < channels; ++c)
            for (Index i = 0; i < 5; ++i)
              for (Index j = 0; j < 5; ++j)
                sum += x[at + ((m * channels + c) * 5 + i) * 5 + j] *
                       input[static_cast<std::size_t>((c * side + y + i) * side + column + j)];
          result.push_back(std::max(sum, 0.0));
        }
    at = biases + maps;
    return result;
  }

  static std::vector<double> pool(const std::vector<double>& maps, Index channels, Index side) {
    std::vector<double> result;
    for (Index c = 0; c < channels; ++c)
      for (Index y = 0; y < side; y += 2)
        for (Index column = 0; column < side; column += 2) {
          const double* pixel = maps.data() + (c * side + y) * side + column;
          result.push_back(std::max({pixel[0], pixel[1], pixel[side], pixel[side + 1]}));
        }
    return result;
  }

  std::vector<double> connect(const std::vector<double>& input, Index outputs) {
    const auto inputs = static_cast<Index>(input.size());
    std::vector<double> result;
    for (Index k = 0; k < outputs; ++k) {
      double sum = x[at + outputs * inputs + k];
      for (Index j = 0; j < inputs; ++j) sum += x[at + k * inputs + j] * input[static_cast<std::size_t>(j)];
      result.push_back(sum);
    }
    at += outputs * (inputs + 1);
    return result;
  }
};

std::vector<double> rectified(std::vector<double> values) {
  for (double& value : values) value = std::max(value, 0.0);
  return values;
}

/// Returns z of an image, c x s x s.
std::vector<double> plain_outputs(const Vector<double>& x, const Eigen::RowVectorXd& image, Index channels,
                                  Index side, Index classes) {
  std::vector<double> framed(static_cast<std::size_t>(channels * 32 * 32), 0.0);
  const Index padding = (32 - side) / 2;
  for (Index c = 0; c < channels; ++c)
    for (Index y = 0; y < side; ++y)
      for (Index column = 0; column < side; ++column)
        framed[static_cast<std::size_t>((c * 32 + y + padding) * 32 + column + padding)] =
            image[(c * side + y) * side + column];
  PlainNetwork network{x};
  const auto pooled1 = PlainNetwork::pool(network.convolve(framed, channels, 32, 6), 6, 28);
  const auto pooled2 = PlainNetwork::pool(network.convolve(pooled1, 6, 14, 16), 16, 10);
  const auto dense1 = rectified(network.connect(pooled2, 120));
  const auto dense2 = rectified(network.connect(dense1, 84));
  const auto outputs = network.connect(dense2, classes);
  CHECK(network.at == x.size());
  return outputs;
}

/// A LeNet that hands one number through: conv1's kernel is 1 at (i, j) in map 0 and 0 elsewhere, conv2's at
/// (0, 0), and each dense layer hands on its first input. So z_1 is the largest of the pixels (i, j) ...
/// (i+3, j+3) of the framed image, z_0 is 0, and the loss of class 0 is log(1 + exp(z_1)).
double largest_seen(const std::vector<double>& image, Index i, Index j) {
  const auto features = static_cast<Index>(image.size());
  const auto samples = std::make_shared<const Samples<double>>(Samples<double>{
      DenseRows<double>(Eigen::Map<const DenseRows<double>>(image.data(), 1, features)), {0.0}, 2});
  const LeNet<double> f({samples, {0}}, 1.0, 0.0);
  Vector<double> x = Vector<double>::Zero(f.dimension());
  const SegmentTable table = f.segments();
  x[table[0].begin + 5 * i + j] = 1.0;
  for (const std::size_t layer : {1, 2, 3}) x[table[2 * layer].begin] = 1.0;
  x[table[8].begin + table[8].columns] = 1.0;  // from the first input to z_1
  return std::log(std::expm1(f.loss(x)));
}

std::vector<double> image_with(Index side, Index y, Index column, double value) {
  std::vector<double> image(static_cast<std::size_t>(side * side), 0.0);
  image[static_cast<std::size_t>(y * side + column)] = value;
  return image;
}

double relative_distance_in(const Segment& segment, const std::vector<Index>& probed, const Vector<double>& a,
                            const Vector<double>& b) {
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t p = 0; p < probed.size(); ++p) {
    if (probed[p] < segment.begin || probed[p] >= segment.end()) continue;
    const auto k = static_cast<Index>(p);
    difference += std::pow(a[k] - b[k], 2);
    size += b[k] * b[k];
  }
  return std::sqrt(difference / size);
}

}  // namespace

TEST_CASE_TEMPLATE("lenet: 61,706 parameters on MNIST, 62,006 on CIFAR-10, in five layers", Scalar, float,
                   double) {
  for (const auto& [features, kernels, dimension] :
       {std::tuple{784, 25, 61706}, {1024, 25, 61706}, {3072, 75, 62006}}) {
    const LeNet<Scalar> f({random_samples<Scalar>(1, features, 10, false), {}}, 1.0, 0.0);
    CHECK(f.dimension() == dimension);
    const std::vector<std::tuple<std::string, Index, Index>> expected = {
        {"conv1.weights", 6, kernels}, {"conv1.biases", 6, 1},       {"conv2.weights", 16, 150},
        {"conv2.biases", 16, 1},       {"dense1.weights", 120, 400}, {"dense1.biases", 120, 1},
        {"dense2.weights", 84, 120},   {"dense2.biases", 84, 1},     {"dense3.weights", 10, 84},
        {"dense3.biases", 10, 1}};
    const SegmentTable table = f.segments();
    REQUIRE(table.size() == expected.size());
    for (std::size_t s = 0; s < table.size(); ++s)
      CHECK(std::tuple{table[s].name, table[s].rows, table[s].columns} == expected[s]);
    const ModelInfo info = lenet_info();
    CHECK(std::get<SampleModel>(info.make).dimension({}, features, 10) == dimension);
  }
}

TEST_CASE("lenet: the loss is that of the network written pixel by pixel, for every image it takes") {
  constexpr Index classes = 7;
  for (const auto& [channels, side] : {std::pair{1, 28}, {1, 32}, {3, 32}}) {
    const Index features = channels * side * side;
    const auto samples = random_samples<double>(3, features, classes, false);
    const LeNet<double> f({samples, indices(3)}, 1.0, 0.0);
    const Vector<double> x = lively_point(f, 3);
    double loss = 0.0;
    for (Index s = 0; s < 3; ++s) {
      const auto z =
          plain_outputs(x, std::get<DenseRows<double>>(samples->features).row(s), channels, side, classes);
      const DenseRows<double> outputs = Eigen::Map<const DenseRows<double>>(z.data(), 1, classes);
      loss += cross_entropy(outputs, std::span(samples->targets).subspan(static_cast<std::size_t>(s), 1));
    }
    CHECK(f.loss(x) == doctest::Approx(loss).epsilon(1e-12));
  }
}

TEST_CASE("lenet: the gradient of every layer is the derivative of the loss, for every image it takes") {
  for (const Index features : {784, 1024, 3072}) {
    CAPTURE(features);
    const LeNet<double> f({random_samples<double>(4, features, 5, false), indices(4)}, 0.25, 0.01);
    const Vector<double> x = lively_point(f, 5);
    Vector<double> gradient(f.dimension());
    f.gradient(x, indices(4), gradient);
    const auto probed = probed_coordinates(f);
    const Vector<double> differences = finite_differences(f, x, probed);
    for (const Segment& segment : f.segments()) {
      CAPTURE(segment.name);
      CHECK(relative_distance_in(segment, probed, gradient(probed), differences) < 1e-7);
    }
  }
}

TEST_CASE("lenet: an image of 28x28 is seen through a frame of two zero pixels, one of 32x32 without") {
  // Of 28x28, kernel (i, j) sees the pixels (i-2, j-2) ... (i+1, j+1).
  CHECK(largest_seen(image_with(28, 3, 3, 0.5), 2, 2) == doctest::Approx(0.5));
  CHECK(largest_seen(image_with(28, 3, 3, 0.5), 4, 4) == doctest::Approx(0.5));
  CHECK(largest_seen(image_with(28, 3, 3, 0.5), 1, 2) == doctest::Approx(0.0));
  CHECK(largest_seen(image_with(28, 3, 3, 0.5), 2, 1) == doctest::Approx(0.0));
  CHECK(largest_seen(image_with(28, 0, 0, 0.5), 0, 0) == doctest::Approx(0.5));
  CHECK(largest_seen(image_with(28, 0, 1, 0.5), 2, 3) == doctest::Approx(0.5));
  CHECK(largest_seen(image_with(28, 0, 1, 0.5), 3, 3) == doctest::Approx(0.0));
  // Of 32x32, the pixels (i, j) ... (i+3, j+3).
  CHECK(largest_seen(image_with(32, 3, 3, 0.5), 0, 0) == doctest::Approx(0.5));
  CHECK(largest_seen(image_with(32, 0, 0, 0.5), 0, 0) == doctest::Approx(0.5));
  CHECK(largest_seen(image_with(32, 0, 0, 0.5), 0, 1) == doctest::Approx(0.0));
  CHECK(largest_seen(image_with(32, 7, 7, 0.5), 4, 4) == doctest::Approx(0.5));
  CHECK(largest_seen(image_with(32, 7, 8, 0.5), 4, 4) == doctest::Approx(0.0));
  // A negative pixel is rectified away.
  CHECK(largest_seen(image_with(32, 3, 3, -0.5), 0, 0) == doctest::Approx(0.0));
}

TEST_CASE("lenet: the slope of equal pixels goes to the first of them") {
  // Of an image of ones each window of four is a tie. z_1 is the largest of conv1's map 0, of which the
  // pixel (0, 0) is chosen. Its kernel sees the frame in its first two lines and columns.
  const auto samples = std::make_shared<const Samples<double>>(
      Samples<double>{DenseRows<double>(DenseRows<double>::Ones(1, 784)), {0.0}, 2});
  const LeNet<double> f({samples, {0}}, 1.0, 0.0);
  Vector<double> x = Vector<double>::Zero(f.dimension());
  const SegmentTable table = f.segments();
  x[table[0].begin + 24] = 1.0;  // conv1's pixel (0, 0) sees the image's (2, 2)
  for (const std::size_t layer : {1, 2, 3}) x[table[2 * layer].begin] = 1.0;
  x[table[8].begin + 84] = 1.0;
  Vector<double> gradient(f.dimension());
  f.gradient(x, indices(1), gradient);
  const double slope = 1.0 / (1.0 + std::exp(-1.0));
  for (Index i = 0; i < 5; ++i)
    for (Index j = 0; j < 5; ++j) {
      const double pixel = i < 2 || j < 2 ? 0.0 : 1.0;
      CHECK(gradient[table[0].begin + 5 * i + j] == doctest::Approx(slope * pixel));
    }
}

TEST_CASE_TEMPLATE("lenet: a sample that occurs twice counts twice, in any order beyond rounding", Scalar,
                   float, double) {
  const LeNet<Scalar> f({random_samples<Scalar>(50, 784, 10, false), indices(50)}, 0.02, 0.1);
  const Vector<Scalar> x = lively_point(f, 5);
  // 72 samples, more than go through the network together.
  std::vector<Index> samples = indices(36);
  samples.insert(samples.end(), samples.begin(), samples.end());
  Vector<Scalar> twice(f.dimension()), once(f.dimension());
  f.gradient(x, samples, twice);
  f.gradient(x, indices(36), once);
  CHECK(relative_distance(twice, Vector<double>(once.template cast<double>())) <
        (sizeof(Scalar) == 4 ? 1e-5 : 1e-13));
}

TEST_CASE("lenet: the random start has the stated variances, zero biases, and depends on the seed alone") {
  const auto samples = random_samples<double>(1, 784, 10, false);
  const LeNet<double> f({samples, {}}, 1.0, 0.0);
  const Vector<double> x = f.initial(11);
  const std::vector<double> variances = {2.0 / 25, 2.0 / 150, 2.0 / 400, 2.0 / 120, 2.0 / (84 + 10)};
  const SegmentTable table = f.segments();
  for (std::size_t l = 0; l < variances.size(); ++l) {
    CAPTURE(l);
    const auto weights = x.segment(table[2 * l].begin, table[2 * l].size());
    // The mean square of N normals has standard deviation sqrt(2/N) of its value: five of them.
    const auto count = static_cast<double>(weights.size());
    CHECK(weights.squaredNorm() / count ==
          doctest::Approx(variances[l]).epsilon(5.0 * std::sqrt(2.0 / count)));
    CHECK(x.segment(table[2 * l + 1].begin, table[2 * l + 1].size()).isZero(0.0));
  }
  CHECK(x == LeNet<double>({samples, {0}}, 0.5, 0.1).initial(11));
  CHECK(x != f.initial(12));
}

}  // namespace hearsay::test::lenet_test
