// A run of word ids: a hypothesis or a reference.
#pragma once

#include <cstdint>
#include <vector>

namespace nlmt::evaluation {

struct Words {
  const int32_t* first;
  int64_t size;
};

// All references of a sentence.
using References = std::vector<Words>;

}  // namespace nlmt::evaluation
