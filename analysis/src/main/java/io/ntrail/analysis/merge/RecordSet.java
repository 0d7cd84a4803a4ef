package io.ntrail.analysis.merge;

import io.ntrail.formats.etl.BufferIndex;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.RecordCursor;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;

/**
 * Set of records of a recording, by their places: one bit for 16 bytes of each part of a buffer
 * that has any, so that it takes at most 0.9 % of the size of the files. No record but messages of
 * software tracing without any optional part is smaller than that: two of those may have one bit.
 *
 * <p>Safe for several threads that add records; what they added is seen by all that learn from them
 * that they are done.
 */
final class RecordSet {
  private static final int GRANULE_SHIFT = 4;
  private static final int WORD_SHIFT = 6;

  /** Logarithm of the bytes of a part of a buffer: what memory is taken for at once. */
  private static final int PART_SHIFT = 16;

  private static final int PART_WORDS = 1 << PART_SHIFT - GRANULE_SHIFT - WORD_SHIFT;

  /** Memory of a part beside its bits. */
  private static final int OVERHEAD = 48;

  private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);
  private static final VarHandle PARTS = MethodHandles.arrayElementVarHandle(long[][].class);
  private static final VarHandle BUFFERS = MethodHandles.arrayElementVarHandle(long[][][].class);
  private static final long[] NONE = {};
  private static final long[][] NO_PARTS = {};

  private final List<EtlFile> files;

  /** Parts of the buffers, by file; empty where there are no records of the set. */
  private final long[][][][] buffers;

  /** Makes an empty set. */
  RecordSet(List<EtlFile> files) {
    this.files = List.copyOf(files);
    buffers = new long[files.size()][][][];
    for (int file = 0; file < buffers.length; file++) {
      buffers[file] = new long[files.get(file).buffers().count()][][];
      Arrays.fill(buffers[file], NO_PARTS);
    }
  }

  /** Returns the bytes of memory that a set of all records of some files takes. */
  static long mostBytes(List<EtlFile> files) {
    long sum = 0;
    for (EtlFile file : files) {
      for (int buffer = 0; buffer < file.buffers().count(); buffer++) {
        sum += (long) parts(file.buffers(), buffer) * (PART_WORDS * Long.BYTES + OVERHEAD);
      }
    }
    return sum;
  }

  private static int parts(BufferIndex index, int buffer) {
    int length = index.compressed(buffer) ? index.inflatedBytes(buffer) : index.fileBytes(buffer);
    return (length - 1 >> PART_SHIFT) + 1;
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
    long[] words = part(file, buffer, offset >> PART_SHIFT);
    int granule = offset >> GRANULE_SHIFT;
    int word = granule >> WORD_SHIFT & PART_WORDS - 1;
    long bit = 1L << granule;
    if ((words[word] & bit) == 0) {
      long _ = (long) WORDS.getAndBitwiseOr(words, word, bit);
    }
  }

  private long[] part(int file, int buffer, int part) {
    long[][] parts = (long[][]) BUFFERS.getAcquire(buffers[file], buffer);
    if (parts.length == 0) {
      long[][] made = new long[parts(files.get(file).buffers(), buffer)][];
      Arrays.fill(made, NONE);
      long[][] before =
          (long[][]) BUFFERS.compareAndExchange(buffers[file], buffer, NO_PARTS, made);
      parts = before.length == 0 ? made : before;
    }
    long[] words = (long[]) PARTS.getAcquire(parts, part);
    if (words.length == 0) {
      long[] made = new long[PART_WORDS];
      long[] before = (long[]) PARTS.compareAndExchange(parts, part, NONE, made);
      words = before.length == 0 ? made : before;
    }
    return words;
  }

  /** Returns true if the record of a cursor is in it. */
  boolean contains(int file, RecordCursor record) {
    return contains(file, record.buffer(), record.offset());
  }

  /** Returns true if a record is in it. */
  boolean contains(int file, int buffer, int offset) {
    long[][] parts = buffers[file][buffer];
    if (parts.length == 0) {
      return false;
    }
    long[] words = parts[offset >> PART_SHIFT];
    int granule = offset >> GRANULE_SHIFT;
    return words.length > 0 && (words[granule >> WORD_SHIFT & PART_WORDS - 1] >> granule & 1) != 0;
  }
}
