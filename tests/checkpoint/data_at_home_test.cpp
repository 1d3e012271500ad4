#include <doctest/doctest.h>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/private_files.hpp"

namespace hearsay::test::data_at_home_test {

namespace {

/// The archive of peer 1, whose data are in a file on its host.
struct OnItsHost {
  PrivateFiles files;
  RunSettings settings = [this] {
    RunSettings own = files.at_home();
    own.data.source = "csv:" + (files.folder.path() / "private-1.csv").string();
    own.failure.checkpoint_every = 5;
    return own;
  }();
  std::filesystem::path checkpoints = files.folder.path() / "checkpoints";

  void begin() {
    const auto experiment = prepare<double>(settings, {.peer = 1});
    CHECK(PeerArchive<double>(experiment, 1, checkpoints).begin() == std::nullopt);
  }
  /// Returns why the run is not resumed; empty if it is.
  std::string refusal() {
    const auto experiment = prepare<double>(settings, {.peer = 1});
    return misuse_text([&] { PeerArchive<double>(experiment, 1, checkpoints).holds(); });
  }
  std::string text() const { return read_text_file(files.folder.path() / "private-1.csv"); }
};

}  // namespace

TEST_CASE("archive: other data at home, of as many samples, are refused when a run is resumed") {
  OnItsHost host;
  host.begin();
  CHECK(host.refusal().empty());
  const std::string text = host.text();
  host.files.folder.write("private-1.csv", "9" + text);  // another digit in front of the first number
  CHECK(contains(host.refusal(),
                 "checkpoints is of a run with other data: the data of peer 1 are as many samples, but not "
                 "the same; a run is resumed with the data that it was begun with"));
  const std::string first = text.substr(0, text.find('\n') + 1);
  host.files.folder.write("private-1.csv", text.substr(first.size()) + first);  // in another order
  CHECK(contains(host.refusal(), "but not the same"));
  host.files.folder.write("private-1.csv", text + first);
  CHECK(contains(host.refusal(), "samples of peer 1 = 30, now 31"));
  host.files.folder.write("private-1.csv", text);
  CHECK(host.refusal().empty());
}

TEST_CASE("archive: other test data at home are refused when a run is resumed, as many or not, or none") {
  OnItsHost host;
  const std::string text = host.text();
  const std::string test = host.files.folder.write("test-1.csv", text).string();
  host.settings.data.test = "csv:" + test;
  host.begin();
  CHECK(host.refusal().empty());
  const std::string refused =
      "checkpoints is of a run with other data: the test data of peer 1 are not the same; a run is resumed "
      "with the data that it was begun with";
  const std::string first = text.substr(0, text.find('\n') + 1);
  for (const std::string& other : {"9" + text, text.substr(first.size()) + first, text + first}) {
    host.files.folder.write("test-1.csv", other);
    CHECK(contains(host.refusal(), refused));
  }
  host.settings.data.test = "";
  CHECK(contains(host.refusal(), refused));
  host.begin();
  CHECK(host.refusal().empty());
  host.settings.data.test = "csv:" + test;
  CHECK(contains(host.refusal(), refused));
}

TEST_CASE("archive: other samples at home that are held out are refused when a run is resumed") {
  OnItsHost host;
  host.settings.data.samples.reset();
  host.settings.data.test = "20%";
  host.begin();
  CHECK(host.refusal().empty());
  host.settings.data.test = "19%";  // as many, rounded: the same ones
  CHECK(host.refusal().empty());
  host.settings.data.test = "50%";
  CHECK(contains(host.refusal(), "samples of peer 1 = 24, now 15"));
}

TEST_CASE("archive: a run of an earlier version, which did not note what its data are, is resumed") {
  OnItsHost host;
  host.begin();
  const std::filesystem::path file = host.checkpoints / "agreement-1";
  auto agreement = decode_agreement(read_bytes(file).bytes.value());
  REQUIRE(agreement);
  const auto removed = std::erase_if(agreement->settings, [](const AgreedSetting& setting) {
    return setting.key.starts_with("data of peer 1") || setting.key.starts_with("test data of peer 1");
  });
  CHECK(removed == 2);
  const std::vector<std::byte> earlier = encode_agreement(*agreement);
  write_file(file, {{reinterpret_cast<const char*>(earlier.data()), earlier.size()}});
  host.files.folder.write("private-1.csv", "9" + host.text());
  host.settings.data.test = host.settings.data.source;
  CHECK(host.refusal().empty());
}

}  // namespace hearsay::test::data_at_home_test
