#include "algorithms/methods/powersgd.hpp"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::powersgd_test {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr Index rows = 6;
constexpr Index columns = 4;
constexpr Index parameters = rows * columns + 3;

/// Half the squared distance from a point of the peer's own, each coordinate with a curvature of its own. The
/// model is a 6 x 4 matrix and a vector of 3.
class Valley final : public Objective<double> {
 public:
  explicit Valley(PeerId peer)
      : target_(normal_vector<double>(parameters, 11, peer)),
        curvature_(normal_vector<double>(parameters, 12, peer).cwiseAbs().array() + 0.5) {}
  Index dimension() const override { return target_.size(); }
  Index sample_count() const override { return 1; }
  SegmentTable segments() const override {
    return {{"matrix", 0, rows, columns}, {"vector", rows * columns, 3, 1}};
  }
  double loss(const Vector<double>& x) const override {
    return 0.5 * (curvature_.array() * (x - target_).array().square()).sum();
  }
  void gradient(const Vector<double>& x, std::span<const Index>, Vector<double>& gradient) const override {
    gradient = curvature_.cwiseProduct(x - target_);
  }

 private:
  Vector<double> target_;
  Vector<double> curvature_;
};

Recording<double> run_of(const std::string& method, PeerId peers, const MethodOptions& options) {
  Problem<double> problem;
  for (PeerId id = 0; id < peers; ++id) problem.objectives.push_back(std::make_unique<Valley>(id));
  problem.initial = Vector<double>::Zero(parameters);
  return record_run(prepare<double>(
      settings_of(method, {"ring", peers}, {.iterations = 30, .step_size = 0.1, .options = options}),
      std::move(problem)));
}

}  // namespace

TEST_CASE("powersgd: at full rank it is all-reduce SGD, and at rank 1 it is not") {
  for (const PeerId peers : {1, 2, 5}) {
    CAPTURE(peers);
    const auto plain = run_of("allreduce-sgd", peers, {});
    const auto full = run_of("powersgd", peers, {{option::rank, 4}});
    const auto thin = run_of("powersgd", peers, {{option::rank, 1}});
    for (std::size_t t = 1; t < plain.size(); ++t)
      CHECK((full[t][0].model - plain[t][0].model).cwiseAbs().maxCoeff() < 1e-12);
    CHECK((thin[1][0].model - plain[1][0].model).cwiseAbs().maxCoeff() > 1e-2);
    // Layers that are no matrices move as without compression.
    CHECK((thin[1][0].model - plain[1][0].model).tail(3).cwiseAbs().maxCoeff() < 1e-15);
  }
}

TEST_CASE("powersgd: n peers are one peer with the mean of the gradients") {
  for (const std::uint64_t rank : {1, 2, 3}) {
    CAPTURE(rank);
    constexpr PeerId peers = 5;
    const auto recording = run_of("powersgd", peers, {{option::rank, rank}});
    // The first Q decides the whole run, so it is taken from the first step: P spans M Q.
    Vector<double> x = Vector<double>::Zero(parameters);
    Matrix error = Matrix::Zero(rows, columns);
    Matrix Q;
    for (std::size_t t = 1; t < recording.size(); ++t) {
      Vector<double> mean = Vector<double>::Zero(parameters);
      for (PeerId id = 0; id < peers; ++id) {
        Vector<double> gradient(parameters);
        Valley(id).gradient(x, {}, gradient);
        mean += gradient / peers;
      }
      const Matrix M = Eigen::Map<const Matrix>(mean.data(), rows, columns) + error;
      Matrix decoded;
      if (t == 1) {
        const Vector<double> step = (x - recording[1][0].model) / 0.1;
        decoded = Eigen::Map<const Matrix>(step.data(), rows, columns);
        CHECK(Eigen::FullPivHouseholderQR<Matrix>(decoded).setThreshold(1e-9).rank() ==
              static_cast<Index>(rank));
        Q = decoded.transpose() * Matrix(Eigen::ColPivHouseholderQR<Matrix>(decoded).householderQ())
                                      .leftCols(static_cast<Index>(rank));
      } else {
        const Matrix left = M * Q;
        const Matrix P =
            Matrix(Eigen::HouseholderQR<Matrix>(left).householderQ()).leftCols(static_cast<Index>(rank));
        Q = M.transpose() * P;
        decoded = P * Q.transpose();
      }
      error = M - decoded;
      x.head(rows * columns) -= 0.1 * Eigen::Map<const Vector<double>>(decoded.data(), rows * columns);
      x.tail(3) -= 0.1 * mean.tail(3);
      for (PeerId id = 0; id < peers; ++id) {
        CHECK((recording[t][id].model - x).cwiseAbs().maxCoeff() < 1e-11);
        CHECK(recording[t][id].model == recording[t][0].model);
      }
    }
  }
}

TEST_CASE(
    "powersgd: a message of the ring is a share of the columns, and of the layers that are no matrices") {
  // Rank 2 of 6 x 4: P has 12 numbers, and 3 of the vector; Q has 8. Both go round in five parts.
  const auto recording = run_of("powersgd", 5, {{option::rank, 2}});
  std::size_t bytes = 0;
  for (PeerId id = 0; id < 5; ++id)
    for (const Outgoing& outgoing : recording[3][id].sent) bytes += outgoing.packet->size();
  CHECK(recording[3][0].sent.size() == 16);
  CHECK(bytes == 8 * (15 + 8) * 8);
}

}  // namespace hearsay::test::powersgd_test
