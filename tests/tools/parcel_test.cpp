#include "tools/launch/parcel.hpp"

#include <doctest/doctest.h>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tools/launch/launch_note.hpp"

namespace hearsay::test::parcel_test {

namespace {

/// What a reader returns when it gets the stream in pieces of `step` bytes.
struct Received {
  DataFolder folder;
  std::vector<std::string> events;

  Received(const std::string& stream, std::size_t step) {
    ParcelReader reader({.begins =
                             [this](const nlohmann::json& note) {
                               events.push_back("begins " + note.value("event", "?"));
                               return folder.path();
                             },
                         .ends = [this] { events.push_back("ends"); },
                         .line = [this](const std::string& line) { events.push_back("line " + line); }});
    for (std::size_t begin = 0; begin < stream.size(); begin += step) {
      const std::string_view piece = std::string_view(stream).substr(begin, step);
      reader.feed(piece);
    }
  }
};

}  // namespace

TEST_CASE("parcel: files arrive as they were sent, however the stream is cut") {
  const std::string content(std::string("\n\0\xff", 3) + "x\n");
  const std::string stream = "welcome to node1\n" + parcel_head({{"event", "started"}}, {}) +
                             parcel_head({{"event", "output"}}, {{"a.npy", 5}, {"empty", 0}, {"b", 9}}) +
                             content + "hearsay-p" + "bye\n";
  for (std::size_t step = 1; step <= stream.size(); ++step) {
    CAPTURE(step);
    const Received received(stream, step);
    CHECK(received.events == std::vector<std::string>{"line welcome to node1", "begins started", "ends",
                                                      "begins output", "ends", "line bye"});
    CHECK(content_of(received.folder.path() / "a.npy") == content);
    CHECK(content_of(received.folder.path() / "b") == "hearsay-p");
    CHECK(std::filesystem::file_size(received.folder.path() / "empty") == 0);
  }
}

TEST_CASE("parcel: a stream that ends too early ends no parcel") {
  const std::string stream = parcel_head({{"event", "output"}}, {{"a", 5}}) + "four";
  CHECK(Received(stream, 7).events == std::vector<std::string>{"begins output"});
  CHECK(Received(stream + "5", 7).events == std::vector<std::string>{"begins output", "ends"});
}

TEST_CASE("parcel: whoever may not read on reads exactly to its end") {
  const std::string stream = parcel_head({{"event", "run"}}, {{"a", 100'000}}) + std::string(100'000, 'x');
  const DataFolder folder;
  bool complete = false;
  ParcelReader reader(
      {.begins = [&](const nlohmann::json&) { return folder.path(); }, .ends = [&] { complete = true; }});
  std::size_t read = 0;
  while (!complete) {
    const std::size_t wanted = static_cast<std::size_t>(std::min<std::uint64_t>(reader.safe_bytes(), 65536));
    REQUIRE(read + wanted <= stream.size());
    reader.feed(std::string_view(stream).substr(read, wanted));
    read += wanted;
  }
  CHECK(read == stream.size());
}

TEST_CASE("parcel: what is none is a line, and no name leads out of the folder") {
  for (const std::string line : {"hearsay-parcel", "hearsay-parcel {", "hearsay-parcel []",
                                 "hearsay-parcel {}", "hearsay-parcel {\"files\":[{\"name\":\"a\"}]}",
                                 "hearsay-parcel {\"files\":[{\"name\":\"a\",\"bytes\":-1}]}"}) {
    CAPTURE(line);
    CHECK(Received(line + "\n", 3).events == std::vector<std::string>{"line " + line});
  }
  for (const std::string name : {"", "..", "../a", "/etc/passwd", "a/b", ".ssh", "a b", "a\nb"}) {
    CAPTURE(name);
    CHECK(contains(misuse_text([&] {
                     Received(parcel_head({}, {{name, 1}}), 3);
                   }),
                   "hearsay sends no such name"));
  }
}

TEST_CASE("launch note: it is read as it was written, another version, or none, is refused") {
  LaunchNote note;
  note.id = 3;
  note.run_file = "it's.toml";
  note.folder = ".hearsay-launch/a b/peer-3";
  note.assignments = {"run.name=\"x\"", "a=b"};
  note.start_patience = "3 s";
  note.save = SaveModels::peers;
  note.command = "hearsay launch 'it'\\''s.toml'";
  note.quiet = note.sends_news = note.has_initial_model = note.resume = true;
  note.has_links = note.has_availability = true;
  const LaunchNote read = read_launch_note(to_json(note));
  CHECK(read.id == note.id);
  CHECK(read.run_file == note.run_file);
  CHECK(read.folder == note.folder);
  CHECK(read.assignments == note.assignments);
  CHECK(read.start_patience == "3 s");
  CHECK(read.save == SaveModels::peers);
  CHECK(read.command == note.command);
  CHECK(read.quiet);
  CHECK(read.sends_news);
  CHECK(read.has_initial_model);
  CHECK(read.has_links);
  CHECK(read.has_availability);
  CHECK(read.resume);
  nlohmann::json other = to_json(note);
  other["version"] = 1;
  CHECK(contains(misuse_text([&] { read_launch_note(other); }), "a note of version 1, this hearsay reads 4"));
  other = to_json(note);
  other.erase("folder");
  CHECK(contains(misuse_text([&] { read_launch_note(other); }), "is not hearsay launch's"));
  CHECK(contains(misuse_text([&] { read_launch_note(nlohmann::json::array()); }), "is not hearsay launch's"));
}

}  // namespace hearsay::test::parcel_test
