#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "algorithms/compression/seam/compressor.hpp"
#include "runtime/data/npy.hpp"
#include "runtime/peer/divergence.hpp"
#include "runtime/record/summary.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/table.hpp"
#include "tools/terminal/written_file.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

struct CodecOptions {
  std::string compressor;
  std::filesystem::path vector;
  std::filesystem::path output;
  std::string scalar = "float";
  std::uint64_t seed = 1;
  bool json = false;
  bool overwrite = false;
};

/// The array as the one layer of a model: a matrix if it has two dimensions, else a vector.
template <class Scalar>
SegmentTable one_layer(const NpyArray<Scalar>& array) {
  const Index columns = array.shape.size() == 2 ? array.shape[1] : 1;
  return {{"vector", 0, array.values.size() / columns, columns}};
}

/// What receivers decode from the message of peer 0 in iteration 1.
template <class Scalar>
int codec_as(const CodecOptions& options) {
  if (!options.output.empty())
    require_replaceable("--output", options.output, npy_magic, ".npy file", options.overwrite);
  else if (options.overwrite)
    throw Misuse("--overwrite replaces the file of --output; expected --output, or no --overwrite");
  const NpyArray<Scalar> array = read_npy<Scalar>(options.vector);
  const Vector<Scalar>& before = array.values;
  if (!array.holds_floats)
    throw Misuse(options.vector.string() +
                 " holds whole numbers, and messages are of floats; expected array.astype('float32')");
  if (before.size() == 0) throw Misuse(options.vector.string() + " holds no numbers; expected at least one");
  const auto compressor = make_compressor<Scalar>(options.compressor, one_layer(array));
  RandomStream random(options.seed, 0, 1, Purpose::compression);
  PacketPool packets;
  PacketBuffer packet = packets.acquire();
  Vector<Scalar> after = Vector<Scalar>::Zero(before.size());
  const CodecStatus status = compressor->encode_and_apply({view(before), random}, packet, view(after));
  if (status != CodecStatus::ok)
    throw Misuse(options.vector.string() + ": " + compressor->spelling() +
                 " cannot compress it: " + divergence_of(status, 1).what);

  const std::size_t bytes = packet.bytes().size();
  const double bits = 8.0 * static_cast<double>(bytes) / static_cast<double>(before.size());
  const double norm = before.template cast<double>().norm();
  const double distance = (after.template cast<double>() - before.template cast<double>()).norm();
  const double error = norm > 0.0 ? distance / norm : distance;
  if (!options.output.empty()) write_npy(options.output, NpyArray<Scalar>{array.shape, after});
  if (options.json) {
    const nlohmann::ordered_json record = {{"compressor", compressor->spelling()},
                                           {"dimension", before.size()},
                                           {"bytes", bytes},
                                           {"bits_per_number", bits},
                                           {"relative_error", error}};
    std::printf("%s\n", json_text(record).c_str());
    return exit_done;
  }
  Table table({{"", Table::Align::left}, {"", Table::Align::left}});
  table.add({"compressor", compressor->spelling()});
  table.add({"vector", counted(static_cast<std::uint64_t>(before.size()), "number") + ", " +
                           counted(static_cast<std::uint64_t>(before.size()) * sizeof(Scalar), "byte")});
  table.add({"message", counted(bytes, "byte") + ", " + significant(bits, 4) + " bits a number"});
  table.add({"error", significant(error, 4) + " = ||C(x) - x|| / ||x||"});
  std::fputs(table.text().c_str(), stdout);
  return exit_done;
}

}  // namespace

void add_codec(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("codec", "what receivers decode of a compressed vector, and its bytes");
  const auto options = std::make_shared<CodecOptions>();
  command.argument("COMPRESSOR", &options->compressor, "as algorithm.compressor spells it: \"topk(1%)\"");
  command.argument("VECTOR", &options->vector, "a .npy file, such as the model.npy of a run");
  command.option("--output", &options->output, "write the vector that receivers decode to this .npy file",
                 {.value_name = "FILE"});
  command.flag("--overwrite", options->overwrite, "replace the file of --output");
  command.option("--scalar", &options->scalar, "compress numbers of this type [float]",
                 {.values = {"float", "double"}});
  command.option("--seed", &options->seed, "the seed of random rounding and random choice [1]",
                 {.value_name = "N"});
  command.flag("--json", options->json, "print the figures as JSON");
  command.examples({"hearsay codec \"dither(linf, bits=4)\" runs/first/model.npy",
                    "hearsay codec \"topk(1%)\" runs/first/model.npy --output decoded.npy"});
  command.when_chosen([options, &invocation] {
    const ScalarKind scalar = options->scalar == "double" ? ScalarKind::float64 : ScalarKind::float32;
    invocation.run = [options, scalar] {
      return with_scalar(scalar, [&]<class Scalar>() { return codec_as<Scalar>(*options); });
    };
  });
}

}  // namespace hearsay
