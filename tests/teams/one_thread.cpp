// The library is not compiled for the sanitizer, which therefore cannot see how the library's own threads wait for each
// other, but does see memory that they copy. Here they rest, also while a scene is built: the only threads are those of
// the teams.
#include <cstdlib>

namespace {

[[maybe_unused]] const int kSet = setenv("CAROM_THREADS", "1", 1);

}  // namespace
