package io.ntrail.formats.identity;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.InputFile;

/**
 * Kinds of files that their first bytes give away, never their name. Formats whose start is not a
 * fixed signature (ETW recordings, chunks of a {@code .ntr}, collapsed stacks) are not among them:
 * their readers check for themselves.
 */
public enum FileSignature {
  /** JPEG. */
  JPEG("a JPEG picture", "\u00FF\u00D8\u00FF"),
  /** PNG. */
  PNG("a PNG picture", "\u0089PNG"),
  /** GIF. */
  GIF("a GIF picture", "GIF8"),
  /** PDF. */
  PDF("a PDF document", "%PDF"),
  /** PE image, or another program with a DOS header. */
  IMAGE("a Windows program or library", "MZ"),
  /** User-mode dump. */
  MINIDUMP("a minidump", "MDMP"),
  /** Kernel dump of 64-bit Windows. */
  KERNEL_DUMP_64("a kernel dump", "PAGEDU64"),
  /** Kernel dump of 32-bit Windows. */
  KERNEL_DUMP_32("a kernel dump", "PAGE"),
  /** User-mode dump of Windows before 2003. */
  USER_DUMP("a dump of Windows NT or 2000", "USERDU"),
  /** Hibernation file; its first bytes are zero once it was used. */
  HIBERNATION("a hibernation file", "hibr"),
  /** MSF 7: every native PDB since Visual C++ 7, and the Windows PDBs of .NET. */
  MSF_7("a program database (PDB)", "Microsoft C/C++ MSF 7.00\r\n\u001ADS"),
  /** MSF 2: Visual C++ 4 to 6. */
  MSF_2(
      "a PDB of the old format MSF 2.00 (Visual C++ 4 to 6)",
      "Microsoft C/C++ program database 2.00\r\n\u001AJG\0\0"),
  /** MSFZ: the streams of a PDB in compressed chunks. */
  MSFZ("a compressed PDB (MSFZ)", "Microsoft MSFZ Container\r\n\u001AALD\0\0"),
  /** PDB of another kind, or one that is cut. */
  OTHER_PDB("a program database (PDB)", "Microsoft"),
  /** Portable PDB: .NET metadata, no native symbols. */
  PORTABLE_PDB("a portable PDB of .NET, which has no native symbols", "BSJB"),
  /** ELF. */
  ELF("a Linux program", "\u007FELF"),
  /** Call recording of NTrace. */
  JTRC("a call recording of NTrace", "JTRC"),
  /** gzip. */
  GZIP("a gzip file", "\u001F\u008B"),
  /** Zip, also a {@code .diagsession}. */
  ZIP("a zip file", "PK\3\4"),
  /** Zip without a member. */
  EMPTY_ZIP("an empty archive", "PK\5\6"),
  /** Microsoft cabinet, as symbol servers store {@code .pd_} files; one inside another archive. */
  CABINET("a cabinet", "MSCF"),
  /** 7z. */
  SEVEN_ZIP("a 7z archive", "7z\u00BC\u00AF"),
  /** RAR. */
  RAR("a RAR archive", "Rar!"),
  /** xz. */
  XZ("an xz archive", "\u00FD7zXZ"),
  /** Zstandard. */
  ZSTANDARD("a Zstandard archive", "(\u00B5/\u00FD"),
  /** bzip2. */
  BZIP2("a bzip2 archive", "BZh"),
  /** Event log. */
  EVENT_LOG("an event log (.evtx)", "ElfFile"),
  /** XML with its declaration. */
  XML("an XML text", ""),
  /** HTML, often the page that a server or proxy sent instead of a file. */
  WEB_PAGE("a web page", ""),
  /** JSON, often the answer of a web service. */
  JSON("a JSON text", ""),
  /** Printable ASCII at its start. */
  TEXT("text", ""),
  /** No bytes. */
  EMPTY("empty", ""),
  /** None of these. */
  UNKNOWN("of an unknown kind", "");

  /** Bytes from the start of a file that are looked at. */
  public static final int HEAD = 64;

  /** Bytes that have to be printable in text. */
  private static final int TEXT_HEAD = 16;

  private final String noun;

  /** Its bytes, each as a character of ISO 8859-1. */
  private final String magic;

  FileSignature(String noun, String magic) {
    this.noun = noun;
    this.magic = magic;
  }

  /** Returns the kind of a file. */
  public static FileSignature of(InputFile file) {
    return of(file.window(0, (int) Math.min(HEAD, file.size())));
  }

  /** Returns the kind of a file by its first {@link #HEAD} bytes, or by all if it has fewer. */
  public static FileSignature of(Bytes head) {
    if (head.length() == 0) {
      return EMPTY;
    }
    for (FileSignature signature : values()) {
      if (!signature.magic.isEmpty() && signature.isStartOf(head)) {
        return signature;
      }
    }
    int at = firstVisible(head);
    int first = at < head.length() ? head.u8(at) : 0;
    if (first == '<') {
      return head.has(at, 2) && head.u8(at + 1) == '?' ? XML : WEB_PAGE;
    }
    boolean isText = isText(head);
    return (first == '{' || first == '[') && isText ? JSON : isText ? TEXT : UNKNOWN;
  }

  private boolean isStartOf(Bytes head) {
    if (!head.has(0, magic.length())) {
      return false;
    }
    for (int i = 0; i < magic.length(); i++) {
      if (head.u8(i) != magic.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** Offset of the first byte that is neither white space nor part of a byte order mark. */
  private static int firstVisible(Bytes head) {
    int at = head.has(0, 3) && head.u8(0) == 0xEF && head.u8(1) == 0xBB ? 3 : 0;
    while (at < head.length() && isSpace(head.u8(at))) {
      at++;
    }
    return at;
  }

  private static boolean isText(Bytes head) {
    for (int at = 0; at < Math.min(TEXT_HEAD, head.length()); at++) {
      int value = head.u8(at);
      if ((value < 0x20 || value >= 0x7F) && !isSpace(value)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSpace(int value) {
    return value == ' ' || value == '\t' || value == '\r' || value == '\n';
  }

  /** Returns true for an archive that is not opened here: its files have to be unpacked first. */
  public boolean isForeignArchive() {
    return switch (this) {
      case CABINET, SEVEN_ZIP, RAR, XZ, ZSTANDARD, BZIP2 -> true;
      default -> false;
    };
  }

  /** Returns true for a PDB of any version. */
  public boolean isPdb() {
    return switch (this) {
      case MSF_7, MSF_2, MSFZ, OTHER_PDB, PORTABLE_PDB -> true;
      default -> false;
    };
  }

  /** Noun phrase to follow {@code FILE is}, with its article. */
  public String noun() {
    return noun;
  }
}
