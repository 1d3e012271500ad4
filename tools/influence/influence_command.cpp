#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/data/problem_builder.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/run_topology.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/observer/distances.hpp"
#include "runtime/record/kept_models.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/document.hpp"
#include "tools/influence/ideal_influence.hpp"
#include "tools/influence/influence.hpp"
#include "tools/influence/influence_record.hpp"
#include "tools/influence/link_influence.hpp"
#include "tools/influence/row_list.hpp"
#include "tools/influence/sample_pictures.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

struct InfluenceOptions {
  fs::path run;
  std::string test = {};
  std::string rows = {};
  std::string by = "sample";
  std::uint64_t top = 20;
  std::optional<std::uint32_t> projection = {};
  bool ideal = false;
  bool quiet = false;
  bool json = false;
};

/// Test samples that are told of if nobody says which.
constexpr std::size_t rows_unasked = 3;
/// Samples of a list that are drawn: as many as a page shows.
constexpr std::size_t most_drawn = 20;
/// Of influences, and of test gradients.
constexpr double most_bytes = 2e9;

/// Says how far it is, once it takes longer than two seconds, and then every two.
class Pace {
 public:
  explicit Pace(bool quiet) : quiet_(quiet) {}
  void tell(double share) {
    const auto now = Clock::now();
    if (quiet_ || now - told_ < std::chrono::seconds(2)) return;
    told_ = now;
    const double elapsed = std::chrono::duration<double>(now - began_).count();
    print_notice("influence: " + fixed(100.0 * share, 0) + " % done after " + seconds_text(elapsed) + ", " +
                 seconds_text(elapsed * (1.0 - share) / share) + " left");
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool quiet_;
  Clock::time_point began_ = Clock::now();
  Clock::time_point told_ = began_;
};

void require_influence(const RunSettings& settings) {
  const auto refuse = [](const std::string& key, const std::string& value, const std::string& why) {
    throw Misuse(key, value, why);
  };
  if (has_programs(settings))
    refuse("model.kind", settings.model.kind,
           "a program does not tell the gradient of a sample; expected a run of a built-in model");
  if (!learns_from_samples(settings))
    refuse("model.kind", settings.model.kind, "it has no samples; expected a model that learns from data");
  if (settings.data.partition == "home")
    refuse(
        "data.partition", "home",
        "the data are at the peers, and nobody may compare their samples; expected a run with shared data");
  const MethodInfo& method = find_method(settings.algorithm.kind);
  if (!method.trains)
    refuse("algorithm.kind", method.name, "it takes no gradients; expected a method that trains");
}

template <class Scalar>
KeptPoint<Scalar> load_point(const fs::path& run, const KeptIteration& kept, bool has_hub, Index dimension) {
  KeptPoint<Scalar> point;
  for (const auto& file : kept.files) {
    point.models.emplace_back();
    if (!file) continue;
    const fs::path path = run / models_folder / *file;
    point.models.back() = read_npy<Scalar>(path).values;
    if (point.models.back().size() != dimension)
      throw Misuse(
          path.string() + " holds " + grouped(static_cast<std::uint64_t>(point.models.back().size())) +
          " numbers, and the model of the run has " + grouped(static_cast<std::uint64_t>(dimension)));
  }
  point.judged = kept.of == "peers" && has_hub ? point.models[hub_id] : mean_of(point.models);
  if (point.judged.size() == 0)
    throw Misuse(run.string() + ": the models of iteration " + std::to_string(kept.iteration) + " are gone");
  return point;
}

/// Replaces the influences by the ideal ones.
template <class Scalar>
void find_ideal(const RunSettings& settings, std::span<const std::uint64_t> iterations,
                const std::function<Vector<Scalar>(std::size_t)>& model, const SampleObjective<Scalar>& judge,
                const std::vector<Index>& rows, InfluenceFindings& found) {
  const std::vector<Index> drawn = drawn_samples(settings, found.samples.size(), iterations.back());
  found.on_tests.setZero();
  std::vector<double> before = judge.sample_losses(model(0), all_samples_of(judge));
  for (std::size_t t = 1; t < iterations.size(); ++t) {
    std::vector<double> after = judge.sample_losses(model(t), all_samples_of(judge));
    add_ideal(drawn[t - 1], before, after, rows, found.on_tests);
    before = std::move(after);
  }
  found.of_peers_on_tests = found.on_tests.colwise().sum();
}

/// Returns the test samples that are told of: those that are asked for, or those of the largest losses.
template <class Scalar>
std::vector<TestSample> chosen_tests(const InfluenceOptions& options, const SampleObjective<Scalar>& judge,
                                     const Vector<Scalar>& last) {
  const std::vector<double> losses = judge.sample_losses(last, all_samples_of(judge));
  const Vector<double> values =
      Eigen::Map<const Vector<double>>(losses.data(), static_cast<Index>(losses.size()));
  const std::vector<Index> rows = options.rows.empty()
                                      ? extremes(values, rows_unasked, true)
                                      : row_list("--rows", options.rows, judge.sample_count());
  std::vector<TestSample> tests;
  for (const Index row : rows) {
    const Index place = judge.shard().rows[static_cast<std::size_t>(row)];
    tests.push_back({row,
                     static_cast<double>(judge.shard().samples->targets[static_cast<std::size_t>(place)]),
                     values[row]});
  }
  return tests;
}

/// Returns how to draw the samples of a table.
template <class Scalar>
std::function<std::string(Index)> pictures_of(std::shared_ptr<const Samples<Scalar>> samples,
                                              const PictureShape& shape) {
  return [samples = std::move(samples), shape](Index row) {
    SampleBlock<Scalar> block(*samples);
    block.load({&row, 1});
    Vector<Scalar> features(samples->feature_count());
    block.copy_row(0, view(features));
    const Vector<double> values = features.template cast<double>();
    return picture_address(shape, view(values));
  };
}

/// Draws the samples that the record names, up to `most_drawn` of a list.
template <class Scalar>
SamplePictures told_pictures(const InfluenceFindings& found, const RunSettings& settings, std::size_t top,
                             const Shards<Scalar>& shards, const SampleObjective<Scalar>& judge) {
  SamplePictures pictures;
  const auto& tests = judge.shard();
  const auto shape = picture_shape(settings.data.source, tests.samples->feature_count());
  if (!shape) return pictures;
  const auto trained = std::ranges::find_if(shards, [](const auto* shard) { return shard != nullptr; });
  const auto of_training = pictures_of<Scalar>((*trained)->shard().samples, *shape);
  const auto of_test = pictures_of<Scalar>(tests.samples, *shape);
  for (const Index row : told_samples(found, std::min(top, most_drawn)))
    pictures.training[row] = of_training(row);
  for (const TestSample& test : found.rows)
    pictures.test[test.row] = of_test(tests.rows[static_cast<std::size_t>(test.row)]);
  return pictures;
}

void require_memory(const InfluenceOptions& options, double samples, double dimension, double rows) {
  const double of_gradients = options.projection ? static_cast<double>(*options.projection) : dimension;
  const double bytes = 8.0 * (samples + of_gradients) * (1.0 + rows);
  if (bytes > most_bytes)
    throw Misuse("--rows", options.rows,
                 "their influences and gradients take " + megabytes_text(bytes) +
                     "; expected fewer rows, or "
                     "a smaller --project");
}

/// The objectives of the peers, null for one without samples.
template <class Scalar>
Shards<Scalar> shards_of(const Problem<Scalar>& problem) {
  Shards<Scalar> shards;
  for (const auto& objective : problem.objectives)
    shards.push_back(dynamic_cast<const SampleObjective<Scalar>*>(objective.get()));
  return shards;
}

/// Returns findings of which run and which models they are, and nothing found yet.
template <class Scalar>
InfluenceFindings begin_findings(const InfluenceOptions& options, const RunSettings& settings,
                                 const std::vector<KeptIteration>& index, const Problem<Scalar>& problem) {
  InfluenceFindings found;
  found.run = options.run.string();
  found.tests = !settings.data.test.empty() ? settings.data.test
                : problem.judged.are_test   ? "the run's own"
                                            : "the training samples themselves";
  found.test_count = static_cast<std::uint64_t>(problem.judge->sample_count());
  found.kept = index.size();
  found.first = index.front().iteration;
  found.last = index.back().iteration;
  found.of_peers = index.front().of == "peers";
  found.projection = options.projection.value_or(0);
  return found;
}

/// Adds all kept iterations to the sum. Returns, if links are asked for, of each kept iteration and peer what
/// the sum of the peer has gained by it, without its weight.
template <class Scalar>
DenseRows<double> add_up(const InfluenceOptions& options, const std::vector<double>& weights,
                         const std::function<KeptPoint<Scalar>(std::size_t)>& point,
                         InfluenceSum<Scalar>& sum) {
  const bool by_link = options.by == "link";
  DenseRows<double> gains;
  if (by_link) gains.setZero(static_cast<Index>(weights.size()), sum.of_peers().rows());
  Pace pace(options.quiet);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const Vector<double> before = by_link ? Vector<double>(sum.of_peers().col(0)) : Vector<double>();
    sum.add(point(k), weights[k], [&](double share) {
      pace.tell((static_cast<double>(k) + share) / static_cast<double>(weights.size()));
    });
    if (by_link && weights[k] > 0.0)
      gains.row(static_cast<Index>(k)) = (sum.of_peers().col(0) - before).transpose() / weights[k];
  }
  return gains;
}

template <class Scalar>
void add_sums(const InfluenceSum<Scalar>& sum, InfluenceFindings& found) {
  found.samples = sum.samples();
  found.on_tests = sum.on_tests();
  found.on_itself = sum.on_itself();
  found.of_peers_on_tests = sum.of_peers();
  found.between_peers = sum.between_peers();
}

template <class Scalar>
InfluenceFindings find_influence(const InfluenceOptions& options, const RunSettings& settings) {
  const std::vector<KeptIteration> index = kept_models(options.run);
  if (index.size() < 2)
    throw Misuse(options.run.string() + " keeps the models of one iteration only; expected two or more");
  std::vector<std::string> doubts;
  Problem<Scalar> problem = problem_of<Scalar>(settings_of_workers(settings), {}, doubts);
  add_dedicated_hub(settings, problem);
  for (const std::string& doubt : doubts) print_notice("warning: " + doubt);
  const Shards<Scalar> shards = shards_of(problem);
  const auto& judge = dynamic_cast<const SampleObjective<Scalar>&>(*problem.judge);
  const Index dimension = problem.dimension();
  const auto samples = static_cast<std::uint64_t>(problem.sample_count());

  InfluenceFindings found = begin_findings(options, settings, index, problem);
  std::vector<std::uint64_t> iterations;
  for (const KeptIteration& kept : index) iterations.push_back(kept.iteration);
  const RunSettings::Algorithm& algorithm = settings.algorithm;
  const StepSize step_size(algorithm.step_size, algorithm.step_schedule, algorithm.warm_up);
  const std::vector<double> weights = kept_model_weights(
      iterations, step_size, mean_local_steps(algorithm.options, settings.topology.workers()), samples);

  const bool has_hub = find_method(algorithm.kind).pattern.has_hub;
  const auto point = [&](std::size_t k) {
    return load_point<Scalar>(options.run, index[k], has_hub, dimension);
  };
  const Vector<Scalar> last = point(index.size() - 1).judged;
  found.rows = chosen_tests(options, judge, last);
  found.loss_before = mean_sample_loss(judge, point(0).judged);
  found.loss_after = mean_sample_loss(judge, last);
  std::vector<Index> rows;
  for (const TestSample& test : found.rows) rows.push_back(test.row);
  require_memory(options, static_cast<double>(samples), static_cast<double>(dimension),
                 static_cast<double>(rows.size()));

  std::optional<Projection> projection;
  if (options.projection)
    projection.emplace(dimension, static_cast<Index>(*options.projection), settings.run.seed);
  InfluenceSum<Scalar> sum(shards, judge, rows, projection ? &*projection : nullptr);
  const DenseRows<double> gains = add_up<Scalar>(options, weights, point, sum);
  add_sums(sum, found);
  if (options.by == "link") {
    std::vector<std::string> unheard;
    const auto schedule = schedule_of(settings, topology_of(settings, unheard));
    const double step = algorithm.options.find(option::consensus_step).value_or(1.0);
    found.links = link_influence(*schedule, step, iterations, step_size, gains, samples);
  }
  if (options.ideal)
    find_ideal<Scalar>(
        settings, iterations, [&](std::size_t k) { return point(k).judged; }, judge, rows, found);
  found.pictures =
      told_pictures<Scalar>(found, settings, static_cast<std::size_t>(options.top), shards, judge);
  return found;
}

int influence_command(const InfluenceOptions& options) {
  if (options.top == 0) throw Misuse("--top", "0", "expected at least 1");
  if (options.projection == 0U)
    throw Misuse("--project", "0", "expected at least 1 dimension, or no --project for whole gradients");
  std::error_code ignored;
  if (!fs::exists(options.run / "run.toml", ignored))
    throw Misuse(options.run.string() + " is no output of a run; expected a folder with run.toml");
  RunSettings settings = load_run_file(options.run / "run.toml", {});
  if (!options.test.empty()) {
    // Relative paths on the command line start here, those in run.toml there.
    const RunSettings here =
        parse_run("", fs::current_path(), {"data.test=" + toml_text(options.test)}, "--test");
    settings.data.test = here.data.test;
  }
  require_influence(settings);
  if (options.ideal) require_ideal(settings);
  if (options.by == "link") require_links(settings);
  const InfluenceFindings found = with_scalar(
      settings.run.scalar, [&]<class Scalar>() { return find_influence<Scalar>(options, settings); });
  const auto top = static_cast<std::size_t>(options.top);
  const InfluenceBy by = options.by == "link"   ? InfluenceBy::link
                         : options.by == "peer" ? InfluenceBy::peer
                                                : InfluenceBy::sample;
  write_influence(found, top);
  if (options.json)
    std::printf("%s\n", json_text(influence_json(found, top)).c_str());
  else
    std::fputs(influence_text(found, by, top).c_str(), stdout);
  return exit_done;
}

}  // namespace

void add_influence(CommandLine& program, Invocation& invocation) {
  CommandLine command = program.command(
      "influence", "the influence of each training sample, and of each peer, on the model of a run");
  const auto options = std::make_shared<InfluenceOptions>();
  command.argument("RUN", &options->run, "the output of a run with run.keep_models");
  command.option("--test", &options->test, "test samples, spelled as data.test [those of the run]",
                 {.value_name = "SOURCE"});
  command.option("--rows", &options->rows,
                 "which test samples to explain, counted from 0 [the three with the largest losses]",
                 {.value_name = "0,7,20-29"});
  command.option("--top", &options->top, "how many training samples to list [20]", {.value_name = "N"});
  command.option("--by", &options->by, "whose influence the tables list [sample]",
                 {.values = {"sample", "peer", "link"}});
  command.option("--project", &options->projection,
                 "project gradients to K random dimensions, for many rows of a large model",
                 {.value_name = "K"});
  command.flag(
      "--ideal", options->ideal,
      "for a run of one peer with one sample per iteration: the exact influences on the test samples");
  command.flag("--quiet", options->quiet, "print no progress");
  command.flag("--json", options->json, "print the record on standard output, for programs");
  command.examples({"hearsay influence runs/first", "hearsay influence runs/first --by peer",
                    "hearsay influence runs/first --test csv:new.csv --rows 0-4 --top 5"});
  command.when_chosen(
      [options, &invocation] { invocation.run = [options] { return influence_command(*options); }; });
}

}  // namespace hearsay
