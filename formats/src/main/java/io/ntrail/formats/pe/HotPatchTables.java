package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Tables of a hot patch, with the images that it is for (IMAGE_HOT_PATCH_INFO, to which the load
 * configuration points, and IMAGE_HOT_PATCH_BASE).
 *
 * <p>The structures are those of ntimage.h. No such image was available: that the load
 * configuration holds an RVA, and that the list of images counts from the start of the information,
 * is an assumption and was not observed. Offsets are kept as they are stored.
 *
 * @param version of the information; later ones have more fields, which are 0 here if they are not
 *     there
 * @param size of the information and its tables, as stored
 * @param sequence number of the patch among several
 * @param bufferOffset from version 2 on
 * @param extraPatchSize from version 3 on
 * @param minimumSequence from version 4 on
 * @param flags from version 4 on
 * @param bases the images that it is for
 */
public record HotPatchTables(
    long version,
    long size,
    long sequence,
    long bufferOffset,
    long extraPatchSize,
    long minimumSequence,
    long flags,
    List<Base> bases) {
  private static final int LEAST = 20;
  private static final int BASE = 28;
  private static final int BASE_2 = 32;
  private static final int MOST_BASES = 4096;

  /**
   * An image that is patched.
   *
   * @param sequence which of several patches of the image
   * @param flags 1 obligatory, 2 can be undone, 4 x86, 8 ARM64, 10h x64
   * @param timestamp TimeDateStamp of the image
   * @param checksum of the image
   * @param codeIntegrity offset of its hashes, 32 bytes of SHA-256 and 20 of SHA-1
   * @param codeIntegritySize bytes of them
   * @param patchTable offset of what is patched
   * @param bufferOffset from version 2 on, else 0
   */
  public record Base(
      long sequence,
      long flags,
      long timestamp,
      long checksum,
      long codeIntegrity,
      long codeIntegritySize,
      long patchTable,
      long bufferOffset) {
    /** Returns true if the patch must be applied. */
    public boolean isObligatory() {
      return (flags & 1) != 0;
    }

    /** Returns true if the patch can be undone. */
    public boolean canBeUndone() {
      return (flags & 2) != 0;
    }

    /** The machine of the image, 0 if the flags name none. */
    public int machine() {
      return switch ((int) (flags >>> 2 & 7)) {
        case 1 -> MachineType.I386;
        case 2 -> MachineType.ARM64;
        case 4 -> MachineType.AMD64;
        default -> 0;
      };
    }
  }

  /** Kinds of replacements. */
  public enum Kind {
    NONE(0),
    FUNCTION(0x1C000),
    ABSOLUTE(0x2C000),
    REL32(0x3C000),
    CALL_TARGET(0x44000),
    INDIRECT(0x5C000),
    NO_CALL_TARGET(0x64000),
    DYNAMIC_VALUE(0x78000),
    UNKNOWN(-1);

    private final int bits;

    Kind(int bits) {
      this.bits = bits;
    }
  }

  /**
   * Head of a list of places (IMAGE_HOT_PATCH_CHUNK).
   *
   * @param inverse the place is changed back
   * @param obligatory the patch fails if the place cannot be changed
   * @param sourceIsRva the replacement is an RVA
   * @param targetIsRva the place is an RVA
   * @param size bytes of the list
   */
  public record Chunk(
      Kind kind,
      boolean inverse,
      boolean obligatory,
      boolean sourceIsRva,
      boolean targetIsRva,
      int size) {
    /** Takes the word apart. */
    public static Chunk of(int word) {
      // The type shares its lowest two bits with the two that say what an RVA is.
      int type = word & 0xF_C000;
      Kind kind = Kind.UNKNOWN;
      for (Kind known : Kind.values()) {
        kind = known.bits == type ? known : kind;
      }
      return new Chunk(
          kind,
          (word & 0x8000_0000) != 0,
          (word & 0x4000_0000) != 0,
          (word & 0x8000) != 0,
          (word & 0x4000) != 0,
          word & 0xFFF);
    }
  }

  /** Reads the tables of an image; empty if it is not a patch. */
  public static Optional<HotPatchTables> of(PeImage image) {
    return LoadConfig.of(image)
        .map(config -> config.value(LoadConfig.Field.HOT_PATCH_TABLE_OFFSET))
        .filter(rva -> rva != 0)
        .flatMap(rva -> image.reading("hot patch tables", rva, () -> read(image, rva)));
  }

  private static HotPatchTables read(PeImage image, long rva) {
    Bytes info = image.view().window(rva, Integer.MAX_VALUE);
    if (info.length() < LEAST) {
      throw image.view().outside(rva, LEAST);
    }
    long version = info.u32(0);
    return new HotPatchTables(
        version,
        info.u32(4),
        info.u32(8),
        version >= 2 ? info.u32(20) : 0,
        version >= 3 ? info.u32(24) : 0,
        version >= 4 ? info.u32(28) : 0,
        version >= 4 ? info.u32(32) : 0,
        bases(image, rva, info, version));
  }

  private static List<Base> bases(PeImage image, long rva, Bytes info, long version) {
    long from = info.u32(12);
    long count = info.u32(16);
    int size = version >= 2 ? BASE_2 : BASE;
    long room = Math.min(MOST_BASES, Math.max(0, info.length() - from) / size);
    if (room < count) {
      image.gap(
          rva, -1, "hot patch tables", "a list of " + count + " images has room for only " + room);
    }
    List<Base> bases = new ArrayList<>();
    for (int i = 0; i < Math.min(count, room); i++) {
      int at = (int) from + i * size;
      bases.add(
          new Base(
              info.u32(at),
              info.u32(at + 4),
              info.u32(at + 8),
              info.u32(at + 12),
              info.u32(at + 16),
              info.u32(at + 20),
              info.u32(at + 24),
              version >= 2 ? info.u32(at + 28) : 0));
    }
    return List.copyOf(bases);
  }
}
