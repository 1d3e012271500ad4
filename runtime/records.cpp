#include "runtime/records.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/little_endian.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

std::vector<std::byte> with_length(const std::string& text, std::size_t more_bytes) {
  std::vector<std::byte> payload(4 + text.size() + more_bytes);
  store_little_endian(static_cast<std::uint32_t>(text.size()), payload);
  std::memcpy(payload.data() + 4, text.data(), text.size());
  return payload;
}

/// The JSON at the beginning of a payload, and what follows it.
std::optional<std::pair<Json, std::span<const std::byte>>> split(std::span<const std::byte> payload) {
  if (payload.size() < 4) return std::nullopt;
  const auto length = load_little_endian<std::uint32_t>(payload);
  if (payload.size() - 4 < length) return std::nullopt;
  const auto* text = reinterpret_cast<const char*>(payload.data() + 4);
  Json json = Json::parse(text, text + length, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  return std::pair{std::move(json), payload.subspan(4 + length)};
}

PeerMeters meters_from(const Json& json) {
  PeerMeters meters;
  meters.now = Duration(json.at("now_ns").get<std::int64_t>());
  meters.bytes_sent = json.at("bytes_sent");
  meters.bytes_received = json.at("bytes_received");
  meters.messages_sent = json.at("messages_sent");
  meters.retransmitted = json.at("retransmitted");
  meters.refused = json.at("refused");
  meters.garbage = json.at("garbage");
  meters.compute = Duration(json.at("compute_ns").get<std::int64_t>());
  meters.wait = Duration(json.at("wait_ns").get<std::int64_t>());
  meters.wire = Duration(json.at("wire_ns").get<std::int64_t>());
  meters.counters.gradient_evaluations = json.at("gradient_evaluations");
  meters.counters.gossip_rounds = json.at("gossip_rounds");
  meters.counters.late = json.at("late");
  meters.counters.duplicate = json.at("duplicate");
  meters.counters.overflow = json.at("overflow");
  return meters;
}

PeerOutcome outcome_from(const Json& json) {
  PeerOutcome outcome;
  outcome.iterations = json.at("iterations");
  outcome.meters = meters_from(json.at("meters"));
  outcome.model_digest = json.at("model_digest");
  if (!json.at("published_digest").is_null()) outcome.digests.published = json.at("published_digest");
  for (const Json& replica : json.at("replicas"))
    outcome.digests.replicas.emplace_back(replica.at("owner").get<PeerId>(),
                                          replica.at("digest").get<std::uint64_t>());
  outcome.peak_memory_bytes = json.at("peak_memory_bytes");
  if (!json.at("divergence").is_null())
    outcome.divergence = Divergence{json.at("divergence").at("iteration"), json.at("divergence").at("what"),
                                    json.at("divergence").at("malformed")};
  return outcome;
}

/// What `read` makes of the JSON; nothing where a member is missing or of another type.
template <class Read>
auto if_well_formed(const Read& read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string to_text(RunStatus status) {
  switch (status) {
    case RunStatus::done:
      return "done";
    case RunStatus::target:
      return "target";
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
          {"consensus_distance", evaluation.consensus_distance},
          {"bytes_sent", evaluation.bytes_sent},
          {"messages_sent", evaluation.messages_sent},
          {"gradient_evaluations", evaluation.gradient_evaluations},
          {"gossip_rounds", evaluation.gossip_rounds},
          {"peer_seconds",
           {{"compute", evaluation.compute_seconds},
            {"wait", evaluation.wait_seconds},
            {"wire", evaluation.wire_seconds}}}};
}

Json to_json(const PeerMeters& meters) {
  return {{"now_ns", meters.now.count()},
          {"bytes_sent", meters.bytes_sent},
          {"bytes_received", meters.bytes_received},
          {"messages_sent", meters.messages_sent},
          {"retransmitted", meters.retransmitted},
          {"refused", meters.refused},
          {"garbage", meters.garbage},
          {"compute_ns", meters.compute.count()},
          {"wait_ns", meters.wait.count()},
          {"wire_ns", meters.wire.count()},
          {"gradient_evaluations", meters.counters.gradient_evaluations},
          {"gossip_rounds", meters.counters.gossip_rounds},
          {"late", meters.counters.late},
          {"duplicate", meters.counters.duplicate},
          {"overflow", meters.counters.overflow}};
}

Json to_json(const PeerOutcome& outcome) {
  Json replicas = Json::array();
  for (const auto& [owner, digest] : outcome.digests.replicas)
    replicas.push_back({{"owner", owner}, {"digest", digest}});
  Json divergence = nullptr;
  if (outcome.divergence)
    divergence = {{"iteration", outcome.divergence->iteration},
                  {"what", outcome.divergence->what},
                  {"malformed", outcome.divergence->malformed}};
  return {{"iterations", outcome.iterations},
          {"meters", to_json(outcome.meters)},
          {"model_digest", outcome.model_digest},
          {"published_digest", outcome.digests.published ? Json(*outcome.digests.published) : Json(nullptr)},
          {"replicas", std::move(replicas)},
          {"peak_memory_bytes", outcome.peak_memory_bytes},
          {"divergence", std::move(divergence)}};
}

template <class Scalar>
std::vector<std::byte> encode_snapshot(const PeerMeters& meters, const Vector<Scalar>& model) {
  const std::string text = to_json(meters).dump();
  const auto bytes = std::as_bytes(view(model));
  std::vector<std::byte> payload = with_length(text, bytes.size());
  std::copy(bytes.begin(), bytes.end(), payload.end() - std::ssize(bytes));
  return payload;
}

template <class Scalar>
std::optional<Snapshot<Scalar>> decode_snapshot(std::span<const std::byte> payload, Index dimension) {
  const auto parts = split(payload);
  if (!parts || parts->second.size() != static_cast<std::size_t>(dimension) * sizeof(Scalar))
    return std::nullopt;
  const auto meters = if_well_formed([&] { return meters_from(parts->first); });
  if (!meters) return std::nullopt;
  Snapshot<Scalar> snapshot{*meters, Vector<Scalar>(dimension)};
  std::copy(parts->second.begin(), parts->second.end(), std::as_writable_bytes(view(snapshot.model)).begin());
  return snapshot;
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
