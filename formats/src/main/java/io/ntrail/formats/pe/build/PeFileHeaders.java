package io.ntrail.formats.pe.build;

import io.ntrail.formats.pe.Checksum;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.DataDirectory.Range;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.Section;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes the headers of an image that is being built into the first bytes of its file. */
final class PeFileHeaders {
  /** The 16-bit program: prints the text after it, and exits. */
  private static final int[] DOS_CODE = {
    0x0E, 0x1F, 0xBA, 0x0E, 0x00, 0xB4, 0x09, 0xCD, 0x21, 0xB8, 0x01, 0x4C, 0xCD, 0x21
  };

  private static final int LINKER_MAJOR = 14;

  private final byte[] file;
  private final int pe;
  private final int optional;
  private final boolean wide;

  PeFileHeaders(byte[] file, int pe, boolean wide) {
    this.file = file;
    this.pe = pe;
    this.optional = pe + PeHeaders.FILE_HEADER;
    this.wide = wide;
  }

  private void put(int at, int width, long value) {
    for (int i = 0; i < width; i++) {
      file[at + i] = (byte) (value >>> 8 * i);
    }
  }

  private void u16(int at, long value) {
    put(at, 2, value);
  }

  private void u32(int at, long value) {
    put(at, 4, value);
  }

  void dos(String message, byte[] rich) {
    u16(0, 0x5A4D);
    // How long the 16-bit program is: bytes of the last block of 512, blocks; then what it needs.
    u16(2, 0x90);
    u16(4, 3);
    u16(8, 4);
    u16(0xC, 0xFFFF);
    u16(0x10, 0xB8);
    u16(0x18, 0x40);
    u32(0x3C, pe);
    for (int i = 0; i < DOS_CODE.length; i++) {
      file[0x40 + i] = (byte) DOS_CODE[i];
    }
    byte[] text = message.getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, file, 0x40 + DOS_CODE.length, text.length);
    System.arraycopy(rich, 0, file, 0x80, rich.length);
  }

  void file(int machine, int sections, long timestamp, int characteristics) {
    u32(pe, 0x4550);
    u16(pe + 4, machine);
    u16(pe + 6, sections);
    u32(pe + 8, timestamp);
    u16(pe + 20, wide ? 240 : 224);
    u16(pe + 22, characteristics);
  }

  void optional(
      long base,
      long entry,
      int sectionAlignment,
      int fileAlignment,
      int subsystem,
      int dllCharacteristics) {
    u16(optional, wide ? PeHeaders.PE32_PLUS : PeHeaders.PE32);
    file[optional + 2] = LINKER_MAJOR;
    u32(optional + 16, entry);
    if (wide) {
      put(optional + 24, 8, base);
    } else {
      u32(optional + 28, base);
    }
    u32(optional + 32, sectionAlignment);
    u32(optional + 36, fileAlignment);
    u16(optional + 40, 6);
    u16(optional + 48, 6);
    u16(optional + 68, subsystem);
    u16(optional + 70, dllCharacteristics);
    int word = wide ? 8 : 4;
    put(optional + 72, word, 0x10_0000);
    put(optional + 72 + word, word, 0x1000);
    put(optional + 72 + 2 * word, word, 0x10_0000);
    put(optional + 72 + 3 * word, word, 0x1000);
    u32(optional + 72 + 4 * word + 4, DataDirectory.values().length);
  }

  void sizes(PeLayout layout, List<PeBuilder.Piece> pieces) {
    long code = 0;
    long data = 0;
    long zeros = 0;
    long firstCode = 0;
    long firstData = 0;
    for (PeBuilder.Piece piece : pieces) {
      PeLayout.At at = layout.at(piece.part());
      if ((piece.characteristics() & Section.CODE) != 0) {
        code += at.stored();
        firstCode = firstCode == 0 ? at.rva() : firstCode;
      } else {
        data += at.stored();
        zeros += piece.part().reserved();
        firstData = firstData == 0 ? at.rva() : firstData;
      }
    }
    u32(optional + 4, code);
    u32(optional + 8, data);
    u32(optional + 12, zeros);
    u32(optional + 20, firstCode);
    if (!wide) {
      u32(optional + 24, firstData);
    }
    u32(optional + 56, layout.imageSize());
    u32(optional + 60, layout.headerSize());
  }

  void directory(DataDirectory directory, Range range) {
    int at = optional + (wide ? 112 : 96) + 8 * directory.ordinal();
    u32(at, range.rva());
    u32(at + 4, range.size());
  }

  void sections(int table, PeLayout layout, List<PeBuilder.Piece> pieces) {
    int at = table;
    for (PeBuilder.Piece piece : pieces) {
      byte[] name = piece.name().getBytes(StandardCharsets.UTF_8);
      System.arraycopy(name, 0, file, at, Math.min(8, name.length));
      PeLayout.At where = layout.at(piece.part());
      u32(at + 8, where.length());
      u32(at + 12, where.rva());
      u32(at + 16, where.stored());
      u32(at + 20, where.offset());
      u32(at + 36, piece.characteristics());
      at += 40;
    }
  }

  /** Sums the file up; last, when nothing changes any more. */
  void checksum() {
    u32(optional + 64, Checksum.of(file, optional + 64));
  }
}
