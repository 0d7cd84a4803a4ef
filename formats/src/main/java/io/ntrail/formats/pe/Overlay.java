package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.DataDirectory.Range;

/**
 * Data after the image in its file: archives of installers, or old debug information. Sections,
 * COFF symbols and certificates are not part of it.
 *
 * @param offset its offset in the file
 * @param size its bytes, 0 if there is none
 */
public record Overlay(long offset, long size) {
  private static final int SYMBOL = 18;

  /** Returns the overlay of an image; an image from memory has none. */
  public static Overlay of(PeImage image) {
    InputFile file = image.file().orElse(null);
    if (file == null) {
      return new Overlay(0, 0);
    }
    long begin = image.headers().sizeOfHeaders();
    for (Section section : image.sections()) {
      if (section.rawOffset() != 0 && section.rawSize() != 0) {
        begin = Math.max(begin, section.rawOffset() + section.rawSize());
      }
    }
    begin = Math.min(Math.max(begin, symbolsEnd(image, file)), file.size());
    Range certificates = image.directory(DataDirectory.CERTIFICATE);
    long end =
        certificates.isPresent() && certificates.rva() >= begin
            ? Math.min(certificates.rva(), file.size())
            : file.size();
    if (end < file.size() && certificates.rva() + certificates.size() < file.size()) {
      // Something follows the certificates too: all of it is reported, and nothing in two pieces.
      end = file.size();
    }
    return new Overlay(begin, end - begin);
  }

  /**
   * Returns the end of the symbols: their long names follow them, whose first word is their size.
   */
  private static long symbolsEnd(PeImage image, InputFile file) {
    long at = image.headers().symbolTableOffset();
    long names = at + SYMBOL * image.headers().symbolCount();
    if (at == 0 || names + 4 > file.size()) {
      return 0;
    }
    return Math.min(file.size(), names + file.window(names, 4).u32(0));
  }
}
