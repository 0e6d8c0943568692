// Two n-best lists of the same sentences joined and sorted, with totals computed again.
#include "io/nbest_reader.h"
#include "io/nbest_rewriter.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Choice choice(data, size);
  const fuzz::MemoryFile first(choice.part()), second(choice.part()), output("");
  io::Rewriting rewriting{};
  rewriting.first = choice.number % 8;
  rewriting.sorted = choice.number & 8;
  rewriting.distinct = choice.number & 16;
  rewriting.size = 2;
  try {
    const std::int64_t width = io::NbestReader(first.path(), false).layout().width();
    if (choice.number & 64) rewriting.weights.assign(width, 0.5);
    io::rewrite_nbest({first.path(), second.path()}, output.path(), rewriting, [] {});
  } catch (const InputError&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
