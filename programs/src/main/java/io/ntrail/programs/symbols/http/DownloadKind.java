package io.ntrail.programs.symbols.http;

import java.nio.charset.StandardCharsets;

/** Kind of a file by its first bytes, whatever a server calls it. */
enum DownloadKind {
  /** A PDB, a portable PDB or an image. */
  FILE,
  /** A cabinet with one in it. */
  CABINET,
  /** Compressed by the server without declaring it. */
  GZIP,
  /** A page, or anything else that no store holds. */
  OTHER;

  /** Number of bytes needed to sniff. */
  static final int BYTES = 24;

  private static final byte[] PDB = "Microsoft C/C++ ".getBytes(StandardCharsets.US_ASCII);

  /**
   * Sniffs the kind of a file.
   *
   * @param head its first bytes, {@value #BYTES} of them if it has so many
   */
  static DownloadKind of(byte[] head) {
    if (starts(head, 'M', 'S', 'C', 'F')) {
      return CABINET;
    }
    if (starts(head, 0x1F, 0x8B)) {
      return GZIP;
    }
    boolean isPdb = head.length >= PDB.length;
    for (int i = 0; isPdb && i < PDB.length; i++) {
      isPdb = head[i] == PDB[i];
    }
    return isPdb || starts(head, 'B', 'S', 'J', 'B') || starts(head, 'M', 'Z') ? FILE : OTHER;
  }

  private static boolean starts(byte[] head, int... magic) {
    if (head.length < magic.length) {
      return false;
    }
    for (int i = 0; i < magic.length; i++) {
      if ((head[i] & 0xFF) != magic[i]) {
        return false;
      }
    }
    return true;
  }
}
