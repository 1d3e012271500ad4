#pragma once

#include <string>
#include <vector>

#include "runtime/foundation/digest.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

inline const std::vector<std::string> feedbacks = {"none", "ef", "low-pass(0.1)", "low-pass(0.75)",
                                                   "dgd-def"};

/// A run of qsgd-allreduce on quadratics: models, memories and messages after every iteration.
template <class Scalar>
struct Run {
  Experiment<Scalar> experiment;
  Recording<Scalar> recording;

  Index dimension() const { return experiment.problem.dimension(); }
  PeerId peers() const { return experiment.peer_count(); }
  double eta(std::uint64_t t) const { return experiment.step_size.at(t); }

  /// Returns C(p_i) of iteration t, as every peer decodes it.
  Vector<Scalar> said(std::uint64_t t, PeerId i) const {
    const auto compressor = make_compressor<Scalar>(experiment.settings.algorithm.compressor,
                                                    experiment.problem.objectives.front()->segments());
    Vector<Scalar> decoded = Vector<Scalar>::Zero(dimension());
    // Without a choice of coordinates, a peer's own packet is the first that it sends.
    ensure(compressor->accumulate(recording[t][i].sent.front().packet->bytes(), 1, view(decoded)) ==
               CodecStatus::ok,
           "a recorded packet can be decoded");
    return decoded;
  }

  Vector<Scalar> gradient(PeerId i, const Vector<Scalar>& x) const {
    Vector<Scalar> gradient(dimension());
    const Index sample = 0;
    experiment.problem.objectives[i]->gradient(x, {&sample, 1}, gradient);
    return gradient;
  }

  const Vector<Scalar>& memory(std::uint64_t t, PeerId i) const {
    return recording[t][i].states.at("memory");
  }
};

template <class Scalar>
Run<Scalar> run_of(PeerId peers, const Plan& plan, Shared shared = Shared::nothing, Index dimension = 19) {
  auto experiment = quadratics_in<Scalar>({"ring", peers}, "qsgd-allreduce", plan, shared, dimension);
  auto recording = record_run(experiment);
  return {std::move(experiment), std::move(recording)};
}

template <class Scalar>
bool same_bits(const Vector<Scalar>& a, const Vector<Scalar>& b) {
  return digest(a) == digest(b);
}

template <class Scalar>
constexpr double rounding = std::is_same_v<Scalar, float> ? 2e-5 : 1e-12;

}  // namespace hearsay::test
