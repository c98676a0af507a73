// libpng reports errors by longjmp, which skips destructors: what is between setjmp and its calls are plain pointers,
// and what they point to belongs to the caller.
#include "io/mjcf/png_heights.h"

#include <png.h>

#include <algorithm>
#include <csetjmp>
#include <cstring>

#include "base/fail.h"

namespace carom::inline CAROM_PRECISION {

namespace {

struct PngReading {
  const std::string& content;
  std::size_t place = 0;
  std::string error{};
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_byte> bytes{};
  std::vector<png_bytep> rows{};

  explicit PngReading(const std::string& from) : content(from) {}
  PngReading(const PngReading&) = delete;
  PngReading& operator=(const PngReading&) = delete;
  ~PngReading() { png_destroy_read_struct(&png, &info, nullptr); }
};

void read_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& reading = *static_cast<PngReading*>(png_get_io_ptr(png));
  if (count > reading.content.size() - reading.place) png_error(png, "the file ends too soon");
  std::memcpy(to, reading.content.data() + reading.place, count);
  reading.place += count;
}

[[noreturn]] void keep_error(png_structp png, png_const_charp message) {
  static_cast<PngReading*>(png_get_error_ptr(png))->error = message;
  png_longjmp(png, 1);
}
void ignore_warning(png_structp, png_const_charp) {}

bool read_header(PngReading& reading) {
  if (setjmp(png_jmpbuf(reading.png))) return false;
  png_read_info(reading.png, reading.info);
  // Eight bits a channel, and colours in place of numbers in a palette.
  png_set_palette_to_rgb(reading.png);
  png_set_expand_gray_1_2_4_to_8(reading.png);
  png_set_strip_16(reading.png);
  png_set_interlace_handling(reading.png);
  png_read_update_info(reading.png, reading.info);
  return true;
}

bool read_pixels(PngReading& reading) {
  if (setjmp(png_jmpbuf(reading.png))) return false;
  png_read_image(reading.png, reading.rows.data());
  return true;
}

void open_png(PngReading& reading, const std::string& where) {
  reading.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reading, keep_error, ignore_warning);
  if (reading.png) reading.info = png_create_info_struct(reading.png);
  if (!reading.info) fail(where, "libpng does not start");
  png_set_read_fn(reading.png, &reading, read_bytes);
  // Texts and profiles inside are not wanted, and must not unpack to much.
  constexpr png_uint_32 kMostSide = 1 << 26;
  png_set_user_limits(reading.png, kMostSide, kMostSide);
  png_set_chunk_cache_max(reading.png, 100);
  png_set_chunk_malloc_max(reading.png, 1 << 20);
}

}  // namespace

Heights read_png_heights(const std::string& content, std::int64_t most, const std::string& where) {
  PngReading reading(content);
  open_png(reading, where);
  if (!read_header(reading)) fail(where, "not a PNG file: ", reading.error);
  Heights heights{png_get_image_height(reading.png, reading.info), png_get_image_width(reading.png, reading.info), {}};
  if (heights.rows * heights.columns > most)
    fail(where, "has ", heights.rows, " x ", heights.columns, " pixels, more than ", most);
  const std::size_t row_bytes = png_get_rowbytes(reading.png, reading.info);
  const std::size_t channels = png_get_channels(reading.png, reading.info);
  const auto rows = static_cast<std::size_t>(heights.rows), columns = static_cast<std::size_t>(heights.columns);
  reading.bytes.resize(rows * row_bytes);
  for (std::size_t i = 0; i < rows; ++i) reading.rows.push_back(reading.bytes.data() + i * row_bytes);
  if (!read_pixels(reading)) fail(where, "not a PNG file: ", reading.error);
  heights.numbers.reserve(rows * columns);
  for (std::size_t i = rows; i-- > 0;)
    for (std::size_t k = 0; k < columns; ++k) heights.numbers.push_back(reading.rows[i][k * channels]);
  return heights;
}

}  // namespace carom::inline CAROM_PRECISION
