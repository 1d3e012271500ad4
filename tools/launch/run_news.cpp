#include "tools/launch/run_news.hpp"

#include <utility>

#include "runtime/record/json.hpp"
#include "tools/launch/parcel.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::json;

constexpr auto between_parcels = std::chrono::milliseconds(200);

Json json_of(const Evaluation& evaluation) {
  return {{"evaluation", to_json(evaluation)}, {"distances", distances_to_json(evaluation)}};
}

std::optional<Evaluation> told_evaluation(const Json& json) {
  if (!json.is_object() || !json.contains("evaluation") || !json.contains("distances")) return std::nullopt;
  std::optional<Evaluation> evaluation = evaluation_from(json["evaluation"]);
  if (evaluation)
    if (const auto distances = parse_distances(json["distances"].dump())) evaluation->distances = *distances;
  return evaluation;
}

std::vector<Evaluation> evaluations_from(const Json& list) {
  std::vector<Evaluation> evaluations;
  for (const Json& json : list)
    if (const auto evaluation = told_evaluation(json)) evaluations.push_back(*evaluation);
  return evaluations;
}

}  // namespace

void NewsSender::begin(const RunSettings&, std::uint64_t iterations, const std::vector<Evaluation>& earlier,
                       const nlohmann::ordered_json& provenance) {
  Json before = Json::array();
  for (const Evaluation& evaluation : earlier) before.push_back(json_of(evaluation));
  say_(parcel_head({{"event", "news"},
                    {"iterations", iterations},
                    {"earlier", std::move(before)},
                    {"provenance", Json(provenance)}},
                   {}));
}

void NewsSender::show(const Evaluation& evaluation) {
  waiting_.push_back(json_of(evaluation));
  if (!evaluations_sent_ || now_() - *evaluations_sent_ >= between_parcels) send_evaluations();
}

void NewsSender::show(const std::vector<PeerMeters>& peers) {
  if (peers_sent_ && now_() - *peers_sent_ < between_parcels) return;
  peers_sent_ = now_();
  Json meters = Json::array();
  for (const PeerMeters& peer : peers) meters.push_back(Json(to_json(peer)));
  say_(parcel_head({{"event", "news"}, {"peers", std::move(meters)}}, {}));
}

void NewsSender::end(const nlohmann::ordered_json&) {
  if (!waiting_.empty()) send_evaluations();
}

void NewsSender::send_evaluations() {
  evaluations_sent_ = now_();
  say_(parcel_head({{"event", "news"}, {"evaluations", std::exchange(waiting_, Json::array())}}, {}));
}

void pass_on(const Json& news, const RunSettings& settings, RunWatcher& watcher) {
  const auto list = [&](const char* key) {
    const auto found = news.find(key);
    return found != news.end() && found->is_array() ? *found : Json::array();
  };
  if (const auto iterations = news.find("iterations");
      iterations != news.end() && iterations->is_number_unsigned())
    watcher.begin(settings, *iterations, evaluations_from(list("earlier")),
                  nlohmann::ordered_json(news.value("provenance", Json(nullptr))));
  for (const Evaluation& evaluation : evaluations_from(list("evaluations"))) watcher.show(evaluation);
  std::vector<PeerMeters> peers;
  for (const Json& meters : list("peers"))
    if (const auto peer = parse_meters(meters.dump())) peers.push_back(*peer);
  if (!peers.empty()) watcher.show(peers);
}

}  // namespace hearsay
