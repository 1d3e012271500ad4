#include "runtime/security/key_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <map>

#include "runtime/foundation/whole_file.hpp"
#include "runtime/toml/document.hpp"
#include "runtime/toml/setting.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view z85 =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";
constexpr std::size_t key_characters = 40;
constexpr std::size_t group_characters = 5;  // of four bytes

const std::string key_expectation = "a key, 40 characters of Z85 such as hearsay keys show prints";

/// Reads a public key, which an error message may show.
std::string read_public_key(const TomlEntry& entry) {
  const Setting setting{entry.key, entry.value};
  if (!is_key(setting.text())) setting.refuse(key_expectation);
  return setting.text();
}

/// Reads a secret key. No error message shows the value, even if it is no key.
std::string read_secret_key(const TomlEntry& entry) {
  const auto* const text = std::get_if<std::string>(&entry.value.data);
  if (text == nullptr || !is_key(*text))
    throw Misuse(entry.value.place.text() + ": secret: expected " + key_expectation);
  return *text;
}

/// Returns the lines of a text, each with its line break.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

std::string line_of(const AuthorizedKey& entry) {
  return toml_text(entry.name) + " = " + toml_text(entry.public_key) + "\n";
}

}  // namespace

bool is_key(std::string_view text) {
  if (text.size() != key_characters) return false;
  for (std::size_t begin = 0; begin < key_characters; begin += group_characters) {
    std::uint64_t group = 0;
    for (const char c : text.substr(begin, group_characters)) {
      const std::size_t digit = z85.find(c);
      if (digit == std::string_view::npos) return false;
      group = group * z85.size() + digit;
    }
    if (group > UINT32_MAX) return false;
  }
  return true;
}

KeyPair parse_key_pair(std::string_view text, const std::string& source) {
  KeyPair pair;
  for (const TomlEntry& entry : parse_toml(text, source)) {
    if (entry.key == "public")
      pair.public_key = read_public_key(entry);
    else if (entry.key == "secret")
      pair.secret_key = read_secret_key(entry);
    else
      throw Misuse(entry.value.place.text() + ": " + entry.key + ": unknown key, expected public and secret");
  }
  if (pair.public_key.empty() || pair.secret_key.empty())
    throw Misuse(source +
                 ": expected public = \"KEY\" and secret = \"KEY\", as hearsay keys new writes them");
  return pair;
}

std::string to_toml(const KeyPair& pair) {
  return "# Keys of one peer of hearsay. The secret one is nobody else's business;\n"
         "# hearsay keys show prints the public one.\n"
         "public = " +
         toml_text(pair.public_key) + "\nsecret = " + toml_text(pair.secret_key) + "\n";
}

std::vector<AuthorizedKey> parse_authorized_keys(std::string_view text, const std::string& source) {
  std::vector<AuthorizedKey> keys;
  std::map<std::string, std::string> owners;
  for (const TomlEntry& entry : parse_toml(text, source)) {
    if (entry.key.empty()) throw Misuse(entry.value.place.text() + ": expected a peer's name before the =");
    std::string key = read_public_key(entry);
    const auto [owner, is_new] = owners.emplace(key, entry.key);
    if (!is_new)
      throw Misuse(entry.value.place.text() + ": " + entry.key + " has the key of " + owner->second +
                   ": expected a key of its own for each peer");
    keys.push_back({entry.key, std::move(key)});
  }
  return keys;
}

std::string with_authorized_key(const std::string& text, const std::string& source,
                                const AuthorizedKey& entry) {
  if (entry.name.empty()) throw Misuse("NAME", "\"\"", "expected a peer's name");
  if (!is_key(entry.public_key)) throw Misuse(entry.name, entry.public_key, "expected " + key_expectation);
  parse_authorized_keys(text, source);
  const TomlTable document = parse_toml(text, source);
  const auto known = std::ranges::find(document, entry.name, &TomlEntry::key);
  std::vector<std::string> lines = lines_of(text);
  if (known == document.end()) {
    if (!lines.empty() && lines.back().back() != '\n') lines.back() += '\n';
    lines.push_back(line_of(entry));
  } else {
    std::string& line = lines[known->value.place.line - 1];
    if (line.find(std::get<std::string>(known->value.data)) == std::string::npos)
      throw Misuse(known->value.place.text() + ": " + entry.name + ": expected name and key on one line");
    line = line_of(entry);
  }
  std::string result;
  for (const std::string& line : lines) result += line;
  parse_authorized_keys(result, source);  // refuses a key that two names have now
  return result;
}

KeyPair load_key_pair(const fs::path& file) {
  const KeyPair pair = parse_key_pair(read_text_file(file), file);
  struct stat status {};
  if (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode) && (status.st_mode & S_IRWXO) != 0)
    throw Misuse(file.string() + " holds a secret key and is open to everybody on this machine; chmod 600 " +
                 file.string());
  return pair;
}

void write_new_key_pair(const fs::path& file, const KeyPair& pair) {
  const int target = open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (target < 0 && errno == EEXIST)
    throw Misuse(file.string() + " is there already; a key pair is never replaced, take another name");
  if (target < 0) throw Misuse("cannot write " + file.string() + ": " + std::strerror(errno));
  const std::string text = to_toml(pair);
  const bool written =
      write(target, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && fsync(target) == 0;
  const std::string reason = std::strerror(errno);
  close(target);
  if (written) return;
  std::error_code ignored;
  fs::remove(file, ignored);
  throw Misuse("cannot write " + file.string() + ": " + reason);
}

std::vector<AuthorizedKey> load_authorized_keys(const fs::path& file) {
  return parse_authorized_keys(read_text_file(file), file);
}

void authorize(const fs::path& file, const AuthorizedKey& entry) {
  const bool is_there = fs::exists(fs::symlink_status(file));
  const std::string text = is_there ? read_text_file(file)
                                    : "# Who may take part: a peer's name, its public key (hearsay keys).\n";
  write_file(file, {with_authorized_key(text, file, entry)});
}

}  // namespace hearsay
