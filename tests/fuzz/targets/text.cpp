// A text whose words are counted, on disk where there are many, and numbered.
#include "neural/data/texts.h"

#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  try {
    neural::WordCounts counts("/tmp", size % 16 ? 1 << 20 : 3, [] {});
    counts.read(file.path());
    std::vector<std::string> words{"<unk>", "<s>", "</s>"};
    for (const auto& [word, count] : counts.finish(2)) words.push_back(word);
    neural::TextReader reader(file.path(), words);
    while (!reader.read(8, [] {}).empty()) {
    }
  } catch (const InputError&) {
  }
  return 0;
}
