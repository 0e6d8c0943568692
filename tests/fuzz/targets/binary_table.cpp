// A binary table: all of its words, source phrases and translations.
#include "../../../cpp/decoder/binary_table.h"

#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  try {
    const decoder::BinaryTable table(file.path());
    for (std::size_t id = 0; id < std::min<std::size_t>(table.size(), 100); ++id) {
      table.find(table.word(static_cast<decoder::WordId>(id)));
    }
    for (std::uint32_t node = 0; node < std::min<std::size_t>(table.nodes(), 100); ++node) {
      table.check(node);
      for (decoder::WordId word = 0; word < 4; ++word) table.child(node, word);
    }
  } catch (const decoder::InputError&) {
  }
  return 0;
}
