#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/damaged_record.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/line_checksum.hpp"
#include "runtime/record/record_lines.hpp"
#include "runtime/record/run_directory.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::record_checksum_test {

namespace {

using Json = nlohmann::ordered_json;

/// Returns metrics.jsonl of a run that was killed after so many evaluations.
std::string written_metrics(const DataFolder& folder, int evaluations) {
  RunDirectory directory(folder.path() / "written", EarlierOutput::replaced);
  for (int k = 0; k < evaluations; ++k) {
    Evaluation evaluation;
    evaluation.iteration = static_cast<std::uint64_t>(10 * k);
    evaluation.loss = 2.5 / (1 + k);
    evaluation.accuracy = 0.125 * k;
    evaluation.distances.values = {0.5 * k};
    directory.append(RunSettings{}, evaluation);
  }
  return content_of(folder.path() / "written/metrics.jsonl");
}

/// Returns the numbers of each evaluation in the text; empty if the text or a line of it is refused.
std::optional<std::vector<std::string>> numbers_in(const DataFolder& folder, const std::string& text) {
  try {
    std::vector<std::string> numbers;
    const RecordLines lines = read_record_lines(folder.write("metrics.jsonl", text));
    if (!lines.unreadable.empty()) return std::nullopt;
    for (const Json& object : lines.objects) {
      const auto evaluation = evaluation_from(object);
      numbers.push_back(evaluation ? to_json(*evaluation).dump() : "none");
    }
    return numbers;
  } catch (const DamagedRecord&) {
    return std::nullopt;
  }
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
    lines.push_back(text.substr(at, text.find('\n', at) + 1 - at));
  return lines;
}

/// Returns the checksum that the last line of the text says.
std::string told_in(const std::string& text) {
  const std::string mark = "\"crc32\":\"";
  return text.substr(text.rfind(mark) + mark.size(), 8);
}

std::vector<char> other_bytes(char byte) {
  std::vector<char> others{' ', '\n', '0', '9', '"', '}', 'x'};
  for (int bit = 0; bit < 8; ++bit) others.push_back(static_cast<char>(byte ^ (1 << bit)));
  std::erase(others, byte);
  return others;
}

}  // namespace

TEST_CASE("record checksum: a line ends in the CRC-32 of the lines so far, as Python's zlib.crc32 has it") {
  LineChecksum checksum;
  CHECK(checksum.line(R"({"iteration":0,"loss":2.5})") == R"({"iteration":0,"loss":2.5,"crc32":"4fe2e28b"})");
  CHECK(checksum.line(R"({"iteration":5,"loss":1.0})") == R"({"iteration":5,"loss":1.0,"crc32":"aad03916"})");
  CHECK(LineChecksum(checksum.text()).text() == "aad03916");
}

TEST_CASE("record checksum: a change of any byte of metrics.jsonl is refused, or changes no number") {
  const DataFolder folder;
  for (const int evaluations : {1, 3}) {
    const std::string written = written_metrics(folder, evaluations);
    const auto numbers = numbers_in(folder, written);
    REQUIRE(numbers.has_value());
    REQUIRE(numbers->size() == static_cast<std::size_t>(evaluations));
    std::string changed = written;
    for (std::size_t at = 0; at < written.size(); ++at) {
      for (const char byte : other_bytes(written[at])) {
        changed[at] = byte;
        const auto read = numbers_in(folder, changed);
        if (read && *read != *numbers) FAIL_CHECK("byte ", at, " as ", static_cast<int>(byte), " is read");
      }
      changed[at] = written[at];
    }
  }
}

TEST_CASE("record checksum: a file that was cut off anywhere holds the whole lines before") {
  const DataFolder folder;
  const std::string written = written_metrics(folder, 3);
  const auto numbers = numbers_in(folder, written);
  for (std::size_t bytes = 0; bytes < written.size(); ++bytes) {
    const auto read = numbers_in(folder, written.substr(0, bytes));
    CAPTURE(bytes);
    REQUIRE(read.has_value());
    CHECK(std::equal(read->begin(), read->end(), numbers->begin()));
    // Only its line end is missing of the last one.
    const std::string before = written.substr(0, bytes + 1);
    CHECK(read->size() == static_cast<std::size_t>(std::ranges::count(before, '\n')));
  }
}

TEST_CASE("record checksum: a line that is taken out, moved or written twice is refused with its number") {
  const DataFolder folder;
  const std::vector<std::string> lines = lines_of(written_metrics(folder, 4));
  REQUIRE(lines.size() == 4);
  const auto complaint = [&](const std::string& text) {
    return misuse_text([&] { read_record_lines(folder.write("metrics.jsonl", text)); });
  };
  CHECK(contains(complaint(lines[0] + lines[2] + lines[3]), "metrics.jsonl, line 2: "));
  CHECK(contains(complaint(lines[1] + lines[2]), "metrics.jsonl, line 1: "));
  CHECK(contains(complaint(lines[0] + lines[2] + lines[1] + lines[3]), "metrics.jsonl, line 2: "));
  CHECK(contains(complaint(lines[0] + lines[1] + lines[1]), "metrics.jsonl, line 3: "));
  CHECK(contains(complaint(lines[0] + "{\"iteration\":10}\n" + lines[1]), "metrics.jsonl, line 2: "));
  CHECK(contains(complaint("{\"iteration\":10}\n" + lines[0]), "metrics.jsonl, line 2: "));
  CHECK(complaint(lines[0] + lines[1]).empty());
}

TEST_CASE("record checksum: line ends of another system are no damage") {
  const DataFolder folder;
  const std::string written = written_metrics(folder, 3);
  std::string other;
  for (const char byte : written) other += byte == '\n' ? "\r\n" : std::string(1, byte);
  CHECK(numbers_in(folder, other) == numbers_in(folder, written));
}

TEST_CASE("record checksum: a change of any byte of a summary is refused, or changes no number") {
  const Json summary = {{"schema", 1}, {"loss", 0.125}, {"per_peer", {{{"peer", 0}, {"bytes_sent", 12}}}}};
  const std::string written = checksummed_text(summary);
  REQUIRE(parse_checksummed(written, "summary.json") == summary);
  std::string changed = written;
  for (std::size_t at = 0; at < written.size(); ++at) {
    for (const char byte : other_bytes(written[at])) {
      changed[at] = byte;
      try {
        const Json read = parse_checksummed(changed, "summary.json");
        if (read.is_null()) continue;
        bool is_same = true;
        for (const auto& [key, value] : summary.items())
          is_same = is_same && read.value(key, Json()) == value;
        if (!is_same) FAIL_CHECK("byte ", at, " as ", static_cast<int>(byte), " is read");
      } catch (const DamagedRecord&) {
      }
    }
    changed[at] = written[at];
  }
  CHECK(parse_checksummed("{\"loss\":1}", "summary.json") == Json{{"loss", 1}});  // of an earlier version
  CHECK(parse_checksummed("{\"loss\":", "summary.json").is_null());
}

TEST_CASE("record checksum: text behind the checksum of a summary is refused, but for white space") {
  const std::string written = checksummed_text({{"schema", 1}, {"loss", 0.125}});
  const std::string end = "\n}\n";
  REQUIRE(written.ends_with(end));
  const std::string before = written.substr(0, written.size() - end.size());
  const auto complaint = [](const std::string& text) {
    return misuse_text([&] { parse_checksummed(text, "summary.json"); });
  };
  for (const std::string other : {"\n}", "}", "\r\n}\r\n", "\n}\n\n"})
    CHECK(complaint(before + other).empty());
  // JSON takes the last of two members with one name.
  for (const std::string more : {",\n  \"loss\": 0.5\n}\n", ",\"new\":1}"})
    CHECK(contains(complaint(before + more),
                   "summary.json: it was changed after it was written: it does not end "
                   "in its crc32"));
}

TEST_CASE("record checksum: a run that has ended is not resumed if lines are missing at its end") {
  const DataFolder folder;
  const std::vector<std::string> lines = lines_of(written_metrics(folder, 3));
  const std::string consensus = content_of(folder.path() / "written/consensus.jsonl");
  const auto ends_with = [&](const std::string& status, const std::string& metrics,
                             const std::string& others) {
    folder.write(
        "written/summary.json",
        checksummed_text(
            {{"status", status},
             {"crc32_of", {{"metrics.jsonl", told_in(lines[2])}, {"consensus.jsonl", told_in(consensus)}}}}));
    folder.write("written/metrics.jsonl", metrics);
    folder.write("written/consensus.jsonl", others);
    return misuse_text([&] { RunDirectory(folder.path() / "written", EarlierOutput::continued); });
  };
  const std::string whole = lines[0] + lines[1] + lines[2];
  for (const std::string status : {"done", "interrupted"}) {
    CHECK(ends_with(status, whole, consensus).empty());
    const std::string said = ends_with(status, lines[0] + lines[1], consensus);
    CHECK(contains(said, "metrics.jsonl, line 2: it is not the last line of the run"));
    CHECK(contains(said, "or --overwrite instead of --resume"));
    CHECK(contains(ends_with(status, whole, lines_of(consensus)[0]), "consensus.jsonl, line 1: it is not"));
  }
}

TEST_CASE("record checksum: a run is not resumed if a file is gone that its summary says it wrote") {
  const DataFolder folder;
  const std::string metrics = written_metrics(folder, 3);
  const auto output = folder.path() / "written";
  const std::string consensus = content_of(output / "consensus.jsonl");
  folder.write("written/model.npy", "");
  const auto without = [&](const std::string& gone, const Json& told) {
    folder.write("written/metrics.jsonl", metrics);
    folder.write("written/consensus.jsonl", consensus);
    folder.write("written/summary.json", checksummed_text({{"status", "interrupted"}, {"crc32_of", told}}));
    std::filesystem::remove(output / gone);
    const std::string said = misuse_text([&] { RunDirectory(output, EarlierOutput::continued); });
    CHECK_FALSE(std::filesystem::exists(output / gone));  // nothing is written
    return said;
  };
  const Json both = {{"metrics.jsonl", told_in(metrics)}, {"consensus.jsonl", told_in(consensus)}};
  for (const std::string gone : {"metrics.jsonl", "consensus.jsonl"}) {
    const std::string said = without(gone, both);
    CHECK(contains(said, (output / gone).string() + ": it is gone, and the run wrote it; expected"));
    CHECK(contains(said, "or --overwrite instead of --resume"));
  }
  Json with_models = both;
  with_models["models/index.jsonl"] = "1a2b3c4d";
  CHECK(contains(without("models/index.jsonl", with_models), "models/index.jsonl: it is gone, and the run"));
  with_models["models/index.jsonl"] = "00000000";  // the disk was full whenever a model was to be kept
  CHECK(without("models/index.jsonl", with_models).empty());
}

TEST_CASE(
    "record checksum: a run that was killed is not resumed without its consensus.jsonl, an old one is") {
  const DataFolder folder;
  written_metrics(folder, 3);
  const auto output = folder.path() / "written";
  const auto resume = [&] { return misuse_text([&] { RunDirectory(output, EarlierOutput::continued); }); };
  std::filesystem::remove(output / "consensus.jsonl");
  CHECK(contains(resume(), "consensus.jsonl: it is gone, and the run wrote it; expected the file as"));
  CHECK_FALSE(std::filesystem::exists(output / "consensus.jsonl"));
  folder.write("written/consensus.jsonl", "");  // no model had a distance
  CHECK(resume().empty());
  std::filesystem::remove(output / "consensus.jsonl");
  std::string old;  // of a version without checksums, some of which wrote no consensus.jsonl
  for (const Json& object : read_record_lines(output / "metrics.jsonl").objects) old += object.dump() + "\n";
  folder.write("written/metrics.jsonl", old);
  CHECK(resume().empty());
}

TEST_CASE("record checksum: a run that was killed is not resumed without the index of the models it kept") {
  const DataFolder folder;
  written_metrics(folder, 3);
  const auto output = folder.path() / "written";
  const auto resume = [&] { return misuse_text([&] { RunDirectory(output, EarlierOutput::continued); }); };
  std::filesystem::create_directory(output / "models");
  folder.write("written/models/model-20.npy", "");  // of the last evaluation: killed before its line
  CHECK(resume().empty());
  for (const std::string file : {"model-10.npy", "model-10-peer-1.npy"}) {
    folder.write("written/models/" + file, "");
    CHECK(contains(resume(), "models/index.jsonl: it is gone, and the run wrote it; expected the file as"));
    std::filesystem::remove(output / "models" / file);
  }
  folder.write("written/models/model-10.npy.partial", "");  // the disk was full
  CHECK(resume().empty());
}

TEST_CASE("record checksum: a run whose record was changed is not resumed, and says why") {
  const DataFolder folder;
  const std::vector<std::string> lines = lines_of(written_metrics(folder, 3));
  const auto resume = [&] {
    return misuse_text([&] { RunDirectory(folder.path() / "written", EarlierOutput::continued); });
  };
  CHECK(resume().empty());
  folder.write("written/metrics.jsonl", lines[0] + lines[2]);
  CHECK(contains(resume(), "metrics.jsonl, line 2: "));
  CHECK(contains(resume(), "--overwrite"));
  folder.write("written/metrics.jsonl", lines[0] + lines[1] + lines[2]);
  std::string consensus = content_of(folder.path() / "written/consensus.jsonl");
  consensus[consensus.find("0.5")] = '7';
  folder.write("written/consensus.jsonl", consensus);
  CHECK(contains(resume(), "consensus.jsonl, line 2: "));
}

TEST_CASE("record checksum: a run that goes on leaves a record whose checksums are right") {
  const DataFolder folder;
  written_metrics(folder, 3);
  const auto output = folder.path() / "written";
  std::string old;  // of a version without checksums
  for (const Json& object : read_record_lines(output / "metrics.jsonl").objects) old += object.dump() + "\n";
  folder.write("written/metrics.jsonl", old);
  RunDirectory directory(output, EarlierOutput::continued);
  Evaluation evaluation;
  evaluation.iteration = 20;
  evaluation.distances.values = {1.0};
  directory.append(RunSettings{}, evaluation);
  directory.append(RunSettings{}, evaluation);
  CHECK(read_record_lines(output / "metrics.jsonl").objects.size() == 4);
  CHECK(read_record_lines(output / "metrics.jsonl").checksum.has_value());
  CHECK(read_record_lines(output / "consensus.jsonl").objects.size() == 4);
}

}  // namespace hearsay::test::record_checksum_test
