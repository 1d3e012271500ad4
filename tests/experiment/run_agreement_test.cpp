#include "runtime/experiment/run_agreement.hpp"

#include <doctest/doctest.h>

#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/private_files.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test::run_agreement_test {

namespace {

/// Two hosts, each started on its own, with a file of their own each.
struct TwoHosts {
  TemporaryFolder folder{"hearsay_two_hosts"};
  RunSettings settings;

  TwoHosts() {
    settings.run.iterations = 4;
    settings.topology.kind = "ring";
    settings.topology.peers = 2;
    settings.algorithm.kind = "d-psgd";
    settings.algorithm.batch = 1;
    settings.model.kind = "logistic";
    settings.data.partition = "home";
  }
  Agreement agreement(PeerId id, const std::string& text) {
    settings.data.source = "csv:" + folder.write(std::to_string(id) + ".csv", text).string();
    return agreement_of(prepare<double>(settings, {.peer = id}));
  }
  /// Returns what peer 0 says to peer 1; empty if they may train together.
  std::string refusal(const std::string& of_0, const std::string& of_1) {
    const Agreement mine = agreement(0, of_0), theirs = agreement(1, of_1);
    // What travels is what is compared, and every frame of the run has one run id.
    CHECK(decode_agreement(encode_agreement(theirs)) == theirs);
    return disagreement(mine, theirs, "peer 1", "peer 0").value_or("");
  }
  /// The same, where each host has keys of its own.
  std::string refusal_with(const RunSettings::Data& of_0, const RunSettings::Data& of_1) {
    settings.data = of_0;
    const Agreement mine = agreement_of(prepare<double>(settings, {.peer = 0}));
    settings.data = of_1;
    const Agreement theirs = agreement_of(prepare<double>(settings, {.peer = 1}));
    CHECK(decode_agreement(encode_agreement(theirs)) == theirs);
    return disagreement(mine, theirs, "peer 1", "peer 0").value_or("");
  }
  RunSettings::Data file(const std::string& format, const std::string& text) const {
    RunSettings::Data data;
    data.partition = "home";
    data.source = format + ":" + folder.write("of." + format, text).string();
    return data;
  }
  /// MNIST's format: two images of one pixel row, and their labels.
  RunSettings::Data pixels() const {
    using namespace std::string_literals;
    RunSettings::Data data;
    data.partition = "home";
    data.source =
        "idx:" +
        folder.write("images", "\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x02\x01\x02\x03\x04"s).string() + "," +
        folder.write("labels", "\0\0\x08\x01\0\0\0\x02\0\x01"s).string();
    return data;
  }
};

const std::string rows = "1.5,2.5,0\n3.5,4,1\n";
const std::string same_names =
    "; expected the same names in the headers of all peers' files, and the features in the same order";

}  // namespace

TEST_CASE("agreement: a peer is refused whose build sends the messages of the method in an earlier order") {
  const Agreement mine = agreement_of(quadratic_experiment<double>("beer", "ring", 4, 10));
  Agreement earlier = mine;
  std::erase_if(earlier.settings,
                [](const AgreedSetting& said) { return said.key == "version of the messages"; });
  CHECK(
      disagreement(mine, earlier, "peer 1", "peer 0") ==
      "peer 1 runs with version of the messages = 1, peer 0 with 2; expected the same version of hearsay on "
      "all hosts");
}

TEST_CASE("agreement at home: hosts whose headers name other columns refuse each other, and say which") {
  TwoHosts hosts;
  CHECK(hosts.refusal("a,b,y\n" + rows, "a,b,y\n" + rows).empty());
  CHECK(hosts.refusal("a,b,y\n" + rows, "b,a,y\n" + rows) ==
        "peer 1 runs with feature 1 of data.source = b, peer 0 with a" + same_names);
  CHECK(hosts.refusal("a,b,y\n" + rows, "a,c,y\n" + rows) ==
        "peer 1 runs with feature 2 of data.source = c, peer 0 with b" + same_names);
  CHECK(hosts.refusal("a,b,y\n" + rows, "a,b,label\n" + rows) ==
        "peer 1 runs with target of data.source = label, peer 0 with y" + same_names);
}

TEST_CASE("agreement at home: a header that the other host's file lacks says nothing") {
  TwoHosts hosts;
  CHECK(hosts.refusal("a,b,y\n" + rows, rows).empty());
  CHECK(hosts.refusal(rows, "a,b,y\n" + rows).empty());
  // All frames of the run have one run id.
  CHECK(run_id(hosts.agreement(0, "a,b,y\n" + rows)) == run_id(hosts.agreement(1, rows)));
}

TEST_CASE("agreement at home: the target may stand in another column, the features in their order") {
  TwoHosts hosts;
  hosts.settings.data.target = "y";
  CHECK(hosts.refusal("a,b,y\n" + rows, "y,a,b\n0,1.5,2.5\n1,3.5,4\n").empty());
  CHECK(hosts.refusal("a,b,y\n" + rows, "a,y,b\n1.5,0,2.5\n3.5,1,4\n").empty());
  hosts.settings.data.skip = 1;  // an index has no part in it
  CHECK(hosts.refusal("id,a,b,y\n1,1.5,2.5,0\n2,3.5,4,1\n", "row,a,b,y\n1,1.5,2.5,0\n2,3.5,4,1\n").empty());
}

TEST_CASE("agreement at home: hosts that multiply their features by other factors refuse each other") {
  TwoHosts hosts;
  for (const std::string& text : {rows, "a,b,y\n" + rows}) {
    RunSettings::Data plain = hosts.file("csv", text), scaled = plain, by_one = plain;
    scaled.scale = 0.5;
    by_one.scale = 1.0;
    const std::string of_factor =
        "; expected one factor for all peers' files, and a file in another unit converted to theirs";
    CHECK(hosts.refusal_with(plain, scaled) ==
          "peer 1 runs with data.scale = 0.5, peer 0 with 1" + of_factor);
    CHECK(hosts.refusal_with(scaled, plain) ==
          "peer 1 runs with data.scale = 1, peer 0 with 0.5" + of_factor);
    CHECK(hosts.refusal_with(scaled, scaled).empty());
    CHECK(hosts.refusal_with(plain, by_one).empty());
  }
}

TEST_CASE(
    "agreement at home: pixels, which are divided by 255, may stand beside numbers that need a factor") {
  TwoHosts hosts;
  RunSettings::Data numbers = hosts.file("csv", rows), pixels = hosts.pixels();
  numbers.scale = 1.0 / 255;
  CHECK(hosts.refusal_with(numbers, pixels).empty());
  RunSettings::Data scaled = pixels;
  scaled.scale = 2.0;
  CHECK(hosts.refusal_with(pixels, scaled)
            .starts_with("peer 1 runs with data.scale of pixels = 2, peer 0 with 1; expected one factor"));
  // Numbers are numbers in every other format.
  const RunSettings::Data sparse = hosts.file("libsvm", "0 1:1.5 2:2.5\n1 1:3.5 2:4\n");
  CHECK(
      hosts.refusal_with(numbers, sparse).starts_with("peer 1 runs with data.scale = 1, peer 0 with 0.0039"));
}

TEST_CASE("agreement at home: hosts that count the features of LIBSVM files otherwise refuse each other") {
  TwoHosts hosts;
  RunSettings::Data from_1 = hosts.file("libsvm", "0 1:1.5 2:2.5\n1 1:3.5 2:4\n"), from_0 = from_1;
  from_0.index_base = 0;
  const std::string as_they_are =
      "; expected one for all peers' files, and a file that counts otherwise numbered as they are";
  // The model has another size, which says less.
  CHECK(hosts.refusal_with(from_1, from_0) ==
        "peer 1 runs with data.index_base = 0, peer 0 with 1" + as_they_are);
  from_1.features = from_0.features = 3;
  CHECK(hosts.refusal_with(from_1, from_0) ==
        "peer 1 runs with data.index_base = 0, peer 0 with 1" + as_they_are);
  CHECK(hosts.refusal_with(from_0, from_0).empty());
  const RunSettings::Data table = hosts.file("csv", "1.5,2.5,0,0\n3.5,4,0,1\n");
  CHECK(hosts.refusal_with(table, from_0).empty());
}

TEST_CASE("agreement at home: files without a header have their target in the same column") {
  TwoHosts hosts;
  hosts.settings.model.kind = "least-squares";
  RunSettings::Data last = hosts.file("csv", rows), first = last, said = last;
  first.target = "first";
  said.target = "last";
  CHECK(hosts.refusal_with(last, first) ==
        "peer 1 runs with data.target = first, peer 0 with last; expected one for all peers' files, or the "
        "same names in their headers");
  CHECK(hosts.refusal_with(last, said).empty());
  CHECK(hosts.refusal_with(first, first).empty());
}

TEST_CASE("agreement: hosts whose data are dealt say nothing of their own") {
  RunSettings settings;
  settings.run.iterations = 1;
  settings.data.source = "synthetic(samples=40, features=3, classes=3)";
  settings.data.scale = 0.5;
  for (const AgreedSetting& stated : agreement_of(prepare<double>(settings)).statements)
    CHECK_MESSAGE(!contains(stated.key, "data."), stated.key);
}

TEST_CASE(
    "agreement at home: with data.samples a host says on how many samples it trains, without those held "
    "out") {
  const PrivateFiles files;
  RunSettings settings = files.at_home();
  settings.data.source = "csv:" + (files.folder.path() / "private-1.csv").string();
  const auto stated = [&](const std::optional<PeerId>& peer) {
    for (const AgreedSetting& said : agreement_of(prepare<double>(settings, {.peer = peer})).statements)
      if (said.key.starts_with("training samples")) return said.key + " = " + said.value;
    return std::string();
  };
  CHECK(stated(1) == "training samples of peer 1 = 30");
  settings.data.test = "20%";
  CHECK(stated(1) == "training samples of peer 1 = 24");
  settings.data.samples.reset();
  CHECK(stated(1).empty());  // all weigh alike
  settings = files.at_home();
  CHECK(stated(std::nullopt).empty());  // all are counted here
}

TEST_CASE("agreement at home: labels that are numbered in another way are named, not the model's digest") {
  TwoHosts hosts;
  CHECK(hosts.refusal(rows, "1.5,2.5,1\n3.5,4,2\n") ==
        "peer 1 runs with labels of data.source = 1 2, peer 0 with 0 1; data.classes = N says that they "
        "are 0 to N - 1");
  hosts.settings.model.kind = "softmax";  // where the model has another size, too
  CHECK(hosts.refusal("1,2,0\n3,4.5,1\n5,6,2\n", "1,2,0\n3,4.5,1\n5,6,2\n7,8,3\n") ==
        "peer 1 runs with labels of data.source = 0 1 2 3, peer 0 with 0 1 2; data.classes = N says that "
        "they are 0 to N - 1");
}

TEST_CASE("agreement at home: of many columns, or long names, every one is compared, and any name travels") {
  TwoHosts hosts;
  std::string names, numbers_0, numbers_1;
  for (int k = 0; k < 500; ++k) {
    names += "column " + std::to_string(k) + ",";
    numbers_0 += "0." + std::to_string(k) + ",";
    numbers_1 += "1." + std::to_string(k) + ",";
  }
  const std::string many = numbers_0 + "0\n" + numbers_1 + "1\n";
  std::string other = names;
  other.replace(other.find("column 499"), 10, "column x");
  CHECK(hosts.refusal(names + "y\n" + many, names + "y\n" + many).empty());
  const std::string of_digest = hosts.refusal(names + "y\n" + many, other + "y\n" + many);
  CHECK(of_digest.starts_with("peer 1 runs with features of data.source (digest of their names) = "));
  CHECK(of_digest.ends_with(same_names));
  const std::string long_name(5000, 'n');
  const std::string letters = "\xc3\xa9\x1b[2J";
  CHECK(hosts.refusal(long_name + "a," + letters + ",y\n" + rows, long_name + "a," + letters + ",y\n" + rows)
            .empty());
  CHECK(hosts.refusal(long_name + "a," + letters + ",y\n" + rows, long_name + "b," + letters + ",y\n" + rows)
            .ends_with(same_names));
}

}  // namespace hearsay::test::run_agreement_test
