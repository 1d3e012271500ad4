#include "tools/export/tensorboard.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <chrono>

#include "tests/export/event_reader.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/export/event_file.hpp"

namespace hearsay::test::tensorboard_test {

namespace fs = std::filesystem;

namespace {

const std::string run_file = "[run]\nname = \"seen\"\niterations = 20\n[topology]\npeers = 4\n";

std::string evaluation_line(int iteration, const std::string& loss, double seconds) {
  return "{\"iteration\":" + std::to_string(iteration) +
         ",\"epoch\":0.5,\"seconds\":" + std::to_string(seconds) + ",\"loss\":" + loss +
         ",\"accuracy\":null,\"consensus_distance\":0.25,\"bytes_sent\":4000000," +
         "\"peer_seconds\":{\"compute\":1.0,\"wait\":0.5,\"wire\":0.25}}\n";
}

fs::path make_run(const DataFolder& folder, const std::string& name, const std::string& metrics) {
  fs::create_directories(folder.path() / name);
  folder.write(name + "/run.toml", run_file);
  folder.write(name + "/metrics.jsonl", metrics);
  return folder.path() / name;
}

/// Returns the paths of all files below a folder, relative to it, sorted.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), folder).string());
  std::ranges::sort(files);
  return files;
}

}  // namespace

TEST_CASE("tensorboard: the reader of these tests knows CRC-32C by its published check value") {
  CHECK(crc32c_bit_by_bit("123456789") == 0xe3069283);
  // RFC 3720, B.4: 32 bytes of zeros.
  CHECK(crc32c_bit_by_bit(std::string(32, '\0')) == 0x8a9136aa);
}

TEST_CASE("tensorboard: an event file begins with the bytes with which TensorFlow's event files begin") {
  const std::string bytes = EventFile(1.0).bytes();
  // The length 24, its masked checksum, then the fields wall_time and file_version.
  CHECK(bytes.substr(0, 13) == std::string("\x18\0\0\0\0\0\0\0\xa3\x7f\x4b\x22\x09", 13));
  CHECK(bytes.substr(21, 15) == "\x1a\rbrain.Event:2");
}

TEST_CASE("tensorboard: an independent reader finds every scalar, step and time, and all checksums right") {
  EventFile file(1700000000.25);
  file.add(1700000001.5, 0, {{"loss", 2.5}, {"bytes_sent", 123456789.0}});
  file.add(1700000002.5, 300, {{"loss", -0.0078125}});
  file.add(1700000003.5, std::int64_t{1} << 40, {});
  const std::vector<ReadEvent> events = read_events(file.bytes());
  REQUIRE(events.size() == 4);
  CHECK(events[0].file_version == "brain.Event:2");
  CHECK(events[0].wall_time == 1700000000.25);
  CHECK(events[1].wall_time == 1700000001.5);
  CHECK(events[1].step == 0);
  CHECK(events[1].scalars == ReadScalars{{"loss", 2.5F}, {"bytes_sent", 123456789.0F}});
  CHECK(events[2].step == 300);
  CHECK(events[2].scalars == ReadScalars{{"loss", -0.0078125F}});
  CHECK(events[3].step == std::int64_t{1} << 40);
  CHECK(events[3].scalars.empty());
}

TEST_CASE("tensorboard: a long tag, whose lengths take two bytes, is read back") {
  const std::string tag(300, 't');
  EventFile file(0.0);
  file.add(0.0, 1, {{tag, 1.0}});
  CHECK(read_events(file.bytes())[1].scalars == ReadScalars{{tag, 1.0F}});
}

TEST_CASE("tensorboard: the reader of these tests notices every flipped bit") {
  EventFile file(1700000000.25);
  file.add(1700000001.5, 7, {{"loss", 2.5}});
  const std::string bytes = file.bytes();
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    CAPTURE(bit);
    CHECK_THROWS(read_events(damaged));
  }
}

TEST_CASE(
    "tensorboard: each run has a folder of its own, and what it learned by iteration, null is no scalar") {
  const DataFolder folder;
  const auto one = make_run(folder, "one", evaluation_line(0, "3.5", 0.0) + evaluation_line(10, "null", 2.5));
  const auto two = make_run(folder, "two", evaluation_line(0, "1.5", 0.0) + "{\"iteration\":5,\"lo");
  const auto none = make_run(folder, "none", "");
  const auto start = fs::last_write_time(one / "run.toml");
  const double start_s =
      std::chrono::duration<double>(std::chrono::file_clock::to_sys(start).time_since_epoch()).count();
  const fs::path out = folder.path() / "events";
  CHECK(write_tensorboard(out, exported_runs({one, two, none}), "here") == 2);

  const std::vector<std::string> files = files_below(out);
  REQUIRE(files.size() == 2);
  CHECK(files[0] ==
        "one/events.out.tfevents." + std::to_string(static_cast<long>(start_s)) + ".here.hearsay");
  CHECK(files[1].starts_with("two/events.out.tfevents."));
  const std::vector<ReadEvent> events = read_events(content_of(out / files[0]));
  REQUIRE(events.size() == 3);
  CHECK(events[0].wall_time == start_s);
  CHECK(events[1].step == 0);
  CHECK(events[1].scalars == ReadScalars{{"epoch", 0.5F},
                                         {"seconds", 0.0F},
                                         {"loss", 3.5F},
                                         {"consensus_distance", 0.25F},
                                         {"bytes_sent", 4e6F},
                                         {"peer_seconds/compute", 1.0F},
                                         {"peer_seconds/wait", 0.5F},
                                         {"peer_seconds/wire", 0.25F}});
  CHECK(events[2].step == 10);
  CHECK(events[2].wall_time == start_s + 2.5);
  CHECK(events[2].scalars.size() == 7);  // without the loss
  CHECK(read_events(content_of(out / files[1])).size() == 2);
}

TEST_CASE("tensorboard: runs with equal names have different folders, none of them outside of the export") {
  const DataFolder folder;
  fs::create_directories(folder.path() / "a");
  fs::create_directories(folder.path() / "b");
  const auto one = make_run(folder, "a/same", evaluation_line(0, "3.5", 0.0));
  const auto two = make_run(folder, "b/same", evaluation_line(0, "3.5", 0.0));
  const auto runs = exported_runs({one, folder.path() / "a" / ".." / "b" / "same"});
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].place == one.string().substr(1));
  CHECK(runs[1].place == two.string().substr(1));
}

TEST_CASE(
    "tensorboard: an earlier export is replaced with overwrite only, and a stranger's event file never") {
  const DataFolder folder;
  const auto run = make_run(folder, "one", evaluation_line(0, "3.5", 0.0));
  const fs::path out = folder.path() / "events";
  const auto runs = exported_runs({run});
  require_free_for_tensorboard(out, runs, false);
  write_tensorboard(out, runs, "here");
  CHECK(misuse_text([&] {
          require_free_for_tensorboard(out, runs, false);
        }).find("--overwrite replaces it") != std::string::npos);
  require_free_for_tensorboard(out, runs, true);
  write_tensorboard(out, runs, "elsewhere");
  REQUIRE(files_below(out).size() == 1);
  CHECK(files_below(out)[0].find(".elsewhere.hearsay") != std::string::npos);

  folder.write("events/one/events.out.tfevents.1.host.7.0.v2", "of another program");
  CHECK(misuse_text([&] { require_free_for_tensorboard(out, runs, true); }).find("not of hearsay") !=
        std::string::npos);
  folder.write("file", "");
  CHECK(misuse_text([&] {
          require_free_for_tensorboard(folder.path() / "file", runs, true);
        }).find("it is a file") != std::string::npos);
}

TEST_CASE("tensorboard: a run begins when its summary says, also if its folder was copied since") {
  const DataFolder folder;
  const auto one = make_run(folder, "one", evaluation_line(0, "3.5", 0.0));
  folder.write("one/summary.json", R"({"schema": 1, "provenance": {"begun": "2023-11-14T22:13:20Z"}})");
  const fs::path out = folder.path() / "events";
  REQUIRE(write_tensorboard(out, exported_runs({one}), "here") == 1);
  CHECK(read_events(content_of(out / files_below(out)[0]))[0].wall_time == 1'700'000'000.0);
}

}  // namespace hearsay::test::tensorboard_test
