package io.ntrail.formats.pdb.msf;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import java.nio.charset.StandardCharsets;

/**
 * Kinds of files with symbols, sniffed from the first bytes.
 *
 * <p>Only {@link #MSF_7} is supported here; the others are named, so that people know what they
 * have.
 */
public enum SymbolFileKind {
  /** MSF 7: every native PDB since Visual C++ 7, and the Windows PDBs of .NET. */
  MSF_7("an MSF 7 PDB", ""),
  /** MSF 2: Visual C++ 4 to 6. */
  MSF_2(
      "a PDB of the old format MSF 2.00 (Visual C++ 4 to 6)",
      "build the program with Visual C++ 7 or newer"),
  /** MSFZ: the same streams in compressed chunks. */
  MSFZ(
      "a compressed PDB (MSFZ), which is not supported yet",
      "ask the symbol server for the plain PDB, or expand it with Microsoft's tools"),
  /** Portable PDB: .NET metadata, no native symbols. */
  PORTABLE(
      "a portable PDB of .NET, which has no native symbols", "name the PDB of a native program"),
  /** A cabinet, as symbol servers store {@code .pd_} files. */
  CABINET("a cabinet", "unpack it (cabextract, expand) and name the PDB in it"),
  /** A program or library. */
  IMAGE("a program image and not its PDB", "name the PDB that belongs to it"),
  /** A page that a server or proxy sent instead of the file. */
  HTML("a web page and not a PDB", "delete it, and get the PDB again"),
  /** An answer of a web service. */
  JSON("a JSON text and not a PDB", "delete it, and get the PDB again"),
  /** No bytes at all. */
  EMPTY("empty", "delete it, and get the PDB again"),
  /** None of these. */
  UNKNOWN("not a PDB", "");

  /** Number of bytes from the start of a file that are needed to sniff it. */
  private static final int HEAD = 64;

  private static final String MAGIC_7 = "Microsoft C/C++ MSF 7.00\r\n\u001ADS";
  private static final String MAGIC_2 = "Microsoft C/C++ program database 2.00\r\n\u001AJG\0\0";
  private static final String MAGIC_Z = "Microsoft MSFZ Container\r\n\u001AALD\0\0";

  private final String described;
  private final String nextStep;

  SymbolFileKind(String described, String nextStep) {
    this.described = described;
    this.nextStep = nextStep;
  }

  /** Sniffs the first bytes of a file. */
  public static SymbolFileKind of(InputFile file) {
    return of(file.window(0, (int) Math.min(HEAD, file.size())));
  }

  /** Sniffs the first bytes; 64 are enough. */
  public static SymbolFileKind of(Bytes head) {
    if (head.length() == 0) {
      return EMPTY;
    }
    if (begins(head, MAGIC_7)) {
      return MSF_7;
    }
    if (begins(head, MAGIC_2)) {
      return MSF_2;
    }
    if (begins(head, MAGIC_Z)) {
      return MSFZ;
    }
    if (begins(head, "BSJB")) {
      return PORTABLE;
    }
    if (begins(head, "MSCF")) {
      return CABINET;
    }
    if (begins(head, "MZ")) {
      return IMAGE;
    }
    return switch (firstVisible(head)) {
      case '<' -> HTML;
      case '{', '[' -> JSON;
      default -> UNKNOWN;
    };
  }

  private static boolean begins(Bytes head, String magic) {
    byte[] expected = magic.getBytes(StandardCharsets.ISO_8859_1);
    if (!head.has(0, expected.length)) {
      return false;
    }
    for (int i = 0; i < expected.length; i++) {
      if (head.u8(i) != (expected[i] & 0xFF)) {
        return false;
      }
    }
    return true;
  }

  /** The first byte that is neither a blank nor a mark of the byte order; 0: there is none. */
  private static int firstVisible(Bytes head) {
    int at = head.has(0, 3) && head.u8(0) == 0xEF && head.u8(1) == 0xBB ? 3 : 0;
    for (; at < head.length(); at++) {
      int value = head.u8(at);
      if (value != ' ' && value != '\t' && value != '\r' && value != '\n') {
        return value;
      }
    }
    return 0;
  }

  /** Returns a description to follow {@code FILE is}. */
  public String described() {
    return described;
  }

  /** The refusal of a file that is this. */
  CannotGoOn refusal(String name) {
    return new CannotGoOn(name + " is " + described, nextStep);
  }
}
