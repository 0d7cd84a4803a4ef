package io.ntrail.testkit.unicorn;

/**
 * One run of a {@link UnicornMachine}.
 *
 * @param begin address of the first instruction
 * @param until address at which it ends, without executing what is there
 * @param low lowest address of code that may be executed
 * @param high address past the highest one; 0: there is no limit
 * @param most bound of the number of instructions
 * @param pages pages of zeros that may be mapped where memory is missing, each run anew
 * @param options sum of the constants here
 */
public record UnicornRun(
    long begin, long until, long low, long high, long most, int pages, int options) {
  /** Tells the address of each instruction. */
  public static final int ADDRESSES = 1;

  /** Tells the general registers before each instruction; needs {@link #ADDRESSES}. */
  public static final int REGISTERS = 2;

  /** Tells the XMM registers before each instruction; needs {@link #ADDRESSES}. */
  public static final int VECTORS = 4;

  /** Tells writes of memory. */
  public static final int WRITES = 8;

  /** Steps over calls, as if what they call did nothing at all. */
  public static final int SKIP_CALLS = 16;

  /**
   * Steps over calls, as if what they call returned 0, unless {@code mov eax, imm} is right before:
   * that is how functions that probe the stack get their parameter, and they keep it.
   */
  public static final int ZERO_RESULT = 32;

  /** Reason for the end of a run. */
  public enum Reason {
    /** The address at which it was to end. */
    UNTIL,
    /** The next instruction is outside of the code that may be executed. */
    OUTSIDE,
    /** The limit of instructions was reached. */
    MOST,
    /** An instruction accessed memory that is not there. */
    MISSING,
    /** Not an instruction that the processor knows. */
    UNKNOWN,
    /** Another exception. */
    OTHER
  }

  /**
   * End of a run.
   *
   * @param reason why it ended
   * @param error number of Unicorn's, or 0
   * @param ip address of the next instruction, or of the one that failed
   * @param executed number of instructions, the failed one too
   */
  public record End(Reason reason, int error, long ip, long executed) {}

  /** Receiver of the events of a run. */
  public interface Listener {
    /**
     * An instruction is about to be executed.
     *
     * @param address its own
     * @param general the general registers, if asked for; the same array each time
     * @param vectors low and high halves of the XMM registers, if asked for; the same array each
     *     time
     */
    default void instruction(long address, long[] general, long[] vectors) {}

    /**
     * The instruction writes memory.
     *
     * @param address of the lowest byte
     * @param bytes from 1 to 8
     * @param value little-endian
     */
    default void write(long address, int bytes, long value) {}
  }
}
