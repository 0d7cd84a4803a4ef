package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.Bytes;

/**
 * Cache of the schemas of {@link TraceLogging} items: needed at every event, parsed once.
 *
 * <p>The key is the item itself, byte by byte. The id is not a key: most writers leave it 0, so
 * that events of one provider with different fields share it. A bounded number of schemas is kept.
 * One thread at a time.
 */
public final class TraceLoggingSchemas {
  private final ContentKeyedCache<Schema> schemas = new ContentKeyedCache<>(TraceLogging::parse);
  private final ContentKeyedCache<TraceLogging.Traits> traits =
      new ContentKeyedCache<>(TraceLogging::traits);

  /** Knows nothing yet. */
  public TraceLoggingSchemas() {}

  /**
   * {@link TraceLogging#parse}.
   *
   * @param at where the data of extended item 11 begin, inside the window
   * @param length its bytes
   * @return the same object for the same bytes, as long as it is kept
   */
  public Schema schema(Bytes bytes, int at, int length) {
    return schemas.get(bytes, at, length);
  }

  /**
   * {@link TraceLogging#traits}.
   *
   * @param at where the data of extended item 12 begin, inside the window
   * @param length its bytes
   * @return the same object for the same bytes, as long as it is kept
   */
  public TraceLogging.Traits traits(Bytes bytes, int at, int length) {
    return traits.get(bytes, at, length);
  }

  /** Returns the number of schemas held. */
  int size() {
    return schemas.size();
  }
}
