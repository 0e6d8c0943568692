// A phrase table and a reordering table that belong together, plain or gzip.
#include "decoder/reordering.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Choice choice(data, size);
  static const char* const kTypes[] = {"wbe-msd-bidirectional-fe-allff",
                                       "wbe-leftright-backward-f-collapseff"};
  const decoder::ReorderingType type(kTypes[choice.number & 1]);
  // The first part is the reordering table, so that the other may hold zero bytes.
  const fuzz::MemoryFile order(choice.part()), table(choice.rest);
  decoder::Vocabulary vocabulary;
  std::vector<std::string> warnings;
  try {
    const decoder::PhraseTable phrases({table.path(), "TM0", 2, true, true}, vocabulary, 1,
                                       warnings);
    const decoder::ReorderingTable reordering(order.path(), "LR0", type, {&phrases}, vocabulary, 1,
                                              warnings);
    for (std::size_t entry = 0; entry < phrases.size(); ++entry) reordering.scores(0, entry);
  } catch (const InputError&) {
  }
  return 0;
}
