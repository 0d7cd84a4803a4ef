package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.List;

/**
 * Header of the DBI stream, number 3 (NewDBIHdr of dbi.h), with the sizes of its parts. Numbers of
 * streams are -1 where there is none.
 *
 * @param version 19990903 in all files seen
 * @param age what the image names
 * @param globalsStream hash of the globals
 * @param publicsStream hash of the publics
 * @param recordStream the records of both
 * @param flags 1 linked incrementally, 2 private symbols are stripped
 * @param machine IMAGE_FILE_MACHINE_, or C0EEh for managed programs
 * @param parts sizes in bytes of the parts in their order in the stream
 * @param streams of the optional debug header, see {@link Debug}
 */
public record DbiHeader(
    long version,
    long age,
    int globalsStream,
    int publicsStream,
    int recordStream,
    int flags,
    int machine,
    List<Long> parts,
    List<Integer> streams) {
  /** Signature of headers since Visual C++ 5, which start with -1. */
  private static final int SIGNATURE = -1;

  private static final int SIZE = 64;
  private static final int NONE = 0xFFFF;
  private static final int MOST_STREAMS = 64;

  /** The machine of managed programs. */
  public static final int MANAGED = 0xC0EE;

  /** The parts, in their order in the stream: EC before the debug header. */
  enum Part {
    MODULES,
    CONTRIBUTIONS,
    SECTION_MAP,
    FILES,
    TYPE_SERVERS,
    EDIT_AND_CONTINUE,
    DEBUG
  }

  /** Streams of the optional debug header (DBGTYPE of pdb.h). */
  public enum Debug {
    /** FPO_DATA. */
    FPO,
    /** Exception data of old programs. */
    EXCEPTION,
    /** The fixups that the loader applies. */
    FIXUP,
    /** Addresses of the image, and where they were before it was rearranged. */
    OMAP_TO_SOURCE,
    /** The other way round. */
    OMAP_FROM_SOURCE,
    /** The section table of the image. */
    SECTION_HEADERS,
    /** Records of managed methods by token. */
    TOKENS,
    /** A copy of {@code .xdata}. */
    XDATA,
    /** A copy of {@code .pdata}. */
    PDATA,
    /** FRAMEDATA. */
    FRAME_DATA,
    /** The section table before the image was rearranged. */
    ORIGINAL_SECTION_HEADERS
  }

  /**
   * Reads it.
   *
   * @throws DamagedInput if it is too short or older than Visual C++ 5
   */
  static DbiHeader read(MsfStream stream) {
    if (stream.length() < SIZE) {
      throw new DamagedInput(
          stream.name(), stream.fileOffset(0), "DBI has " + stream.length() + " bytes");
    }
    Bytes b = stream.window(0, SIZE);
    if (b.i32(0) != SIGNATURE) {
      throw new DamagedInput(b.name(), b.base(), "a DBI header from before Visual C++ 5");
    }
    // The header has the sizes of the last two parts in the reverse of the parts' order.
    int[] places = {24, 28, 32, 36, 40, 52, 48};
    List<Long> parts = new ArrayList<>();
    long left = stream.length() - SIZE;
    for (int place : places) {
      long size = Math.clamp(b.i32(place), 0, left);
      parts.add(size);
      left -= size;
    }
    long at = SIZE;
    for (int i = 0; i < Part.DEBUG.ordinal(); i++) {
      at += parts.get(i);
    }
    int count = (int) Math.min(MOST_STREAMS, parts.get(Part.DEBUG.ordinal()) / 2);
    Bytes debug = stream.window(at, 2 * count);
    List<Integer> streams = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      streams.add(number(debug, 2 * i));
    }
    return new DbiHeader(
        b.u32(4),
        b.u32(8),
        number(b, 12),
        number(b, 16),
        number(b, 20),
        b.u16(56),
        b.u16(58),
        List.copyOf(parts),
        List.copyOf(streams));
  }

  private static int number(Bytes bytes, int at) {
    int number = bytes.u16(at);
    return number == NONE ? -1 : number;
  }

  /** The number of a stream of the debug header, -1 if there is none. */
  public int stream(Debug content) {
    return content.ordinal() < streams.size() ? streams.get(content.ordinal()) : -1;
  }

  /** Returns true if private symbols were left out: a public PDB. */
  public boolean isStripped() {
    return (flags & 2) != 0;
  }

  /**
   * Compares the length of the parts with that of the stream.
   *
   * @throws DamagedInput if the parts are not as long as the stream: then some of them are not
   *     where they should be
   */
  void checkLength(MsfStream stream) {
    long bytes = SIZE + parts.stream().mapToLong(Long::longValue).sum();
    if (bytes != stream.length()) {
      throw new DamagedInput(
          stream.name(),
          stream.fileOffset(0),
          "DBI has %d bytes, its parts %d".formatted(stream.length(), bytes));
    }
  }

  /** A part as a view of its own. */
  MsfStream part(MsfStream stream, Part part) {
    long at = SIZE;
    for (int i = 0; i < part.ordinal(); i++) {
      at += parts.get(i);
    }
    return stream.part(at, parts.get(part.ordinal()));
  }
}
