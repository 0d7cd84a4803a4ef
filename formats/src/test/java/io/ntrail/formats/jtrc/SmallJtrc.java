package io.ntrail.formats.jtrc;

import io.ntrail.testkit.calls.JtrcWriter;
import java.util.UUID;

/** A file of every kind of chunk, small enough to be damaged at every place. */
final class SmallJtrc {
  static final UUID PDB = UUID.fromString("df8cd233-5532-4e71-824d-94ed509b922b");

  private SmallJtrc() {}

  static JtrcWriter writer() {
    return new JtrcWriter()
        .image(0xF9A6C000L, 0x95000, "Ntfs.sys", PDB, 2, "ntfs.pdb")
        .oldImage(0xBAC54000L, 0x90000, "\\SystemRoot\\system32\\DRIVERS\\tcpip.sys")
        .trace(4, 8, entry(100, 0xF9A6D000L, 7), exit(110, 0xF9A6D000L, 0))
        .trace(4, 12, entry(130, 0xF9A6D100L, 7), unwind(140, 0xF9A6D100L, 0xC0000005L))
        .trace(4, 8, entry(120, 0xBAC55000L, 7), exit(125, 0xBAC55000L, 0xC0000016L));
  }

  static long[] entry(long time, long routine, long caller) {
    return new long[] {0, time, routine, caller};
  }

  static long[] exit(long time, long routine, long value) {
    return new long[] {1, time, routine, value};
  }

  static long[] unwind(long time, long routine, long code) {
    return new long[] {2, time, routine, code};
  }
}
