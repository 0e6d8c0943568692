// Features and scores as Moses' extractor writes them.
#include "tuning/moses_data.h"

#include "errors.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Choice choice(data, size);
  try {
    tuning::parse_moses_data(choice.rest, choice.number & 1 ? "SCORES" : "FEATURES", "input");
  } catch (const InputError&) {
  }
  return 0;
}
