#include "tools/launch/run_news.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/support/data_files.hpp"
#include "tools/launch/parcel.hpp"

namespace hearsay::test::run_news_test {

namespace {

/// Keeps what it is told.
struct Told final : RunWatcher {
  std::string run;
  std::uint64_t iterations = 0;
  std::vector<Evaluation> earlier;
  std::vector<Evaluation> evaluations;
  std::vector<PeerMeters> peers;
  nlohmann::ordered_json provenance;

  void begin(const RunSettings& settings, std::uint64_t in_total, const std::vector<Evaluation>& before,
             const nlohmann::ordered_json& beginning) override {
    run = settings.run.name;
    iterations = in_total;
    earlier = before;
    provenance = beginning;
  }
  void show(const Evaluation& evaluation) override { evaluations.push_back(evaluation); }
  void show(const std::vector<PeerMeters>& all) override { peers = all; }
  void end(const nlohmann::ordered_json&) override {}
};

Evaluation evaluation_at(std::uint64_t iteration) {
  Evaluation evaluation;
  evaluation.iteration = iteration;
  evaluation.loss = 2.5;
  evaluation.distances.values = {0.25, std::nan("")};
  return evaluation;
}

/// A sender, its clock, and the notes of the parcels that have arrived.
struct Line {
  std::vector<nlohmann::json> notes;
  NewsSender::Clock::time_point now{};
  ParcelReader reader{{.begins =
                           [this](const nlohmann::json& note) {
                             notes.push_back(note);
                             return std::filesystem::path();
                           },
                       .ends = [] {}}};
  NewsSender sender{[this](const std::string& parcel) { reader.feed(parcel); }, [this] { return now; }};
};

}  // namespace

TEST_CASE("run news: the launcher hears what peer 0 sees") {
  Line line;
  line.sender.begin({}, 300, {evaluation_at(0)}, {{"host", "there"}});
  line.sender.show(evaluation_at(10));
  PeerMeters meters;
  meters.compute = std::chrono::seconds(3);
  meters.count_sent(1, 500);
  line.sender.show({PeerMeters{}, meters});
  Told told;
  RunSettings settings;
  settings.run.name = "mine";
  for (const auto& note : line.notes) {
    CHECK(note["event"] == "news");
    pass_on(note, settings, told);
  }
  CHECK(told.run == "mine");
  CHECK(told.iterations == 300);
  CHECK(told.provenance == nlohmann::ordered_json{{"host", "there"}});
  REQUIRE(told.earlier.size() == 1);
  REQUIRE(told.evaluations.size() == 1);
  CHECK(told.evaluations[0].iteration == 10);
  CHECK(told.evaluations[0].loss == 2.5);
  CHECK(told.evaluations[0].distances.values.at(0) == 0.25);
  CHECK(std::isnan(told.evaluations[0].distances.values.at(1)));
  REQUIRE(told.peers.size() == 2);
  CHECK(told.peers[1].compute == std::chrono::seconds(3));
  CHECK(told.peers[1].sent_to.by_hearer().size() == 1);
}

TEST_CASE("run news: of many evaluations several share a parcel, and none is lost") {
  Line line;
  for (std::uint64_t k = 0; k < 100; ++k) {
    line.sender.show(evaluation_at(k));
    line.now += std::chrono::milliseconds(10);
  }
  CHECK(line.notes.size() == 5);
  line.sender.end(nullptr);
  CHECK(line.notes.size() == 6);
  Told told;
  for (const auto& note : line.notes) pass_on(note, {}, told);
  REQUIRE(told.evaluations.size() == 100);
  for (std::uint64_t k = 0; k < 100; ++k) CHECK(told.evaluations[k].iteration == k);
}

TEST_CASE("run news: what is no news is ignored") {
  Told told;
  for (const char* text : {"{}", R"({"iterations":-3,"evaluations":7,"peers":{}})",
                           R"({"evaluations":[7,{},{"evaluation":{},"distances":[]}],"peers":[7,{}]})"})
    pass_on(nlohmann::json::parse(text), {}, told);
  CHECK(told.iterations == 0);
  CHECK(told.evaluations.empty());
  CHECK(told.peers.empty());
}

}  // namespace hearsay::test::run_news_test
