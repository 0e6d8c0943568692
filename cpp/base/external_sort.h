// Sorting of more records than memory holds: sorted runs in temporary files, merged at the end.
//
//   ExternalSort sort(folder, 1 << 30, poll);
//   sort.add(record);                                         // any bytes
//   sort.start();
//   while (sort.next(record)) ...                             // in the order of their bytes
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

#include "spool.h"
#include "ticks.h"

namespace nlmt {

class ExternalSort {
 public:
  // All calls may call `poll`, which may throw.
  ExternalSort(std::string folder, std::size_t memory, std::function<void()> poll)
      : folder_(std::move(folder)), memory_(memory), tick_(std::move(poll)) {}

  void add(std::string_view record) {
    if (!records_.empty() &&
        bytes_.size() + record.size() + (records_.size() + 1) * sizeof(Place) > memory_) {
      end_run();
    }
    records_.push_back({bytes_.size(), record.size()});
    bytes_.append(record);
  }

  // Nothing can be added afterwards; `next` then returns the records.
  void start() {
    if (runs_.empty()) {
      sort_records();
      return;
    }
    end_run();
    bytes_.shrink_to_fit();
    records_.shrink_to_fit();
    begin_merge();
  }

  bool next(std::string& record) {
    tick_();
    if (runs_.empty()) {
      if (given_ == records_.size()) return false;
      record.assign(view(records_[given_++]));
      return true;
    }
    return next_merged(record);
  }

 private:
  struct Place {
    std::size_t begin, size;
  };
  struct Head {
    std::string record;
    Spool* run;
    bool operator<(const Head& other) const { return record > other.record; }
  };

  std::string_view view(Place place) const { return {bytes_.data() + place.begin, place.size}; }

  void sort_records() {
    std::sort(records_.begin(), records_.end(), [this](Place a, Place b) {
      tick_();
      return view(a) < view(b);
    });
  }

  void write(Spool& run, std::string_view record) {
    tick_();
    const std::uint64_t size = record.size();
    run.append(&size, sizeof size);
    run.append(record.data(), record.size());
  }

  static bool read(Spool& run, std::string& record) {
    std::uint64_t size;
    if (!run.read(&size, sizeof size)) return false;
    record.resize(size);
    return run.read(record.data(), size);
  }

  void end_run() {
    sort_records();
    if (runs_.size() == kMostRuns) merge_runs();
    auto run = std::make_unique<Spool>(folder_, kPiece);
    for (const Place place : records_) write(*run, view(place));
    runs_.push_back(std::move(run));
    records_.clear();
    bytes_.clear();
  }

  void merge_runs() {
    begin_merge();
    auto merged = std::make_unique<Spool>(folder_, kPiece);
    for (std::string record; next_merged(record);) write(*merged, record);
    runs_.clear();
    runs_.push_back(std::move(merged));
  }

  void begin_merge() {
    for (const auto& run : runs_) {
      run->rewind();
      Head head{{}, run.get()};
      if (read(*run, head.record)) heads_.push(std::move(head));
    }
  }

  bool next_merged(std::string& record) {
    if (heads_.empty()) return false;
    // The queue returns its top only as a constant, but it is popped at once.
    Head head = std::move(const_cast<Head&>(heads_.top()));
    heads_.pop();
    record.swap(head.record);
    if (read(*head.run, head.record)) heads_.push(std::move(head));
    return true;
  }

  static constexpr std::size_t kMostRuns = 64;  // each is an open file
  static constexpr std::size_t kPiece = 1 << 16;

  std::string folder_;
  std::size_t memory_;
  Ticks tick_;
  std::string bytes_;
  std::vector<Place> records_;
  std::size_t given_ = 0;
  std::vector<std::unique_ptr<Spool>> runs_;
  std::priority_queue<Head> heads_;
};

}  // namespace nlmt
