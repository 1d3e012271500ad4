#include "runtime/checkpoint/archive.hpp"

#include <algorithm>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/checkpoint/peer_image.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/experiment/quickest_reduce.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/foundation/byte_stream.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/record/json.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace fs = std::filesystem;

namespace {

// The "meters" of a checkpoint file, which the driver continues with:
//
//     u32 number of destinations; of each: u32 id, u64 first iteration of which it still needs messages
//     u32 number of reports that the observer has not answered; of each: u8 kind, u64 iteration, u64 length,
//         and its bytes
//     to the end: the meters, as encode_meters writes them

/// The reports stay in `session`.
ByteParts encode_notes(const SessionState& session, const PeerMeters& meters) {
  ByteParts out;
  out.number(static_cast<std::uint32_t>(session.released.size()));
  for (const auto& [to, next_needed] : session.released) {
    out.number(to);
    out.number(next_needed);
  }
  out.number(static_cast<std::uint32_t>(session.unacknowledged_reports.size()));
  for (const Report& report : session.unacknowledged_reports) {
    out.number(static_cast<std::uint8_t>(report.kind));
    out.number(report.iteration);
    out.number(std::uint64_t{report.payload.size()});
    out.refer(report.payload.bytes());
  }
  out.bytes(encode_meters(meters));
  return out;
}

bool decode_notes(std::span<const std::byte> bytes, SessionState& session, PeerMeters& meters) {
  ByteReader in(bytes);
  for (auto count = in.number<std::uint32_t>(); count > 0 && !in.failed(); --count) {
    const auto to = in.number<PeerId>();
    session.released.emplace_back(to, in.number<std::uint64_t>());
  }
  for (auto count = in.number<std::uint32_t>(); count > 0 && !in.failed(); --count) {
    const auto kind = static_cast<FrameKind>(in.number<std::uint8_t>());
    const auto iteration = in.number<std::uint64_t>();
    const auto payload = in.bytes(in.number<std::uint64_t>());
    session.unacknowledged_reports.push_back({kind, iteration, SharedBytes(payload)});
  }
  const auto decoded = decode_meters(in.bytes(in.left()));
  if (decoded) meters = *decoded;
  return !in.failed() && decoded.has_value();
}

template <class Scalar>
CheckpointOwner owner_of(const Experiment<Scalar>& experiment, const Agreement& agreement, PeerId id) {
  return {.run_id = run_id(agreement),
          .peer = id,
          .peer_count = experiment.peer_count(),
          .scalar_bytes = sizeof(Scalar),
          .dimension = static_cast<std::uint64_t>(experiment.problem.dimension())};
}

/// The file of the settings on which all peers agreed when the run began: the agreement, encoded as in a
/// hello. A checkpoint has only their checksum.
fs::path agreement_path(const fs::path& directory, PeerId id) {
  return directory / ("agreement-" + std::to_string(id));
}

constexpr const char* digest_of_data = " (digest of samples and labels)";

/// Returns what was written down when the run began; empty if it is not there or cannot be read.
std::optional<Agreement> noted_agreement(const fs::path& directory, PeerId id) {
  const FileBytes file = read_bytes(agreement_path(directory, id));
  return file.bytes ? decode_agreement(*file.bytes) : std::nullopt;
}

AgreedSetting test_data(const std::string& of_peer, std::optional<std::uint64_t> digest) {
  return {"test data" + of_peer + digest_of_data, digest ? hexadecimal(*digest) : "none"};
}

/// What the peers do not agree on of the data, though a resumed run must find it as it was. It stands with
/// the agreement. Of data at home nobody but this peer knows it: how many samples it has, and which, if they
/// are in files. Of all data it is which samples of data.test are none of data.source: the best evaluation
/// is chosen by them.
template <class Scalar>
std::vector<AgreedSetting> data_beside_agreement(const Experiment<Scalar>& experiment, PeerId id) {
  const Problem<Scalar>& problem = experiment.problem;
  if (!problem.at_home) return {test_data("", problem.test_digest)};
  const std::string of_peer =
      (has_programs(experiment.settings) ? "of the program of peer " : "of peer ") + std::to_string(id);
  std::vector<AgreedSetting> own = {
      {"samples " + of_peer, std::to_string(problem.objectives[id]->sample_count())}};
  if (id >= problem.home_digests.size()) return own;
  const HomeDigest& digest = problem.home_digests[id];
  own.push_back({"data " + of_peer + digest_of_data, hexadecimal(digest.samples)});
  own.push_back(test_data(" " + of_peer, digest.test));
  return own;
}

}  // namespace

fs::path archive_directory(const RunSettings& settings) { return settings.run.output / "checkpoints"; }

RunSettings resumed(RunSettings settings, PeerId id) {
  MethodOptions& options = settings.algorithm.options;
  if (!leaves_reduce_open(find_method(settings.algorithm.kind), options)) return settings;
  const auto began = noted_agreement(archive_directory(settings), id);
  if (!began) return settings;
  const auto way =
      std::ranges::find(began->settings, "algorithm." + option::reduce.name, &AgreedSetting::key);
  if (way != began->settings.end()) options.set(option::reduce, way->value);
  return settings;
}

template <class Scalar>
PeerArchive<Scalar>::PeerArchive(const Experiment<Scalar>& experiment, PeerId id, fs::path directory)
    : experiment_(experiment),
      id_(id),
      directory_(std::move(directory)),
      agreement_(agreement_of(experiment)),
      owner_(owner_of(experiment, agreement_, id)),
      log_(directory_, {owner_.run_id, id}) {}

namespace {

Misuse of_another_run(const std::string& what) {
  return Misuse(what +
                "; a run is resumed with the settings that it was begun with (its run.toml has them; "
                "run.iterations may be raised), or begun anew with --overwrite");
}

Misuse of_other_data(const fs::path& directory, const AgreedSetting& then, const AgreedSetting& now) {
  const std::size_t digest = then.key.find(digest_of_data);  // two digests say nothing to a user
  // The training samples have been counted before.
  const bool are_as_many = digest != then.key.npos && then.key.starts_with("data ");
  const std::string what = digest == then.key.npos
                               ? then.key + " = " + then.value + ", now " + now.value
                               : "the " + then.key.substr(0, digest) + " are " +
                                     (are_as_many ? "as many samples, but " : "") + "not the same";
  return Misuse(directory.string() + " is of a run with other data: " + what +
                "; a run is resumed with the data that it was begun with, or begun anew with --overwrite");
}

}  // namespace

template <class Scalar>
std::vector<std::uint64_t> PeerArchive<Scalar>::holds(std::vector<std::string>* passed_over) const {
  std::vector<std::uint64_t> iterations = valid_checkpoints(directory_, owner_, passed_over);
  if (iterations.empty()) require_none_of_another_run();  // first: another seed draws other test data
  require_same_data();
  // A run that is resumed must not begin again at 0, and remove what a user could still mend.
  if (iterations.size() == list_checkpoints(directory_, id_).size()) iterations.insert(iterations.begin(), 0);
  return iterations;
}

/// Throws Misuse if the data that are in no agreement are others than when the run began. Runs of earlier
/// versions have not written down which.
template <class Scalar>
void PeerArchive<Scalar>::require_same_data() const {
  const auto noted = noted_agreement(directory_, id_);
  if (!noted) return;
  for (const AgreedSetting& now : data_beside_agreement(experiment_, id_)) {
    const auto then = std::ranges::find(noted->settings, now.key, &AgreedSetting::key);
    if (then != noted->settings.end() && *then != now) throw of_other_data(directory_, *then, now);
  }
}

/// Throws Misuse if the peer's files are of another run: it is resumed with another seed by mistake, say.
template <class Scalar>
void PeerArchive<Scalar>::require_none_of_another_run() const {
  PacketPool packets;
  std::string differing;
  if (auto then = noted_agreement(directory_, id_)) {
    for (const AgreedSetting& own : data_beside_agreement(experiment_, id_))
      std::erase_if(then->settings, [&](const AgreedSetting& noted) { return noted.key == own.key; });
    differing = differences(*then, agreement_);
  }
  for (const std::uint64_t iteration : list_checkpoints(directory_, id_)) {
    const ReadCheckpoint read = read_checkpoint(owner_, checkpoint_path(directory_, id_, iteration), packets);
    if (read.of_another_run) throw of_another_run(read.defect + (differing.empty() ? "" : ": " + differing));
  }
  if (!differing.empty())
    throw of_another_run(directory_.string() + " is of a run with other settings: " + differing);
}

/// Writes down what all peers have agreed on, and what else is known of the data. If that fails, a later
/// refusal is less precise, and other data at home or test data are not noticed, no more.
template <class Scalar>
void PeerArchive<Scalar>::note_agreement() const {
  const fs::path file = agreement_path(directory_, id_);
  std::error_code ignored;
  fs::remove(file, ignored);  // that of an earlier run
  Agreement noted = agreement_;
  for (AgreedSetting& own : data_beside_agreement(experiment_, id_)) noted.settings.push_back(std::move(own));
  const std::vector<std::byte> bytes = encode_agreement(noted);
  try_to_write_file(file, {{reinterpret_cast<const char*>(bytes.data()), bytes.size()}},
                    Durability::end_of_process);
}

template <class Scalar>
void PeerArchive<Scalar>::forget() const {
  std::error_code ignored;
  for (const std::uint64_t iteration : list_checkpoints(directory_, id_))
    fs::remove(checkpoint_path(directory_, id_, iteration), ignored);
  for (const std::uint64_t since : list_logs(directory_, id_))
    fs::remove(log_path(directory_, id_, since), ignored);
}

template <class Scalar>
std::optional<std::string> PeerArchive<Scalar>::begin() {
  forget();
  std::error_code error;
  fs::create_directories(directory_, error);
  if (error) return directory_.string() + " cannot be made: " + error.message();
  note_agreement();
  return note(log_.begin(0, 0));
}

/// Returns `failure`, and notes whether the log has a hole.
template <class Scalar>
std::optional<std::string> PeerArchive<Scalar>::note(std::optional<std::string> failure) {
  log_is_whole_ = !failure;
  return failure;
}

template <class Scalar>
RestoredPeer<Scalar> PeerArchive<Scalar>::make(std::uint64_t iteration, InboxOnRestore inbox,
                                               PacketPool& packets) const {
  RestoredPeer<Scalar> restored;
  restored.peer = make_peer(experiment_, id_, packets, checkpoint_rule(experiment_.settings));
  if (iteration == 0) return restored;
  const fs::path file = checkpoint_path(directory_, id_, iteration);
  ReadCheckpoint read = read_checkpoint(owner_, file, packets);
  if (!read.checkpoint) throw Misuse(file.string() + ": " + read.defect);
  Checkpoint& checkpoint = *read.checkpoint;
  if (!restore(*restored.peer, checkpoint.image, inbox) ||
      !decode_notes(checkpoint.meters, restored.session, restored.meters))
    throw Misuse(file.string() + ": it does not fit the method of this run");
  restored.session.next_needed = first_needed_in(iteration + 1, staleness_of(experiment_.settings));
  restored.session.last_verdict = restored.peer->last_verdict();
  if (inbox == InboxOnRestore::keep)
    restored.session.retained = std::move(checkpoint.retained);
  else
    restored.session.released.clear();
  return restored;
}

template <class Scalar>
RestoredPeer<Scalar> PeerArchive<Scalar>::restored_at(std::uint64_t iteration, PacketPool& packets) {
  RestoredPeer<Scalar> restored = make(iteration, InboxOnRestore::drop, packets);
  std::error_code ignored;
  for (const std::uint64_t later : list_checkpoints(directory_, id_))
    if (later > iteration) fs::remove(checkpoint_path(directory_, id_, later), ignored);
  for (const std::uint64_t since : list_logs(directory_, id_))
    if (since >= iteration) fs::remove(log_path(directory_, id_, since), ignored);
  fs::create_directories(directory_, ignored);
  note_agreement();
  note(log_.begin(iteration, iteration));
  return restored;
}

template <class Scalar>
RestoredPeer<Scalar> PeerArchive<Scalar>::restored(PacketPool& packets) {
  const std::vector<std::uint64_t> valid = valid_checkpoints(directory_, owner_);
  if (valid.empty()) require_none_of_another_run();
  const std::uint64_t newest = valid.empty() ? 0 : valid.back();
  std::error_code ignored;  // the run may have begun a moment ago, and this peer not have kept anything
  fs::create_directories(directory_, ignored);
  RestoredPeer<Scalar> restored = make(newest, InboxOnRestore::keep, packets);
  std::uint64_t last_since = newest;
  std::uint64_t whole_bytes = 0;
  // The log since the newest valid checkpoint. If a later checkpoint was damaged, the log since that one
  // continues it.
  for (const std::uint64_t since : list_logs(directory_, id_)) {
    if (since < newest) continue;
    ReadLog read = read_packet_log(directory_, {owner_.run_id, id_}, since, packets);
    if (read.whole_bytes == 0) break;
    std::ranges::move(read.heard, std::back_inserter(restored.log));
    last_since = since;
    whole_bytes = read.whole_bytes;
    if (read.torn) break;
  }
  note(whole_bytes == 0 ? log_.begin(newest, newest) : log_.reopen(last_since, whole_bytes));
  return restored;
}

template <class Scalar>
std::optional<std::string> PeerArchive<Scalar>::hear(const Heard& heard) {
  if (std::holds_alternative<BeginsLog>(heard)) return begin();
  if (std::holds_alternative<BeginsAnew>(heard)) {
    forget();
    return std::nullopt;
  }
  return log_is_whole_ ? note(log_.append(*record_of(heard))) : std::nullopt;
}

template <class Scalar>
std::optional<std::string> PeerArchive<Scalar>::save(Peer<Scalar>& peer, const SessionState& session,
                                                     const PeerMeters& meters) {
  const CheckpointParts checkpoint{peer.iteration(), image_parts(peer), encode_notes(session, meters),
                                   session.retained};
  const std::size_t keep =
      checkpoints_to_keep(largest_lead(experiment_), std::max<std::uint64_t>(peer.checkpoint_every(), 1));
  if (auto failure = write_checkpoint(directory_, owner_, checkpoint, keep)) return failure;
  return note(log_.begin(peer.iteration(), list_checkpoints(directory_, id_).front()));
}

template class PeerArchive<float>;
template class PeerArchive<double>;

}  // namespace hearsay
