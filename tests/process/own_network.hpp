#pragma once

#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace hearsay::test {

/// Moves this process into a network namespace of its own, which has only a loopback. False if that is
/// forbidden.
inline bool enter_own_network() {
  if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const int any = socket(AF_INET, SOCK_DGRAM, 0);
  ifreq request{};
  std::string("lo").copy(request.ifr_name, 2);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const bool up = ioctl(any, SIOCSIFFLAGS, &request) == 0;
  close(any);
  return up;
}

}  // namespace hearsay::test
