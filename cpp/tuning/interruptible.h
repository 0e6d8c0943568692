// Long work that Ctrl-C can end.
#pragma once

#include <atomic>
#include <chrono>
#include <future>

#include "python.h"

namespace nlmt::tuning {

// Calls work(stop) in another thread, while this one watches for Ctrl-C and then sets `stop`.
// Rethrows its exceptions.
template <typename Work>
auto interruptibly(const Work& work) {
  std::atomic<bool> stop{false};
  std::future<decltype(work(stop))> result;
  {
    nb::gil_scoped_release release;
    result = std::async(std::launch::async, [&] { return work(stop); });
    while (result.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready) {
      if (stop) continue;
      nb::gil_scoped_acquire acquire;
      stop = PyErr_CheckSignals() != 0;
    }
  }
  if (stop) throw nb::python_error();
  return result.get();
}

}  // namespace nlmt::tuning
