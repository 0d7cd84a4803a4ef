package io.ntrail.cli.common;

import io.ntrail.cli.text.CellWriter;
import io.ntrail.formats.identity.Guid;
import org.jspecify.annotations.Nullable;

/** Identities of events as JSON and CSV have them. */
public final class EventIds {
  /** Source of names that are well known, and not from the recording. */
  public static final String PROVIDER_LIST = "built-in list of providers";

  private EventIds() {}

  /** Returns the text of a GUID; null for the GUID of zeros, which means none. */
  public static @Nullable String guid(Guid guid) {
    return guid.equals(Guid.ZERO) ? null : guid.toString();
  }

  /** Writes where the name of a provider is from, if that is neither the recording nor a schema. */
  public static void providerSource(boolean listed, CellWriter cell) {
    if (listed) {
      cell.text(PROVIDER_LIST);
    } else {
      cell.absent();
    }
  }
}
