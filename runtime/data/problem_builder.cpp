#include "runtime/data/problem_builder.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "algorithms/objectives/elsewhere_objective.hpp"
#include "algorithms/objectives/judged_objective.hpp"
#include "algorithms/objectives/partition.hpp"
#include "algorithms/objectives/registry.hpp"
#include "algorithms/objectives/regularizer.hpp"
#include "runtime/data/dataset.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/machine.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

void require_strength(const std::string& name, double strength) {
  if (!(strength >= 0.0) || !std::isfinite(strength))
    throw Misuse(name, number_text(strength), "expected a number that is not negative");
}

/// The regularizer h; model.l1 is short for model.regularizer = "l1(...)".
std::string regularizer_of(const RunSettings::Model& model) {
  require_strength("model.l1", model.l1);
  require_strength("model.l2", model.l2);
  if (model.l1 == 0.0) return model.regularizer;
  if (model.regularizer != "none")
    throw Misuse("model.l1", number_text(model.l1),
                 "model.regularizer = " + model.regularizer + " is set, too; expected one of them");
  return "l1(" + number_text(model.l1) + ")";
}

/// "784 (1 x 28 x 28) or 3072 (3 x 32 x 32)"
std::string feature_counts(std::span<const ImageShape> images) {
  std::string text;
  for (const ImageShape& image : images) {
    if (!text.empty()) text += &image == &images.back() ? " or " : ", ";
    const std::string side = std::to_string(image.side);
    text += std::to_string(image.features()) + " (" + std::to_string(image.channels) + " x " + side + " x " +
            side + ")";
  }
  return text;
}

template <class Scalar>
void require_fitting(const std::string& kind, const SampleModel& model, const ModelShape& shape,
                     const Samples<Scalar>& samples) {
  if (model.targets == Targets::two_classes && samples.class_count != 2)
    throw Misuse(
        "model.kind", kind,
        "the data have " + std::to_string(samples.class_count) + " classes; softmax takes more than two");
  if (!model.images.empty() &&
      std::ranges::find(model.images, samples.feature_count(), &ImageShape::features) == model.images.end())
    throw Misuse("model.kind", kind,
                 "the data have " + std::to_string(samples.feature_count()) +
                     " features; expected images of " + feature_counts(model.images));
  const double dimension =
      model.dimension(shape, static_cast<double>(samples.feature_count()), samples.class_count);
  if (dimension > static_cast<double>(largest_dimension))
    throw Misuse("model.kind", kind,
                 number_text(dimension) + " parameters on these data; at most " +
                     std::to_string(largest_dimension) + " are possible");
}

template <class Scalar>
Shard<Scalar> whole(std::shared_ptr<const Samples<Scalar>> samples) {
  std::vector<Index> rows(static_cast<std::size_t>(samples->count()));
  std::iota(rows.begin(), rows.end(), Index{0});
  return {std::move(samples), std::move(rows)};
}

/// Makes the objectives of sample models on loaded data.
template <class Scalar>
class Maker {
 public:
  Maker(const RunSettings& settings, const SampleModel& model, const ModelShape& shape,
        LoadedData<Scalar> data)
      : model_(model), shape_(shape), l2_(settings.model.l2), data_(std::move(data)) {
    require_fitting(settings.model.kind, model, shape, *data_.train);
  }

  const Samples<Scalar>& samples() const { return *data_.train; }
  std::vector<Index> training_rows() const { return data_.training_rows(); }
  const std::string& labels() const { return data_.labels; }
  const CsvColumns& columns() const { return data_.columns; }
  auto objective(std::vector<Index> rows, double weight) const {
    return model_.template make<Scalar>(shape_, {data_.train, std::move(rows)}, weight, l2_);
  }
  std::uint64_t data_digest() const { return digest(*data_.train); }
  std::optional<std::uint64_t> test_digest() const {
    return data_.test ? std::optional(digest(*data_.test)) : std::nullopt;
  }
  bool classifies() const { return data_.train->class_count > 0; }
  bool judges_test_samples() const { return data_.test || !data_.held_out.empty(); }
  /// Returns an objective for the accuracy: of all test samples, or of all samples if there are none.
  auto judge() const {
    Shard<Scalar> shard = whole<Scalar>(data_.test ? data_.test : data_.train);
    if (!data_.held_out.empty()) shard.rows = data_.held_out;
    return model_.template make<Scalar>(shape_, std::move(shard), 1.0, 0.0);
  }
  Vector<Scalar> initial(std::uint64_t seed) const { return objective({}, 1.0)->initial(seed); }

 private:
  const SampleModel& model_;
  const ModelShape& shape_;
  double l2_;
  LoadedData<Scalar> data_;
};

template <class Scalar>
Problem<Scalar> sample_problem(const RunSettings& settings, const SampleModel& model, const ModelShape& shape,
                               const Home& home) {
  const Maker<Scalar> maker(settings, model, shape,
                            load_data<Scalar>(settings.data, model.targets != Targets::numbers,
                                              settings.run.seed, 0, {}, home.most_drawn));
  const Samples<Scalar>& samples = maker.samples();
  const std::vector<Index> training = maker.training_rows();
  std::vector<double> targets;
  for (const Index row : training) targets.push_back(samples.targets[static_cast<std::size_t>(row)]);
  const std::size_t peers = settings.topology.peers;

  Problem<Scalar> problem;
  problem.least_loss = 0.0;  // as of every model in the registry
  problem.data_digest = maker.data_digest();
  problem.test_digest = maker.test_digest();
  const double weight = static_cast<double>(peers) / static_cast<double>(training.size());
  for (auto& part :
       partition(settings.data.partition, targets, samples.class_count, peers, settings.run.seed)) {
    for (Index& row : part) row = training[static_cast<std::size_t>(row)];
    problem.objectives.push_back(maker.objective(std::move(part), weight));
  }
  problem.initial = maker.initial(settings.run.seed);
  const std::shared_ptr<const SampleObjective<Scalar>> judge = maker.judge();
  problem.judge = judge;
  if (maker.classifies()) {
    problem.accuracy = [judge](const Vector<Scalar>& x) { return judge->accuracy(x); };
    problem.judged = {.are_test = maker.judges_test_samples(),
                      .count = static_cast<std::uint64_t>(judge->sample_count())};
  }
  return problem;
}

constexpr std::string_view home_partition = "home";
constexpr std::string_view id_in_source = "{id}";

/// Returns the text with the peer's id in the place of every "{id}".
std::string with_id(std::string text, PeerId id) {
  for (std::size_t at = text.find(id_in_source); at != text.npos; at = text.find(id_in_source, at))
    text.replace(at, id_in_source.size(), std::to_string(id));
  return text;
}

/// Throws Misuse unless data.samples is the number of training samples of all peers: without those held out.
void require_sum(std::uint64_t samples, std::uint64_t trained, std::uint64_t all) {
  if (samples == trained) return;
  throw Misuse("data.samples", std::to_string(samples),
               "the peers have " + std::to_string(all) + " samples in all" +
                   (trained == all ? "" : ", and train on " + std::to_string(trained) + " of them") +
                   "; expected " + std::to_string(trained));
}

/// Throws Misuse if one peer alone trains on more samples than data.samples says of all.
void require_room(const RunSettings::Data& data, std::size_t trained) {
  if (data.samples && *data.samples < trained)
    throw Misuse("data.samples", std::to_string(*data.samples),
                 data.source + " alone has " + std::to_string(trained) +
                     " training samples; expected those of all peers together");
}

/// Throws Misuse unless the data of a peer make the same model as those of peer 0.
template <class Scalar>
void require_same_model(const Problem<Scalar>& problem, Index parameters, const std::string& labels,
                        const std::string& source) {
  if (parameters != problem.initial.size())
    throw Misuse("data.source", source,
                 "the model has " + std::to_string(parameters) + " parameters on it, and " +
                     std::to_string(problem.initial.size()) +
                     " on the data of peer 0; data.features and data.classes say how many there are");
  if (labels != problem.names.labels)
    throw Misuse("data.source", source,
                 "its labels are " + labels + ", and those of peer 0 " + problem.names.labels +
                     "; data.classes = N says that they are 0 to N - 1");
}

/// The problem of data.partition = "home": the files of each host are the data of its peer.
template <class Scalar>
Problem<Scalar> home_problem(const RunSettings& settings, const SampleModel& model, const ModelShape& shape,
                             const Home& home) {
  const std::size_t peers = settings.topology.peers;
  if (!home.peer && settings.data.source.find(id_in_source) == std::string::npos)
    throw Misuse(
        "data.partition", "home",
        "data.source on each host is the data of its peer, so hearsay peer or launch starts this run; to try "
        "it here, expected a data.source for each peer, such as \"csv:private-{id}.csv\"");
  Problem<Scalar> problem;
  problem.least_loss = 0.0;  // as of every model in the registry
  problem.at_home = true;
  problem.home_digests.resize(peers);
  CsvColumns columns;
  std::uint64_t trained = 0;  // samples of all peers
  std::uint64_t all = 0;      // with those that are held out
  for (PeerId id = 0; id < peers; ++id) {
    if (!home.has(id)) {
      problem.objectives.push_back(nullptr);  // a stand-in, once the layers are known
      continue;
    }
    RunSettings::Data data = settings.data;
    data.source = with_id(data.source, id);
    data.test = with_id(data.test, id);
    const Maker<Scalar> maker(
        settings, model, shape,
        load_data<Scalar>(data, model.targets != Targets::numbers, settings.run.seed, id, columns));
    columns = maker.columns();
    problem.home_digests[id] = {maker.data_digest(), maker.test_digest()};
    std::vector<Index> rows = maker.training_rows();
    if (home.peer) require_room(data, rows.size());
    trained += rows.size();
    all += static_cast<std::uint64_t>(maker.samples().count());
    const double weight = settings.data.samples
                              ? static_cast<double>(peers) / static_cast<double>(*settings.data.samples)
                              : 1.0 / static_cast<double>(rows.size());
    auto objective = std::make_unique<JudgedObjective<Scalar>>(maker.objective(std::move(rows), weight),
                                                               maker.classifies() ? maker.judge() : nullptr,
                                                               maker.judges_test_samples());
    const Vector<Scalar> initial = maker.initial(settings.run.seed);
    if (problem.initial.size() == 0) {
      problem.initial = initial;
      problem.judged.are_test = maker.judges_test_samples();
      problem.names.labels = maker.labels();
    }
    require_same_model(problem, initial.size(), maker.labels(), data.source);
    problem.objectives.push_back(std::move(objective));
  }
  if (!home.peer && settings.data.samples) require_sum(*settings.data.samples, trained, all);
  const SegmentTable layers = problem.objectives[home.peer.value_or(0)]->segments();
  for (auto& objective : problem.objectives)
    if (!objective) objective = std::make_unique<ElsewhereObjective<Scalar>>(layers);
  problem.names.features = columns.features;
  problem.names.target = columns.target;
  problem.model_digest = digest(problem.names.labels);
  return problem;
}

/// Throws Misuse for objectives, and a model and a gradient of each peer, that exceed the machine's memory.
void require_memory_of_objectives(const std::string& kind, const SeededModel& model, const ModelShape& shape,
                                  std::size_t peers, std::size_t bytes_of_scalar, Drawn drawn) {
  const auto scalar = static_cast<double>(bytes_of_scalar);
  const double to_draw_all = model.memory(shape, 0.0, scalar);
  const double of_none = drawn == Drawn::later ? 0.0 : to_draw_all;
  const double of_each =
      model.memory(shape, 1.0, scalar) - to_draw_all + 2.0 * model.dimension(shape) * scalar;
  const auto lack = beyond_memory(of_none + static_cast<double>(peers) * of_each, memory_of_process());
  if (!lack) return;
  throw HostRefusal("model.kind", kind,
                    (peers == 1 ? "the objective and the model of a single peer need "
                                : "the objectives and models of " + std::to_string(peers) + " peers need ") +
                        *lack + "; expected fewer " + (peers == 1 ? "" : "peers, fewer ") +
                        "parameters, or hearsay simulate with model.kind = \"size(" +
                        std::to_string(static_cast<std::uint64_t>(model.dimension(shape))) +
                        ")\", which tells times and bytes without that memory");
}

template <class Scalar>
Vector<Scalar> load_initial(const std::string& file, Index dimension) {
  std::error_code error;
  if (std::filesystem::status(file, error).type() == std::filesystem::file_type::not_found)
    throw HostRefusal("model.init", file, "there is no such file");
  Vector<Scalar> x = read_npy<Scalar>(file).values;
  if (x.size() != dimension)
    throw Misuse("model.init", file,
                 std::to_string(x.size()) + " numbers; the model has " + std::to_string(dimension));
  if (!x.allFinite()) throw Misuse("model.init", file, "it holds numbers that are not finite");
  return x;
}

}  // namespace

template <class Scalar>
Problem<Scalar> build_problem(const RunSettings& settings, const Home& home) {
  const Model model = parse_model(settings.model.kind);
  const std::string regularizer = regularizer_of(settings.model);
  const std::size_t peers = settings.topology.peers;
  if (peers == 0) throw Misuse("topology.peers", "0", "expected at least one peer");
  if (std::holds_alternative<ProgramModel>(model.info->make))
    throw Misuse("model.kind", settings.model.kind, "it has no data to load: its program brings them");
  if (std::holds_alternative<SizeModel>(model.info->make))
    throw Misuse("model.kind", settings.model.kind,
                 "a size has no gradients; hearsay simulate, and sweep with driver = \"simulate\", tell its "
                 "times and bytes");
  const auto* seeded = std::get_if<SeededModel>(&model.info->make);
  const bool at_home = settings.data.partition == home_partition;
  if (settings.data.samples && (seeded || !at_home))
    throw Misuse("data.samples", std::to_string(*settings.data.samples),
                 "only data.partition = \"home\" reads it; leave it out");
  const auto of_samples = [&] {
    const auto& sampled = std::get<SampleModel>(model.info->make);
    return at_home ? home_problem<Scalar>(settings, sampled, model.shape, home)
                   : sample_problem<Scalar>(settings, sampled, model.shape, home);
  };
  const Drawn drawn = home.draws_later ? Drawn::later : Drawn::at_once;
  if (seeded)
    require_memory_of_objectives(settings.model.kind, *seeded, model.shape,
                                 std::min(peers, home.peers_here.value_or(home.peer ? 1 : peers)),
                                 sizeof(Scalar), drawn);
  Problem<Scalar> problem = seeded ? seeded->make<Scalar>(model.shape, peers, settings.model.l2,
                                                          settings.run.seed, drawn, home.each_peer)
                                   : of_samples();
  if (settings.model.init != "zeros")
    problem.initial = load_initial<Scalar>(settings.model.init, problem.dimension());
  problem.model_digest ^= digest(problem.initial);
  problem.regularizer = make_regularizer<Scalar>(regularizer, problem.objectives.front()->segments());
  return problem;
}

double bytes_of_drawn_objective(const RunSettings& settings, double bytes_of_scalar) {
  const Model model = parse_model(settings.model.kind);
  const auto* seeded = std::get_if<SeededModel>(&model.info->make);
  if (!seeded) return 0.0;
  return seeded->memory(model.shape, 1.0, bytes_of_scalar) -
         seeded->memory(model.shape, 0.0, bytes_of_scalar);
}

bool learns_from_samples(const RunSettings& settings) {
  return !std::holds_alternative<SeededModel>(parse_model(settings.model.kind).info->make);
}

template Problem<float> build_problem<float>(const RunSettings&, const Home&);
template Problem<double> build_problem<double>(const RunSettings&, const Home&);

}  // namespace hearsay
