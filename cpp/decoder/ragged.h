// Concatenated rows of numbers of different lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nlmt::decoder {

template <class Number>
class Ragged {
 public:
  struct Row {
    const Number* first;
    std::size_t length;
    const Number* begin() const { return first; }
    const Number* end() const { return first + length; }
  };

  template <class Numbers>
  void append(const Numbers& row) {
    numbers_.insert(numbers_.end(), row.begin(), row.end());
    starts_.push_back(static_cast<std::uint32_t>(numbers_.size()));
  }
  Row operator[](std::size_t row) const {
    return {numbers_.data() + starts_[row], starts_[row + 1] - starts_[row]};
  }

 private:
  std::vector<Number> numbers_;
  std::vector<std::uint32_t> starts_ = {0};  // and the end of the last one
};

}  // namespace nlmt::decoder
