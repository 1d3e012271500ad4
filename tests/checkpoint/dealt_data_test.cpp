#include <doctest/doctest.h>

#include "runtime/checkpoint/archive.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/private_files.hpp"

namespace hearsay::test::dealt_data_test {

namespace {

/// The archive of peer 1 of a run that deals out its data, and tests on a file.
struct Dealt {
  PrivateFiles files;
  std::filesystem::path test = files.folder.path() / "private-2.csv";
  RunSettings settings = [this] {
    RunSettings own = files.pooled();
    own.data.test = "csv:" + test.string();
    own.failure.checkpoint_every = 5;
    return own;
  }();
  std::filesystem::path checkpoints = files.folder.path() / "checkpoints";

  void begin() {
    const auto experiment = prepare<double>(settings);
    CHECK(PeerArchive<double>(experiment, 1, checkpoints).begin() == std::nullopt);
  }
  /// Returns why the run is not resumed; empty if it is.
  std::string refusal() {
    const auto experiment = prepare<double>(settings);
    return misuse_text([&] { PeerArchive<double>(experiment, 1, checkpoints).holds(); });
  }
};

}  // namespace

TEST_CASE("archive: other test data are refused when a run that deals out its data is resumed") {
  Dealt run;
  const std::string text = read_text_file(run.test);
  run.begin();
  CHECK(run.refusal().empty());
  const std::string refused =
      "checkpoints is of a run with other data: the test data are not the same; a run is resumed with the "
      "data that it was begun with, or begun anew with --overwrite";
  const std::string first = text.substr(0, text.find('\n') + 1);
  for (const std::string& other : {"9" + text, text.substr(first.size()) + first, text + first}) {
    run.files.folder.write("private-2.csv", other);
    CHECK(contains(run.refusal(), refused));
  }
  run.files.folder.write("private-2.csv", text);
  CHECK(run.refusal().empty());
  run.settings.data.test = "";
  CHECK(contains(run.refusal(), refused));
  run.begin();
  CHECK(run.refusal().empty());
  run.settings.data.test = "csv:" + run.test.string();
  CHECK(contains(run.refusal(), refused));
}

TEST_CASE("archive: a run of an earlier version, which did not note its test data, is resumed") {
  Dealt run;
  run.begin();
  const std::filesystem::path file = run.checkpoints / "agreement-1";
  auto agreement = decode_agreement(read_bytes(file).bytes.value());
  REQUIRE(agreement);
  CHECK(std::erase_if(agreement->settings, [](const AgreedSetting& setting) {
          return setting.key.starts_with("test data");
        }) == 1);
  const std::vector<std::byte> earlier = encode_agreement(*agreement);
  write_file(file, {{reinterpret_cast<const char*>(earlier.data()), earlier.size()}});
  run.settings.data.test = "";
  CHECK(run.refusal().empty());
}

}  // namespace hearsay::test::dealt_data_test
