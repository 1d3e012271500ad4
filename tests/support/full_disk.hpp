#pragma once

#include <sys/resource.h>

#include <csignal>

namespace hearsay::test {

/// Limits the size of every file that this process writes, as a full disk would.
class FullDisk {
 public:
  explicit FullDisk(rlim_t most_bytes) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit tight{most_bytes, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &tight);
  }
  ~FullDisk() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit limit_{};
  void (*before_)(int);
};

}  // namespace hearsay::test
