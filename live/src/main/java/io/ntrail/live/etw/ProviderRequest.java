package io.ntrail.live.etw;

import io.ntrail.formats.identity.Guid;
import io.ntrail.live.etw.EnableParameters.Filter;
import java.util.List;

/**
 * Provider that is to be enabled in a session.
 *
 * @param name by which it was asked for
 * @param guid of the provider
 * @param level of detail: events of this level and below it, 1 (critical) to 5 (verbose); 255 has
 *     those of levels that a provider made itself, too
 * @param keywords of which an event has to have one, or none at all
 * @param properties what is recorded with each event, as {@link EnableParameters#STACKS}
 * @param filters by which events are selected; they need Windows 8.1
 * @param capture when it is asked for its state
 */
public record ProviderRequest(
    String name,
    Guid guid,
    int level,
    long keywords,
    int properties,
    List<Filter> filters,
    StateCapture capture) {
  /** Level that has events of all levels that Windows defines. */
  public static final int VERBOSE = 5;

  /** All keywords. */
  public static final long ALL_KEYWORDS = -1;

  /** Keeps the list from changes. */
  public ProviderRequest {
    filters = List.copyOf(filters);
  }

  /** Makes one that is not asked for its state. */
  public ProviderRequest(
      String name, Guid guid, int level, long keywords, int properties, List<Filter> filters) {
    this(name, guid, level, keywords, properties, filters, StateCapture.NONE);
  }

  /** Returns the last argument of EnableTraceEx2. */
  EnableParameters parameters() {
    return new EnableParameters(properties, Guid.ZERO, filters);
  }
}
