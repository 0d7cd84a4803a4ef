package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.windows.WindowsApi;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * Machine type of a program that is not started yet: which agent it needs is decided by it, and
 * programs of 16 bits, which run in a program of the system's, are refused.
 */
public final class ProgramFile {
  /** The header of a program lies in front of this in all that linkers make. */
  private static final int MOST = 1 << 16;

  private static final int MZ = 0x5A4D;
  private static final int DOS_HEADER = 0x40;
  private static final int NEW_HEADER = 0x3C;
  private static final int PE = 0x4550;
  private static final int NE = 0x454E;

  // From the signature of a PE file: machine type, kind of optional header, its directory of
  // managed code.
  private static final int MACHINE = 4;
  private static final int OPTIONAL = 24;
  private static final int PE32 = 0x10B;
  private static final int MANAGED = OPTIONAL + 96 + 8 * 14;

  // Of GetBinaryType.
  private static final int BITS_32 = 0;
  private static final int DOS = 1;
  private static final int WINDOWS_16 = 2;
  private static final int BITS_64 = 6;

  /** Places in the scratch memory, behind the longest command line. */
  private static final int NAME = 0x1_2000;

  private static final int PATH = 0x2_4000;
  private static final int MAX_CHARS = 32_767;

  private ProgramFile() {}

  /**
   * Returns the machine type that a file says.
   *
   * @return empty if it is no program, cannot be read, or is managed code, which may run otherwise
   * @throws CannotGoOn if it is a program of 16 bits
   */
  public static OptionalInt machine(Path file) {
    byte[] begin;
    try (InputStream in = Files.newInputStream(file)) {
      begin = in.readNBytes(MOST);
    } catch (IOException e) {
      // Whoever starts it is told.
      return OptionalInt.empty();
    }
    return machine(String.valueOf(file.getFileName()), Bytes.copyOf(begin, "program"));
  }

  private static OptionalInt machine(String name, Bytes bytes) {
    if (!bytes.has(0, DOS_HEADER) || bytes.u16(0) != MZ) {
      return OptionalInt.empty();
    }
    long header = bytes.u32(NEW_HEADER);
    if (header > MOST - 2 && bytes.length() == MOST) {
      return OptionalInt.empty();
    }
    if (header < DOS_HEADER || header > bytes.length() - 2) {
      throw only16Bits(name, "MS-DOS");
    }
    int at = (int) header;
    int signature = bytes.u16(at);
    if (signature == NE) {
      throw only16Bits(name, "16-bit Windows");
    }
    if (signature != PE || !bytes.has(at, MANAGED + 8)) {
      return OptionalInt.empty();
    }
    boolean isManaged = bytes.u16(at + OPTIONAL) == PE32 && bytes.u32(at + MANAGED) != 0;
    return isManaged ? OptionalInt.empty() : OptionalInt.of(bytes.u16(at + MACHINE));
  }

  /**
   * Returns the machine type of a program that the target's system finds by its name.
   *
   * @return empty if it finds none, or does not tell
   * @throws CannotGoOn if it is a program of 16 bits
   */
  public static OptionalInt machine(WindowsApi calls, String word) {
    long name = calls.put(NAME, new BytesBuilder(256).utf16z(word));
    long suffix = calls.put(0, new BytesBuilder(16).utf16z(".exe"));
    long path = calls.scratch(PATH);
    if (!calls.call("kernel32!SearchPathW", 0, name, suffix, MAX_CHARS, path, 0).isTrue()) {
      return OptionalInt.empty();
    }
    long kind = calls.put(0, new BytesBuilder(4).u32(BITS_64));
    if (!calls.call("kernel32!GetBinaryTypeW", path, kind).isTrue()) {
      return OptionalInt.empty();
    }
    return switch ((int) calls.get(0, 4).u32(0)) {
      case BITS_32 -> OptionalInt.of(MachineType.I386);
      case BITS_64 -> OptionalInt.of(MachineType.AMD64);
      case DOS -> throw only16Bits(word, "MS-DOS");
      case WINDOWS_16 -> throw only16Bits(word, "16-bit Windows");
      default -> OptionalInt.empty();
    };
  }

  private static CannotGoOn only16Bits(String name, String kind) {
    return CannotGoOn.impossible(
        "%s is a program for %s".formatted(name, kind),
        "only 64-bit and 32-bit programs can be traced");
  }
}
