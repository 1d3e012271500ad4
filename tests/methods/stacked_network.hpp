#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "tests/methods/recorded_run.hpp"

namespace hearsay::test {

using Matrix = Eigen::MatrixXd;

/// The whole network as matrices, d x n, a column per peer. Recursions on it replay the packets of a recorded
/// run.
class Network {
 public:
  explicit Network(RecordedRun& run);

  Matrix X;  ///< models
  std::uint64_t t = 0;

  /// Returns a matrix that the method keeps, d x n. Zero until it is first written.
  Matrix& kept(const std::string& name) { return kept(name, Matrix::Zero(X.rows(), X.cols())); }

  /// The same with `at_first` as its start.
  Matrix& kept(const std::string& name, const Matrix& at_first);

  const std::map<std::string, Matrix>& all_kept() const { return kept_; }
  const Vector<double>& initial() const { return initial_; }

  /// rho of a static W, for methods that read it.
  double rho() const { return run_.rho(); }
  /// The random stream of this iteration that all peers share.
  RandomStream common_random(Purpose purpose) const {
    return {seed(), std::numeric_limits<PeerId>::max(), t, purpose};
  }

  double eta() const { return run_.step_size(t); }
  const Regularizer<double>& regularizer() const { return run_.regularizer(); }
  const std::string& compressor_spelling() const { return run_.settings().algorithm.compressor; }
  const MethodOptions& options() const { return run_.settings().algorithm.options; }
  /// The bytes of a number in a recorded message.
  std::size_t scalar_bytes() const { return run_.in_float() ? sizeof(float) : sizeof(double); }

  /// True if peer i takes part in iteration t.
  bool takes_part(Index i) const;
  /// Returns the peers whose data count in iteration t, ascending.
  std::vector<Index> answering() const;
  /// True if the answer of worker i in iteration t is empty.
  bool was_silent(Index i) const;
  /// Returns what worker i answered in iteration t. Empty of a hub, and of whom nobody listens to.
  PacketRef answer_of(Index i) const;
  /// Returns the stream with which peer i compresses in iteration t.
  RandomStream random_of(Index i) const { return random_of(i, t); }
  /// Returns a state of a peer as recorded after iteration t.
  Vector<double> recorded(PeerId peer, const std::string& name) const { return run_.state(t, peer, name); }

  /// Returns points as the run has them, in its scalar. A method that divides by roots of squares makes a
  /// visible step of the rounding of a point whose gradient is nearly zero.
  Matrix rounded(const Matrix& points) const;

  /// Applies `recursion` for iteration t. The columns of peers that sit it out stay as they were; of a hub
  /// whose data do not count, what it keeps as a worker.
  void step(void (*recursion)(Network&));

  /// W' of iteration t, so that mixing is a product from the right.
  Matrix mixing() const { return mixing(t - 1); }
  /// W' of a round of the schedule.
  Matrix mixing(std::uint64_t round) const;

  /// Returns G: every peer's gradient at its own model, on its minibatch.
  Matrix gradients() const { return gradients(X); }
  /// The same at the columns of `points`, on the minibatch number `draw` of the iteration.
  Matrix gradients(const Matrix& points, std::uint64_t draw = 0) const;
  /// Returns all full local gradients at the columns of `points`.
  Matrix full_gradients(const Matrix& points) const;
  /// Returns the gradient of a peer's sample at its own model.
  Vector<double> gradient_of_sample(PeerId peer, Index sample) const {
    return run_.gradient(peer, X.col(peer), {&sample, 1});
  }
  Index sample_count(PeerId peer) const { return run_.sample_count(peer); }
  /// Returns the samples of a peer's gradient in iteration t, of minibatch number `draw`.
  std::vector<Index> minibatch(PeerId peer, std::uint64_t draw = 0) const;

  /// Returns the sum of the local steps of every peer: H steps, each on its own minibatch.
  Matrix local_steps();
  /// Returns the step of the hub's optimizer from x for the gradient g.
  Vector<double> hub_step(const Vector<double>& x, const Vector<double>& g);
  /// Returns a step of every peer's local optimizer from the columns of Y, for the gradients G there. The
  /// names of what it keeps begin with `prefix`.
  Matrix local_step(const Matrix& Y, const Matrix& G, const std::string& prefix = "");

  /// Returns C(Z), a column per peer, as recorded in `slot` of iteration t. Call it for slots in ascending
  /// order. With `near`, every column is read near itself (mod), as a receiver within reach does. A recorded
  /// message begins with `skip` other bytes.
  Matrix said(const Matrix& Z, Slot slot = 0, bool near = false, std::size_t skip = 0);
  /// The same in any order of slots, the random numbers being those behind what was said last.
  Matrix said_behind(const Matrix& Z, Slot slot, bool near = false, std::size_t skip = 0);
  /// What is said from now on draws the random numbers of iteration `number`.
  void draw_of(std::uint64_t number);
  /// Every peer draws what C(0) needs, and sends nothing.
  void say_to_nobody();
  /// The same for peers with a backlog if links change. C(Z) is then recovered from the published vectors
  /// before and after iteration t, since messages do not contain it alone. The published vector moves by the
  /// entry of `share` times C(Z) - `from`. The peers of `in_full` publish their vectors in another way.
  Matrix said_in_steps(const Matrix& Z, const Matrix& from, const Vector<double>& share,
                       const std::vector<bool>& in_full);
  /// The same for methods that add C(Z) to the published vector.
  Matrix said_in_changes(const Matrix& Z);

  /// Returns the stream of what the hub says in iteration t.
  RandomStream hub_random() const { return {seed(), 0, t, Purpose::downlink}; }
  /// Returns C_dwn(z), drawn anew and not replayed.
  Vector<double> said_by_hub(const Vector<double>& z) {
    RandomStream random = hub_random();
    return said_by_hub(z, random);
  }
  Vector<double> said_by_hub(const Vector<double>& z, RandomStream& random);

  double flipped = 0.0;
  double compared = 0.0;
  bool replayed = true;

 private:
  std::uint64_t seed() const { return run_.settings().run.seed; }
  RandomStream random_of(Index i, std::uint64_t number) const {
    return {seed(), static_cast<PeerId>(i), number, Purpose::compression};
  }
  /// True if the peer's data count in iteration t.
  bool trains(Index i) const;
  std::vector<Index> all_samples(PeerId peer) const;
  /// The share of its last message near which a peer's message is read.
  double last_share() const;

  RecordedRun& run_;
  Vector<double> initial_;
  std::vector<RandomStream> streams_;  // of the compressions of an iteration, by peer
  std::map<std::string, Matrix> kept_;
  std::map<std::string, Matrix> at_first_;
  const Matrix* told_from_ = nullptr;
  const Vector<double>* told_share_ = nullptr;
  const std::vector<bool>* in_full_ = nullptr;
};

/// One iteration of a method, t = network.t.
using Recursion = void (*)(Network& network);
using Recursions = std::map<std::string, Recursion>;

// The recursions of the methods by name, a file per family of methods.
Recursions baseline_recursions();
Recursions outer_loop_recursions();
Recursions composite_recursions();
Recursions compressed_recursions();
Recursions tracking_recursions();
/// Methods with a hub that is SGD without compression; and those whose hub steps in another way.
Recursions hub_recursions();
Recursions hub_step_recursions();

}  // namespace hearsay::test
