#include "runtime/checkpoint/packet_log.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.hpp"

namespace hearsay::packet_log_test {

namespace {

const LogOwner peer_three = {.run_id = 77, .peer = 3};

PacketRef packet_of(const std::string& text, PacketPool& packets) {
  PacketBuffer packet = packets.acquire();
  std::ranges::copy(std::as_bytes(std::span(text)), packet.resize(text.size()).begin());
  return std::move(packet).seal();
}

/// Returns the records in words, one a line: "12/0 of 2: abc" or "verdict 12: go on".
std::string text_of(const std::vector<LogRecord>& all) {
  std::string text;
  for (const LogRecord& heard : all) {
    if (const auto* verdict = std::get_if<LoggedVerdict>(&heard)) {
      text += "verdict " + std::to_string(verdict->evaluated) + (verdict->proceed ? ": go on\n" : ": stop\n");
      continue;
    }
    const auto& [key, packet] = std::get<LoggedData>(heard);
    text += std::to_string(key.iteration) + "/" + std::to_string(key.slot) + " of " +
            std::to_string(key.sender) + ": ";
    for (const std::byte byte : packet->bytes()) text += static_cast<char>(byte);
    text += "\n";
  }
  return text;
}

std::string text_of(const std::filesystem::path& directory, std::uint64_t since) {
  PacketPool packets;
  return text_of(read_packet_log(directory, peer_three, since, packets).heard);
}

std::vector<std::byte> content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// Writes three records, the middle one without payload.
void write_three(PacketLog& log, PacketPool& packets) {
  REQUIRE(!log.begin(100, 100));
  REQUIRE(!log.append({101, 0, 2}, packet_of("abc", packets)));
  REQUIRE(!log.append_verdict(90, true));
  REQUIRE(!log.append({101, 1, 4}, packet_of("defgh", packets)));
}

const std::string three = "101/0 of 2: abc\nverdict 90: go on\n101/1 of 4: defgh\n";

}  // namespace

TEST_CASE("packet log: what was appended is read again, in its order") {
  const TemporaryFolder folder("log");
  PacketPool packets;
  PacketLog log(folder.path(), peer_three);
  write_three(log, packets);
  const ReadLog read = read_packet_log(folder.path(), peer_three, 100, packets);
  CHECK(text_of(read.heard) == three);
  CHECK(!read.torn);
  CHECK(read.defect.empty());
  CHECK(read.whole_bytes == 40 + 3 * 32 + 8);
}

TEST_CASE("packet log: what a verdict announces is read again") {
  const TemporaryFolder folder("log");
  PacketPool packets;
  PacketLog log(folder.path(), peer_three);
  const std::vector<Announced> all = {
      {}, {.checkpoint_every = 50}, {.to_next = 4'000'000'000, .to_second = 7}};
  REQUIRE(!log.begin(100, 100));
  for (const Announced& announced : all) REQUIRE(!log.append_verdict(90, true, announced));
  const ReadLog read = read_packet_log(folder.path(), peer_three, 100, packets);
  REQUIRE(read.heard.size() == all.size());
  for (std::size_t k = 0; k < all.size(); ++k)
    CHECK(std::get<LoggedVerdict>(read.heard[k]).announced == all[k]);
}

TEST_CASE("packet log: torn at any byte, all records before are whole, and the writer goes on behind them") {
  const TemporaryFolder folder("log");
  PacketPool packets;
  PacketLog log(folder.path(), peer_three);
  write_three(log, packets);
  const std::vector<std::byte> whole = content(log_path(folder.path(), 3, 100));
  const std::vector<std::pair<std::size_t, std::string>> ends = {
      {40, ""}, {75, "101/0 of 2: abc\n"}, {107, "101/0 of 2: abc\nverdict 90: go on\n"}, {144, three}};
  REQUIRE(whole.size() == 144);
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    CAPTURE(length);
    const ReadLog read = decode_packet_log(peer_three, 100, std::span(whole).first(length), packets);
    CHECK(read.defect.empty() == (length >= 40));
    const auto* last = &ends.front();
    for (const auto& end : ends)
      if (end.first <= length) last = &end;
    CHECK(text_of(read.heard) == last->second);
    CHECK(read.whole_bytes == (length < 40 ? 0 : last->first));
    CHECK(read.torn == (length > 40 && length != last->first));
    if (length < 40) continue;
    std::filesystem::resize_file(log_path(folder.path(), 3, 100), length);
    PacketLog after(folder.path(), peer_three);
    REQUIRE(!after.reopen(100, read.whole_bytes));
    REQUIRE(!after.append({102, 0, 2}, packet_of("next", packets)));
    CHECK(text_of(folder.path(), 100) == last->second + "102/0 of 2: next\n");
    std::ofstream(log_path(folder.path(), 3, 100), std::ios::binary)
        .write(reinterpret_cast<const char*>(whole.data()), static_cast<std::streamsize>(whole.size()));
  }
}

TEST_CASE("packet log: a flipped bit ends it there, and changes no record before") {
  const TemporaryFolder folder("log");
  PacketPool packets;
  PacketLog log(folder.path(), peer_three);
  write_three(log, packets);
  std::vector<std::byte> bytes = content(log_path(folder.path(), 3, 100));
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    CAPTURE(bit);
    const auto mask = std::byte(1 << bit % 8);
    bytes[bit / 8] ^= mask;
    const ReadLog read = decode_packet_log(peer_three, 100, bytes, packets);
    CHECK(read.heard.size() == (bit < 75 * 8 ? 0 : bit < 107 * 8 ? 1 : 2));
    CHECK(three.starts_with(text_of(read.heard)));
    CHECK(read.defect.empty() == (bit >= 40 * 8));
    CHECK(read.torn == (bit >= 40 * 8));
    bytes[bit / 8] ^= mask;
  }
}

TEST_CASE("packet log: it is another peer's, another run's or since another checkpoint, and says so") {
  const TemporaryFolder folder("log");
  PacketPool packets;
  PacketLog log(folder.path(), peer_three);
  write_three(log, packets);
  const std::vector<std::byte> bytes = content(log_path(folder.path(), 3, 100));
  const std::string other = "it is damaged, or of another run, peer or checkpoint";
  CHECK(decode_packet_log({77, 4}, 100, bytes, packets).defect == other);
  CHECK(decode_packet_log({78, 3}, 100, bytes, packets).defect == other);
  CHECK(decode_packet_log({77, 3}, 101, bytes, packets).defect == other);
  CHECK(
      read_packet_log(folder.path(), peer_three, 101, packets).defect.ends_with("No such file or directory"));
  folder.write("log-3-000000000101", "something else altogether, long enough for a head");
  CHECK(read_packet_log(folder.path(), peer_three, 101, packets).defect.ends_with("it is no packet log"));
}

TEST_CASE("packet log: a new one begins empty, and those before the oldest checkpoint that is kept go") {
  const TemporaryFolder folder("log");
  PacketPool packets;
  PacketLog log(folder.path(), peer_three);
  for (const std::uint64_t since : {100, 200, 300}) {
    REQUIRE(!log.begin(since, since == 300 ? 200 : 100));
    REQUIRE(!log.append({since + 1, 0, 2}, packet_of("x", packets)));
  }
  CHECK(list_logs(folder.path(), 3) == std::vector<std::uint64_t>{200, 300});
  CHECK(text_of(folder.path(), 200) == "201/0 of 2: x\n");
  REQUIRE(!log.begin(300, 200));
  CHECK(text_of(folder.path(), 300).empty());
}

TEST_CASE("packet log: where the disk is full it says so, and ends with the last whole record") {
  const TemporaryFolder folder("log");
  PacketPool packets;
  PacketLog log(folder.path(), peer_three);
  write_three(log, packets);
  const auto before = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit tight{200, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);
  const auto error = log.append({102, 0, 2}, packet_of(std::string(1000, 'z'), packets));
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, before);
  REQUIRE(error);
  CHECK(error->find("log-3-000000000100: ") != std::string::npos);
  CHECK(content(log_path(folder.path(), 3, 100)).size() == 144);
  REQUIRE(!log.append({102, 1, 2}, packet_of("room again", packets)));
  CHECK(text_of(folder.path(), 100) == three + "102/1 of 2: room again\n");
}

}  // namespace hearsay::packet_log_test
