#include "runtime/checkpoint/archive.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::archive_test {

namespace {

std::set<std::string> names_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    names.insert(entry.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("archive: where all begin anew it holds nothing to come back to, and the agreement stays") {
  auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, "d-psgd", {.iterations = 20});
  experiment.settings.failure.checkpoint_every = 5;
  const TemporaryFolder folder("hearsay_archive");
  PacketPool packets;
  {
    PeerArchive<double> archive(experiment, 1, folder.path());
    REQUIRE(!archive.hear(BeginsLog{}));
    REQUIRE(!archive.hear(VerdictArrived{0, true, {}}));
  }
  CHECK(list_logs(folder.path(), 1) == std::vector<std::uint64_t>{0});
  CHECK(PeerArchive<double>(experiment, 1, folder.path()).restored(packets).log.size() == 1);

  CHECK(!PeerArchive<double>(experiment, 1, folder.path()).hear(BeginsAnew{}));
  CHECK(names_in(folder.path()) == std::set<std::string>{"agreement-1"});
  PeerArchive<double> next(experiment, 1, folder.path());
  CHECK(next.holds() == std::vector<std::uint64_t>{0});
  CHECK(next.restored(packets).log.empty());
}

TEST_CASE("archive: where all begin a run that was never there, nothing is made before the start") {
  const auto experiment = quadratics_in<double>({.family = "ring", .peers = 4}, "d-psgd", {.iterations = 20});
  const TemporaryFolder folder("hearsay_archive");
  CHECK(!PeerArchive<double>(experiment, 1, folder.path() / "checkpoints").hear(BeginsAnew{}));
  CHECK(names_in(folder.path()).empty());
}

}  // namespace hearsay::test::archive_test
