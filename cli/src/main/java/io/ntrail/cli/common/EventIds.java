package io.ntrail.cli.common;

import io.ntrail.formats.identity.Guid;
import org.jspecify.annotations.Nullable;

/** Identities of events as JSON and CSV have them. */
public final class EventIds {
  private EventIds() {}

  /** Returns the text of a GUID; null for the GUID of zeros, which means none. */
  public static @Nullable String guid(Guid guid) {
    return guid.equals(Guid.ZERO) ? null : guid.toString();
  }
}
