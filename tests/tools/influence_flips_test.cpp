#include <doctest/doctest.h>

#include <cstdlib>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/data/data_file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/tools/influence_scene.hpp"
#include "tools/influence/influence_record.hpp"

namespace hearsay::test::influence_flips_test {

TEST_CASE("influence: on a9a, 5 % of whose labels are flipped, 10 % of the samples hold 60 % of the flips") {
  const char* const data = std::getenv("HEARSAY_DATA_DIR");
  if (data == nullptr) {
    MESSAGE("skipped: flipped labels of a9a (HEARSAY_DATA_DIR is not set)");
    return;
  }
  DataMemory memory("1 GB");
  const std::string text = read_data_text(std::filesystem::path(data) / "a9a.gz", memory);
  RandomStream random(1, 0, 0, Purpose::data);
  std::string flipped;
  std::vector<bool> is_flipped;
  for_each_line(text, [&](std::string_view line, std::size_t) {
    is_flipped.push_back(random.uniform() < 0.05);
    const bool was_positive = line.front() == '+';
    flipped += was_positive == is_flipped.back() ? "-1" : "+1";
    flipped += line.substr(2);
    flipped += "\n";
  });
  const TemporaryFolder folder("hearsay_flips");
  const auto file = folder.write("a9a", flipped);
  const InfluenceScene scene(
      "run = { iterations = 200, evaluate_every = 20, scalar = \"double\", keep_models = \"every 20\" }\n"
      "model.kind = \"logistic\"\n"
      "topology = { kind = \"ring\", peers = 8 }\n"
      "algorithm = { kind = \"d-psgd\", batch = 64, step_size = 0.3 }\n"
      "data.source = \"libsvm:" +
      file.string() + "\"\n");
  InfluenceSum<double> sum(scene.shards(), scene.judge(), scene.rows({}), nullptr);
  scene.add_to(sum);
  const std::size_t tenth = sum.samples().size() / 10;
  std::size_t found = 0;
  std::size_t all = 0;
  for (const bool one : is_flipped) all += one ? 1 : 0;
  for (const Index s : extremes(sum.on_itself(), tenth, true))
    found += is_flipped[static_cast<std::size_t>(sum.samples()[static_cast<std::size_t>(s)].row)] ? 1 : 0;
  MESSAGE(found << " of " << all << " flips are among the tenth with the most influence on themselves");
  CHECK(static_cast<double>(found) >= 0.6 * static_cast<double>(all));
}

}  // namespace hearsay::test::influence_flips_test
