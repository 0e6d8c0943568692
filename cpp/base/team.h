// Threads that share numbered tasks. The assignment of tasks to threads is arbitrary: a task must
// only write data that no other task of the same round touches, so that the result does not depend
// on scheduling.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace nlmt {

constexpr int64_t kBlock = 48;  // rows of a block, which go through products together

// Rounds of several tasks, seconds of all their tasks, and seconds that a team of threads would
// take, each of which takes the next task when it is free.
struct Rehearsal {
  int64_t rounds = 0;
  double tasks = 0, dealt = 0;
};

class Team {
 public:
  explicit Team(int threads) : size_(std::max(threads, 1)) {
    try {
      for (int i = 1; i < threads; ++i) workers_.emplace_back([this, i] { work(i); });
    } catch (...) {  // the system may refuse to start a thread
      end();
      throw;
    }
  }
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team() { end(); }

  int size() const { return size_; }

  // From now on the calling thread runs all tasks, and counts how long those of the team would
  // take. Returns what it counted since it was called last.
  Rehearsal rehearse() {
    end();
    workers_.clear();
    return std::exchange(rehearsal_, Rehearsal()).value_or(Rehearsal());
  }

  // Blocks of at most `most` of n rows, equally many for each thread; with few rows some are empty.
  int64_t even_blocks(int64_t n, int64_t most) const {
    const int64_t threads = size();
    return ((n + most - 1) / most + threads - 1) / threads * threads;
  }

  // Runs task(begin, end, thread) for each block of n rows, as each() does.
  template <class Task>
  void each_block(int64_t n, Task task) {
    each((n + kBlock - 1) / kBlock, [&](int64_t block, int thread) {
      task(block * kBlock, std::min((block + 1) * kBlock, n), thread);
    });
  }

  // The same in blocks that are small enough for all threads to have some, and of whole tiles of
  // products. The blocks depend on the number of threads, so a row's result must not depend on its
  // block.
  template <class Task>
  void each_even_block(int64_t n, Task task) {
    constexpr int64_t kTile = 6, kLeast = 16;  // fewer rows are not worth another thread
    const int64_t fair = n / std::max<int64_t>(even_blocks(n, kBlock), 1);
    const int64_t rows = n <= kLeast ? kLeast : std::min(kBlock, (fair / kTile + 1) * kTile);
    each((n + rows - 1) / rows,
         [&](int64_t i, int thread) { task(i * rows, std::min((i + 1) * rows, n), thread); });
  }

  // Adds serial work to the next round, which begins with it: other threads need not wait for it.
  void beside(std::function<void()> work) { beside_.push_back(std::move(work)); }

  // Runs task(i, thread) for every i below n and returns when all are done. Rethrows the first
  // exception, after which no further task begins.
  void each(int64_t n, const std::function<void(int64_t, int)>& task) {
    if (const auto works = std::exchange(beside_, {}); !works.empty()) {
      const auto before = static_cast<int64_t>(works.size());
      each(before + n, [&](int64_t i, int thread) {
        if (i < before) {
          works[i]();
        } else {
          task(i - before, thread);
        }
      });
      return;
    }
    if (rehearsal_ && n > 1) {
      rehearse_round(n, task);
      return;
    }
    if (workers_.empty() || n <= 1) {
      for (int64_t i = 0; i < n; ++i) task(i, 0);
      return;
    }
    task_ = &task;
    count_ = n;
    next_.store(0, std::memory_order_relaxed);
    begin_round(kOpen);
    take(0);
    round_.fetch_and(~kOpen);
    const auto done = [this] { return (round_.load() & kInside) == 0; };
    look(done);
    if (!done()) {
      std::unique_lock<std::mutex> lock(mutex_);
      done_.wait(lock, done);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  void rehearse_round(int64_t n, const std::function<void(int64_t, int)>& task) {
    using Clock = std::chrono::steady_clock;
    std::vector<double> busy(size_);  // seconds of each thread
    for (int64_t i = 0; i < n; ++i) {
      const auto begin = Clock::now();
      task(i, 0);
      const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
      *std::min_element(busy.begin(), busy.end()) += seconds;
      rehearsal_->tasks += seconds;
    }
    rehearsal_->dealt += *std::max_element(busy.begin(), busy.end());
    ++rehearsal_->rounds;
  }

  // Threads that still look for a round see it without a lock; only sleeping ones are woken. Either
  // they see the new round before they sleep, or they are seen here.
  void begin_round(uint64_t open) {
    round_.store((round_.load() / kRound + 1) * kRound + open);
    if (sleeping_.load() == 0) return;
    std::lock_guard<std::mutex> lock(mutex_);
    wake_.notify_all();
  }

  void end() {
    stop_ = true;
    begin_round(0);
    for (auto& worker : workers_) worker.join();
  }

  // Rounds follow each other closely: spins briefly, then sleeps; endless spinning would starve
  // busy threads.
  template <class Ready>
  static void look(Ready ready) {
    for (int i = 0; i < 500 && !ready(); ++i) std::this_thread::yield();
  }

  void take(int thread) {
    try {
      for (int64_t i; (i = next_.fetch_add(1, std::memory_order_relaxed)) < count_;) {
        (*task_)(i, thread);
      }
    } catch (...) {
      next_.store(count_, std::memory_order_relaxed);
      std::lock_guard<std::mutex> lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
  }

  void work(int thread) {
    uint64_t seen = 0;
    for (;;) {
      const auto begun = [&] { return round_.load() / kRound != seen; };
      look(begun);
      if (!begun()) {
        std::unique_lock<std::mutex> lock(mutex_);
        ++sleeping_;
        wake_.wait(lock, begun);
        --sleeping_;
      }
      if (stop_) return;
      uint64_t found = round_.load();
      while ((found & kOpen) != 0 && !round_.compare_exchange_weak(found, found + 1)) continue;
      seen = found / kRound;
      if ((found & kOpen) == 0) continue;  // the others have done it
      take(thread);
      if ((round_.fetch_sub(1) & (kOpen | kInside)) == 1) {  // the last one, and awaited
        std::lock_guard<std::mutex> lock(mutex_);
        done_.notify_one();
      }
    }
  }

  // A round's number, whether threads may still join it, and how many are inside. The caller waits
  // for these alone: a thread that has no processor when a round begins does not hold it up.
  static constexpr uint64_t kInside = 0xffff, kOpen = kInside + 1, kRound = 2 * kOpen;

  const int size_;
  std::vector<std::thread> workers_;
  std::optional<Rehearsal> rehearsal_;
  std::vector<std::function<void()>> beside_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<uint64_t> round_{0};
  std::atomic<int64_t> next_{0};
  std::atomic<int> sleeping_{0};
  int64_t count_ = 0;
  const std::function<void(int64_t, int)>* task_ = nullptr;
  std::exception_ptr error_;  // the first of this round
  std::atomic<bool> stop_{false};
};

// Calls work(i) for each i below `count` on up to `threads` threads.
template <class Work>
void for_each(size_t count, unsigned threads, const Work& work) {
  Team team(static_cast<int>(std::min<size_t>(count, threads)));
  team.each(static_cast<int64_t>(count), [&](int64_t i, int) { work(static_cast<size_t>(i)); });
}

}  // namespace nlmt
