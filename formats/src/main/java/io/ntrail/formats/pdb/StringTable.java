package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.msf.MsfStream;
import org.jspecify.annotations.Nullable;

/**
 * The stream {@code /names}: texts that others name by their offset in bytes (NMT of nmt.h). {@code
 * u32 EFFEEFFEh}, {@code u32 version}, {@code u32 size}, then the texts.
 */
public final class StringTable {
  private static final long SIGNATURE = 0xEFFE_EFFEL;
  private static final int HEADER = 12;
  private static final int MOST_TEXT = 1 << 16;
  private static final int FIRST_LOOK = 256;

  /** The table of a PDB that has none: every text is empty. */
  static final StringTable EMPTY = new StringTable(null);

  private final @Nullable MsfStream texts;

  private StringTable(@Nullable MsfStream texts) {
    this.texts = texts;
  }

  /**
   * Reads the header.
   *
   * @throws DamagedInput if it is none
   */
  static StringTable read(MsfStream stream) {
    if (stream.u32(0) != SIGNATURE) {
      throw new DamagedInput(stream.name(), stream.fileOffset(0), "not a string table");
    }
    long size = Math.min(stream.u32(8), stream.length() - HEADER);
    return new StringTable(stream.part(HEADER, Math.max(0, size)));
  }

  /** The text at an offset; empty if there is none. */
  public String text(long offset) {
    if (texts == null || offset < 0 || offset >= texts.length()) {
      return "";
    }
    int most = (int) Math.min(MOST_TEXT, texts.length() - offset);
    int look = Math.min(FIRST_LOOK, most);
    Bytes bytes = texts.window(offset, look);
    if (bytes.byteStringLength(0, look) == look && look < most) {
      bytes = texts.window(offset, most);
    }
    return bytes.utf8z(0, bytes.length());
  }
}
