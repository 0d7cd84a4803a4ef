package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import java.util.List;
import java.util.Optional;

/**
 * Volatile metadata: the instructions of x86 or x64 code that access memory shared with other
 * threads (IMAGE_VOLATILE_METADATA, /volatileMetadata); an emulator on ARM need be careful only
 * there. The load configuration points to it.
 *
 * <p>{@code u32 size, u32 version, u32 RVA and u32 bytes of the accesses, u32 RVA and u32 bytes of
 * the ranges}; an access is an RVA, a range {@code u32 RVA, u32 length}.
 *
 * <p>Source: ntimage.h; verified on libraries of Windows and programs of Visual C++.
 */
public final class VolatileMetadata {
  private static final int HEADER = 24;

  private final long version;
  private final Bytes accesses;
  private final List<DataDirectory.Range> ranges;

  private VolatileMetadata(long version, Bytes accesses, List<DataDirectory.Range> ranges) {
    this.version = version;
    this.accesses = accesses;
    this.ranges = ranges;
  }

  /** Reads that of an image; empty if it has none. */
  public static Optional<VolatileMetadata> of(PeImage image) {
    return LoadConfig.of(image)
        .map(config -> config.rva(LoadConfig.Field.VOLATILE_METADATA_POINTER))
        .filter(rva -> rva != 0)
        .flatMap(rva -> image.reading("volatile metadata", rva, () -> read(image, rva)));
  }

  private static VolatileMetadata read(PeImage image, long rva) {
    Bytes header = image.view().bytes(rva, HEADER);
    Bytes ranges = table(image, header.u32(16), header.u32(20));
    DataDirectory.Range[] code = new DataDirectory.Range[ranges.length() / 8];
    for (int i = 0; i < code.length; i++) {
      code[i] = new DataDirectory.Range(ranges.u32(8 * i), ranges.u32(8 * i + 4));
    }
    return new VolatileMetadata(
        header.u32(4), table(image, header.u32(8), header.u32(12)), List.of(code));
  }

  private static Bytes table(PeImage image, long rva, long size) {
    if (rva == 0 || size == 0) {
      return Bytes.copyOf(new byte[0], image.name());
    }
    Bytes table = image.view().window(rva, size);
    if (table.length() < size) {
      image.gap(
          rva + table.length(),
          size - table.length(),
          "volatile metadata",
          "a table extends past the stored data");
    }
    return table;
  }

  /** Its version, as stored; it differs between compilers. */
  public long version() {
    return version;
  }

  /** Returns the code that is covered; elsewhere every access may be volatile. */
  public List<DataDirectory.Range> ranges() {
    return ranges;
  }

  /** Returns the number of instructions listed. */
  public int accessCount() {
    return accesses.length() / 4;
  }

  /** The RVA of one of the instructions, in the order of the table. */
  public long access(int index) {
    return accesses.u32(4 * index);
  }
}
