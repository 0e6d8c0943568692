// Lines of a phrase or reordering table.
#include "decoder/table_block.h"
#include "memory_file.h"

using namespace nlmt;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::Choice choice(data, size);
  const decoder::TableFormat format{"table", "TM0", 1 + choice.number % 4, choice.number < 128,
                                    choice.number % 8 < 4};
  const decoder::LineBlock block{std::string(choice.rest), 1, 1};
  try {
    decoder::check_text(block, format.path);
    decoder::parse_table_block(block, format);
  } catch (const InputError&) {
  }
  return 0;
}
