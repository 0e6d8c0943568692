// A binary table: its words and source phrases, the tuples of its translations, and the whole
// check.
#include "decoder/binary_table.h"

#include "memory_file.h"
#include "tuples/unfolding.h"

using namespace nlmt;

namespace {

// Unfolds the translations of a source phrase, as a search with a language model of tuples does,
// and those of phrases that begin with it.
void unfold(const decoder::BinaryTable& table, std::uint32_t node, std::int32_t length) {
  if (node == decoder::BinaryTable::kNone || length > 3) return;
  const auto [first, last] = table.entries(node);
  table.check(node, static_cast<std::size_t>(length));
  const auto* entries = table.file().data<decoder::TableEntry>(decoder::kEntries);
  const auto* pool = table.file().data<decoder::WordId>(decoder::kPool);
  for (std::size_t i = first; i < std::min(last, first + 100); ++i) {
    const decoder::WordId* words = pool + entries[i].position;
    const auto* points =
        reinterpret_cast<const decoder::AlignmentPoint*>(words + entries[i].length);
    std::vector<std::int32_t> links;
    for (std::size_t p = 0; p < entries[i].alignment_points; ++p) {
      links.insert(links.end(), {points[p].source, points[p].target});
    }
    tuples::Unfolding().run(length, static_cast<std::int32_t>(entries[i].length), links.data(),
                            static_cast<std::int64_t>(links.size() / 2));
  }
  for (decoder::WordId word = 0; word < 4; ++word) {
    unfold(table, table.child(node, word), length + 1);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::MemoryFile file(data, size);
  try {
    const decoder::BinaryTable table(file.path());
    for (std::size_t id = 0; id < std::min<std::size_t>(table.size(), 100); ++id) {
      table.find(table.word(static_cast<decoder::WordId>(id)));
    }
    for (decoder::WordId word = 0; word < 4; ++word) unfold(table, table.child(0, word), 1);
    table.check_all([] {});
  } catch (const InputError&) {
  }
  return 0;
}
