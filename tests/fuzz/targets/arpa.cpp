// An n-gram model in ARPA format, read by KenLM; its binary files are not for strangers.
#include "decoder/language_model.h"
#include "errors.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.substr(0, 7) == "mmap lm") return 0;
  const fuzz::MemoryFile file(data, size);
  try {
    const decoder::KenLm model(file.path());
    model.printed_score(model.begin(), model.prepare({model.find("the"), model.find("dog")}, 0),
                        true);
  } catch (const InputError&) {
  }
  return 0;
}
