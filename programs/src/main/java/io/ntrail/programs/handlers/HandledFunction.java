package io.ntrail.programs.handlers;

import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindInfo;

/**
 * A function that has a language handler.
 *
 * @param function its entry: the end of the chain
 * @param info its unwind information
 * @param handler which handler it has
 * @param data what that reads about it
 */
public record HandledFunction(
    RuntimeFunction function, UnwindInfo info, LanguageHandler handler, HandlerData data) {
  /** Returns true if the handler is called in the search for one that handles an exception. */
  public boolean isAsked() {
    return info.is(UnwindInfo.EHANDLER);
  }

  /** Returns true if the handler is called when the frame is left. */
  public boolean isCalledWhenLeft() {
    return info.is(UnwindInfo.UHANDLER);
  }
}
