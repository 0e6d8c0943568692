// Long work that Ctrl-C can end.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace nlmt::tuning {

// Calls work(stop) in another thread, while this one watches for Ctrl-C and then sets `stop`.
template <typename Work>
auto interruptibly(const Work& work) {
  std::atomic<bool> stop{false};
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;
  decltype(work(stop)) result;
  {
    nanobind::gil_scoped_release release;
    std::thread worker([&] {
      auto found = work(stop);
      const std::lock_guard<std::mutex> lock(mutex);
      result = std::move(found);
      done = true;
      finished.notify_one();
    });
    std::unique_lock<std::mutex> lock(mutex);
    while (!finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) {
      if (stop) continue;
      lock.unlock();
      {
        nanobind::gil_scoped_acquire acquire;
        stop = PyErr_CheckSignals() != 0;
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (stop) throw nanobind::python_error();
  return result;
}

}  // namespace nlmt::tuning
