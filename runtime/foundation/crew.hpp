#pragma once

#include <cstddef>
#include <functional>

namespace hearsay {

/// Threads that do the parts of a work side by side. Who uses a crew ends with the same bits whatever its
/// size.
class Crew {
 public:
  virtual ~Crew() = default;
  /// The number of threads, that of the caller among them.
  virtual std::size_t size() const = 0;
  /// Calls part(0), ..., part(size() - 1), each in a thread of its own, and returns when all calls have
  /// returned. If calls throw, throws again what the first of them, by number, has thrown.
  virtual void work(const std::function<void(std::size_t)>& part) = 0;
};

/// The thread of the caller alone.
class CrewOfOne final : public Crew {
 public:
  std::size_t size() const override { return 1; }
  void work(const std::function<void(std::size_t)>& part) override { part(0); }
};

/// Waking a thread takes longer than the arithmetic of fewer coordinates.
inline constexpr std::size_t worth_a_crew = std::size_t{1} << 14;

/// Calls action(0), ..., action(count - 1); each thread of the crew has consecutive ones. A thread whose call
/// throws makes no others. What the first of the failed calls has thrown is thrown again.
template <class Action>
void share_out(Crew& crew, std::size_t count, const Action& action) {
  crew.work([&](std::size_t part) {
    const std::size_t end = count * (part + 1) / crew.size();
    for (std::size_t k = count * part / crew.size(); k < end; ++k) action(k);
  });
}

}  // namespace hearsay
