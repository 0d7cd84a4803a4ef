package io.ntrail.formats.ntr;

/**
 * The kinds of events, as numbers since a recording may have kinds that this program does not know
 * (docs/ntr.md section 5).
 */
public final class EventKind {
  /** A function was entered; the value is the return address, further values are arguments. */
  public static final int ENTRY = 2;

  /** A function was left; the value is what it returned. */
  public static final int EXIT = 3;

  /** An exception left a frame; the value is its code. */
  public static final int UNWIND = 4;

  /**
   * An unwind is about to start; the value is the exception code, the key the target frame, the
   * further value the stack pointer.
   */
  public static final int UNWIND_TARGET = 5;

  /** The thread switches to another stack; the value is its base. */
  public static final int STACK_SWITCH = 6;

  /** A module came (further value 0) or went (1); the value is its number. */
  public static final int MODULE_MARK = 7;

  /** An exception was raised; the value is its code, the key the stack pointer. */
  public static final int EXCEPTION = 8;

  /** The recorder dropped records here; the value is their number. */
  public static final int LOST = 9;

  /** Like {@link #ENTRY}, for a function whose exits are not recorded. */
  public static final int ENTRY_ONLY = 10;

  /** The calls of a slot and of those above it are over since here: nothing says how they ended. */
  public static final int OVER = 11;

  /**
   * Memory that an argument of the next entry of this thread points to; the value is its address,
   * the first further value how many bytes it is, and the others are these.
   */
  public static final int MEMORY = 12;

  /**
   * Calls below the innermost call of this slot that the file leaves out, as it is a part of
   * another one; the value is their number.
   */
  public static final int LEFT_OUT = 13;

  private EventKind() {}
}
