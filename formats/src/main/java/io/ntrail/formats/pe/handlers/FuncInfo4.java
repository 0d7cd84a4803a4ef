package io.ntrail.formats.pe.handlers;

import io.ntrail.formats.pe.PeImage;
import java.util.List;
import java.util.Optional;

/**
 * The compressed FuncInfo, read by {@code __CxxFrameHandler4}. A byte of flags determines what
 * follows; numbers take one to five bytes, by the low bits of the first.
 *
 * <p>Each piece of code that is called on its own has one, the code of {@code catch} blocks too;
 * maps of steps and blocks are shared.
 *
 * @param rva its RVA
 * @param function RVA where its function begins: what it counts from
 * @param header the byte of flags, {@link #CATCH} and its siblings
 * @param blockFlags what is known of moved blocks, or 0
 * @param segments the map from addresses to states, one for each piece that the function is cut
 *     into; one piece as a rule
 * @param frameOffset of the code of a {@code catch}: where it finds the frame of its function
 * @param damage why not all of it could be read
 */
public record FuncInfo4(
    long rva,
    long function,
    int header,
    long blockFlags,
    List<Step> steps,
    List<Try> tries,
    List<Segment> segments,
    long frameOffset,
    Optional<String> damage)
    implements CxxFunction {
  /** It is the code of a {@code catch}. */
  public static final int CATCH = 0x01;

  /** The function is cut into pieces. */
  public static final int SEPARATED = 0x02;

  /** Its blocks were moved about. */
  public static final int OPTIMIZED = 0x04;

  /** There is an unwind map. */
  public static final int UNWIND_MAP = 0x08;

  /** There is a {@code try} map. */
  public static final int TRY_MAP = 0x10;

  /** Only exceptions of C++ are caught (/EHs). */
  public static final int EHS = 0x20;

  /** An exception that leaves the function ends the program. */
  public static final int NOEXCEPT = 0x40;

  /**
   * A part of the function.
   *
   * @param function RVA of its start
   * @param ipStates its map from addresses to states, ascending
   */
  public record Segment(long function, List<IpState> ipStates) {}

  /**
   * Reads the FuncInfo at an RVA; never fails.
   *
   * @param function start of the function that refers to it: the end of its chain
   */
  public static FuncInfo4 read(PeImage image, long rva, long function) {
    return new FuncInfo4Reader(image, rva, function).read();
  }

  /** Returns true if all bits of a flag are set. */
  public boolean is(int flag) {
    return (header & flag) == flag;
  }

  @Override
  public boolean isNoexcept() {
    return is(NOEXCEPT);
  }

  @Override
  public int stateAt(long address) {
    for (Segment segment : segments) {
      if (segment.function == function || segments.size() == 1) {
        return CxxFunction.state(segment.ipStates, address);
      }
    }
    return -1;
  }
}
