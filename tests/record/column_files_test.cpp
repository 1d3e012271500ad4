#include "runtime/record/column_files.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <set>

#include "runtime/data/npy.hpp"
#include "runtime/record/peer_columns.hpp"
#include "runtime/record/run_directory.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::column_files_test {

namespace fs = std::filesystem;

namespace {

std::vector<PeerOutcome> some_peers() {
  std::vector<PeerOutcome> peers(3);
  for (std::uint64_t k = 0; k < peers.size(); ++k) {
    peers[k].iterations = 10 + k;
    peers[k].model_digest = ~std::uint64_t{0} - k;
    peers[k].meters.now = std::chrono::milliseconds(1500 + 1000 * k);
    peers[k].meters.bytes_sent = 100 * k;
    peers[k].meters.counters.resyncs = k;
  }
  peers[0].meters.sent_to = SentBytes({{1, 70}});
  peers[1].meters.waits =
      WaitingTimes({{0, std::chrono::milliseconds(500)}, {2, std::chrono::milliseconds(250)}});
  return peers;
}

std::set<std::string> names_in(const fs::path& folder) {
  std::set<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(folder))
    names.insert(file.path().filename().string());
  return names;
}

}  // namespace

TEST_CASE("column files: there is a file per column, and each has a number per peer, or per link") {
  const DataFolder folder;
  write_columns(folder.path(), some_peers());
  const fs::path columns = folder.path() / "per-peer";
  const auto of = [&](const std::string& name) {
    const NpyArray<double> array = read_npy<double>(columns / (name + ".npy"));
    CHECK(array.shape == std::vector<Index>{array.values.size()});
    return std::vector<double>(array.values.begin(), array.values.end());
  };
  using Numbers = std::vector<double>;
  CHECK(of("iterations") == Numbers{10, 11, 12});
  CHECK(of("seconds") == Numbers{1.5, 2.5, 3.5});
  CHECK(of("bytes_sent") == Numbers{0, 100, 200});
  CHECK(of("resyncs") == Numbers{0, 1, 2});
  CHECK(of("link_from") == Numbers{0, 2});
  CHECK(of("link_to") == Numbers{1, 1});
  CHECK(of("link_bytes") == Numbers{70, 0});
  CHECK(of("link_wait_seconds") == Numbers{0.5, 0.25});
  const std::string digests = content_of(columns / "model_digest.npy");
  CHECK(digests.find("'descr': '<u8'") != std::string::npos);
  CHECK(digests.substr(digests.size() - 24) ==
        std::string(8, '\xff') + "\xfe" + std::string(7, '\xff') + "\xfd" + std::string(7, '\xff'));
  std::set<std::string> expected = {"model_digest.npy", "link_from.npy", "link_to.npy", "link_bytes.npy",
                                    "link_wait_seconds.npy"};
  for (const std::string_view name : column_names()) expected.insert(std::string(name) + ".npy");
  CHECK(names_in(columns) == expected);
  for (const std::string& name : expected) CHECK_MESSAGE(is_column_file(name), name);
}

TEST_CASE("column files: a name that is no column's is a user's own, and is never removed") {
  for (const char* foreign : {"peer.npy", "seconds.csv", "seconds", ".npy", "my-seconds.npy", "model.npy"})
    CHECK_FALSE_MESSAGE(is_column_file(foreign), foreign);
  const DataFolder folder;
  const fs::path output = folder.path() / "out";
  const auto leave_a_run = [&] {
    RunDirectory directory(output, EarlierOutput::replaced);
    directory.append(RunSettings{}, {});
    directory.save_peers(some_peers());
  };
  leave_a_run();
  leave_a_run();  // replaces the first
  folder.write("out/per-peer/seconds.npy.partial", "");
  leave_a_run();
  folder.write("out/per-peer/seconds.png", "mine");
  CHECK(contains(misuse_text(leave_a_run), "holds other things than outputs of hearsay"));
  CHECK(content_of(output / "per-peer/seconds.png") == "mine");
  fs::remove(output / "per-peer/seconds.png");
  folder.write("out/seconds.npy", "mine");
  CHECK(contains(misuse_text(leave_a_run), "holds other things than outputs of hearsay"));
}

TEST_CASE("column files: on a full disk there is none of them, and a sentence names the one that failed") {
  const DataFolder folder;
  const fs::path output = folder.path() / "out";
  RunDirectory directory(output, EarlierOutput::refused);
  directory.append(RunSettings{}, {});
  std::vector<PeerOutcome> peers = some_peers();
  for (PeerId id = 0; id < 100; ++id) peers[0].meters.sent_to.add(id, 10);
  {
    const FullDisk full(600);  // enough for the columns of 3 peers
    CHECK(contains(misuse_text([&] { directory.save_peers(peers); }), "per-peer/link_from.npy"));
  }
  CHECK_FALSE(fs::exists(output / "per-peer"));
  directory.save_peers(peers);
  CHECK(fs::exists(output / "per-peer/link_from.npy"));
}

TEST_CASE(
    "column files: a run that goes on removes those of its earlier end, and one without evaluation none") {
  const DataFolder folder;
  const fs::path output = folder.path() / "out";
  {
    RunDirectory directory(output, EarlierOutput::refused);
    directory.save_peers(some_peers());
    CHECK_FALSE(fs::exists(output));
    directory.append(RunSettings{}, {});
    directory.save_peers(some_peers());
  }
  REQUIRE(fs::exists(output / "per-peer"));
  RunDirectory directory(output, EarlierOutput::continued);
  directory.begin(RunSettings{}, 1);
  CHECK_FALSE(fs::exists(output / "per-peer"));
}

}  // namespace hearsay::test::column_files_test
