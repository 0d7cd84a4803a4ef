package io.ntrail.live.code;

import java.util.Optional;
import java.util.function.ToLongFunction;

/** Code that one session puts into a target. */
public interface SessionCode {
  /** Returns the runtime block. */
  RuntimeImage runtime();

  /** Returns the content of areas. */
  AreaCode areas();

  /** Returns how many bytes a block of stubs takes at most. */
  long stubBytes(int functions);

  /**
   * Returns an empty block of stubs.
   *
   * @param base its address, a multiple of a page
   */
  StubWriter stubs(long base);

  /**
   * Returns a test of unwinding through the first slot of an unused area.
   *
   * @param functions addresses of functions of the system, by {@code module!name}
   */
  UnwindTest unwindTest(long area, ToLongFunction<String> functions);

  /** Returns a measurement of the overhead of tracing with the first slot of an unused area. */
  OverheadTest overheadTest(long area);

  /** Returns the code in front of unwinders; empty if none is needed. */
  default Optional<UnwindProbes> unwindProbes() {
    return Optional.empty();
  }

  /** Returns descriptions of the frames of slots for GNU C++; empty if none are needed. */
  default Optional<FrameDescriptions> frameDescriptions() {
    return Optional.empty();
  }
}
