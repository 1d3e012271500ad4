#include "bench/foreign_network.hpp"

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <deque>
#include <new>

#include "runtime/zmq/clock.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr const char* interface_name = "eth0";
constexpr std::size_t longest_frame = 1600;
constexpr int burst_frames = 8;
constexpr int frame_bytes = 1514;

/// Makes the interface in the namespace, and returns what its frames are read from and written to.
int open_interface(const NetworkNamespace& place) {
  const NamespaceVisit visit(place);
  const int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
  ensure(fd >= 0, "this machine has TAP interfaces");
  ifreq request{};
  std::strncpy(request.ifr_name, interface_name, IFNAMSIZ - 1);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  ensure(ioctl(fd, TUNSETIFF, &request) == 0, "root may make a TAP interface");
  return fd;
}

std::string hardware_address(PeerId id) {
  std::array<char, 18> text{};
  std::snprintf(text.data(), text.size(), "02:00:00:00:00:%02x", id);
  return text.data();
}

void set_up(const NetworkNamespace& place, PeerId id, const ForeignNetwork::Wire& wire) {
  place.run({"ip", "link", "set", interface_name, "addrgenmode", "none", "address", hardware_address(id)});
  place.run(
      {"ip", "address", "add", ForeignNetwork::address(id) + "/24", "dev", interface_name, "noprefixroute"});
  place.run({"ip", "link", "set", interface_name, "up"});
  place.run({"ip", "route", "add", "10.79.0.0/24", "dev", interface_name});
  place.run(
      {"tc", "qdisc", "add", "dev", interface_name, "root", "tbf", "rate",
       std::to_string(static_cast<std::uint64_t>(8.0 * wire.bandwidth.bytes_per_s)) + "bit", "burst",
       std::to_string(burst_frames * frame_bytes), "latency",
       std::to_string(std::chrono::duration_cast<std::chrono::microseconds>(wire.queue).count()) + "us"});
}

/// The process that passes frames on: the delay, and what each host's port receives, at its bandwidth and
/// from a queue that drops what does not fit.
class Passer {
 public:
  Passer(const std::vector<int>& interfaces, const std::vector<ForeignNetwork::Wire>& wires,
         std::atomic<std::uint64_t>& dropped)
      : wires_(wires), dropped_(dropped) {
    for (const int fd : interfaces) {
      ports_.push_back({fd, {}, Instant::min()});
      polled_.push_back({fd, POLLIN, 0});
    }
  }

  [[noreturn]] void pass_on() {
    for (;;) {
      wait();
      for (std::size_t from = 0; from < ports_.size(); ++from)
        if (polled_[from].revents != 0) read_all(from);
      for (Port& port : ports_) deliver(port, monotonic_now());
    }
  }

 private:
  struct Frame {
    Instant due;
    std::size_t length;
    std::array<std::byte, longest_frame> bytes;
  };
  struct Port {
    int fd;
    std::deque<Frame> frames;  // to it
    Instant free;              // when the last of them has come
  };

  void wait() {
    Instant next = Instant::max();
    for (const Port& port : ports_)
      if (!port.frames.empty()) next = std::min(next, port.frames.front().due);
    constexpr Duration most = std::chrono::milliseconds(900);
    const Instant now = monotonic_now();
    const Duration left = next > now + most ? most : std::max(next - now, Duration{0});
    const timespec patience{0, left.count()};
    ppoll(polled_.data(), polled_.size(), &patience, nullptr);
  }

  void read_all(std::size_t from) {
    Frame frame;
    for (;;) {
      const ssize_t length = read(ports_[from].fd, frame.bytes.data(), frame.bytes.size());
      if (length <= 0) return;
      frame.length = static_cast<std::size_t>(length);
      // The last byte of the receiver's address is its place; all others have a broadcast.
      const bool is_broadcast = frame.bytes[0] == std::byte{0xff};
      for (std::size_t to = 0; to < ports_.size(); ++to)
        if (is_broadcast ? to != from : frame.bytes[5] == std::byte(to)) queue(frame, from, to);
    }
  }

  void queue(Frame& frame, std::size_t from, std::size_t to) {
    Port& port = ports_[to];
    const ForeignNetwork::Wire& wire = wires_[to];
    const Instant come = monotonic_now() + (wires_[from].delay + wire.delay) / 2;
    if (port.free > come + wire.queue) {
      ++dropped_;
      return;
    }
    const double on_wire_s = static_cast<double>(frame.length) / wire.bandwidth.bytes_per_s;
    port.free = std::max(come, port.free) + Duration(static_cast<std::int64_t>(1e9 * on_wire_s));
    frame.due = port.free;
    port.frames.push_back(frame);
  }

  static void deliver(Port& port, Instant now) {
    for (; !port.frames.empty() && port.frames.front().due <= now; port.frames.pop_front())
      if (write(port.fd, port.frames.front().bytes.data(), port.frames.front().length) < 0) continue;
  }

  const std::vector<ForeignNetwork::Wire>& wires_;
  std::atomic<std::uint64_t>& dropped_;
  std::vector<Port> ports_;
  std::vector<pollfd> polled_;
};

}  // namespace

ForeignNetwork::ForeignNetwork(const std::vector<Wire>& wires) : hosts_(wires.size()) {
  std::vector<int> interfaces;
  for (const NetworkNamespace& place : hosts_) interfaces.push_back(open_interface(place));
  for (PeerId id = 0; id < wires.size(); ++id) set_up(hosts_[id], id, wires[id]);
  void* const shared =
      mmap(nullptr, sizeof *dropped_on_arrival_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ensure(shared != MAP_FAILED, "a page is to be had");
  dropped_on_arrival_ = new (shared) std::atomic<std::uint64_t>(0);
  std::fflush(nullptr);
  passer_ = fork();
  ensure(passer_ >= 0, "one more process is to be had");
  if (passer_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_TIMERSLACK, 1);
    const sched_param before_all_others{1};
    sched_setscheduler(0, SCHED_FIFO, &before_all_others);
    Passer(interfaces, wires, *dropped_on_arrival_).pass_on();
  }
  for (const int fd : interfaces) close(fd);
}

ForeignNetwork::~ForeignNetwork() {
  kill(passer_, SIGKILL);
  waitpid(passer_, nullptr, 0);
  munmap(dropped_on_arrival_, sizeof *dropped_on_arrival_);
}

bool ForeignNetwork::set_congestion_control(const std::string& name) const {
  return std::ranges::all_of(hosts_, [&](const NetworkNamespace& place) {
    return place.succeeds({"ip", "route", "replace", "10.79.0.0/24", "dev", interface_name, "congctl", name});
  });
}

std::uint64_t ForeignNetwork::dropped() const {
  std::uint64_t sum = *dropped_on_arrival_;
  for (const NetworkNamespace& place : hosts_) {
    const std::string said = place.run({"tc", "-s", "qdisc", "show", "dev", interface_name});
    const std::size_t at = said.find("(dropped ");
    if (at != said.npos) sum += std::stoull(said.substr(at + 9));
  }
  return sum;
}

}  // namespace hearsay
