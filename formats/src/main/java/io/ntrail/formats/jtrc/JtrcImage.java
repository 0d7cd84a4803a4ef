package io.ntrail.formats.jtrc;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.identity.PdbId;
import io.ntrail.formats.identity.WindowsPath;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An image that had routines patched.
 *
 * <p>Its chunk has two forms under one version number: files made before May 2008 have the length
 * of the path at 24 and no debug data, later ones at 26 with the debug data after the directories.
 *
 * @param base load address
 * @param size in memory, in bytes
 * @param path in the kernel's form, such as {@code \SystemRoot\system32\DRIVERS\tcpip.sys}, or a
 *     bare name
 * @param timestamp link time in seconds since 1970, from its debug directory; 0 if that has none
 * @param directories entries of its debug directory
 * @param pdb identity of its PDB; null if the file does not have it
 * @param pdbName as the linker wrote it; null like {@code pdb}
 * @param oldForm whether the chunk has the form of before May 2008
 */
public record JtrcImage(
    long base,
    long size,
    String path,
    long timestamp,
    int directories,
    @Nullable PdbId pdb,
    @Nullable String pdbName,
    boolean oldForm) {
  private static final int OLD_PATH = 26;
  private static final int NEW_PATH = 28;
  private static final int DIRECTORY = 28;
  private static final int CODEVIEW = 2;
  private static final int RSDS = 0x5344_5352;

  // A record's own equals and hashCode, made by the JVM at the first call, cost milliseconds at the
  // start.

  @Override
  public boolean equals(Object other) {
    return other instanceof JtrcImage image
        && image.base == base
        && image.size == size
        && image.timestamp == timestamp
        && image.directories == directories
        && image.oldForm == oldForm
        && image.path.equals(path)
        && Objects.equals(image.pdb, pdb)
        && Objects.equals(image.pdbName, pdbName);
  }

  @Override
  public int hashCode() {
    return (Long.hashCode(base) * 31 + Long.hashCode(size)) * 31 + path.hashCode();
  }

  /**
   * Reads a chunk.
   *
   * @param chunk all of it, with its header
   * @throws DamagedInput if it has neither form
   */
  static JtrcImage read(Bytes chunk) {
    int directories = chunk.u16(20);
    boolean isNew =
        chunk.has(OLD_PATH, 2)
            && NEW_PATH + chunk.u16(OLD_PATH) <= directories
            && isPrintable(chunk, NEW_PATH, chunk.u16(OLD_PATH));
    boolean isOld = !isNew && OLD_PATH + chunk.u16(24) + 4 == directories;
    if (!isNew && !isOld) {
      throw new DamagedInput(chunk.name(), chunk.base(), "an image with an invalid path length");
    }
    int at = isNew ? NEW_PATH : OLD_PATH;
    int length = chunk.u16(isNew ? OLD_PATH : 24);
    String path = chunk.latin1z(at, at + length);
    int entries = chunk.u16(22) / DIRECTORY;
    long timestamp = 0;
    PdbId pdb = null;
    String pdbName = null;
    for (int i = 0; i < entries && chunk.has(directories + DIRECTORY * i, DIRECTORY); i++) {
      int entry = directories + DIRECTORY * i;
      timestamp = timestamp == 0 ? chunk.u32(entry + 4) : timestamp;
      // The offset counts from the entry; where there is no address there are data.
      long data = entry + chunk.u32(entry + 24);
      boolean isCodeView = isNew && chunk.i32(entry + 12) == CODEVIEW && chunk.i32(entry + 20) == 0;
      if (isCodeView && data <= chunk.length() - 24L && chunk.i32((int) data) == RSDS) {
        pdb = new PdbId(Guid.read(chunk, (int) data + 4), chunk.u32((int) data + 20));
        pdbName = chunk.utf8z((int) data + 24, chunk.length());
      }
    }
    return new JtrcImage(
        chunk.i64(8), chunk.u32(16), path, timestamp, entries, pdb, pdbName, isOld);
  }

  private static boolean isPrintable(Bytes chunk, int at, int length) {
    if (length == 0 || !chunk.has(at, length)) {
      return false;
    }
    for (int i = at; i < at + length; i++) {
      if (chunk.u8(i) < 0x20 || chunk.u8(i) >= 0x7F) {
        return false;
      }
    }
    return true;
  }

  /** The last part of the path. */
  public String name() {
    String last = WindowsPath.lastPart(path);
    return last.isEmpty() ? path : last;
  }

  /** Returns true if an address is in it. */
  public boolean contains(long address) {
    return Long.compareUnsigned(address - base, size) < 0;
  }
}
