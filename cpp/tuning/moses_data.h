// The feature and score files that Moses' extractor writes and its mert reads.
//
//   FEATURES_TXT_BEGIN_0 <sentence> <rows> <columns> <name> ... <name>
//   <number> ... <number>                                            (rows times)
//   FEATURES_TXT_END_0
//
// and the same with SCORES_TXT_..., where the one name is that of the metric.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nlmt::tuning {

struct MosesData {
  std::string names;  // the first header's, separated by single spaces
  int64_t columns = 0;
  std::vector<int64_t> sentence;  // of each block
  std::vector<int64_t> offsets;   // blocks + 1: the block's rows
  std::vector<double> values;     // row-major
};

// kind: FEATURES or SCORES. Throws InputError with `path`, from which the text is.
MosesData parse_moses_data(std::string_view text, const std::string& kind, const std::string& path);

}  // namespace nlmt::tuning
