#include "tests/methods/recorded_run.hpp"

#include <memory>
#include <type_traits>

#include "algorithms/compression/seam/near_compressor.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/methods/stacked.hpp"
#include "tests/support/cluster.hpp"

namespace hearsay::test {

namespace {

/// Returns C, or C^R for methods that compress R times.
template <class Scalar>
std::unique_ptr<Compressor<Scalar>> compressor_of_run(const Experiment<Scalar>& experiment,
                                                      const std::string& spelling) {
  const MethodOptions& options = experiment.settings.algorithm.options;
  const std::string rounds = std::to_string(options.find(option::rounds).value_or(1));
  const SegmentTable segments = experiment.problem.objectives.front()->segments();
  if (spelling == "none") return make_compressor<Scalar>(spelling, segments);
  return make_sent_compressor<Scalar>(rounds == "1" ? spelling : "repeat(" + rounds + "){" + spelling + "}",
                                      options.find(option::side_information), segments);
}

template <class Scalar>
class RecordedRunOf final : public RecordedRun {
 public:
  RecordedRunOf(const Experiment<Scalar>& experiment, const Recording<Scalar>& recording)
      : experiment_(experiment),
        recording_(recording),
        // From its spelling, so that a prox in float is judged by one in double.
        regularizer_(make_regularizer<double>(experiment.problem.regularizer->spelling(),
                                              experiment.problem.objectives.front()->segments())),
        compressor_(compressor_of_run(experiment, settings().algorithm.compressor)),
        down_compressor_(compressor_of_run(
            experiment, settings().algorithm.options.find(option::down_compressor).value_or("none"))) {}

  bool in_float() const override { return std::is_same_v<Scalar, float>; }
  const RunSettings& settings() const override { return experiment_.settings; }
  const MethodInfo& method() const override { return *experiment_.method; }
  const Schedule& schedule() const override { return *experiment_.schedule; }
  double step_size(std::uint64_t iteration) const override { return experiment_.step_size.at(iteration); }
  double rho() const override { return experiment_.rho; }
  Vector<double> initial() const override { return in_double(experiment_.problem.initial); }
  const Regularizer<double>& regularizer() const override { return *regularizer_; }

  std::uint64_t iterations() const override { return recording_.size() - 1; }
  Vector<double> model(std::uint64_t iteration, PeerId peer) const override {
    return in_double(recording_[iteration][peer].model);
  }
  Vector<double> state(std::uint64_t iteration, PeerId peer, const std::string& name) const override {
    return in_double(recording_[iteration][peer].states.at(name));
  }
  Vector<double> published(std::uint64_t iteration, PeerId peer) const override {
    return in_double(*recording_[iteration][peer].published);
  }
  const std::vector<Outgoing>& sent(std::uint64_t iteration, PeerId peer) const override {
    return recording_[iteration][peer].sent;
  }

  Index sample_count(PeerId peer) const override {
    return experiment_.problem.objectives[peer]->sample_count();
  }
  Vector<double> gradient(PeerId peer, const Vector<double>& x,
                          std::span<const Index> samples) const override {
    Vector<Scalar> gradient(x.size());
    experiment_.problem.objectives[peer]->gradient(rounded(x), samples, gradient);
    return in_double(gradient);
  }
  Vector<double> said_anew(const Vector<double>& z, const Vector<double>& near,
                           RandomStream& random) override {
    return encoded_and_read(*compressor_, rounded(z), rounded(near), random);
  }
  Vector<double> read(std::span<const std::byte> message, const Vector<double>& near) override {
    return read_by(*compressor_, message, rounded(near));
  }
  Vector<double> said_anew_by_hub(const Vector<double>& z, RandomStream& random) override {
    return encoded_and_read(*down_compressor_, rounded(z), Vector<Scalar>::Zero(z.size()), random);
  }

 private:
  static Vector<Scalar> rounded(const Vector<double>& x) { return x.template cast<Scalar>(); }
  static Vector<double> in_double(const Vector<Scalar>& x) { return x.template cast<double>(); }

  Vector<double> encoded_and_read(Compressor<Scalar>& compressor, const Vector<Scalar>& z,
                                  const Vector<Scalar>& near, RandomStream& random) {
    PacketBuffer buffer = packets_.acquire();
    ensure(compressor.encode({.vector = view(z), .random = random, .near = view(near)}, buffer) ==
               CodecStatus::ok,
           "what the reference says can be said");
    return read_by(compressor, buffer.bytes(), near);
  }

  static Vector<double> read_by(Compressor<Scalar>& compressor, std::span<const std::byte> message,
                                const Vector<Scalar>& near) {
    Vector<Scalar> decoded = Vector<Scalar>::Zero(near.size());
    ensure(compressor.accumulate_near(message, view(near), 1, view(decoded)) == CodecStatus::ok,
           "a message can be read");
    return in_double(decoded);
  }

  const Experiment<Scalar>& experiment_;
  const Recording<Scalar>& recording_;
  std::unique_ptr<const Regularizer<double>> regularizer_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  PacketPool packets_;
};

}  // namespace

template <class Scalar>
StackedComparison compare_with_stacked(const Experiment<Scalar>& experiment,
                                       const Recording<Scalar>& recording) {
  RecordedRunOf<Scalar> run(experiment, recording);
  return compare_with_stacked(run);
}

template StackedComparison compare_with_stacked<float>(const Experiment<float>&, const Recording<float>&);
template StackedComparison compare_with_stacked<double>(const Experiment<double>&, const Recording<double>&);

}  // namespace hearsay::test
