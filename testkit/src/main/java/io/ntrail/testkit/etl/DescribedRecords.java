package io.ntrail.testkit.etl;

import io.ntrail.testkit.described.EventInfoWriter;
import io.ntrail.testkit.described.ManifestWriter;
import io.ntrail.testkit.described.TraceLoggingEvent;
import io.ntrail.testkit.described.TypedEvent;
import io.ntrail.testkit.described.WppMessageWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Records with described payloads, and the records that describe them. */
public final class DescribedRecords {
  private static final int SCHEMA_ITEM = 11;
  private static final int TRAITS_ITEM = 12;
  private static final int TRACE_LOGGING_CHANNEL = 11;
  private static final int MANIFEST = 0xFFFE;

  private DescribedRecords() {}

  /**
   * A TraceLogging event.
   *
   * @param pointer 4 or 8, bytes of a pointer of the writer
   */
  public static EtlRecords traceLogging(
      int pointer, UUID provider, String providerName, TraceLoggingEvent event) {
    return EtlRecords.event(pointer, provider, 0)
        .level(4)
        .descriptor(TRACE_LOGGING_CHANNEL, 0, 1)
        .item(TRAITS_ITEM, TraceLoggingEvent.traits(providerName))
        .item(SCHEMA_ITEM, event.metadata())
        .payload(event.payload());
  }

  /** An event whose description is elsewhere; parameters as of {@link #traceLogging}. */
  public static EtlRecords typed(
      int pointer, UUID provider, int id, int version, TypedEvent event) {
    return EtlRecords.event(pointer, provider, id)
        .version(version)
        .level(4)
        .payload(event.payload());
  }

  /** The description of an event as a merger adds it. */
  public static EtlRecords eventInfo(EventInfoWriter writer, TypedEvent event) {
    return EtlRecords.full(8, ClassGuids.EVENT_METADATA).opcode(32).payload(writer.write(event));
  }

  /** A value map as a merger adds it. */
  public static EtlRecords mapInfo(
      UUID provider, String name, boolean bits, Map<Long, String> entries) {
    return EtlRecords.full(8, ClassGuids.EVENT_METADATA)
        .opcode(33)
        .payload(EventInfoWriter.map(provider, name, bits, entries));
  }

  /**
   * The events with which an EventSource sends its manifest, in order.
   *
   * @param size bytes of text in one of them
   */
  public static List<EtlRecords> manifest(int pointer, UUID provider, String xml, int size) {
    List<EtlRecords> out = new ArrayList<>();
    for (byte[] chunk : ManifestWriter.chunks(xml, size)) {
      out.add(
          EtlRecords.event(pointer, provider, MANIFEST)
              .version(1)
              .opcode(0xFE)
              .descriptor(0, MANIFEST, 0)
              .payload(chunk));
    }
    return out;
  }

  /** A WPP message with GUID, time, thread and process. */
  public static EtlRecords message(WppMessageWriter message) {
    int parts =
        EtlRecords.MESSAGE_GUID
            | EtlRecords.MESSAGE_TIME
            | EtlRecords.MESSAGE_SYSTEM_INFO
            | EtlRecords.MESSAGE_64_BIT;
    return EtlRecords.message(message.number(), parts)
        .messageGuid(message.trace())
        .payload(message.payload());
  }
}
