package io.ntrail.analysis.etw.events;

import io.ntrail.analysis.etw.machine.EventAttribution;
import io.ntrail.analysis.etw.machine.LastSwitches;
import io.ntrail.analysis.etw.machine.Machine;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.ShortEvents;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.etl.KernelEvents;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import io.ntrail.formats.etl.WppMessage;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.MessageText;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaSource;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The event that a record is: a flyweight that is moved from one record to the next in time order.
 * Fields and names are decoded when they are requested. One thread at a time.
 *
 * <p>Process and thread are those that the event belongs to ({@link EventAttribution}), not those
 * that wrote the record.
 */
public final class EventReader {
  private static final Payload NOTHING = new Payload();

  private final EtwRecording recording;
  private final Machine machine;
  private final Function<RecordCursor, EventType> types;
  private final ValueDescriptions meanings;
  private final Payload payload = new Payload();

  private @Nullable RecordCursor record;
  private int fileNumber;
  private long key;
  private long nanos;
  private boolean isNanosKnown;
  private @Nullable EventType type;

  private boolean isHeld;
  private @Nullable Gap held;
  private boolean payloadRead;
  private boolean attributed;
  private final EventAttribution owner;

  EventReader(
      EtwRecording recording,
      Machine machine,
      Function<RecordCursor, EventType> types,
      ValueDescriptions meanings,
      KernelEvents kernel) {
    this.recording = recording;
    this.machine = machine;
    this.types = types;
    this.meanings = meanings;
    this.owner = new EventAttribution(recording, machine, kernel);
  }

  /** Goes to a time without the records before it. */
  void startAt(long time, LastSwitches switches) {
    owner.startAt(time, switches);
  }

  /** Moves to a record. Records must come in time order. */
  void moveTo(RecordCursor next, int file, long nanoseconds) {
    moveTo(next, file);
    nanos = nanoseconds;
    isNanosKnown = true;
  }

  /** Moves to a record whose time may not be asked for. Records must come in time order. */
  void moveTo(RecordCursor next, int file) {
    record = next;
    fileNumber = file;
    isNanosKnown = false;
    key = recording.key(next.file(), next.ticks());
    type = null;
    payloadRead = false;
    attributed = false;
    owner.moveTo(next, file);
  }

  /** Updates the thread that runs on each CPU from a record that was not requested. */
  void passBy(RecordCursor passed, int file) {
    owner.passBy(passed, file);
  }

  /** The record itself. */
  public RecordCursor record() {
    RecordCursor current = record;
    if (current == null) {
      throw new IllegalStateException("not on a record");
    }
    return current;
  }

  /** Returns the number of the record's file in the recording. */
  public int fileNumber() {
    return fileNumber;
  }

  /** Nanoseconds since the first file's header record. */
  public long nanos() {
    if (!isNanosKnown) {
      nanos = recording.nanosOf(key);
      isNanosKnown = true;
    }
    return nanos;
  }

  /** Nanoseconds since the first file's header record of another raw time of the same file. */
  public long nanosOf(long ticks) {
    return recording.nanos(record().file(), ticks);
  }

  /** Nanoseconds of a duration in raw ticks of the same file. */
  public long nanosOfSpan(long ticks) {
    return record().file().clock().nanosOfSpan(ticks);
  }

  /** Returns the type of the event. */
  public EventType type() {
    EventType known = type;
    if (known == null) {
      known = types.apply(record());
      type = known;
    }
    return known;
  }

  /** The fields; none if nothing describes the event. Valid until the next {@link #moveTo}. */
  public Payload payload() {
    Schema known = type().schema();
    if (known == null) {
      return NOTHING;
    }
    if (!payloadRead) {
      RecordCursor current = record();
      payload.read(
          known,
          current.bytes(),
          current.payloadOffset(),
          current.payloadLength(),
          current.pointerBytes());
      payloadRead = true;
      if (payload.isShort() && !lacksLastField(known)) {
        if (isHeld) {
          held = ShortEvents.of(current);
        } else {
          recording.shortEvents().add(current);
        }
      }
    }
    return payload;
  }

  /**
   * Does something with the event, which is not reported as one that ends before its last field if
   * this finds it out: whoever uses what was done reports it.
   *
   * @return what is to be added to {@link EtwRecording#shortEvents}; null if there is nothing
   */
  public @Nullable Gap unreported(Runnable work) {
    isHeld = true;
    held = null;
    try {
      work.run();
    } finally {
      isHeld = false;
    }
    return held;
  }

  /** Layouts of the kernel's events name a last field that some systems do not write yet. */
  private boolean lacksLastField(Schema schema) {
    if (schema.source() != SchemaSource.KERNEL || payload.restLength() > 0) {
      return false;
    }
    List<Field> fields = schema.fields();
    Field last = null;
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      last = payload.field(i);
    }
    return last != null && fields.size() > 1 && last.equals(fields.get(fields.size() - 2));
  }

  /** The text of a value beside its number: names of codes and flags; null if it has none. */
  public @Nullable String meaning(int token) {
    return meanings.of(payload(), token, key);
  }

  /** The message that the schema has for people, its inserts filled in; null if it has none. */
  public @Nullable String message() {
    MessageText message = type().message();
    return message == null ? null : message.fill(payload(), this::fact);
  }

  /**
   * Returns a fact of the record that a message mentions, by the name that software tracing gives
   * it.
   */
  private @Nullable String fact(String name) {
    RecordCursor current = record();
    return switch (name) {
      case "3" -> id(threadId());
      case "4" -> FileTime.text(current.file().clock().fileTime(current.ticks()));
      case "7" -> current.kind() == RecordKind.MESSAGE ? sequence(current.message()) : null;
      case "8" -> id(processId());
      case "9" -> Integer.toString(current.cpu());
      default -> type().facts().text(name);
    };
  }

  private static @Nullable String sequence(WppMessage message) {
    long number = message.sequence();
    return number == WppMessage.NO_SEQUENCE ? null : Long.toString(number);
  }

  private static @Nullable String id(int id) {
    return id == RecordCursor.NO_ID ? null : Integer.toUnsignedString(id);
  }

  /** Returns the file that the event is about; null if it is about none. */
  @Nullable String file() {
    Schema schema = type().schema();
    return schema == null ? null : EventSubjects.file(schema, payload(), meanings, key);
  }

  /** A value as text: paths with drive letters, all else as {@link Payload#text}. */
  public String text(int token) {
    Schema schema = type().schema();
    return schema == null ? "" : meanings.text(schema, payload(), token);
  }

  /** Process that the event belongs to; {@link RecordCursor#NO_ID} if unknown. */
  public int processId() {
    attribute();
    return owner.process();
  }

  /** Thread that the event belongs to; {@link RecordCursor#NO_ID} if unknown. */
  public int threadId() {
    attribute();
    return owner.thread();
  }

  /** Returns the name of the thread that the event belongs to; null if none is recorded. */
  public @Nullable String threadName() {
    return threadName(threadId());
  }

  /** Returns the name of a thread at this time; null if none is recorded. */
  @Nullable String threadName(int thread) {
    return thread == RecordCursor.NO_ID ? null : machine.threadName(thread, key);
  }

  /** Name of the image of the process; null if not recorded. */
  public @Nullable String process() {
    ProcessInstance life = processLife();
    return life == null ? null : life.image();
  }

  /** The process; null if not recorded. */
  public @Nullable ProcessInstance processLife() {
    int process = processId();
    return process == RecordCursor.NO_ID ? null : machine.process(process, key);
  }

  /** Returns the key that orders records ({@link EtwRecording#key}). */
  public long key() {
    return key;
  }

  /** The process of an id at this time; null if not recorded. */
  public @Nullable ProcessInstance processLife(int process) {
    return process == RecordCursor.NO_ID ? null : machine.process(process, key);
  }

  /** The process of a thread at this time; {@link RecordCursor#NO_ID} if unknown. */
  public int processOf(int thread) {
    if (thread != RecordCursor.NO_ID && thread == threadId()) {
      return processId();
    }
    return owner.processOf(thread);
  }

  private void attribute() {
    if (!attributed) {
      attributed = true;
      owner.attribute(type().schema());
    }
  }
}
