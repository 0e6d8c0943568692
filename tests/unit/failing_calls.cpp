// A library to preload: the n-th call of one kind, in the code of nlmt, fails (fault_points.py).
//
// Of malloc and its like, and of mmap, only calls in our own modules (our code and that of KenLM,
// which one of them has) can fail: what others do without memory is not for us to test.
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <utility>

// The C library's own names for what this library replaces.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
}

namespace {

// The last one: what a thread allocates first, mostly before it has taken a task.
enum Kind { kAllocation, kThread, kOpen, kWrite, kRename, kSync, kFolderSync, kFirst, kKinds };
std::atomic<long> calls[kKinds];
std::atomic<bool> counting{false};
int failing_kind = -1;
long failing_call = 0;
thread_local bool has_allocated = false;

bool fails(Kind kind) { return counting && ++calls[kind] == failing_call && kind == failing_kind; }

// Whether code at an address is of a file whose path has this part.
bool is_in(const char* part, void* address) {
  Dl_info found;
  if (!counting || !dladdr(address, &found) || !found.dli_fname) return false;
  return strstr(found.dli_fname, part);
}
bool is_in_module(void* address) { return is_in("/nlmt/", address); }
// In a module, or in the C++ library in its service.
bool is_ours(void* address) { return is_in_module(address) || is_in("libstdc++", address); }

bool is_file(int handle) {
  struct stat status;
  const int before = errno;
  const bool file = fstat(handle, &status) == 0 && S_ISREG(status.st_mode);
  errno = before;
  return file && handle > 2;
}

template <class Function>
Function* next(const char* name, Function*) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}
#define NEXT(name) next(#name, &name)

// With Python's lock nanobind converts arguments, in functions that are noexcept and so would
// abort.
bool has_python() {
  static const auto check = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "PyGILState_Check"));
  return check && check();
}

bool gets_nothing() {
  if (has_python()) return false;
  const bool first = !std::exchange(has_allocated, true) && fails(kFirst);
  return fails(kAllocation) || first;
}

void* allocate(size_t size, void* caller) {
  if (is_ours(caller) && gets_nothing()) return nullptr;
  return __libc_malloc(size ? size : 1);
}

// Whether malloc or the like must fail for a caller.
bool refuses(void* caller) {
  if (!is_in_module(caller) || !gets_nothing()) return false;
  errno = ENOMEM;
  return true;
}

// Says where the program was when it aborted.
void show_stack(int) {
  void* frames[40];
  backtrace_symbols_fd(frames, backtrace(frames, 40), 2);
  signal(SIGABRT, SIG_DFL);
  raise(SIGABRT);
}

}  // namespace

extern "C" {

// Counts calls from now on; call number `call` of `kind` fails, none if that is -1.
void arm(int kind, long call) {
  failing_kind = kind;
  failing_call = call;
  signal(SIGABRT, show_stack);
  has_allocated = true;
  counting = true;
}
long counted(int kind) { return calls[kind]; }
void disarm() { counting = false; }

void* malloc(size_t size) {
  return refuses(__builtin_return_address(0)) ? nullptr : __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  return refuses(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
  return refuses(__builtin_return_address(0)) ? nullptr : __libc_realloc(memory, size);
}
void* mmap(void* place, size_t size, int access, int flags, int handle, off_t offset) {
  if (refuses(__builtin_return_address(0))) return MAP_FAILED;
  static const auto call = NEXT(mmap);
  return call(place, size, access, flags, handle, offset);
}
ssize_t write(int handle, const void* bytes, size_t size) {
  if (counting && is_file(handle) && fails(kWrite)) {
    errno = ENOSPC;
    return -1;
  }
  static const auto call = NEXT(write);
  return call(handle, bytes, size);
}
size_t fwrite(const void* bytes, size_t size, size_t count, FILE* file) {
  if (counting && is_file(fileno(file)) && fails(kWrite)) {
    errno = ENOSPC;
    return 0;
  }
  static const auto call = NEXT(fwrite);
  return call(bytes, size, count, file);
}
FILE* fopen(const char* path, const char* mode) {
  if (counting && mode[0] != 'r' && fails(kOpen)) {
    errno = EMFILE;
    return nullptr;
  }
  static const auto call = NEXT(fopen);
  return call(path, mode);
}
FILE* fopen64(const char* path, const char* mode) { return fopen(path, mode); }
int rename(const char* from, const char* to) {
  if (fails(kRename)) {
    errno = EIO;
    return -1;
  }
  static const auto call = NEXT(rename);
  return call(from, to);
}
int renameat(int from_folder, const char* from, int to_folder, const char* to) {
  if (fails(kRename)) {
    errno = EIO;
    return -1;
  }
  static const auto call = NEXT(renameat);
  return call(from_folder, from, to_folder, to);
}
int fsync(int handle) {
  if (counting && fails(is_file(handle) ? kSync : kFolderSync)) {
    errno = EIO;
    return -1;
  }
  static const auto call = NEXT(fsync);
  return call(handle);
}
int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  if (is_ours(__builtin_return_address(0)) && fails(kThread)) return EAGAIN;
  static const auto call = NEXT(pthread_create);
  return call(thread, attributes, run, argument);
}
}

void* operator new(size_t size) {
  if (void* memory = allocate(size, __builtin_return_address(0))) return memory;
  throw std::bad_alloc();
}
void* operator new[](size_t size) {
  if (void* memory = allocate(size, __builtin_return_address(0))) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, __builtin_return_address(0));
}
void operator delete(void* memory) noexcept { free(memory); }
void operator delete[](void* memory) noexcept { free(memory); }
void operator delete(void* memory, size_t) noexcept { free(memory); }
void operator delete[](void* memory, size_t) noexcept { free(memory); }
