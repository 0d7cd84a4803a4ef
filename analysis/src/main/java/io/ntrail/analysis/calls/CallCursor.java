package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.ArgumentMemory;

/**
 * The records of a thread in the order in which they were made, as a flyweight. For one thread of
 * the reader at a time; any number of cursors may be open.
 */
public interface CallCursor extends AutoCloseable {
  /** Goes to the next record; false if there is none. */
  boolean next();

  /**
   * Goes before a record.
   *
   * @param position a {@link #position()} that this or another cursor of the thread had
   */
  void seek(long position);

  /** Returns the position of the next record: rises from record to record, 0 before the first. */
  long position();

  /** Returns the kind of the record. */
  CallEventKind event();

  /** Returns the time in the unit of the source's clock. */
  long time();

  /** The routine, as {@link CallSource#function} knows it. */
  long function();

  /**
   * Entry: where it returns to. Exit: what it returned. Unwind, its target: the exception's code.
   */
  long value();

  /** The stack that the frame lies on: a thread has several if it has fibers. */
  default int area() {
    return 0;
  }

  /** The slot of the frame, from 0 for the outermost; only where slots are matched. */
  default int slot() {
    return 0;
  }

  /**
   * Returns the address of the frame: the one above its return address. Of an unwind's target: the
   * highest one of a frame that is to be left; 0 if all are.
   */
  default long frameKey() {
    return 0;
  }

  /**
   * Returns the stack pointer when an unwinder was entered: calls that it leaves lie above it, what
   * it calls lies below; 0 if it is not recorded. Only of {@link CallEventKind#UNWIND_TARGET}.
   */
  default long stackPointer() {
    return 0;
  }

  /** Returns the number of recorded arguments of an entry; 0 for other records. */
  default int argumentCount() {
    return 0;
  }

  /**
   * An argument of an entry, as all 64 bits of where it lay.
   *
   * @param index from 0, below {@link #argumentCount()}
   */
  default long argument(int index) {
    throw new IndexOutOfBoundsException(index);
  }

  /** Returns the memory that the arguments of an entry pointed to, as far as it was recorded. */
  default ArgumentMemory memory() {
    return ArgumentMemory.NONE;
  }

  /** Gives back what the cursor holds; most hold nothing. */
  @Override
  default void close() {
    // Nothing to give back.
  }
}
