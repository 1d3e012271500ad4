#include "runtime/data/dataset.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/registry.hpp"
#include "algorithms/objectives/synthetic.hpp"
#include "runtime/data/csv_doubts.hpp"
#include "runtime/data/data_memory.hpp"
#include "runtime/data/formats.hpp"
#include "runtime/foundation/machine.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// The training part or the test part of a source that has both.
enum class Part { train, test };

bool is_synthetic(const std::string& source) { return source.substr(0, source.find('(')) == "synthetic"; }

SyntheticShape parse_synthetic_shape(const std::string& source) {
  const std::string key = "data.source";
  SyntheticShape shape;
  for (const std::string& argument : parse_spelling(key, source).arguments) {
    const auto equals = argument.find('=');
    const std::string name = argument.substr(0, equals);
    const auto number = [&](std::uint64_t least, std::uint64_t most) {
      std::uint64_t value = 0;
      const bool given = equals != std::string::npos && parse_whole(argument.substr(equals + 1), value);
      if (!given || value < least || value > most)
        throw Misuse(
            key, source,
            name + " is a whole number from " + std::to_string(least) + " to " + std::to_string(most));
      return value;
    };
    if (name == "samples")
      shape.samples = static_cast<Index>(number(1, 100'000'000));
    else if (name == "features")
      shape.features = static_cast<Index>(number(1, 10'000'000));
    else if (name == "classes")
      shape.classes = static_cast<std::uint32_t>(number(2, 65'536));
    else
      throw Misuse(key, source, "synthetic takes samples=, features= and classes=");
  }
  return shape;
}

/// Throws Misuse for data that exceed the machine's memory.
template <class Scalar>
void require_memory(const SyntheticShape& shape, const std::string& source) {
  const double rows =
      1.125 * static_cast<double>(shape.samples) + shape.classes;  // with test samples and centers
  const double needed = rows * static_cast<double>(shape.features) * sizeof(Scalar);
  if (const auto lack = beyond_memory(needed, memory_of_process()))
    throw HostRefusal("data.source", source, "it needs " + *lack);
}

std::vector<fs::path> cifar10_batches(const fs::path& directory, Part part) {
  std::vector<fs::path> batches;
  for (const std::string name :
       {"data_batch_1", "data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"})
    for (const std::string ending : {".bin", ".bin.gz"}) {
      if ((name == "test_batch") != (part == Part::test)) continue;
      const fs::path path = directory / (name + ending);
      std::error_code error;
      const bool there = fs::exists(path, error);
      if (error) throw HostRefusal("cannot open " + path.string() + ": " + error.message());
      if (there) {
        batches.push_back(path);
        break;
      }
    }
  return batches;
}

/// Returns the two paths in "X,Y". Throws Misuse if one of them is missing.
std::pair<fs::path, fs::path> path_pair(const std::string& key, const std::string& text,
                                        const std::string& both) {
  const auto comma = both.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == both.size())
    throw Misuse(key, text, "expected two files, separated by a comma");
  return {both.substr(0, comma), both.substr(comma + 1)};
}

/// Throws Misuse if there is nothing at `path`. What is wrong with a file that is there, its reader says.
fs::path present(const std::string& key, const std::string& text, const fs::path& path) {
  std::error_code error;
  if (fs::status(path, error).type() == fs::file_type::not_found)
    throw HostRefusal(key, text, "there is no " + path.string());
  return path;
}

std::string format_of(const std::string& source) { return source.substr(0, source.find(':')); }

/// Throws Misuse for a key that the format of data.source does not read, or that has no such value.
void require_read(const RunSettings::Data& data) {
  const auto refuse = [&](const std::string& key, const std::string& value, const std::string& format) {
    throw Misuse(
        key, value,
        "data.source = \"" + data.source + "\" does not read it, since it is no " + format + " file");
  };
  const std::string format = format_of(data.source);
  if (format != "csv") {
    if (data.target) refuse("data.target", *data.target, "csv");
    if (data.header) refuse("data.header", *data.header ? "true" : "false", "csv");
    if (data.skip) refuse("data.skip", std::to_string(*data.skip), "csv");
    if (!data.ignore.empty()) refuse("data.ignore", data.ignore.front(), "csv");
  }
  if (data.index_base && format != "libsvm")
    refuse("data.index_base", std::to_string(*data.index_base), "libsvm");
  if (data.index_base && *data.index_base > 1)
    throw Misuse("data.index_base", std::to_string(*data.index_base), "expected 0 or 1");
}

/// Reads data.source or data.test, the key, whose value is `text`.
template <class Scalar>
Samples<Scalar> read_source(const RunSettings::Data& data, const std::string& key, const std::string& text,
                            Part part, CsvColumns& columns, DataMemory& memory) {
  const auto colon = text.find(':');
  const std::string format = format_of(text);
  const std::string rest = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (!rest.empty()) {
    if (format == "libsvm")
      return read_libsvm<Scalar>(present(key, text, rest), data.index_base.value_or(1), memory);
    if (format == "csv")
      return read_csv<Scalar>(present(key, text, rest), {data.target, data.header, data.skip, data.ignore},
                              columns, memory);
    if (format == "idx") {
      const auto [images, labels] = path_pair(key, text, rest);
      return read_idx<Scalar>(present(key, text, images), present(key, text, labels), memory);
    }
    if (format == "npz") return read_npz<Scalar>(present(key, text, rest), memory);
    if (format == "npy") {
      const auto [features, targets] = path_pair(key, text, rest);
      return read_npy_pair<Scalar>(present(key, text, features), present(key, text, targets), memory);
    }
    if (format == "cifar10") {
      if (!fs::is_directory(present(key, text, rest)))
        throw Misuse(key, text, "it is a file; expected the folder of the batches");
      const auto batches = cifar10_batches(rest, part);
      if (batches.empty())
        throw Misuse(key, text,
                     std::string("the folder has no ") +
                         (part == Part::train ? "data_batch_*.bin" : "test_batch.bin"));
      return read_cifar10<Scalar>(batches, memory);
    }
  }
  const std::string family = text.substr(0, text.find('('));
  if (std::ranges::any_of(models(), [&](const ModelInfo& model) { return model.name == family; }))
    throw Misuse(key, text, "it is a model; expected model.kind = \"" + text + "\", and data here");
  throw Misuse(
      key, text,
      "expected synthetic(...), libsvm:PATH, idx:IMAGES,LABELS, cifar10:DIR, csv:PATH, npy:X,Y or npz:PATH");
}

template <class Scalar>
void require_samples(const std::string& key, const std::string& text, const Samples<Scalar>& samples) {
  if (samples.count() == 0) throw Misuse(key, text, "there are no samples in it");
  if (samples.feature_count() == 0) throw Misuse(key, text, "its samples have no features");
}

/// Returns the distinct targets in ascending order. Throws Misuse unless they are integers.
template <class Scalar>
std::vector<Scalar> distinct_labels(const std::string& source, const std::vector<Scalar>& targets) {
  std::vector<Scalar> labels;
  for (std::size_t s = 0; s < targets.size(); ++s) {
    const Scalar target = targets[s];
    if (target != std::floor(target) || std::abs(target) > Scalar{1 << 24})
      throw Misuse("data.source", source,
                   "sample " + std::to_string(s + 1) + " has the target " +
                       number_text(static_cast<double>(target)) +
                       "; expected a class label, a whole number from -16777216 to 16777216, or model.kind = "
                       "\"least-squares\"" +
                       (format_of(source) == "csv" ? ", or data.target for another column" : ""));
    const auto place = std::lower_bound(labels.begin(), labels.end(), target);
    if (place == labels.end() || *place != target) labels.insert(place, target);
    if (labels.size() > 65'536) throw Misuse("data.source", source, "more than 65536 distinct class labels");
  }
  return labels;
}

/// The labels 0, 1, ..., count - 1.
template <class Scalar>
std::vector<Scalar> counted_labels(std::uint64_t count) {
  std::vector<Scalar> labels(static_cast<std::size_t>(count));
  std::iota(labels.begin(), labels.end(), Scalar{0});
  return labels;
}

template <class Scalar>
void number_classes(const std::string& key, const std::string& text, const std::vector<Scalar>& labels,
                    bool counted, Samples<Scalar>& samples) {
  for (Scalar& target : samples.targets) {
    const auto place = std::lower_bound(labels.begin(), labels.end(), target);
    if (place == labels.end() || *place != target)
      throw Misuse(key, text,
                   "the label " + number_text(static_cast<double>(target)) + " is none of the " +
                       std::to_string(labels.size()) +
                       (counted ? " classes that data.classes or the format says, 0 to " +
                                      std::to_string(labels.size() - 1)
                                : " of the training data"));
    target = static_cast<Scalar>(place - labels.begin());
  }
  samples.class_count = static_cast<std::uint32_t>(labels.size());
}

template <class Scalar>
void scale_features(Samples<Scalar>& samples, double factor) {
  const auto scale = static_cast<Scalar>(factor);
  bool finite = std::isfinite(scale) && scale != Scalar{0};
  const auto multiply = [&](std::span<Scalar> values) {
    for (Scalar& value : values) {
      value *= scale;
      finite = finite && std::isfinite(value);
    }
  };
  if (auto* dense = std::get_if<DenseRows<Scalar>>(&samples.features))
    multiply({dense->data(), static_cast<std::size_t>(dense->size())});
  else
    multiply(std::get<SparseRows<Scalar>>(samples.features).value);
  if (!finite)
    throw Misuse("data.scale", number_text(factor),
                 "expected a number other than 0 that leaves every feature finite");
}

/// Makes the rows as wide as data.features says, if it says so.
template <class Scalar>
void widen(const RunSettings::Data& data, Samples<Scalar>& samples) {
  if (!data.features) return;
  const auto features = static_cast<Index>(*data.features);
  if (auto* const sparse = std::get_if<SparseRows<Scalar>>(&samples.features);
      sparse && sparse->columns <= features)
    sparse->columns = features;
  if (samples.feature_count() != features)
    throw Misuse("data.features", std::to_string(features),
                 "the data have " + std::to_string(samples.feature_count()));
}

/// Makes the rows of training and test data equally wide. Sparse rows are widened; dense rows must have the
/// same number of features.
template <class Scalar>
void agree_on_features(const RunSettings::Data& data, Samples<Scalar>& train, Samples<Scalar>& test) {
  const Index features = std::max(train.feature_count(), test.feature_count());
  for (Samples<Scalar>* samples : {&train, &test})
    if (auto* sparse = std::get_if<SparseRows<Scalar>>(&samples->features)) sparse->columns = features;
  if (train.feature_count() != test.feature_count())
    throw Misuse("data.test", data.test,
                 std::to_string(test.feature_count()) + " features; the training data have " +
                     std::to_string(train.feature_count()));
}

template <class Scalar>
std::string agree_on_classes(const RunSettings::Data& data, bool classification, Samples<Scalar>& train,
                             Samples<Scalar>* test) {
  if (!classification) {
    train.class_count = 0;
    if (test) test->class_count = 0;
    return {};
  }
  if (is_synthetic(data.source)) {
    if (data.classes && train.class_count != *data.classes)
      throw Misuse("data.classes", std::to_string(*data.classes),
                   "the data have " + std::to_string(train.class_count) + " classes");
    return {};
  }
  const std::uint64_t counted = data.classes.value_or(train.class_count);
  const std::vector<Scalar> labels =
      counted > 0 ? counted_labels<Scalar>(counted) : distinct_labels(data.source, train.targets);
  const bool may_be_elsewhere = format_of(data.source) == "csv" && !data.target;
  if (labels.size() < 2)
    throw Misuse(
        "data.source", data.source,
        "all samples are of one class; expected two or more, or data.classes = N if other peers have the "
        "others" +
            std::string(may_be_elsewhere ? ", or data.target for another column" : ""));
  // Measured numbers may be whole ones, too.
  if (may_be_elsewhere && !data.classes && may_be_measured(labels, train.targets.size()))
    throw Misuse("data.source", data.source,
                 "its last column has " + std::to_string(labels.size()) + " different labels in " +
                     std::to_string(train.targets.size()) +
                     " samples; expected data.target = \"first\", \"last\" or a name of the header, or "
                     "model.kind = \"least-squares\" if they are measured");
  std::string names;
  for (const Scalar label : labels)
    names += (names.empty() ? "" : " ") + number_text(static_cast<double>(label));
  number_classes("data.source", data.source, labels, counted > 0, train);
  if (test)
    number_classes(data.test.empty() ? "data.source" : "data.test",
                   data.test.empty() ? data.source : data.test, labels, counted > 0, *test);
  return names;
}

/// Returns round(share * count) of the rows 0 to count - 1, at least one and not all, ascending: drawn
/// without replacement (Floyd's algorithm).
std::vector<Index> draw_rows(const std::string& test, Index count, double share, std::uint64_t seed,
                             PeerId peer) {
  const auto wanted =
      std::max<Index>(1, static_cast<Index>(std::llround(share * static_cast<double>(count))));
  if (wanted >= count)
    throw Misuse("data.test", test,
                 "of " + std::to_string(count) + (count == 1 ? " sample" : " samples") +
                     " none would be left to train on");
  RandomStream stream(seed, peer, 0, Purpose::held_out);
  std::set<Index> rows;
  for (Index last = count - wanted; last < count; ++last) {
    const auto row = static_cast<Index>(stream.below(static_cast<std::uint64_t>(last) + 1));
    rows.insert(rows.contains(row) ? last : row);
  }
  return {rows.begin(), rows.end()};
}

}  // namespace

std::optional<double> held_out_percent(const std::string& test) {
  if (!test.ends_with('%')) return std::nullopt;
  double percent = 0.0;
  if (!parse_number(test.substr(0, test.size() - 1), percent) || percent <= 0.0 || percent >= 100.0)
    throw Misuse("data.test", test, "expected a share of the samples between 0% and 100%, such as \"20%\"");
  return percent;
}

template <class Scalar>
std::vector<Index> LoadedData<Scalar>::training_rows() const {
  std::vector<Index> all(static_cast<std::size_t>(train->count()));
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<Index> rows;
  std::ranges::set_difference(all, held_out, std::back_inserter(rows));
  for (Index k = 0; k < stood_for; ++k) rows.push_back(k % train->count());
  return rows;
}

template <class Scalar>
LoadedData<Scalar> load_data(const RunSettings::Data& data, bool classification, std::uint64_t seed,
                             PeerId peer, CsvColumns columns, std::optional<Index> most_drawn) {
  const std::optional<double> held_out = held_out_percent(data.test);
  require_read(data);
  Samples<Scalar> train;
  std::optional<Samples<Scalar>> test;
  LoadedData<Scalar> loaded;
  if (is_synthetic(data.source)) {
    SyntheticShape shape = parse_synthetic_shape(data.source);
    require_memory<Scalar>(shape, data.source);
    const Index all =
        std::exchange(shape.samples, std::min(shape.samples, most_drawn.value_or(shape.samples)));
    loaded.stood_for = all - shape.samples;
    auto drawn = synthetic_classification<Scalar>(shape, seed);
    train = std::move(drawn.train);
    test = std::move(drawn.test);
    if (!data.test.empty())
      throw Misuse("data.test", data.test, "synthetic data bring their own test samples");
  } else {
    DataMemory memory(data.memory);
    train = read_source<Scalar>(data, "data.source", data.source, Part::train, columns, memory);
    require_samples("data.source", data.source, train);
    if (!data.test.empty() && !held_out) {
      test = read_source<Scalar>(data, "data.test", data.test, Part::test, columns, memory);
      require_samples("data.test", data.test, *test);
    } else if (!held_out && data.source.rfind("cifar10:", 0) == 0 &&
               !cifar10_batches(data.source.substr(8), Part::test).empty()) {
      test = read_source<Scalar>(data, "data.source", data.source, Part::test, columns, memory);
    }
  }
  widen(data, train);
  if (test) agree_on_features(data, train, *test);
  loaded.labels = agree_on_classes(data, classification, train, test ? &*test : nullptr);
  if (data.scale) {
    scale_features(train, *data.scale);
    if (test) scale_features(*test, *data.scale);
  }
  loaded.columns = std::move(columns);
  if (held_out) loaded.held_out = draw_rows(data.test, train.count(), *held_out / 100.0, seed, peer);
  loaded.train = std::make_shared<const Samples<Scalar>>(std::move(train));
  if (test) loaded.test = std::make_shared<const Samples<Scalar>>(std::move(*test));
  return loaded;
}

template struct LoadedData<float>;
template struct LoadedData<double>;
template LoadedData<float> load_data<float>(const RunSettings::Data&, bool, std::uint64_t, PeerId, CsvColumns,
                                            std::optional<Index>);
template LoadedData<double> load_data<double>(const RunSettings::Data&, bool, std::uint64_t, PeerId,
                                              CsvColumns, std::optional<Index>);

}  // namespace hearsay
