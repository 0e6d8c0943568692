// Periodic calls out of long loops, which let Ctrl-C through.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>

namespace nlmt {

// Calls `poll`, which may throw, at every 65,536th call: of short steps, some milliseconds apart.
class Ticks {
 public:
  explicit Ticks(std::function<void()> poll) : poll_(std::move(poll)) {}
  void operator()() {
    if ((++ticks_ & 0xffff) == 0) poll_();
  }

 private:
  std::function<void()> poll_;
  std::uint64_t ticks_ = 0;
};

}  // namespace nlmt
