// An aligned bitext and its lexical probabilities: source, target and links by turns.
#include "phrases/bitext.h"

#include "memory_file.h"
#include "phrases/lexicon.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Choice choice(data, size);
  phrases::EncodedBitext bitext("/tmp", 1 << 20);
  while (!choice.rest.empty()) {
    const std::string_view source = choice.part(), target = choice.part(), links = choice.part();
    try {
      bitext.add(source, target, links);
    } catch (const std::invalid_argument&) {
      return 0;
    }
  }
  bitext.finish();
  phrases::SentencePair pair;
  for (bitext.rewind(); bitext.next(pair);) {
  }
  const phrases::Lexicon lexicon(bitext, 1 << 20, [] {});
  for (const bool inverse : {false, true}) {
    lexicon.format(bitext, inverse, 0, lexicon.size(), [] {});
  }
  return 0;
}
