#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/data_files.hpp"
#include "tests/support/network_namespaces.hpp"
#include "tests/support/process.hpp"

namespace hearsay::test {

/// Hosts in network namespaces, each with an sshd, and a desk: the last host, from which a user may log in to
/// the others with a key made for the test. All hosts see the same file system.
class SshHosts {
 public:
  explicit SshHosts(std::size_t count);
  ~SshHosts();
  SshHosts(const SshHosts&) = delete;
  SshHosts& operator=(const SshHosts&) = delete;

  NetworkNamespaces& network() { return network_; }
  std::size_t desk() const { return network_.host_count() - 1; }
  /// Returns user and address of a host: "root@10.77.0.1".
  std::string login(std::size_t host) const { return "root@" + network_.address(host); }
  /// The private key of the user, and a configuration of ssh that knows the keys of the hosts.
  std::string key() const { return folder_.path() / "user"; }
  std::string config() const { return folder_.path() / "ssh_config"; }
  /// The home directory of root on the hosts.
  std::string home() const { return folder_.path() / "home"; }
  /// A private key that no host accepts.
  std::string strange_key() const { return folder_.path() / "stranger"; }

 private:
  DataFolder folder_;
  NetworkNamespaces network_;
  std::vector<std::unique_ptr<Process>> daemons_;
};

}  // namespace hearsay::test
