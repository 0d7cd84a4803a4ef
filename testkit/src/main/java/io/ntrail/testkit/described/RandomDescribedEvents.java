package io.ntrail.testkit.described;

import io.ntrail.testkit.Property.Gen;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Events of any shape with descriptions of every kind, drawn from a {@link Gen}: any reader can be
 * compared with what was written.
 *
 * <pre>{@code
 * Property.check(g -> {
 *   TraceLoggingEvent e = RandomDescribedEvents.traceLogging(g);
 *   assertEquals(Node.flat(e.expected()), myReader(e.metadata(), e.payload()));
 * });
 * }</pre>
 */
public final class RandomDescribedEvents {
  private static final List<RandomValues> TRACE_LOGGING =
      RandomValues.ALL.stream().filter(kind -> kind.traceLogging() >= 0).toList();
  private static final List<RandomValues> BLOB =
      RandomValues.ALL.stream().filter(kind -> kind.tdh() >= 0).toList();
  private static final List<RandomValues> MANIFEST =
      RandomValues.ALL.stream().filter(RandomValues::inManifests).toList();

  private final Gen g;
  private final int pointer;
  private final List<RandomValues> kinds;
  private final Map<String, Map<Long, String>> maps;
  private int names;

  private RandomDescribedEvents(
      Gen g, int pointer, List<RandomValues> kinds, Map<String, Map<Long, String>> maps) {
    this.g = g;
    this.pointer = pointer;
    this.kinds = kinds;
    this.maps = maps;
  }

  /**
   * An event that TDH's types describe.
   *
   * @param pointer bytes of a pointer of the record
   * @param maps value maps by name; those that start with {@code bits} are bit maps
   * @param event fields and payload
   */
  public record Typed(int pointer, Map<String, Map<Long, String>> maps, TypedEvent event) {
    /** The event's TRACE_EVENT_INFO. */
    public byte[] eventInfo(UUID provider, String providerName, int id, int version) {
      return new EventInfoWriter(provider, providerName, id, version).write(event);
    }

    /** The payloads of the records with the event's value maps. */
    public List<byte[]> mapInfos(UUID provider) {
      List<byte[]> out = new ArrayList<>();
      maps.forEach((name, entries) ->
          out.add(EventInfoWriter.map(provider, name, name.startsWith("bits"), entries)));
      return out;
    }

    /** A manifest that has the event. */
    public String manifest(UUID provider, String providerName, int id, int version) {
      ManifestWriter writer = new ManifestWriter(providerName, provider);
      maps.forEach((name, entries) -> writer.map(name, name.startsWith("bits"), entries));
      return writer.event(id, version, "Event" + id, "", "", "", event).write();
    }
  }

  /** A TraceLogging event; pointers in it have 8 bytes. */
  public static TraceLoggingEvent traceLogging(Gen g) {
    return traceLogging(g, 8);
  }

  /** A TraceLogging event with pointers of so many bytes. */
  public static TraceLoggingEvent traceLogging(Gen g, int pointer) {
    TraceLoggingEvent event = new TraceLoggingEvent(g.text(20));
    if (g.below(4) == 3) {
      event.tag((int) g.between(0, (1 << 28) - 1));
    }
    new RandomDescribedEvents(g, pointer, TRACE_LOGGING, Map.of()).fill(event, 0);
    return event;
  }

  /** An event with any type that TRACE_EVENT_INFO can describe. */
  public static Typed eventInfo(Gen g) {
    return typed(g, BLOB);
  }

  /** An event with the types that manifests can describe. */
  public static Typed manifest(Gen g) {
    return typed(g, MANIFEST);
  }

  private static Typed typed(Gen g, List<RandomValues> kinds) {
    Map<String, Map<Long, String>> maps = new LinkedHashMap<>();
    maps.put("words", Map.of(0L, "none", 1L, "one", 7L, "lots & <more>", 0xFFFF_FFFFL, "all"));
    maps.put("bits", Map.of(1L, "Read", 2L, "Write", 0x8000_0000L, "Lock"));
    int pointer = g.oneOf(8, 4);
    TypedEvent event = new TypedEvent();
    new RandomDescribedEvents(g, pointer, kinds, maps).fill(event, 0);
    return new Typed(pointer, Map.copyOf(maps), event);
  }

  private String name() {
    return "f" + names++;
  }

  private RandomValues kind() {
    return kinds.get(g.below(kinds.size()));
  }

  private List<EncodedValue> values(RandomValues kind, int count) {
    List<EncodedValue> out = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      out.add(kind.make(g, pointer));
    }
    return out;
  }

  /** A filler that gives the same shape every time, with other values. */
  private record Shape(List<RandomValues> kinds, List<String> names) {}

  private Shape shape() {
    List<RandomValues> chosen = new ArrayList<>();
    List<String> chosenNames = new ArrayList<>();
    for (int i = g.below(4); i >= 0; i--) {
      chosen.add(kind());
      chosenNames.add(name());
    }
    return new Shape(chosen, chosenNames);
  }

  private void fill(TraceLoggingEvent event, int depth) {
    for (int i = g.length(8); i > 0; i--) {
      RandomValues kind = kind();
      String name = name();
      if (g.below(8) == 7) {
        event.tagNext((int) g.between(1, (1 << 28) - 1));
      }
      switch (g.below(depth > 2 ? 6 : 10)) {
        case 0, 1, 2, 3 -> event.field(name, kind.in(), kind.traceLogging(), kind.make(g, pointer));
        case 4 -> event.fixed(name, kind.in(), kind.traceLogging(), values(kind, g.below(5)));
        case 5 -> event.counted(name, kind.in(), kind.traceLogging(), values(kind, g.below(5)));
        case 6 -> event.custom(name, g.bytes(10), g.bytes(10));
        case 7 -> event.struct(name, inner -> fill(inner, depth + 1));
        default -> {
          Shape shape = shape();
          Consumer<TraceLoggingEvent> one =
              inner -> {
                for (int k = 0; k < shape.kinds.size(); k++) {
                  RandomValues each = shape.kinds.get(k);
                  inner.field(
                      shape.names.get(k), each.in(), each.traceLogging(), each.make(g, pointer));
                }
              };
          event.structs(name, g.flag(), one, repeated(one, g.below(4)));
        }
      }
    }
  }

  private static <T> List<Consumer<T>> repeated(Consumer<T> one, int count) {
    List<Consumer<T>> out = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      out.add(one);
    }
    return out;
  }

  private void fill(TypedEvent event, int depth) {
    for (int i = g.length(8); i > 0; i--) {
      RandomValues kind = kind();
      String name = name();
      switch (g.below(depth > 0 ? 9 : 12)) {
        case 0, 1, 2 -> event.field(name, kind.in(), kind.tdh(), kind.make(g, pointer));
        case 3 -> event.array(name, kind.in(), kind.tdh(), null, values(kind, 2 + g.below(3)));
        case 4 -> {
          int count = g.below(4);
          String counter = counter(event, count);
          event.array(name, kind.in(), kind.tdh(), counter, values(kind, count));
        }
        case 5 -> sized(event, name);
        case 6 -> sizedBy(event, name);
        case 7 -> {
          long value = g.oneOf(0L, 1L, 7L, 0xFFFF_FFFFL, g.scaled() & 0xFFFF_FFFFL);
          String meaning = maps.getOrDefault("words", Map.of()).get(value);
          event.mapped(name, 8, "words", EncodedValue.unsigned(4, value), meaning);
        }
        case 8 -> {
          long value = g.oneOf(0L, 1L, 3L, 0x8000_0001L, 2L);
          event.mapped(name, 8, "bits", EncodedValue.unsigned(4, value), bits(value));
        }
        case 9 -> event.struct(name, inner -> fill(inner, depth + 1));
        default -> {
          Shape shape = shape();
          Consumer<TypedEvent> one =
              inner -> {
                for (int k = 0; k < shape.kinds.size(); k++) {
                  RandomValues each = shape.kinds.get(k);
                  inner.field(shape.names.get(k), each.in(), each.tdh(), each.make(g, pointer));
                }
              };
          boolean fixed = g.flag();
          int count = fixed ? 2 + g.below(2) : g.below(4);
          String counter = fixed ? null : counter(event, count);
          event.structs(name, counter, one, repeated(one, count));
        }
      }
    }
  }

  private static @Nullable String bits(long value) {
    List<String> words = new ArrayList<>();
    if ((value & 1) != 0) {
      words.add("Read");
    }
    if ((value & 2) != 0) {
      words.add("Write");
    }
    if ((value & 0x8000_0000L) != 0) {
      words.add("Lock");
    }
    return words.isEmpty() ? null : String.join("|", words);
  }

  /** A field that holds a count or a length. */
  private String counter(TypedEvent event, int value) {
    String name = name();
    int width = g.oneOf(2, 4, 1);
    event.field(name, width == 1 ? 4 : width == 2 ? 6 : 8, 0, EncodedValue.unsigned(width, value));
    return name;
  }

  private void sized(TypedEvent event, String name) {
    int length = 1 + g.below(20);
    String text = RandomValues.ascii(g, length);
    switch (g.below(3)) {
      case 0 -> event.sized(name, 1, 1, length, EncodedValue.wideIn(length, text));
      case 1 -> event.sized(name, 2, 1, length, EncodedValue.narrowIn(length, text));
      default -> {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
          bytes[i] = (byte) g.below(256);
        }
        event.sized(name, 14, 15, length, EncodedValue.binary(bytes));
      }
    }
  }

  private void sizedBy(TypedEvent event, String name) {
    String text = RandomValues.ascii(g, 20);
    switch (g.below(4)) {
      case 0 -> {
        String counter = counter(event, text.length());
        event.sizedBy(name, 1, 1, counter, EncodedValue.openWide(text));
      }
      case 1 -> {
        String counter = counter(event, text.length());
        event.sizedBy(name, 2, 1, counter, EncodedValue.narrowIn(text.length(), text));
      }
      case 2 -> {
        byte[] bytes = g.bytes(20);
        String counter = counter(event, bytes.length);
        event.sizedBy(name, 14, 15, counter, EncodedValue.binary(bytes));
      }
      default -> {
        EncodedValue socket = EncodedValue.socket(RandomValues.address6(g), g.below(0x10000));
        String counter = counter(event, socket.bytes().size());
        event.sizedBy(name, 14, 25, counter, socket);
      }
    }
  }

  /** A WPP message with any arguments. */
  public static WppMessageWriter wpp(Gen g, UUID trace, int number) {
    WppMessageWriter message =
        new WppMessageWriter(trace, "any_c" + number, number, "AnyFunction", "LEVEL", "FLAG");
    for (int i = g.length(8); i > 0; i--) {
      message.text(g.oneOf(" ", "value ", "100% ", "\u00E4 "));
      switch (g.below(9)) {
        case 0 -> message.number((int) g.scaled());
        case 1 -> message.number(g.scaled());
        case 2 -> message.hex((int) g.scaled());
        case 3 -> message.wide(g.text(20));
        case 4 -> message.narrow(RandomValues.ascii(g, 20));
        case 5 -> message.countedWide(g.text(20));
        case 6 -> message.guid(new UUID(g.bits(), g.bits()));
        case 7 -> message.oneOf(g.oneOf(1, 2, 4), g.below(3), "Off", "On", "Busy");
        default -> message.function();
      }
    }
    return message;
  }
}
