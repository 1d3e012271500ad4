#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

// Two kinds of file, both TOML. A key is 40 characters of Z85 text (rfc.zeromq.org/spec/32), 32 bytes.
//
// NAME.key: the key pair of one peer, which only its owner may read.
//
//     public = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
//     secret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
//
// The authorized keys: the public keys of all peers, the same file on every host. A peer that is not in it is
// refused. Each peer has a line with its name in the topology file (its id if it has no name) and its public
// key.
//
//     a = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
//     "node 2" = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

/// True if `text` is a key: 40 characters of Z85, and every group of five in the range of four bytes.
bool is_key(std::string_view text);

struct KeyPair {
  std::string public_key;
  std::string secret_key;
  bool operator==(const KeyPair&) const = default;
};

/// Returns the key pair in a file's text. Throws Misuse with file and line unless it is exactly one public
/// and one secret key. No message shows a secret key.
KeyPair parse_key_pair(std::string_view toml_text, const std::string& source);
std::string to_toml(const KeyPair& pair);

struct AuthorizedKey {
  std::string name;
  std::string public_key;
  bool operator==(const AuthorizedKey&) const = default;
};

/// Returns the keys in the order of the file. Throws Misuse with file and line if there is no key, or if two
/// names have the same.
std::vector<AuthorizedKey> parse_authorized_keys(std::string_view toml_text, const std::string& source);
/// Returns the file's text with the line of `entry.name` replaced, or appended if there is none. Every other
/// line is unchanged, comments included. Throws Misuse if the old or the new text is not a file of authorized
/// keys.
std::string with_authorized_key(const std::string& toml_text, const std::string& source,
                                const AuthorizedKey& entry);

/// Reads a key pair from its file. Throws Misuse if all users of the machine may read the file.
KeyPair load_key_pair(const std::filesystem::path& file);
/// Writes a file that only its owner may read. Throws Misuse if the file exists.
void write_new_key_pair(const std::filesystem::path& file, const KeyPair& pair);

std::vector<AuthorizedKey> load_authorized_keys(const std::filesystem::path& file);
/// Adds or replaces a peer's line. The file is made if it does not exist, and replaced atomically if it does.
void authorize(const std::filesystem::path& file, const AuthorizedKey& entry);

}  // namespace hearsay
