// A line of input with tags, and the type of a reordering table.
#include "decoder/markup.h"

#include "decoder/reordering.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    decoder::Markup markup = decoder::parse_markup(text, "input", 1);
    decoder::add_punctuation_walls({text, markup.text}, markup.walls);
  } catch (const InputError&) {
  }
  try {
    decoder::ReorderingType{text};
  } catch (const InputError&) {
  }
  return 0;
}
