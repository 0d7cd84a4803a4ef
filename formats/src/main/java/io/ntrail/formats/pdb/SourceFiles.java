package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.List;

/**
 * The source files of each module (the part FILES of DBI). The stored totals are cut to 16 bits:
 * where a module's files begin is the sum of the counts before it.
 */
public final class SourceFiles {
  private static final int MOST_NAME = 4096;

  /** The source files of a PDB without any. */
  static final SourceFiles NONE = read(MsfStream.EMPTY);

  private final Bytes bytes;
  private final int[] firsts;
  private final int offsets;
  private final int names;

  private SourceFiles(Bytes bytes, int[] firsts, int offsets, int names) {
    this.bytes = bytes;
    this.firsts = firsts;
    this.offsets = offsets;
    this.names = names;
  }

  /** Reads the counts. */
  static SourceFiles read(MsfStream part) {
    Bytes bytes = part.window(0, (int) Math.min(part.length(), Integer.MAX_VALUE - 15));
    int modules = bytes.length() < 4 ? 0 : Math.min(bytes.u16(0), (bytes.length() - 4) / 4);
    int[] firsts = new int[modules + 1];
    for (int i = 0; i < modules; i++) {
      firsts[i + 1] = firsts[i] + bytes.u16(4 + 2 * modules + 2 * i);
    }
    int offsets = 4 + 4 * modules;
    return new SourceFiles(bytes, firsts, offsets, offsets + 4 * firsts[modules]);
  }

  /** The names of a module's files; fewer if the part is cut. */
  public List<String> of(int module) {
    List<String> files = new ArrayList<>();
    if (module < 0 || module >= firsts.length - 1) {
      return files;
    }
    for (int i = firsts[module]; i < firsts[module + 1] && bytes.has(offsets + 4 * i, 4); i++) {
      long at = names + bytes.u32(offsets + 4 * i);
      if (at < bytes.length()) {
        files.add(bytes.utf8z((int) at, (int) at + MOST_NAME));
      }
    }
    return files;
  }
}
