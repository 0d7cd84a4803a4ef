package io.ntrail.formats.pdb;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.collections.Search;
import io.ntrail.formats.pdb.msf.MsfStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Frame data of x86 functions (FRAMEDATA of cvinfo.h, 32 bytes each), with a program that finds the
 * caller ({@link FrameProgram}). A function has a record for each step of its prologue; they nest.
 * Addresses are those of the program as it was linked.
 */
public final class FrameData {
  private static final int ENTRY = 32;
  private static final int SEH = 1;
  private static final int CXX_EH = 2;
  private static final int FUNCTION_START = 4;

  /** The table of a PDB that has none. */
  static final FrameData NONE = new FrameData(List.of());

  /**
   * One record.
   *
   * @param begin RVA
   * @param size bytes of code
   * @param locals bytes of variables
   * @param parameters bytes of parameters on the stack
   * @param maxStack bytes that are put on the stack at most
   * @param program empty: there is none
   * @param prolog bytes of prologue from {@code begin} on
   * @param savedRegisters bytes
   */
  public record Frame(
      long begin,
      long size,
      long locals,
      long parameters,
      long maxStack,
      String program,
      int prolog,
      int savedRegisters,
      boolean hasSeh,
      boolean hasCxxEh,
      boolean isFunctionStart) {
    /** Returns true if an address is in it. */
    public boolean contains(long rva) {
      return rva >= begin && rva < begin + size;
    }
  }

  private final List<Frame> frames;
  private final long largest;

  private FrameData(List<Frame> frames) {
    this.frames = frames;
    this.largest = frames.stream().mapToLong(Frame::size).max().orElse(0);
  }

  /** Reads the records of a stream; the rest at its end is not a record. */
  static FrameData read(MsfStream stream, StringTable names) {
    int bytes = (int) Math.min(stream.length(), Integer.MAX_VALUE - 15) / ENTRY * ENTRY;
    Bytes table = stream.window(0, bytes);
    List<Frame> frames = new ArrayList<>(bytes / ENTRY);
    for (int at = 0; at < bytes; at += ENTRY) {
      long flags = table.u32(at + 28);
      frames.add(
          new Frame(
              table.u32(at),
              table.u32(at + 4),
              table.u32(at + 8),
              table.u32(at + 12),
              table.u32(at + 16),
              names.text(table.u32(at + 20)),
              table.u16(at + 24),
              table.u16(at + 26),
              (flags & SEH) != 0,
              (flags & CXX_EH) != 0,
              (flags & FUNCTION_START) != 0));
    }
    frames.sort(Comparator.comparingLong(Frame::begin));
    return new FrameData(List.copyOf(frames));
  }

  /** Returns all records, by address. */
  public List<Frame> frames() {
    return frames;
  }

  /**
   * Returns the innermost record of an address: of those that contain it, the one with the highest
   * start.
   */
  public Optional<Frame> find(long rva) {
    int last = Search.last(0, frames.size(), i -> frames.get(i).begin <= rva);
    for (int i = last; i >= 0 && frames.get(i).begin + largest > rva; i--) {
      if (frames.get(i).contains(rva)) {
        return Optional.of(frames.get(i));
      }
    }
    return Optional.empty();
  }
}
