package io.ntrail.live.etw;

import java.util.OptionalLong;

/**
 * Request for the state of a provider: what it knows without something happening, as files that are
 * open.
 *
 * @param isOnly whether the provider logs nothing else
 * @param atStart keywords with which it is asked when the recording begins; empty: it is not
 * @param atStop keywords with which it is asked before what was recorded is written; empty: it is
 *     not
 */
public record StateCapture(boolean isOnly, OptionalLong atStart, OptionalLong atStop) {
  /** The provider is not asked. */
  public static final StateCapture NONE =
      new StateCapture(false, OptionalLong.empty(), OptionalLong.empty());
}
