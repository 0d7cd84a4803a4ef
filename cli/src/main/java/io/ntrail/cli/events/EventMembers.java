package io.ntrail.cli.events;

import io.ntrail.analysis.etw.events.EventReader;
import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.ValueDescriptions;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.ValueKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writer of the fields of events of one type as members of an object of JSON. The names of the
 * members are made once, since looking them up took longer than writing the values.
 */
final class EventMembers {
  /** Tokens of a payload whose names are kept; long arrays of structures have more. */
  private static final int MOST_TOKENS = 1 << 8;

  /** Values of a field whose meanings are kept. */
  private static final int KEPT = 1 << 4;

  /** Groups of fields of a type whose members are kept. */
  private static final int MOST_GROUPS = 1 << 4;

  /** Names of the members of a field, and what its values meant. */
  private static final class Names {
    final Field field;
    final JsonRow.Key key;

    /** Key of its nanoseconds; null: it has none. */
    final JsonRow.@Nullable Key nanos;

    /** Key of the text beside a value, or of the texts beside an array; null: it has none. */
    final JsonRow.@Nullable Key meaning;

    /** True if there is a member beside its own. */
    final boolean hasMore;

    /**
     * Values by their lowest bits, and their texts; of those whose text depends on nothing else.
     */
    private final long[] values = new long[KEPT];

    private final byte[] @Nullable [] texts = new byte[KEPT][];

    Names(
        Field field, JsonRow.Key key, JsonRow.@Nullable Key nanos, JsonRow.@Nullable Key meaning) {
      this.field = field;
      this.key = key;
      this.nanos = nanos;
      this.meaning = meaning;
      this.hasMore = nanos != null || meaning != null;
    }
  }

  /** A field that has one place in all whole payloads. */
  private static final class Step {
    final Names names;
    final int token;

    /** True if it is a number, which the next four describe. */
    final boolean isWord;

    /** Distance from the payload's start. */
    final int offset;

    final int length;
    final boolean isSigned;
    final boolean isHex;

    /** True if its members depend on nothing but its bytes. */
    final boolean isAlone;

    Step(Names names, Payload payload, int token) {
      this.names = names;
      this.token = token;
      Field field = names.field;
      this.isWord = payload.token(token) == Payload.Token.VALUE && field.isWord();
      this.offset = payload.offset(token) - payload.begin();
      this.length = payload.length(token);
      this.isSigned = field.kind() == ValueKind.SIGNED;
      this.isHex = field.kind() == ValueKind.HEX;
      this.isAlone =
          isWord && names.nanos == null && (names.meaning == null || field.map() != null);
    }
  }

  /** Neighbouring fields, whose members are kept by their bytes if these are few. */
  private static final class Group {
    final Step[] steps;

    /** Distance from the payload's start. */
    final int offset;

    /** Bits of a word that are not theirs. */
    final int unused;

    /** Members that were written a moment ago; null: they are not kept. */
    @Nullable RecentMembers recent;

    Group(List<Step> steps, boolean isKept) {
      this.steps = steps.toArray(Step[]::new);
      Step first = steps.getFirst();
      this.offset = first.offset;
      this.unused = Integer.SIZE - Byte.SIZE * lengthWith(first, steps.getLast());
      this.recent = isKept ? new RecentMembers() : null;
    }

    static int lengthWith(Step first, Step last) {
      return last.offset + last.length - first.offset;
    }
  }

  private final JsonRow row;
  private final EventType type;
  private final boolean withRecent;

  /** Fields of whole payloads by the width of their pointers; null: none was met yet. */
  private Group @Nullable [] narrow;

  private Group @Nullable [] wide;

  /** Names by the place of a token, which has the same field in almost all events of a type. */
  private @Nullable Names[] names = new Names[16];

  /**
   * Writes to a row.
   *
   * @param withRecent whether members are kept that were written a moment ago
   */
  EventMembers(JsonRow row, EventType type, boolean withRecent) {
    this.row = row;
    this.type = type;
    this.withRecent = withRecent;
  }

  /** Writes all fields as members of the object at hand. */
  void write(EventReader event) {
    Payload payload = event.payload();
    if (payload.isFixed()) {
      for (Group group : groups(payload)) {
        group(event, payload, group);
      }
      return;
    }
    int size = payload.size();
    int i = 0;
    while (i < size) {
      i = member(event, payload, i);
    }
  }

  private Group[] groups(Payload payload) {
    Group[] known = payload.pointerBytes() == Long.BYTES ? wide : narrow;
    return known == null ? learn(payload) : known;
  }

  private Group[] learn(Payload payload) {
    List<Group> found = new ArrayList<>();
    List<Step> together = new ArrayList<>();
    for (int i = 0; i < payload.size(); i = payload.after(i)) {
      Step step = new Step(at(i, payload.field(i)), payload, i);
      if (!together.isEmpty() && !isGroup(together.getFirst(), step)) {
        found.add(group(together, found.size()));
        together.clear();
      }
      together.add(step);
    }
    if (!together.isEmpty()) {
      found.add(group(together, found.size()));
    }
    Group[] made = found.toArray(new Group[0]);
    if (payload.pointerBytes() == Long.BYTES) {
      wide = made;
    } else {
      narrow = made;
    }
    return made;
  }

  /** Returns whether all members from one field to another are kept by their bytes. */
  private static boolean isGroup(Step first, Step last) {
    return first.isAlone && last.isAlone && Group.lengthWith(first, last) <= Integer.BYTES;
  }

  private Group group(List<Step> steps, int before) {
    boolean isKept = withRecent && before < MOST_GROUPS;
    return new Group(steps, isKept && isGroup(steps.getFirst(), steps.getLast()));
  }

  private void group(EventReader event, Payload payload, Group group) {
    RecentMembers recent = group.recent;
    if (recent == null) {
      steps(event, payload, group.steps);
      return;
    }
    int unused = group.unused;
    int at = payload.begin() + group.offset;
    int word = (int) payload.bytes().word(at, Integer.BYTES - (unused >> 3)) << unused;
    byte[] known = recent.of(word);
    if (known != null) {
      row.members(known);
      return;
    }
    int begin = row.size();
    steps(event, payload, group.steps);
    if (recent.isUseful()) {
      recent.keep(word, row.from(begin));
    } else {
      group.recent = null;
    }
  }

  private void steps(EventReader event, Payload payload, Step[] steps) {
    for (Step step : steps) {
      step(event, payload, step);
    }
  }

  /** Writes a field of a whole payload: most of them are numbers, of which little is asked. */
  private void step(EventReader event, Payload payload, Step step) {
    if (!step.isWord) {
      member(event, payload, step.token);
      return;
    }
    int unused = Long.SIZE - Byte.SIZE * step.length;
    long word = payload.bytes().word(payload.begin() + step.offset, step.length) << unused;
    Names of = step.names;
    if (step.isHex) {
      row.hex(of.key, word >>> unused);
    } else if (step.isSigned) {
      row.number(of.key, word >> unused);
    } else {
      row.unsigned(of.key, word >>> unused);
    }
    if (of.hasMore) {
      beside(event, payload, step.token, of);
    }
  }

  // Fields that are equal but not the same are looked up anew, which is right, too.
  @SuppressWarnings("ReferenceEquality")
  private Names at(int token, Field field) {
    Names known = token < names.length ? names[token] : null;
    return known != null && known.field == field ? known : learn(token, field);
  }

  private Names learn(int token, Field field) {
    boolean isArray = field.isArray();
    String meaning = ValueDescriptions.besideName(field);
    if (isArray) {
      meaning = field.map() == null ? null : field.textName();
    }
    String nanos = isArray ? null : ValueDescriptions.nanosName(field);
    Names made = new Names(field, row.newKey(field.name()), free(nanos), free(meaning));
    if (token < MOST_TOKENS) {
      if (token >= names.length) {
        names = Arrays.copyOf(names, MOST_TOKENS);
      }
      names[token] = made;
    }
    return made;
  }

  private JsonRow.@Nullable Key free(@Nullable String name) {
    return name == null || type.takenNames().contains(name) ? null : row.newKey(name);
  }

  private int member(EventReader event, Payload payload, int at) {
    Field field = payload.field(at);
    Names of = at(at, field);
    row.key(of.key);
    int next = value(event, payload, field, at);
    if (of.hasMore) {
      if (payload.token(at) == Payload.Token.VALUE) {
        beside(event, payload, at, of);
      } else if (of.meaning != null && payload.token(at) == Payload.Token.ARRAY) {
        row.key(of.meaning).array();
        for (int i = at + 1; payload.token(i) != Payload.Token.END; i = payload.after(i)) {
          row.element().text(event.meaning(i));
        }
        row.endArray();
      }
    }
    return next;
  }

  /** Writes the meaning of a value beside its number, under a key of its own. */
  private void beside(EventReader event, Payload payload, int at, Names of) {
    if (of.nanos != null) {
      long ticks = payload.integer(at);
      boolean point = of.field.out() == OutType.TICKS;
      row.number(of.nanos, point ? event.nanosOf(ticks) : event.nanosOfSpan(ticks));
    }
    if (of.meaning != null) {
      byte[] meaning = meaning(event, payload, at, of);
      if (meaning != null) {
        row.key(of.meaning).encoded(meaning);
      }
    }
  }

  /** Returns the bytes of the text beside a value; null if it has none. */
  private byte @Nullable [] meaning(EventReader event, Payload payload, int at, Names of) {
    boolean isKept = of.field.map() != null;
    long value = isKept ? payload.integer(at) : 0;
    int slot = (int) value & KEPT - 1;
    byte[] known = of.texts[slot];
    if (isKept && known != null && of.values[slot] == value) {
      return known;
    }
    String text = event.meaning(at);
    if (text == null) {
      return null;
    }
    byte[] made = row.encodedName(text);
    if (isKept) {
      of.values[slot] = value;
      of.texts[slot] = made;
    }
    return made;
  }

  /** Writes a value, and returns the token behind it. */
  private int value(EventReader event, Payload payload, Field field, int at) {
    Payload.Token token = payload.token(at);
    if (token == Payload.Token.VALUE) {
      scalar(event, payload, field, at);
      return at + 1;
    }
    boolean isArray = token == Payload.Token.ARRAY;
    if (isArray && field.kind() == ValueKind.HEX) {
      int words = payload.words(at);
      if (words >= 0) {
        int length = field.in().size(payload.pointerBytes());
        row.hexes(payload.bytes(), payload.offset(at), length, words);
        return at + words + 2;
      }
    }
    if (isArray) {
      row.array();
    } else {
      row.object();
    }
    int i = at + 1;
    while (payload.token(i) != Payload.Token.END) {
      if (isArray) {
        row.element();
        i = value(event, payload, payload.field(i), i);
      } else {
        i = member(event, payload, i);
      }
    }
    if (isArray) {
      row.endArray();
    } else {
      row.endObject();
    }
    return i + 1;
  }

  private void scalar(EventReader event, Payload payload, Field field, int at) {
    switch (field.kind()) {
      case SIGNED -> row.number(payload.integer(at));
      case UNSIGNED -> row.unsigned(payload.integer(at));
      case HEX -> row.hex(payload.integer(at));
      case BOOL -> row.bool(payload.bool(at));
      case REAL -> {
        if (field.in() == InType.FLOAT) {
          row.real((float) payload.real(at));
        } else {
          row.real(payload.real(at));
        }
      }
      case BINARY -> row.bytes(payload.bytes(), payload.offset(at), payload.length(at));
      case TEXT -> row.text(isAbsent(payload, at, field) ? null : event.text(at));
    }
  }

  /** A SID that is not there is not "". */
  private static boolean isAbsent(Payload payload, int at, Field field) {
    return payload.length(at) == 0 && field.in() == InType.WBEM_SID;
  }
}
