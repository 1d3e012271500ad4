#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "algorithms/seam/method.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/settings/run_settings.hpp"
#include "topology/schedule.hpp"

namespace hearsay::test {

/// A recorded run as the matrix recursions see it: in double, whatever scalar the run computes in. Gradients
/// and messages are made in that scalar, from vectors rounded to it; a run in double rounds nothing. So the
/// recursions are compiled once, and all that depends on the scalar is behind this class.
class RecordedRun {
 public:
  virtual ~RecordedRun() = default;

  // What the run was told.
  virtual bool in_float() const = 0;
  /// Returns a number as the run has it, in its scalar.
  double rounded(double number) const { return in_float() ? static_cast<float>(number) : number; }
  virtual const RunSettings& settings() const = 0;
  virtual const MethodInfo& method() const = 0;
  virtual const Schedule& schedule() const = 0;
  /// eta_t
  virtual double step_size(std::uint64_t iteration) const = 0;
  /// rho of a static W, for methods that read it.
  virtual double rho() const = 0;
  virtual Vector<double> initial() const = 0;
  virtual const Regularizer<double>& regularizer() const = 0;

  // What was recorded of a peer in an iteration; of 0, before the first.
  virtual std::uint64_t iterations() const = 0;
  virtual Vector<double> model(std::uint64_t iteration, PeerId peer) const = 0;
  virtual Vector<double> state(std::uint64_t iteration, PeerId peer, const std::string& name) const = 0;
  virtual Vector<double> published(std::uint64_t iteration, PeerId peer) const = 0;
  virtual const std::vector<Outgoing>& sent(std::uint64_t iteration, PeerId peer) const = 0;

  // What the run computes.
  virtual Index sample_count(PeerId peer) const = 0;
  /// Returns a peer's gradient at x on these of its samples.
  virtual Vector<double> gradient(PeerId peer, const Vector<double>& x,
                                  std::span<const Index> samples) const = 0;
  /// Returns C(z), drawn anew, as it is read near `near`.
  virtual Vector<double> said_anew(const Vector<double>& z, const Vector<double>& near,
                                   RandomStream& random) = 0;
  /// Returns C(z) of a recorded message, read near `near`.
  virtual Vector<double> read(std::span<const std::byte> message, const Vector<double>& near) = 0;
  /// Returns C_dwn(z), drawn anew.
  virtual Vector<double> said_anew_by_hub(const Vector<double>& z, RandomStream& random) = 0;
};

}  // namespace hearsay::test
