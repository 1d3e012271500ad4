#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::keys_program_test {

using Json = nlohmann::ordered_json;

namespace {

const std::string small_run = R"toml(
[run]
iterations = 20
evaluate_every = 5
[model]
kind = "quadratic(50)"
[topology]
peers = 3
[algorithm]
batch = "full"
)toml";

std::string line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

TEST_CASE("keys: a new pair is written, shown and authorized, and no secret is ever printed") {
  const DataFolder folder;
  const ProgramEnd made = run_program(folder.path(), {"keys", "new", "a"});
  CHECK(made.code == 0);
  const std::string key = line(made.said);
  CHECK(key.size() == 40);
  const ProgramEnd shown = run_program(folder.path(), {"keys", "show", "a.key"});
  CHECK(shown.said == key + "\n");
  CHECK(run_program(folder.path(), {"keys", "authorize", "c.keys", "a", "a.key"}).code == 0);
  CHECK(contains(content_of(folder.path() / "c.keys"), "\"a\" = \"" + key + "\""));
  const std::string other = line(run_program(folder.path(), {"keys", "new", "b"}).said);
  CHECK(run_program(folder.path(), {"keys", "authorize", "c.keys", "b", other}).code == 0);
  CHECK(contains(content_of(folder.path() / "c.keys"), "\"b\" = \"" + other + "\""));

  const ProgramEnd again = run_program(folder.path(), {"keys", "new", "a"});
  CHECK(again.code == 2);
  CHECK(contains(again.complained, "a.key is there already"));
  CHECK(run_program(folder.path(), {"keys", "authorize", "c.keys", "c", "a.key"}).code == 2);
  const ProgramEnd neither = run_program(folder.path(), {"keys", "authorize", "c.keys", "c", key.substr(1)});
  CHECK(neither.code == 2);
  CHECK(contains(neither.complained, "expected a public key, 40 characters, or the file of a pair"));
  const ProgramEnd nameless = run_program(folder.path(), {"keys", "new", ""});
  CHECK(nameless.code == 2);
  CHECK(contains(nameless.complained, "NAME = \"\""));
  // A file that everybody may read, and that holds no secret.
  const ProgramEnd not_a_pair = run_program(folder.path(), {"keys", "show", "c.keys"});
  CHECK(not_a_pair.code == 2);
  CHECK_FALSE(contains(not_a_pair.complained, "holds a secret key"));
  CHECK(run_program(folder.path(), {"keys"}).code == 2);
  const std::string secret = content_of(folder.path() / "a.key");
  const std::string hidden = secret.substr(secret.find("secret = \"") + 10, 40);
  for (const ProgramEnd* end : {&made, &shown, &again}) {
    CHECK_FALSE(contains(end->said, hidden));
    CHECK_FALSE(contains(end->complained, hidden));
  }
}

TEST_CASE("run: with keys the peers of one machine get keys for the run, and end with the same bits") {
  const DataFolder folder;
  folder.write("plain.toml", small_run);
  folder.write("keyed.toml", small_run + "[security]\nauthorized = \"c.keys\"\nsecret = \"a.key\"\n");
  const auto summary_of = [&](const std::string& command, const std::string& file) {
    const ProgramEnd end = run_program(folder.path(), {command, file, "--output", command + file, "--json"});
    CHECK_MESSAGE(end.code == 0, end.complained);
    return Json::parse(end.said);
  };
  const Json plain = summary_of("run", "plain.toml");
  const Json keyed = summary_of("run", "keyed.toml");
  CHECK(keyed["model_digest"] == plain["model_digest"]);
  CHECK(keyed["bytes_sent"] == plain["bytes_sent"]);
  CHECK(keyed["refused"] == 0);
  CHECK(summary_of("simulate", "keyed.toml")["model_digest"] == plain["model_digest"]);
}

TEST_CASE("simulate: the twin of a run with keys needs no secret key") {
  const DataFolder folder;
  folder.write("run.toml", small_run + "[security]\nauthorized = \"cluster.keys\"\n");
  const ProgramEnd twin = run_program(folder.path(), {"simulate", "run.toml", "--quiet", "--output", "twin"});
  CHECK_MESSAGE(twin.code == 0, twin.complained);
}

TEST_CASE("check: a topology that other machines can reach is warned of where there are no keys") {
  const DataFolder folder;
  folder.write("cluster.toml",
               "family = \"ring\"\nobserver = \"tcp://10.0.0.1:6999\"\n"
               "[[peer]]\naddress = \"tcp://10.0.0.1:7000\"\n[[peer]]\naddress = \"tcp://10.0.0.2:7000\"\n");
  folder.write(
      "q.toml",
      "model.kind = \"quadratic(50)\"\nalgorithm.batch = \"full\"\ntopology.file = \"cluster.toml\"\n");
  const ProgramEnd plain = run_program(folder.path(), {"check", "q.toml"});
  CHECK(plain.code == 0);
  CHECK(contains(plain.said, "other machines can reach tcp://10.0.0.1:6999, all traffic is plain text"));
  const ProgramEnd keyed = run_program(
      folder.path(),
      {"check", "q.toml", "--set", "security.authorized=c.keys", "--set", "security.secret=a.key"});
  CHECK(keyed.code == 0);
  CHECK_FALSE(contains(keyed.said, "plain text"));
  const ProgramEnd half = run_program(folder.path(), {"check", "q.toml", "--set", "security.secret=a.key"});
  CHECK(half.code == 2);
  CHECK(contains(half.complained, "expected security.authorized, too"));
}

}  // namespace hearsay::test::keys_program_test
