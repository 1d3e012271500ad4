#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/objectives/samples.hpp"
#include "runtime/data/formats.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Training samples, and test samples if there are any; both have the same features and classes.
template <class Scalar>
struct LoadedData {
  std::shared_ptr<const Samples<Scalar>> train;
  std::shared_ptr<const Samples<Scalar>> test;  ///< may be null
  std::vector<Index> held_out = {};  ///< rows of `train` that are test samples (data.test = "20%"), ascending
  std::string labels = {};           ///< what the classes 0, 1, ... are called in the files: "3 7 8"

  CsvColumns columns = {};  ///< what a header calls the features and the target

  Index stood_for = 0;  ///< how many further training samples the rows of `train` stand for, in turn

  /// The rows of `train` that are training samples, ascending; then those that stand for others.
  std::vector<Index> training_rows() const;
};

/// Returns 20 for data.test = "20%"; empty if `test` is no share of the samples. Throws Misuse for a share of
/// nothing or all.
std::optional<double> held_out_percent(const std::string& test);

/// Loads or generates what data.source and data.test name:
///
///     synthetic(samples=8192, features=500, classes=100)   built in, seeded, with test samples of its own
///     libsvm:PATH          sparse text, "label index:value ..."
///     idx:IMAGES,LABELS    MNIST's format; pixels / 255
///     cifar10:DIR          data_batch_*.bin, and test_batch.bin as test data; pixels / 255
///     csv:PATH             numbers, the target in the last column
///     npy:X,Y              two NumPy arrays
///     npz:PATH             the same in one file
///
/// Files may be gzipped. For `classification`, targets must be integers. Their distinct values become the
/// classes 0, 1, ... in ascending order (so -1/+1 become 0/1), unless data.classes, or cifar10's format, says
/// how many classes 0, 1, ... there are. data.test = "20%" holds that share of the samples out, drawn from
/// `seed` and `peer`. The features are multiplied by data.scale. The columns of a CSV file with a header are
/// found by the names in `columns`, if there are any, and those of data.test by the names of data.source.
/// Of synthetic data, at most `most_drawn` training samples are drawn, the first ones, and training_rows()
/// has the rows of all, the drawn ones in turn.
/// Throws a Misuse that names the file and the line or offset of the first error.
template <class Scalar>
LoadedData<Scalar> load_data(const RunSettings::Data& data, bool classification, std::uint64_t seed,
                             PeerId peer = 0, CsvColumns columns = {}, std::optional<Index> most_drawn = {});

}  // namespace hearsay
