// Files of the decoder's results.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

#include "files.h"

namespace nlmt::decoder {

// A file written in pieces, which the threads that make them compress if it is compressed.
struct Writer : OutputFile {
  Writer(std::string path, bool compressed) : OutputFile(std::move(path)), compressed(compressed) {}

  bool compressed;
};

// Writes a file of a folder under a temporary name, of the form that nlmt.io.files gives, then
// renames it. Raises SystemError.
inline void write_file(const std::string& folder, const std::string& name,
                       const std::string& content) {
  const std::string path = folder + "/" + name;
  const std::string temporary = folder + "/." + std::to_string(getpid()) + "-00000000." + name;
  try {
    OutputFile file(temporary);
    file.write(content);
    file.close();
    write_to_disk(temporary);
    if (std::rename(temporary.c_str(), path.c_str()) != 0) throw SystemError(path);
    write_to_disk(folder);
  } catch (...) {
    std::remove(temporary.c_str());
    throw;
  }
}

}  // namespace nlmt::decoder
