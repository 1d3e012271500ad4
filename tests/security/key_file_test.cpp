#include "runtime/security/key_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/zmq/keys.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::key_file_test {

namespace {

// From the specification of CURVE (rfc.zeromq.org/spec/26).
const std::string first = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7";
const std::string second = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID";

std::string refusal(const std::string& text) {
  return misuse_text([&] { parse_authorized_keys(text, "c.keys"); });
}

std::string with(const std::string& text, const std::string& name, const std::string& key) {
  return with_authorized_key(text, "c.keys", {name, key});
}

}  // namespace

TEST_CASE("keys: new pairs are keys, differ, and survive being written") {
  const KeyPair one = new_key_pair();
  const KeyPair other = new_key_pair();
  CHECK(is_key(one.public_key));
  CHECK(is_key(one.secret_key));
  CHECK(one.public_key != other.public_key);
  CHECK(one.secret_key != other.secret_key);
  CHECK(parse_key_pair(to_toml(one), "a.key") == one);
  for (int k = 0; k < 500; ++k) CHECK(new_key_pair().public_key.front() != '-');
}

TEST_CASE("keys: forty characters of Z85 that stand for 32 bytes are a key, and nothing else is") {
  CHECK(is_key(first));
  CHECK_FALSE(is_key(""));
  CHECK_FALSE(is_key(first.substr(1)));
  CHECK_FALSE(is_key(first + "0"));
  CHECK_FALSE(is_key(std::string(39, '0') + "~"));
  CHECK(is_key(std::string(35, '0') + "%nSc0"));        // 2^32 - 1
  CHECK_FALSE(is_key(std::string(35, '0') + "%nSc1"));  // one more than four bytes hold
  CHECK_FALSE(is_key(std::string(40, '#')));
}

TEST_CASE("keys: a file of a pair that is wrong is refused, and no secret is ever shown") {
  const auto refused = [](const std::string& text) {
    return misuse_text([&] { parse_key_pair(text, "a.key"); });
  };
  const std::string half = "public = \"" + first + "\"\n";
  CHECK(contains(refused(half), "a.key: expected public = \"KEY\" and secret = \"KEY\""));
  CHECK(contains(refused("public = \"abc\"\n"), "a.key:1: public = \"abc\": expected a key"));
  CHECK(contains(refused(half + "private = 1\n"), "a.key:2: private: unknown key"));
  for (const std::string value : {"\"hush, not a key\"", "[\"hush\"]", "{x = \"hush\"}"}) {
    const std::string said = refused(half + "secret = " + value + "\n");
    CHECK(contains(said, "a.key:2: secret: expected a key"));
    CHECK_FALSE(contains(said, "hush"));
  }
}

TEST_CASE("keys: authorized keys are read in order, whatever the peers are called") {
  const std::string odd = "node 2.\"x\" # =";
  CHECK(parse_authorized_keys(with(with("# ours\n", "a", first), odd, second), "c.keys") ==
        std::vector<AuthorizedKey>{{"a", first}, {odd, second}});
  CHECK(parse_authorized_keys("", "c.keys").empty());
}

TEST_CASE("keys: what an authorization file has wrong is refused with file and line") {
  CHECK(contains(refusal("a = \"" + first + "\"\nb = 3\n"), "c.keys:2: b = 3: expected text in quotes"));
  CHECK(contains(refusal("a = \"short\"\n"), "c.keys:1: a = \"short\": expected a key, 40 characters"));
  CHECK(contains(refusal("a = \"" + first + "\"\nb = \"" + first + "\"\n"), "c.keys:2: b has the key of a"));
  CHECK(contains(refusal("a = \"" + first + "\"\na = \"" + second + "\"\n"), "c.keys:2:"));
  CHECK(contains(refusal("[peers]\na = \"" + first + "\"\n"), "c.keys:1: peers"));
  CHECK(contains(refusal("\"\" = \"" + first + "\"\n"), "c.keys:1: expected a peer's name"));
}

TEST_CASE("keys: authorizing adds a line or replaces it, and leaves the others as they are") {
  const std::string begun = "# ours\na = \"" + first + "\"  # the first host\n";
  CHECK(with(begun, "b", second) == begun + "\"b\" = \"" + second + "\"\n");
  CHECK(with("a = \"" + first + "\"", "b", second) == "a = \"" + first + "\"\n\"b\" = \"" + second + "\"\n");
  CHECK(with(begun + "c = \"" + second + "\"\n# end", "a", std::string(40, '0')) ==
        "# ours\n\"a\" = \"" + std::string(40, '0') + "\"\nc = \"" + second + "\"\n# end");
  CHECK(with(begun, "a", first) == "# ours\n\"a\" = \"" + first + "\"\n");
  CHECK(contains(misuse_text([&] { with(begun, "b", first); }), "b has the key of a"));
  CHECK(contains(misuse_text([&] { with(begun, "b", "key"); }), "b = key: expected a key"));
  CHECK(contains(misuse_text([&] { with(begun, "", second); }), "expected a peer's name"));
  CHECK(contains(misuse_text([&] { with("a = \"\"\"\n" + first + "\"\"\"\n", "a", second); }),
                 "expected name and key on one line"));
}

TEST_CASE("keys: a pair's file is open to its owner only, never replaced, and not read where others may") {
  const TemporaryFolder folder("hearsay_key_file");
  const auto file = folder.path() / "a.key";
  const KeyPair pair = new_key_pair();
  write_new_key_pair(file, pair);
  struct stat status {};
  REQUIRE(stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(load_key_pair(file) == pair);
  CHECK(contains(misuse_text([&] { write_new_key_pair(file, new_key_pair()); }), "is there already"));
  CHECK(load_key_pair(file) == pair);
  REQUIRE(chmod(file.c_str(), 0644) == 0);
  CHECK(contains(misuse_text([&] { load_key_pair(file); }), "is open to everybody"));
  CHECK(contains(misuse_text([&] { write_new_key_pair(folder.path() / "no" / "a.key", pair); }),
                 "cannot write"));
}

TEST_CASE(
    "keys: the authorization file is begun where there is none, and stays whole where a line is wrong") {
  const TemporaryFolder folder("hearsay_authorized");
  const auto file = folder.path() / "c.keys";
  authorize(file, {"a", first});
  authorize(file, {"b", second});
  const std::string before = read_text_file(file);
  CHECK(load_authorized_keys(file) == std::vector<AuthorizedKey>{{"a", first}, {"b", second}});
  CHECK(contains(misuse_text([&] { authorize(file, {"c", second}); }), "c has the key of b"));
  CHECK(read_text_file(file) == before);
}

}  // namespace hearsay::key_file_test
