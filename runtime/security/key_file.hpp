#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hearsay {

// Two kinds of file, both TOML. A key is 40 characters of Z85 text (rfc.zeromq.org/spec/32), 32 bytes.
//
// The key pair of one peer, NAME.key, which is nobody else's business:
//
//     public = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
//     secret = "D:)Q[IlAW!ahhC2ac:9*A}h:p?([4%wOTJ%JR%cs"
//
// The public keys of all peers, the same file on every host; who is not in it does not get in. A line a peer: its name
// in the topology file (its id, where that gives none) and its public key.
//
//     a = "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
//     "node 2" = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"

/// Whether this is a key: the right characters, as many as it takes, no number out of range.
bool is_key(std::string_view text);

struct KeyPair {
  std::string public_key;
  std::string secret_key;
  bool operator==(const KeyPair&) const = default;
};

/// Misuse with file and line for whatever is not exactly one public and one secret key. No message shows a secret.
KeyPair parse_key_pair(std::string_view toml_text, const std::string& source);
std::string to_toml(const KeyPair& pair);

struct AuthorizedKey {
  std::string name;
  std::string public_key;
  bool operator==(const AuthorizedKey&) const = default;
};

/// In the order of the file. Misuse with file and line: no key, or a key that two names share.
std::vector<AuthorizedKey> parse_authorized_keys(std::string_view toml_text, const std::string& source);
/// The file's text with the line of `entry.name` replaced, or appended where there is none; every other line, comments
/// included, stays as it is. Misuse where the text is no such file, or would be none then.
std::string with_authorized_key(const std::string& toml_text, const std::string& source,
                                const AuthorizedKey& entry);

/// A key pair from its file. Misuse where everybody on the machine may read it.
KeyPair load_key_pair(const std::filesystem::path& file);
/// Writes a file that only its owner may read. Misuse where there is one already.
void write_new_key_pair(const std::filesystem::path& file, const KeyPair& pair);

std::vector<AuthorizedKey> load_authorized_keys(const std::filesystem::path& file);
/// Adds or replaces a peer's line; the file is there as a whole or not at all, and is begun where there is none.
void authorize(const std::filesystem::path& file, const AuthorizedKey& entry);

}  // namespace hearsay
