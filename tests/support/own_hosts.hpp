#pragma once

#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <functional>

#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// True, and says so, if this process cannot give a program an /etc/hosts of its own.
inline bool skipped_without_own_names() {
  if (geteuid() != 0) MESSAGE("skipped: own names (only root may have an /etc/hosts of its own)");
  return geteuid() != 0;
}

/// Returns a function that makes the file the /etc/hosts of the calling process.
inline std::function<void()> with_hosts(const std::filesystem::path& hosts) {
  return [hosts] {
    ensure(unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
               mount(hosts.c_str(), "/etc/hosts", nullptr, MS_BIND, nullptr) == 0,
           "root has an /etc/hosts of its own");
  };
}

}  // namespace hearsay::test
