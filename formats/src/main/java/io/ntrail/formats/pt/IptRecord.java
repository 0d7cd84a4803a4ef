package io.ntrail.formats.pt;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.ReusedInput;

/**
 * Payload of the event that Windows' kernel logger writes behind each event for which a Processor
 * Trace was asked: what the processor ran before it.
 *
 * <p>Source: the description of the class IPT_V2 (event version 2, type 32). No recording of
 * Windows is at hand: nothing here was held against one.
 *
 * @param eventTicks raw time stamp of the event that the trace belongs to
 * @param processId of the traced thread
 * @param threadId the traced thread
 * @param options settings of the trace
 * @param position offset in {@code ring} where the next packet would have been written
 * @param ring the bytes as they were in memory: not in order if they are of a ring that was full
 */
public record IptRecord(
    long eventTicks, int processId, int threadId, IptOptions options, long position, Bytes ring) {
  /** Bytes before the trace. */
  public static final int HEADER = 32;

  private static final int PROCESS = 8;
  private static final int THREAD = 12;
  private static final int OPTIONS = 16;
  private static final int SIZE = 24;
  private static final int POSITION = 28;

  /** Bytes behind the trace that may be filler. */
  private static final int FILLER = 7;

  /**
   * Reads a payload.
   *
   * @param at where it begins
   * @param length its bytes
   * @throws DamagedInput if its sizes contradict each other
   */
  public static IptRecord of(Bytes bytes, int at, int length) {
    if (length < HEADER) {
      throw damage(bytes, at, "of " + length + " bytes, where its fields alone take " + HEADER);
    }
    long size = bytes.u32(at + SIZE);
    if (size > length - HEADER) {
      throw damage(
          bytes,
          at,
          "with TraceSize " + size + ", of which only " + (length - HEADER) + " bytes are there");
    }
    if (size < length - HEADER - FILLER) {
      throw damage(
          bytes,
          at,
          "with TraceSize "
              + size
              + ", behind which "
              + (length - HEADER - size)
              + " bytes follow");
    }
    IptOptions options = new IptOptions(bytes.i64(at + OPTIONS));
    long position = bytes.u32(at + POSITION);
    if (size >= options.bufferBytes() && position > size) {
      throw damage(
          bytes,
          at,
          "with TracePosition " + position + ", outside of its ring of " + size + " bytes");
    }
    return new IptRecord(
        bytes.i64(at),
        bytes.i32(at + PROCESS),
        bytes.i32(at + THREAD),
        options,
        position,
        bytes.slice(at + HEADER, (int) size));
  }

  private static DamagedInput damage(Bytes bytes, int at, String what) {
    return new DamagedInput(bytes.name(), bytes.base() + at, "Processor Trace event " + what);
  }

  /**
   * Returns true if a payload has the form of such an event in all that can be checked: for records
   * that do not name their class.
   */
  public static boolean looksLike(Bytes bytes, int at, int length) {
    if (length < HEADER || HEADER + bytes.u32(at + SIZE) != length) {
      return false;
    }
    IptOptions options = new IptOptions(bytes.i64(at + OPTIONS));
    return options.unknown().isEmpty() && bytes.u32(at + POSITION) <= bytes.u32(at + SIZE);
  }

  /**
   * Returns whether the trace fills its ring, so that older packets were probably overwritten.
   * Otherwise it is all since the thread came onto the CPU.
   */
  public boolean isWrapped() {
    return ring.length() >= options.bufferBytes();
  }

  /** Returns the trace with its oldest byte first; nothing says that it begins with a PSB. */
  public InputFile inOrder(ReusedInput memory) {
    return memory.rotated(ring, isWrapped() ? (int) position : 0);
  }
}
