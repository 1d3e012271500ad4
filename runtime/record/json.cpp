#include "runtime/record/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/foundation/little_endian.hpp"
#include "runtime/record/or_null.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

std::vector<std::byte> with_length(const std::string& text, std::size_t more_bytes) {
  std::vector<std::byte> payload(4 + text.size() + more_bytes);
  store_little_endian(static_cast<std::uint32_t>(text.size()), payload);
  std::memcpy(payload.data() + 4, text.data(), text.size());
  return payload;
}

/// Returns the JSON at the beginning of a payload and the bytes after it; empty if there is no JSON object.
std::optional<std::pair<Json, std::span<const std::byte>>> split(std::span<const std::byte> payload) {
  if (payload.size() < 4) return std::nullopt;
  const auto length = load_little_endian<std::uint32_t>(payload);
  if (payload.size() - 4 < length) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(payload.data() + 4);
  Json json = Json::parse(text, text + length, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return std::pair{std::move(json), payload.subspan(4 + length)};
}

// These throw for a missing number and for one of another kind: 1e300 in a foreign payload is no count.

std::uint64_t count_at(const Json& json, const char* key) {
  return json.at(key).get_ref<const Json::number_unsigned_t&>();
}
Duration duration_at(const Json& json, const char* key) {
  return Duration(json.at(key).get_ref<const Json::number_integer_t&>());
}

std::optional<double> number_or_none(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

PeerMeters meters_from(const Json& json) {
  PeerMeters meters;
  meters.now = duration_at(json, "now_ns");
  meters.bytes_sent = count_at(json, "bytes_sent");
  meters.bytes_received = count_at(json, "bytes_received");
  meters.messages_sent = count_at(json, "messages_sent");
  meters.retransmitted = count_at(json, "retransmitted");
  meters.gaps = count_at(json, "gaps");
  meters.repeated = count_at(json, "repeated");
  meters.refused = count_at(json, "refused");
  meters.garbage = count_at(json, "garbage");
  meters.compute = duration_at(json, "compute_ns");
  meters.wait = duration_at(json, "wait_ns");
  meters.wire = duration_at(json, "wire_ns");
  for (const PeerCounterRow& row : peer_counter_rows) meters.counters.*row.member = count_at(json, row.name);
  std::vector<WaitingTimes::OfSource> waits;
  for (const Json& wait : json.at("waits"))
    waits.emplace_back(static_cast<PeerId>(count_at(wait, "source")), duration_at(wait, "ns"));
  meters.waits = WaitingTimes(std::move(waits));
  std::vector<SentBytes::ToHearer> sent_to;
  for (const Json& sent : json.at("sent_to"))
    sent_to.emplace_back(static_cast<PeerId>(count_at(sent, "hearer")), count_at(sent, "bytes"));
  meters.sent_to = SentBytes(std::move(sent_to));
  return meters;
}

PeerOutcome outcome_from(const Json& json) {
  PeerOutcome outcome;
  outcome.iterations = count_at(json, "iterations");
  outcome.meters = meters_from(json.at("meters"));
  outcome.model_digest = count_at(json, "model_digest");
  if (!json.at("published_digest").is_null()) outcome.digests.published = count_at(json, "published_digest");
  for (const Json& replica : json.at("replicas"))
    outcome.digests.replicas.emplace_back(static_cast<PeerId>(count_at(replica, "owner")),
                                          count_at(replica, "digest"));
  for (const Json& told : json.at("told"))
    outcome.digests.told.emplace_back(static_cast<PeerId>(count_at(told, "hearer")),
                                      count_at(told, "digest"));
  for (const Json& parting : json.at("partings"))
    outcome.partings.push_back({static_cast<PeerId>(count_at(parting, "neighbor")), count_at(parting, "from"),
                                count_at(parting, "until"), parting.at("weight").get<double>()});
  if (!json.at("took_over_in").is_null()) outcome.took_over_in = count_at(json, "took_over_in");
  outcome.congestions = json.at("congestions").get<std::vector<std::string>>();
  outcome.peak_memory_bytes = count_at(json, "peak_memory_bytes");
  if (!json.at("divergence").is_null())
    outcome.divergence =
        Divergence{count_at(json.at("divergence"), "iteration"), json.at("divergence").at("what"),
                   json.at("divergence").at("malformed"), json.at("divergence").at("at_source")};
  return outcome;
}

/// Returns `read()`; empty if it finds a member of the JSON missing or of another type.
template <class Read>
auto if_well_formed(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

/// Returns the meters and blanks, with room for a model behind them that begins at a multiple of 64 bytes.
std::vector<std::byte> aligned_head(const PeerMeters& meters, std::size_t model_bytes) {
  constexpr std::size_t alignment = 64;
  std::string text = to_json(meters).dump();
  text.resize((4 + text.size() + alignment - 1) / alignment * alignment - 4, ' ');
  return with_length(text, model_bytes);
}

}  // namespace

std::string to_text(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::target:
      return "target";
    case RunStatus::plateau:
      return "plateau";
    case RunStatus::diverged:
      return "diverged";
    case RunStatus::interrupted:
      return "interrupted";
    case RunStatus::lost:
      return "lost";
  }
  return "";
}

Json to_json(const Evaluation& evaluation) {
  return {{"iteration", evaluation.iteration},
          {"epoch", evaluation.epoch},
          {"seconds", evaluation.seconds},
          {"loss", evaluation.loss},
          {"accuracy", or_null(evaluation.accuracy)},
          {"loss_worst", or_null(evaluation.loss_worst)},
          {"loss_spread", or_null(evaluation.loss_spread)},
          {"consensus_distance", evaluation.consensus_distance},
          {"bytes_sent", evaluation.bytes_sent},
          {"evaluation_bytes", evaluation.evaluation_bytes},
          {"messages_sent", evaluation.messages_sent},
          {"gradient_evaluations", evaluation.gradient_evaluations},
          {"gossip_rounds", evaluation.gossip_rounds},
          {"peer_seconds",
           {{"compute", evaluation.compute_seconds},
            {"wait", evaluation.wait_seconds},
            {"wire", evaluation.wire_seconds}}}};
}

Json distances_to_json(const Evaluation& evaluation) {
  Json distances = Json::array();
  for (const double distance : evaluation.distances.values) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.6g", distance);
    distances.push_back(std::isfinite(distance) ? Json(std::strtod(text.data(), nullptr)) : Json(nullptr));
  }
  return {{"iteration", evaluation.iteration},
          {"by", evaluation.distances.ranked ? "rank" : "peer"},
          {"distances", std::move(distances)}};
}

std::optional<Evaluation> evaluation_from(const Json& json) {
  return if_well_formed([&] {
    Evaluation evaluation;
    evaluation.iteration = count_at(json, "iteration");
    evaluation.epoch = json.at("epoch");
    evaluation.seconds = json.at("seconds");
    evaluation.loss = number_or_none(json, "loss").value_or(std::numeric_limits<double>::quiet_NaN());
    evaluation.accuracy = number_or_none(json, "accuracy");
    evaluation.loss_worst = number_or_none(json, "loss_worst");
    evaluation.loss_spread = number_or_none(json, "loss_spread");
    evaluation.consensus_distance = json.at("consensus_distance");
    evaluation.bytes_sent = count_at(json, "bytes_sent");
    evaluation.evaluation_bytes = count_at(json, "evaluation_bytes");
    evaluation.messages_sent = count_at(json, "messages_sent");
    evaluation.gradient_evaluations = count_at(json, "gradient_evaluations");
    evaluation.gossip_rounds = count_at(json, "gossip_rounds");
    const Json& seconds = json.at("peer_seconds");
    evaluation.compute_seconds = seconds.at("compute");
    evaluation.wait_seconds = seconds.at("wait");
    evaluation.wire_seconds = seconds.at("wire");
    return evaluation;
  });
}

std::optional<PeerDistances> parse_distances(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  return if_well_formed([&] {
    PeerDistances distances{json.at("by") == "rank", {}};
    for (const Json& distance : json.at("distances"))
      distances.values.push_back(distance.is_null() ? std::nan("") : distance.get<double>());
    return distances;
  });
}

std::optional<PeerMeters> parse_meters(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  return if_well_formed([&] { return meters_from(json); });
}

Json to_json(const PeerMeters& meters) {
  Json waits = Json::array();
  for (const auto& [source, waited] : meters.waits.by_source())
    waits.push_back({{"source", source}, {"ns", waited.count()}});
  Json sent_to = Json::array();
  for (const auto& [hearer, bytes] : meters.sent_to.by_hearer())
    sent_to.push_back({{"hearer", hearer}, {"bytes", bytes}});
  Json json = {{"now_ns", meters.now.count()},
               {"bytes_sent", meters.bytes_sent},
               {"bytes_received", meters.bytes_received},
               {"messages_sent", meters.messages_sent},
               {"retransmitted", meters.retransmitted},
               {"gaps", meters.gaps},
               {"repeated", meters.repeated},
               {"refused", meters.refused},
               {"garbage", meters.garbage},
               {"compute_ns", meters.compute.count()},
               {"wait_ns", meters.wait.count()},
               {"wire_ns", meters.wire.count()}};
  for (const PeerCounterRow& row : peer_counter_rows) json[row.name] = meters.counters.*row.member;
  json["waits"] = std::move(waits);
  json["sent_to"] = std::move(sent_to);
  return json;
}

Json to_json(const PeerOutcome& outcome) {
  Json replicas = Json::array();
  for (const auto& [owner, digest] : outcome.digests.replicas)
    replicas.push_back({{"owner", owner}, {"digest", digest}});
  Json told = Json::array();
  for (const auto& [hearer, digest] : outcome.digests.told)
    told.push_back({{"hearer", hearer}, {"digest", digest}});
  Json partings = Json::array();
  for (const Parting& parting : outcome.partings)
    partings.push_back({{"neighbor", parting.neighbor},
                        {"from", parting.from},
                        {"until", parting.until},
                        {"weight", parting.weight}});
  Json divergence = nullptr;
  if (outcome.divergence)
    divergence = {{"iteration", outcome.divergence->iteration},
                  {"what", outcome.divergence->what},
                  {"malformed", outcome.divergence->malformed},
                  {"at_source", outcome.divergence->at_source}};
  return {{"iterations", outcome.iterations},
          {"meters", to_json(outcome.meters)},
          {"model_digest", outcome.model_digest},
          {"published_digest", outcome.digests.published ? Json(*outcome.digests.published) : Json(nullptr)},
          {"replicas", std::move(replicas)},
          {"told", std::move(told)},
          {"partings", std::move(partings)},
          {"took_over_in", outcome.took_over_in ? Json(*outcome.took_over_in) : Json(nullptr)},
          {"congestions", outcome.congestions},
          {"peak_memory_bytes", outcome.peak_memory_bytes},
          {"divergence", std::move(divergence)}};
}

template <class Scalar>
std::vector<std::byte> encode_snapshot(const PeerMeters& meters, const Vector<Scalar>& model) {
  const auto bytes = std::as_bytes(view(model));
  std::vector<std::byte> payload = aligned_head(meters, bytes.size());
  std::copy(bytes.begin(), bytes.end(), payload.end() - std::ssize(bytes));
  return payload;
}

std::vector<std::byte> encode_snapshot_head(const PeerMeters& meters) { return aligned_head(meters, 0); }

std::optional<SnapshotParts> split_snapshot(std::span<const std::byte> payload, std::size_t model_bytes) {
  const auto parts = split(payload);
  if (!parts || parts->second.size() != model_bytes) return std::nullopt;
  const auto meters = if_well_formed([&] { return meters_from(parts->first); });
  return meters ? std::optional(SnapshotParts{*meters, parts->second}) : std::nullopt;
}

template <class Scalar>
std::optional<Snapshot<Scalar>> decode_snapshot(std::span<const std::byte> payload, Index dimension) {
  const auto parts = split_snapshot(payload, static_cast<std::size_t>(dimension) * sizeof(Scalar));
  if (!parts) return std::nullopt;
  Snapshot<Scalar> snapshot{parts->meters, Vector<Scalar>(dimension)};
  std::ranges::copy(parts->model, std::as_writable_bytes(view(snapshot.model)).begin());
  return snapshot;
}

std::vector<std::byte> encode_own_snapshot(const PeerMeters& meters, const OwnEvaluation& own) {
  const std::vector<std::byte> bytes = encode_own_evaluation(own);
  std::vector<std::byte> payload = with_length(to_json(meters).dump(), bytes.size());
  std::copy(bytes.begin(), bytes.end(), payload.end() - std::ssize(bytes));
  return payload;
}

std::optional<OwnSnapshot> decode_own_snapshot(std::span<const std::byte> payload) {
  const auto parts = split(payload);
  if (!parts) return std::nullopt;
  const auto meters = if_well_formed([&] { return meters_from(parts->first); });
  const auto own = decode_own_evaluation(parts->second);
  return meters && own ? std::optional(OwnSnapshot{*meters, *own}) : std::nullopt;
}

std::vector<std::byte> encode_meters(const PeerMeters& meters) {
  return with_length(to_json(meters).dump(), 0);
}

std::optional<PeerMeters> decode_meters(std::span<const std::byte> bytes) {
  const auto parts = split(bytes);
  if (!parts || !parts->second.empty()) return std::nullopt;
  return if_well_formed([&] { return meters_from(parts->first); });
}

std::vector<std::byte> encode_outcome(const PeerOutcome& outcome) {
  return with_length(to_json(outcome).dump(), 0);
}

std::optional<PeerOutcome> decode_outcome(std::span<const std::byte> payload) {
  const auto parts = split(payload);
  if (!parts || !parts->second.empty()) return std::nullopt;
  return if_well_formed([&] { return outcome_from(parts->first); });
}

template std::vector<std::byte> encode_snapshot<float>(const PeerMeters&, const Vector<float>&);
template std::vector<std::byte> encode_snapshot<double>(const PeerMeters&, const Vector<double>&);
template std::optional<Snapshot<float>> decode_snapshot<float>(std::span<const std::byte>, Index);
template std::optional<Snapshot<double>> decode_snapshot<double>(std::span<const std::byte>, Index);

}  // namespace hearsay
