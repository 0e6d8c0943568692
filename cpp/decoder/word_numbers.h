// The numbers that a language model has for the words of the tables, looked up when needed.
#pragma once

#include <cstdlib>
#include <functional>
#include <memory>
#include <new>

#include "vocabulary.h"

namespace nlmt::decoder {

// Number is an integer below 2^32 - 1. A mapped table may have millions of words, of which a run
// uses a few thousand; the array takes memory only where it is touched.
template <class Number>
class WordNumbers {
 public:
  WordNumbers(std::size_t words, std::function<Number(WordId)> find)
      : find_(std::move(find)),
        numbers_(static_cast<std::uint32_t*>(std::calloc(words + 1, sizeof(std::uint32_t)))) {
    if (!numbers_) throw std::bad_alloc();
  }

  Number operator[](WordId word) const {
    // Threads that find the same number at once write the same value.
    std::uint32_t& known = numbers_.get()[word];
    std::uint32_t number = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (!number) {
      number = static_cast<std::uint32_t>(find_(word)) + 1;
      __atomic_store_n(&known, number, __ATOMIC_RELAXED);
    }
    return static_cast<Number>(number - 1);
  }

 private:
  struct Free {
    void operator()(std::uint32_t* memory) const { std::free(memory); }
  };

  std::function<Number(WordId)> find_;
  std::unique_ptr<std::uint32_t, Free> numbers_;
};

}  // namespace nlmt::decoder
