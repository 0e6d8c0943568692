// Work on several threads.

#pragma once

#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

namespace nlmt {

// Calls `work(i)` for each i below `count`, on `threads` threads; rethrows an exception, after
// which no further call begins.
template <class Work>
void for_each(size_t count, unsigned threads, Work work) {
  std::atomic<size_t> next{0};
  std::vector<std::future<void>> running;
  const auto run = [&] {
    try {
      for (size_t i; (i = next++) < count;) work(i);
    } catch (...) {
      next = count;
      throw;
    }
  };
  for (unsigned t = 1; t < threads && t < count; ++t) {
    running.push_back(std::async(std::launch::async, run));
  }
  run();
  for (auto& one : running) one.get();
}

}  // namespace nlmt
