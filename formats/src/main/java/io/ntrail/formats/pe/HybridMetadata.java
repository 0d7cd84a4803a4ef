package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Metadata of a hybrid image: one for x86 or x64 by its headers, part of whose code is ARM64 (CHPE,
 * ARM64EC, ARM64X). The load configuration points to it.
 *
 * <p>x86 (IMAGE_CHPE_METADATA_X86): {@code u32 version, u32 RVA of the ranges, u32 their number},
 * then pointers of the emulator; a range is {@code u32 begin | 1 for ARM64, u32 length}. x64 and
 * ARM64 (IMAGE_ARM64EC_METADATA): {@code u32 version}, then RVAs of tables and of pointers, some
 * with their number; a range is {@code u32 begin | kind, u32 length}.
 *
 * <p>Source: ntimage.h; verified on msyuv.dll of Windows 10 (x86) and on a program that rustc made
 * for ARM64EC (version 2).
 *
 * @param version of the metadata
 * @param ranges kinds of code, in the order of the table
 * @param entryPoints through which x64 code calls ARM64EC code; none for x86
 * @param redirections from what x64 code calls to what ARM64EC code calls; none for x86
 * @param extraFunctions the function table of the code that the exception directory does not cover
 * @param auxiliaryIat RVA of the second import address table, 0 if there is none
 */
public record HybridMetadata(
    long version,
    List<CodeRange> ranges,
    List<EntryPoint> entryPoints,
    List<Redirection> redirections,
    DataDirectory.Range extraFunctions,
    long auxiliaryIat) {
  private static final int X86_HEADER = 12;
  private static final int ARM64EC_HEADER = 0x50;
  private static final int MOST = 1 << 20;

  /** Instruction set architectures of a hybrid image's code. */
  public enum Code {
    ARM64,
    ARM64EC,
    X64,
    X86
  }

  /** Code of one kind. */
  public record CodeRange(long begin, long length, Code code) {
    /** Returns true if an RVA is in it. */
    public boolean contains(long rva) {
      return rva >= begin && rva < begin + length;
    }
  }

  /**
   * An entry point from x64 code into ARM64EC code.
   *
   * @param begin of the ARM64EC code that is entered
   * @param end past it
   * @param entry what x64 code calls for it
   */
  public record EntryPoint(long begin, long end, long entry) {}

  /** Two RVAs of which the second is called instead of the first. */
  public record Redirection(long from, long to) {}

  /** Reads that of an image; empty if it is not hybrid. */
  public static Optional<HybridMetadata> of(PeImage image) {
    return LoadConfig.of(image)
        .map(config -> config.rva(LoadConfig.Field.CHPE_METADATA_POINTER))
        .filter(rva -> rva != 0)
        .flatMap(rva ->
            image.reading(
                "hybrid metadata",
                rva,
                () ->
                    image.headers().machine() == MachineType.I386
                        ? x86(image, rva)
                        : arm64ec(image, rva)));
  }

  private static HybridMetadata x86(PeImage image, long rva) {
    Bytes header = image.view().bytes(rva, X86_HEADER);
    return new HybridMetadata(
        header.u32(0),
        ranges(image, header.u32(4), header.u32(8), true),
        List.of(),
        List.of(),
        DataDirectory.Range.NONE,
        0);
  }

  private static HybridMetadata arm64ec(PeImage image, long rva) {
    Bytes header = image.view().bytes(rva, ARM64EC_HEADER);
    List<EntryPoint> entries = new ArrayList<>();
    rows(
        image,
        header.u32(0xC),
        header.u32(0x30),
        12,
        row -> entries.add(new EntryPoint(row.u32(0), row.u32(4), row.u32(8))));
    List<Redirection> redirections = new ArrayList<>();
    rows(
        image,
        header.u32(0x10),
        header.u32(0x34),
        8,
        row -> redirections.add(new Redirection(row.u32(0), row.u32(4))));
    return new HybridMetadata(
        header.u32(0),
        ranges(image, header.u32(4), header.u32(8), false),
        List.copyOf(entries),
        List.copyOf(redirections),
        new DataDirectory.Range(header.u32(0x40), header.u32(0x44)),
        header.u32(0x2C));
  }

  private static List<CodeRange> ranges(PeImage image, long at, long count, boolean x86) {
    List<CodeRange> ranges = new ArrayList<>();
    rows(
        image,
        at,
        count,
        8,
        row -> {
          long begin = row.u32(0);
          Code code =
              x86
                  ? (begin & 1) != 0 ? Code.ARM64 : Code.X86
                  : switch ((int) begin & 3) {
                    case 0 -> Code.ARM64;
                    case 1 -> Code.ARM64EC;
                    default -> Code.X64;
                  };
          ranges.add(new CodeRange(begin & (x86 ? ~1L : ~3L), row.u32(4), code));
        });
    return List.copyOf(ranges);
  }

  /** The rows of a table, as many of them as are stored. */
  private static void rows(PeImage image, long at, long count, int size, Consumer<Bytes> visitor) {
    if (at == 0 || count == 0) {
      return;
    }
    long room = Math.min(MOST, image.view().stored(at) / size);
    if (room < count) {
      image.gap(
          at,
          (count - room) * size,
          "hybrid metadata",
          "a table of " + count + " rows has room for only " + room);
    }
    for (long i = 0; i < Math.min(count, room); i++) {
      visitor.accept(image.view().window(at + i * size, size));
    }
  }

  /** Returns the kind of code at an RVA; empty where no range covers it. */
  public Optional<Code> code(long rva) {
    return ranges.stream().filter(range -> range.contains(rva)).findFirst().map(CodeRange::code);
  }
}
