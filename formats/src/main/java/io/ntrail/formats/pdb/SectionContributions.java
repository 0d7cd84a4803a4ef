package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.Optional;

/**
 * Section contributions: which module contributed which bytes (SC, SC2 of dbicommon.h), sorted by
 * section and offset. An address is looked up here first, without reading any module. Version 1 has
 * 28 bytes per entry, version 2 (of /DEBUG:FASTLINK) 32.
 */
public final class SectionContributions {
  private static final long VERSION_1 = 0xEFFE_0000L + 19970605;
  private static final long VERSION_2 = 0xEFFE_0000L + 20140516;
  private static final int HEADER = 4;

  /** The contributions of a PDB without any. */
  static final SectionContributions NONE = new SectionContributions(MsfStream.EMPTY, 1, 28);

  /**
   * One contribution.
   *
   * @param section from 1
   * @param module from 0
   * @param characteristics IMAGE_SCN_ flags of the object's section
   */
  public record Contribution(int section, long offset, long size, int module, int characteristics) {
    /** Returns true if an offset of its section is in it. */
    public boolean contains(long other) {
      return other >= offset && other < offset + size;
    }
  }

  private final MsfStream entries;
  private final int version;
  private final int entryBytes;
  private final int count;

  private SectionContributions(MsfStream entries, int version, int entryBytes) {
    this.entries = entries;
    this.version = version;
    this.entryBytes = entryBytes;
    this.count = (int) Math.min(Integer.MAX_VALUE, entries.length() / entryBytes);
  }

  /**
   * Reads the version.
   *
   * @throws DamagedInput if it is an unknown one
   */
  static SectionContributions read(MsfStream part) {
    if (part.length() < HEADER) {
      return new SectionContributions(part, 1, 28);
    }
    long version = part.u32(0);
    if (version != VERSION_1 && version != VERSION_2) {
      throw new DamagedInput(
          part.name(), part.fileOffset(0), "section contributions of version " + version);
    }
    MsfStream entries = part.part(HEADER, part.length() - HEADER);
    return version == VERSION_1
        ? new SectionContributions(entries, 1, 28)
        : new SectionContributions(entries, 2, 32);
  }

  /** 1 or 2. */
  public int version() {
    return version;
  }

  /** Returns the number of contributions. */
  public int count() {
    return count;
  }

  /** One of them by its place in the order of addresses, from 0. */
  public Contribution get(int index) {
    Bytes entry = entries.window((long) index * entryBytes, entryBytes);
    return new Contribution(entry.u16(0), entry.u32(4), entry.u32(8), entry.u16(16), entry.i32(12));
  }

  private long key(int index) {
    Bytes entry = entries.window((long) index * entryBytes, 8);
    if (entry.u16(0) == 0) {
      throw new DamagedInput(entry.name(), entry.base(), "a contribution to no section");
    }
    return (long) entry.u16(0) << 32 | entry.u32(4);
  }

  /** The contribution that an address lies in. */
  public Optional<Contribution> find(int section, long offset) {
    long wanted = (long) section << 32 | offset;
    int last = Search.last(0, count, i -> key(i) <= wanted);
    // Empty ones may be at the same place after the one with bytes.
    for (int i = last; i >= 0 && i > last - 16; i--) {
      Contribution found = get(i);
      if (found.section() != section) {
        break;
      }
      if (found.contains(offset)) {
        return Optional.of(found);
      }
      if (found.size() > 0) {
        break;
      }
    }
    return Optional.empty();
  }
}
