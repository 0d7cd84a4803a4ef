package io.ntrail.testkit.described;

import java.util.List;

/**
 * An event whose payload was read with a description.
 *
 * @param by which kind of description it was
 * @param provider the provider's name, empty if the description has none
 * @param event the event's name, empty if the description has none
 * @param message the message with its places for values, empty if there is none
 * @param fields the values in the order of the description
 * @param bytesRead bytes of the payload that fields took
 * @param complete whether every field was there; a payload may end early, the fields that it does
 *     not reach are left out
 */
public record DescribedEvent(
    By by,
    String provider,
    String event,
    String message,
    List<FieldNode> fields,
    int bytesRead,
    boolean complete) {

  /** Kinds of description. */
  public enum By {
    /** The event itself. */
    TRACE_LOGGING,
    /** A TRACE_EVENT_INFO of the recording. */
    EVENT_INFO,
    /** A manifest that the provider sent into the recording. */
    EVENT_SOURCE,
    /** An instrumentation manifest from outside. */
    MANIFEST,
    /** The header's flag that the payload is one text. */
    STRING_ONLY
  }

  /** Copies the fields. */
  public DescribedEvent {
    fields = List.copyOf(fields);
  }

  /** The values with their paths. */
  public List<FieldNode.Pair> flat() {
    return FieldNode.flat(fields);
  }
}
