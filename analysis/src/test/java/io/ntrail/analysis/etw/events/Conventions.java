package io.ntrail.analysis.etw.events;

import io.ntrail.formats.schema.Field;
import io.ntrail.formats.schema.InType;
import io.ntrail.formats.schema.OutType;
import io.ntrail.formats.schema.Payload;
import io.ntrail.formats.schema.Schema;
import io.ntrail.formats.schema.SchemaSource;
import io.ntrail.testkit.described.DescribedEvent;
import io.ntrail.testkit.described.FieldNode;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Events as the program reads them, in the forms of testkit's readers and writers. All differences
 * that are only a matter of taste are evened out here, each with its reason; everything else has to
 * be equal.
 */
final class Conventions {
  private static final String NO_DATE = "1601-01-01T00:00:00.0000000Z";

  private final EventReader event;
  private final Payload payload;
  private final boolean wpp;

  private Conventions(EventReader event, Schema schema) {
    this.event = event;
    this.payload = event.payload();
    this.wpp = schema.source() == SchemaSource.TMF;
  }

  /** The fields of an event. */
  static List<FieldNode> fields(EventReader event) {
    Schema schema = event.type().schema();
    if (schema == null) {
      return List.of();
    }
    Conventions reading = new Conventions(event, schema);
    List<FieldNode> nodes = new ArrayList<>();
    for (int i = 0; i < reading.payload.size(); i = reading.payload.after(i)) {
      nodes.add(reading.node(i, reading.name(i)));
    }
    return nodes;
  }

  /** The fields of an event, a line each. */
  static List<String> lines(EventReader event) {
    return lines(fields(event));
  }

  /** Fields, a line each. */
  static List<String> lines(List<FieldNode> nodes) {
    return FieldNode.flat(nodes).stream().map(FieldNode.Pair::toString).toList();
  }

  /**
   * The name of an event as the program builds it.
   *
   * @param by what describes it
   * @param name as testkit's reader has it
   */
  static @Nullable String event(DescribedEvent.By by, String name) {
    String plain = name;
    if (by != DescribedEvent.By.TRACE_LOGGING) {
      // The program leaves out the prefix of names that Windows itself defines, and the opcode
      // Info,
      // which says nothing.
      plain = name.replaceFirst("(^|/)win:", "$1").replaceFirst("(^|/)Info$", "");
    }
    // The program has no empty names.
    return plain.isEmpty() ? null : plain;
  }

  private FieldNode node(int i, String name) {
    if (payload.token(i) == Payload.Token.VALUE) {
      return FieldNode.mapped(name, text(i), meaning(i));
    }
    boolean array = payload.token(i) == Payload.Token.ARRAY;
    List<FieldNode> children = new ArrayList<>();
    for (int k = i + 1; payload.token(k) != Payload.Token.END; k = payload.after(k)) {
      children.add(node(k, array ? "[" + children.size() + "]" : name(k)));
    }
    return FieldNode.group(name, children);
  }

  private String name(int i) {
    String name = payload.field(i).name();
    // TMF files call an argument arg10, the writer by its number.
    return wpp ? name.replaceFirst("^arg", "") : name;
  }

  /** Names of codes come from the program alone; names of maps both readers know. */
  private @Nullable String meaning(int i) {
    // The writer of software tracing gives lists their number only.
    return payload.field(i).map() == null || wpp ? null : event.meaning(i);
  }

  private String text(int i) {
    Field field = payload.field(i);
    // Not the event's text: drive letters in paths are the program's own.
    String text = payload.text(i);
    boolean code = field.out() == OutType.NTSTATUS || field.out() == OutType.HRESULT;
    if (code || field.in() == InType.SIZE_T) {
      // Codes are decimal beside their names, sizes are numbers: testkit has both in hexadecimal.
      return hex(i);
    }
    boolean time = field.in() == InType.FILETIME || field.out() == OutType.DATE_TIME;
    if (time && payload.length(i) == 8 && text.indexOf('T') < 0) {
      // An invalid date is a bare number; testkit counts on from 1601, or has hexadecimal.
      return payload.integer(i) == 0 ? NO_DATE : hex(i);
    }
    return text;
  }

  private String hex(int i) {
    long value = payload.integer(i);
    int bits = 8 * payload.length(i);
    return "0x" + Long.toHexString(bits < 64 ? value & (1L << bits) - 1 : value);
  }
}
