package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.MessageText;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaSource;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One type of event: its identity and what is known about it. Compared by identity: there is one
 * object a type and {@link SchemaIndex}.
 */
public final class EventType {
  private final Guid guid;
  private final @Nullable String guidText;
  private final @Nullable String provider;
  private final @Nullable String event;
  private final int id;
  private final int opcode;
  private final int version;
  private final @Nullable Schema schema;
  private final @Nullable MessageText message;
  private final MessageText.Reserved facts;
  private final Set<String> taken;
  private final String text;
  private final boolean stackRecord;
  private final boolean providerListed;

  EventType(
      Guid guid,
      @Nullable String provider,
      @Nullable String event,
      int id,
      int opcode,
      int version,
      @Nullable Schema schema) {
    this(guid, provider, event, id, opcode, version, schema, name -> null);
  }

  EventType(
      Guid guid,
      @Nullable String provider,
      @Nullable String event,
      int id,
      int opcode,
      int version,
      @Nullable Schema schema,
      MessageText.Reserved facts) {
    this(guid, provider, false, event, id, opcode, version, schema, facts);
  }

  private EventType(
      Guid guid,
      @Nullable String provider,
      boolean providerListed,
      @Nullable String event,
      int id,
      int opcode,
      int version,
      @Nullable Schema schema,
      MessageText.Reserved facts) {
    this.guid = guid;
    this.guidText = guid.equals(Guid.ZERO) ? null : guid.toString();
    this.provider = provider;
    this.providerListed = providerListed;
    this.event = event == null || event.isEmpty() ? null : event;
    this.id = id;
    this.opcode = opcode;
    this.version = version;
    this.schema = schema;
    this.message = schema == null ? null : MessageText.of(schema);
    this.facts = facts;
    this.taken = schema == null ? Set.of() : Set.copyOf(ValueDescriptions.taken(schema.fields()));
    this.text = EventDisplayName.text(guid, provider, this.event, id, opcode, version);
    this.stackRecord = EventDisplayName.isStackRecord(provider, this.event);
  }

  /** Returns the type with its provider's name from the list of well-known ones. */
  EventType withListedProvider(String name) {
    return new EventType(guid, name, true, event, id, opcode, version, schema, facts);
  }

  /** Provider or class GUID; of a kernel record the GUID of its class; zero if it has none. */
  public Guid guid() {
    return guid;
  }

  /** The GUID as text; null if it has none. */
  public @Nullable String guidText() {
    return guidText;
  }

  /** Name of the provider; null if unknown. */
  public @Nullable String provider() {
    return provider;
  }

  /**
   * Returns true if the provider is named by the list of well-known ones, and by nothing that
   * belongs to the recording.
   */
  public boolean isProviderListed() {
    return providerListed;
  }

  /** Name of the event; null if unknown. */
  public @Nullable String event() {
    return event;
  }

  /** Event id; of kernel events, in whatever header they came, the hook id. */
  public int id() {
    return id;
  }

  /** Opcode, or type of a class event. */
  public int opcode() {
    return opcode;
  }

  /** Version. */
  public int version() {
    return version;
  }

  /** Returns the layout of its payload; null if unknown. */
  public @Nullable Schema schema() {
    return schema;
  }

  /** Returns the source of its schema; null if it has none. */
  public @Nullable SchemaSource source() {
    return schema == null ? null : schema.source();
  }

  /** Returns the text that identifies the type, whichever object represents it. */
  public String identity() {
    return guid + "/" + id + "/" + opcode + "/" + version + "/" + event;
  }

  /**
   * Returns true for stack records, which are attached to their events and no events themselves.
   */
  public boolean isStackRecord() {
    return stackRecord;
  }

  /** Names of texts beside values that are not used, as other fields have them. */
  public Set<String> takenNames() {
    return taken;
  }

  /** Returns true if it has a message for people. */
  public boolean hasMessage() {
    return message != null;
  }

  /** Its message for people, with inserts; null if it has none. */
  @Nullable MessageText message() {
    return message;
  }

  /** Returns the facts that messages of software tracing may mention about it. */
  MessageText.Reserved facts() {
    return facts;
  }

  /**
   * Returns true if a pattern means events of this type: by event, the last part of its name,
   * provider, both, number or GUID. A task or a provider means all its events.
   */
  public boolean isMeantBy(NamePattern pattern) {
    String full = text();
    String ownEvent = event();
    String ownProvider = provider();
    if (pattern.matches(full)
        || pattern.matches(guid().toString())
        || pattern.matches(Integer.toString(id()))
        || pattern.matches(ownEvent)
        || pattern.matches(full.substring(full.lastIndexOf('/') + 1))
        || pattern.matches(ownProvider)
        || ownProvider != null && pattern.matches(ownProvider + "/" + ownEvent)) {
      return true;
    }
    String task = pattern + "/";
    return pattern.isPlain() && full.regionMatches(true, 0, task, 0, task.length());
  }

  /** One text for the screen: {@code FileIo/Read}, {@code Provider/Event}. */
  public String text() {
    return text;
  }

  @Override
  public String toString() {
    return text;
  }
}
