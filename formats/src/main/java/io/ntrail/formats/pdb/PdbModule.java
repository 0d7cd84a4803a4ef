package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.List;

/**
 * One object file that was linked into the program (MODI of dbi.h).
 *
 * @param number from 0, as section contributions count them
 * @param stream number of its stream, -1 if it has none
 * @param symbolBytes of its stream: signature and symbol records
 * @param c11Bytes of its stream: old lines
 * @param c13Bytes of its stream: lines and more
 * @param fileCount how many source files it is made of
 * @param name the object file; {@code * Linker *}; {@code Import:X.dll}
 * @param object the library that it came from, else the object file again
 */
public record PdbModule(
    int number,
    int stream,
    long symbolBytes,
    long c11Bytes,
    long c13Bytes,
    int fileCount,
    String name,
    String object) {
  private static final int FIXED = 64;
  private static final int NONE = 0xFFFF;

  /** Reads all records of the part; what cannot be one ends them. */
  static List<PdbModule> read(MsfStream part) {
    List<PdbModule> modules = new ArrayList<>();
    int length = (int) Math.min(part.length(), Integer.MAX_VALUE - 15);
    Bytes bytes = part.window(0, length);
    // The last one may be followed by padding.
    for (int at = 0; bytes.has(at, FIXED + 2); ) {
      int name = at + FIXED;
      int nameLength = bytes.byteStringLength(name, length);
      int object = name + nameLength + 1;
      if (object >= length) {
        throw new DamagedInput(bytes.name(), bytes.base() + at, "a module without names");
      }
      int objectLength = bytes.byteStringLength(object, length);
      int stream = bytes.u16(at + 34);
      modules.add(
          new PdbModule(
              modules.size(),
              stream == NONE ? -1 : stream,
              bytes.u32(at + 36),
              bytes.u32(at + 40),
              bytes.u32(at + 44),
              bytes.u16(at + 48),
              bytes.utf8z(name, object - 1),
              bytes.utf8z(object, object + objectLength)));
      at = object + objectLength + 1 + 3 & ~3;
    }
    return List.copyOf(modules);
  }

  /** Offset of the symbol records in its stream, after the signature. */
  static final int FIRST_RECORD = 4;

  /** Returns the offset of the old lines in its stream. */
  long c11Begin() {
    return symbolBytes;
  }

  /** Returns the offset of lines and checksums in its stream. */
  long c13Begin() {
    return symbolBytes + c11Bytes;
  }
}
