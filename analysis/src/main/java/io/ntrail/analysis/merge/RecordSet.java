package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.util.BitSet;
import java.util.List;

/**
 * Set of records of a recording, by their places: one bit for 16 bytes of a buffer that has any, so
 * that it takes at most 0.8 % of the size of the files. No record but messages of software tracing
 * without any optional part is smaller than that: two of those may have one bit.
 */
final class RecordSet {
  private static final int GRANULE_SHIFT = 4;

  /** Sets of the buffers, by file; null for buffers without records of the set. */
  private final BitSet[][] buffers;

  /** Makes an empty set. */
  RecordSet(List<EtlFile> files) {
    buffers =
        files.stream().map(file -> new BitSet[file.buffers().count()]).toArray(BitSet[][]::new);
  }

  /**
   * Adds the record of a cursor.
   *
   * @param file number of its file
   */
  void add(int file, RecordCursor record) {
    add(file, record.buffer(), record.offset());
  }

  /**
   * Adds a record.
   *
   * @param offset of it in its buffer, as {@link RecordCursor#offset} gives it
   */
  void add(int file, int buffer, int offset) {
    BitSet bits = buffers[file][buffer];
    if (bits == null) {
      bits = new BitSet();
      buffers[file][buffer] = bits;
    }
    bits.set(offset >> GRANULE_SHIFT);
  }

  /** Returns true if the record of a cursor is in it. */
  boolean contains(int file, RecordCursor record) {
    return contains(file, record.buffer(), record.offset());
  }

  /** Returns true if a record is in it. */
  boolean contains(int file, int buffer, int offset) {
    BitSet bits = buffers[file][buffer];
    return bits != null && bits.get(offset >> GRANULE_SHIFT);
  }
}
