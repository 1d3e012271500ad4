#include "tests/program/ssh_hosts.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

namespace {

constexpr const char* sshd = "/usr/sbin/sshd";

void make_key(const std::string& file) {
  const std::string command = "ssh-keygen -q -t ed25519 -N '' -C test -f '" + file + "'";
  ensure(std::system(command.c_str()) == 0, "ssh-keygen makes a key (package openssh-client)");
}

/// Gives root, in this process and its descendants, `folder` as its home and a plain shell. So the login
/// scripts of this machine's root are neither run nor killed by the test.
void move_home(const std::string& folder) {
  ensure(unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             mount((folder + "/passwd").c_str(), "/etc/passwd", nullptr, MS_BIND, nullptr) == 0,
         "root may have a mount namespace");
}

/// Starts an sshd for every connection, as inetd does, so that no test has to wait until an sshd listens.
Ended serve(int listener, const std::string& config) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  signal(SIGCHLD, SIG_IGN);
  while (true) {
    const int connection = accept(listener, nullptr, nullptr);
    if (connection < 0) continue;
    if (fork() == 0) {
      dup2(connection, STDIN_FILENO);
      dup2(connection, STDOUT_FILENO);
      signal(SIGCHLD, SIG_DFL);
      execl(sshd, sshd, "-i", "-f", config.c_str(), nullptr);
      _exit(127);
    }
    close(connection);
  }
}

}  // namespace

SshHosts::SshHosts(std::size_t count) : network_(count + 1) {
  ensure(access(sshd, X_OK) == 0, "root has an sshd (package openssh-server)");
  mkdir("/run/sshd", 0755);  // the empty folder into which sshd locks itself; its service would make it
  for (const char* name : {"host", "user", "stranger"}) make_key(folder_.path() / name);
  const std::string in = folder_.path().string() + "/";
  folder_.write("authorized", content_of(in + "user.pub"));
  folder_.write("passwd",
                "root:x:0:0:root:" + in + "home:/bin/sh\nsshd:x:65533:65534::/run/sshd:/usr/sbin/nologin\n");
  mkdir((in + "home").c_str(), 0700);
  const std::string server =
      folder_.write("sshd_config", "HostKey " + in + "host\nAuthorizedKeysFile " + in +
                                       "authorized\nPermitRootLogin yes\nPasswordAuthentication no\n"
                                       "KbdInteractiveAuthentication no\nUsePAM no\nStrictModes no\n"
                                       "PidFile none\nUseDNS no\n");
  std::string known;
  for (std::size_t host = 0; host < count; ++host)
    known += network_.address(host) + " " + content_of(in + "host.pub");
  folder_.write("known_hosts", known);
  folder_.write("ssh_config", "Host *\n  StrictHostKeyChecking yes\n  UserKnownHostsFile " + in +
                                  "known_hosts\n  GlobalKnownHostsFile /dev/null\n");
  for (std::size_t host = 0; host < count; ++host) {
    const int listener = network_.listen(host, 22);
    daemons_.push_back(std::make_unique<Process>([&] {
      network_.enter(host)();
      move_home(folder_.path());
      return serve(listener, server);
    }));
    close(listener);
  }
}

SshHosts::~SshHosts() {
  for (const auto& daemon : daemons_) {
    kill(daemon->pid(), SIGKILL);
    daemon->join();
  }
}

}  // namespace hearsay::test
