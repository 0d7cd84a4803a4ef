package io.ntrail.formats.schema;

import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.ObjectColumn;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Fields of the payload of one event, with the event's name. Immutable.
 *
 * <p>Names of fields are made unique within their structure, since rows and objects are keyed by
 * them: the second {@code Name} becomes {@code Name_2}.
 */
public final class Schema {
  /** Deepest nesting of structures; what is deeper is not a schema but an attack. */
  public static final int MAX_DEPTH = 32;

  /** Tokens of a payload; their offsets count from its first byte. */
  static final class Tape {
    final Columns rows = new Columns(64);
    final ObjectColumn<Payload.Token> tokens = rows.objects();
    final ObjectColumn<Field> fields = rows.objects();
    final IntColumn offsets = rows.ints();
    final IntColumn lengths = rows.ints();

    /** Bytes of all of them. */
    int bytes;
  }

  private static final int NOWHERE = -1;

  private final SchemaSource source;
  private final @Nullable String provider;
  private final @Nullable String event;
  private final @Nullable String message;
  private final List<Field> fields;
  private final int slots;
  private final int fieldCount;
  private final boolean isFixed;
  private final int[] processOffset = {NOWHERE, NOWHERE};
  private final int[] threadOffset = {NOWHERE, NOWHERE};

  /** Tokens of all payloads with pointers of 4 bytes; null: not known yet, or they differ. */
  private volatile @Nullable Tape narrow;

  /** Tokens of those with pointers of 8. */
  private volatile @Nullable Tape wide;

  /**
   * @param source where it came from
   * @param provider name of the provider, if the source has it
   * @param event name of the event, if the source has it; {@code Task/Opcode} where it has both
   * @param message the message text with its inserts ({@code %1}); null if there is none
   * @param fields its fields; no deeper than {@link #MAX_DEPTH}
   */
  public Schema(
      SchemaSource source,
      @Nullable String provider,
      @Nullable String event,
      @Nullable String message,
      List<Field> fields) {
    this.source = source;
    this.provider = provider;
    this.event = event;
    this.message = message;
    this.fields = unique(fields, 0);
    this.slots = 1 + lastSlot(this.fields);
    this.fieldCount = countOf(this.fields);
    this.isFixed = isFixed(this.fields);
  }

  private Schema(Schema other, int process, int thread) {
    source = other.source;
    provider = other.provider;
    event = other.event;
    message = other.message;
    fields = other.fields;
    slots = other.slots;
    fieldCount = other.fieldCount;
    isFixed = other.isFixed;
    for (int wide = 0; wide < 2; wide++) {
      processOffset[wide] = process < 0 ? NOWHERE : offsetOf(process, 4 + 4 * wide);
      threadOffset[wide] = thread < 0 ? NOWHERE : offsetOf(thread, 4 + 4 * wide);
    }
  }

  private Schema(Schema other, @Nullable String event, @Nullable String message) {
    source = other.source;
    provider = other.provider;
    this.event = event;
    this.message = message;
    fields = other.fields;
    slots = other.slots;
    fieldCount = other.fieldCount;
    isFixed = other.isFixed;
  }

  /** Another event of the same provider with the same fields, which are shared. */
  Schema described(@Nullable String newEvent, @Nullable String newMessage) {
    return new Schema(this, newEvent, newMessage);
  }

  /**
   * Returns the schema with the fields that hold the process and thread that the event is about.
   *
   * @param process index of a 32-bit field that has only fixed ones before it; -1 if there is none
   * @param thread likewise
   */
  public Schema subject(int process, int thread) {
    return new Schema(this, process, thread);
  }

  private int offsetOf(int index, int pointerBytes) {
    int at = 0;
    for (Field field : fields.subList(0, index)) {
      int size = field.in().size(pointerBytes);
      if (field.in() == InType.PADDING && field.length().kind() == LengthSpec.Kind.FIXED) {
        size = field.length().value();
      }
      if (size < 0 || field.isArray() && field.count().kind() != LengthSpec.Kind.FIXED) {
        throw new IllegalArgumentException(field + " before a subject is not fixed");
      }
      at += field.isArray() ? size * field.count().value() : size;
    }
    return at;
  }

  private static List<Field> unique(List<Field> fields, int depth) {
    if (depth > MAX_DEPTH) {
      throw new IllegalArgumentException("structures nested deeper than " + MAX_DEPTH);
    }
    Set<String> names = new HashSet<>();
    Map<String, Integer> next = new HashMap<>();
    List<Field> result = new ArrayList<>(fields.size());
    for (Field field : fields) {
      String name = field.name().isEmpty() ? "field" + (result.size() + 1) : field.name();
      String wanted = name;
      // Goes on where the last field of this name ended: thousands of equal names stay cheap.
      while (!names.add(name)) {
        name = wanted + "_" + next.merge(wanted, 2, (last, first) -> last + 1);
      }
      Field named = name.equals(field.name()) ? field : field.named(name);
      result.add(
          named.in() == InType.STRUCT ? named.members(unique(named.members(), depth + 1)) : named);
    }
    return List.copyOf(result);
  }

  private static int lastSlot(List<Field> fields) {
    int last = -1;
    for (Field field : fields) {
      last = Math.max(last, Math.max(field.slot(), lastSlot(field.members())));
      last = Math.max(last, field.length().slot());
      last = Math.max(last, field.count().slot());
    }
    return last;
  }

  private static int countOf(List<Field> fields) {
    int count = 0;
    for (Field field : fields) {
      count += 1 + countOf(field.members());
    }
    return count;
  }

  private static boolean isFixed(List<Field> fields) {
    for (Field field : fields) {
      boolean isStruct = field.in() == InType.STRUCT;
      if (field.isArray()
          || (isStruct ? !isFixed(field.members()) : field.in().size(Long.BYTES) < 0)) {
        return false;
      }
    }
    return true;
  }

  /** Returns true if all its payloads that have all fields have them in the same places. */
  boolean isFixed() {
    return isFixed;
  }

  /** Returns the tokens of all payloads that have all fields; null: not known yet. */
  @Nullable Tape tape(int pointerBytes) {
    return pointerBytes == Long.BYTES ? wide : narrow;
  }

  /** Keeps the tokens of all payloads that have all fields. */
  void keepTape(int pointerBytes, Tape tape) {
    if (pointerBytes == Long.BYTES) {
      wide = tape;
    } else {
      narrow = tape;
    }
  }

  /** Returns its source. */
  public SchemaSource source() {
    return source;
  }

  /** Name of the provider; null if the source does not have it. */
  public @Nullable String provider() {
    return provider;
  }

  /** Name of the event; null if the source does not have it. */
  public @Nullable String event() {
    return event;
  }

  /** The message text with its inserts; null if there is none. */
  public @Nullable String message() {
    return message;
  }

  /** The fields, in the order of their bytes. */
  public List<Field> fields() {
    return fields;
  }

  /** Returns the number of slots that its fields use. */
  int slots() {
    return slots;
  }

  /** Number of fields, those of structures included. */
  public int fieldCount() {
    return fieldCount;
  }

  /**
   * Returns the offset in the payload of the id of the process that the event is about.
   *
   * @param pointerBytes of the record's writer, 4 or 8
   * @return -1 if the payload does not have it
   */
  public int processOffset(int pointerBytes) {
    return processOffset[pointerBytes >>> 3];
  }

  /**
   * Returns the offset in the payload of the id of the thread that the event is about; -1 if it
   * does not have it.
   */
  public int threadOffset(int pointerBytes) {
    return threadOffset[pointerBytes >>> 3];
  }

  @Override
  public String toString() {
    return source + " " + provider + "/" + event + " " + fields;
  }
}
