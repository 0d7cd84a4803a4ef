package io.ntrail.analysis.recording;

import io.ntrail.formats.etl.ExtendedItem;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.identity.Guid;
import org.jspecify.annotations.Nullable;

/**
 * What type of event a record is: the four parts of its identity (provider GUID, id, opcode,
 * version) and the names that are known for them. One thread at a time.
 */
public final class EventIdentity {
  private final KernelEvents kernel = new KernelEvents();
  private final ProviderNames providers = new ProviderNames();

  /**
   * Knows the kernel's events and the few usual providers; learns names from events it is asked of.
   */
  public EventIdentity() {}

  /** Knows also the names that a recording tells. */
  public EventIdentity(Survey survey) {
    providers.merge(survey.names());
  }

  /** Provider or class GUID; of a kernel record the GUID of its class. */
  public Guid providerGuid(RecordCursor record) {
    return record.kind().isHook() ? kernel.classGuid(record.hookId()) : record.provider();
  }

  /** Event id; of kernel events, in whatever header they came, the hook id. */
  public int id(RecordCursor record) {
    if (record.kind().isClassic()) {
      return Math.max(0, kernel.hookId(record.provider(), record.opcode()));
    }
    return record.id();
  }

  private int hookId(RecordCursor record) {
    if (record.kind().isHook()) {
      return record.hookId();
    }
    return record.kind().isClassic() ? kernel.hookId(record.provider(), record.opcode()) : -1;
  }

  /** Name of the provider; null if unknown. */
  public @Nullable String provider(RecordCursor record) {
    if (hookId(record) >= 0) {
      return "Windows Kernel";
    }
    Guid guid = record.provider();
    String name = providers.of(guid).orElse(null);
    if (name == null && record.hasExtendedItems()) {
      providers.learnFromTraits(record);
      name = providers.of(guid).orElse(null);
    }
    return name;
  }

  /** Name of the event; null if unknown. */
  public @Nullable String event(RecordCursor record) {
    int hook = hookId(record);
    if (hook >= 0) {
      return kernel.name(hook, record.version());
    }
    for (int item = record.firstItem(); item != 0; item = record.nextItem(item)) {
      if (record.itemType(item) == ExtendedItem.EVENT_SCHEMA_TL.number()) {
        return traceLoggingName(record, item);
      }
    }
    return null;
  }

  /** The name in a TraceLogging schema: u16 size, a tag of 7-bit groups, the name. */
  static String traceLoggingName(RecordCursor record, int item) {
    int at = record.itemData(item) + 2;
    int end = record.itemData(item) + record.itemLength(item);
    while (at < end && record.bytes().u8(at) >= 0x80) {
      at++;
    }
    return at + 1 < end ? record.bytes().utf8z(at + 1, end) : "";
  }

  /**
   * One text for the screen: {@code FileIo/Read}, {@code Provider/Event}, {@code Provider/143 v2}.
   */
  public String text(RecordCursor record) {
    int hook = hookId(record);
    if (hook >= 0) {
      return kernel.name(hook, record.version());
    }
    String provider = provider(record);
    String event = event(record);
    StringBuilder text = new StringBuilder();
    text.append(provider == null ? record.provider().toString() : provider).append('/');
    if (event != null) {
      return text.append(event).toString();
    }
    text.append(record.id());
    if (record.opcode() != 0) {
      text.append(" opcode ").append(record.opcode());
    }
    if (record.version() != 0) {
      text.append(" v").append(record.version());
    }
    return text.toString();
  }
}
