package io.ntrail.formats.schema;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.ManifestReader.RawEvent;
import io.ntrail.formats.schema.ManifestReader.RawMap;
import io.ntrail.formats.schema.ManifestReader.RawName;
import io.ntrail.formats.schema.ManifestReader.RawProvider;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Providers with schemas out of the elements of a manifest: texts in place of references, numbers
 * in place of names.
 */
final class ManifestProviders {
  /** Receives what made no sense. */
  interface Problems {
    void add(int line, String what);
  }

  /** Of a text with references in it: references multiply, so that what they make is bounded. */
  private static final int MAX_TEXT = 1 << 16;

  private static final String REFERENCE = "$(string.";

  private final SchemaSource source;
  private final Map<String, String> strings;
  private final Problems problems;

  /** Number of characters that may still be made of texts that are more than one reference. */
  private int textLeft = 16 << 20;

  ManifestProviders(SchemaSource source, Map<String, String> strings, Problems problems) {
    this.source = source;
    this.strings = strings;
    this.problems = problems;
  }

  Manifest manifest(List<RawProvider> raw, List<String> found) {
    List<Manifest.Provider> providers = new ArrayList<>();
    for (RawProvider provider : raw) {
      Guid guid = guid(provider.line, provider.guid);
      if (guid == null) {
        problems.add(provider.line, "provider " + provider.name + " has no GUID");
      }
      providers.add(new OfProvider(provider, guid == null ? Guid.ZERO : guid).provider());
    }
    return new Manifest(providers, found);
  }

  private @Nullable Guid guid(int line, String text) {
    try {
      return text.isEmpty() ? null : Guid.parse(text);
    } catch (IllegalArgumentException e) {
      problems.add(line, "not a GUID: " + text);
      return null;
    }
  }

  /**
   * A number as manifests write them: decimal or 0x; unsigned, up to 64 bits.
   *
   * @return null if it is none or larger than {@code most}
   */
  private @Nullable Long number(int line, String text, long most) {
    try {
      boolean hex = text.startsWith("0x") || text.startsWith("0X");
      long value =
          hex ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseUnsignedLong(text);
      if (Long.compareUnsigned(value, most) <= 0) {
        return value;
      }
    } catch (NumberFormatException e) {
      // Told below, like a number that is too large.
    }
    problems.add(line, "not a number from 0 to " + Long.toUnsignedString(most) + ": " + text);
    return null;
  }

  /** A text with its references replaced; one that leads nowhere stays as it is. */
  private @Nullable String text(@Nullable String raw) {
    if (raw == null || !raw.contains(REFERENCE)) {
      return raw;
    }
    int close = raw.indexOf(')');
    if (raw.startsWith(REFERENCE) && close == raw.length() - 1) {
      return strings.getOrDefault(raw.substring(REFERENCE.length(), close), raw);
    }
    StringBuilder text = new StringBuilder();
    int at = 0;
    while (at < raw.length()) {
      int from = raw.indexOf(REFERENCE, at);
      int to = from < 0 ? -1 : raw.indexOf(')', from);
      if (to < 0) {
        text.append(raw, at, raw.length());
        break;
      }
      String whole = raw.substring(from, to + 1);
      String id = raw.substring(from + REFERENCE.length(), to);
      text.append(raw, at, from).append(strings.getOrDefault(id, whole));
      if (text.length() > Math.min(MAX_TEXT, textLeft)) {
        textLeft = 0;
        return raw;
      }
      at = to + 1;
    }
    textLeft -= text.length();
    return text.toString();
  }

  /** Returns the display name: its message if that resolves to a text, else its name. */
  private @Nullable String called(@Nullable String message, String name) {
    String text = text(message);
    boolean told = text != null && !text.isBlank() && !text.startsWith(REFERENCE);
    return EventNames.plain(told ? text : name);
  }

  private final class OfProvider {
    private final RawProvider raw;
    private final Guid guid;
    private final Map<String, ValueMap> maps = new LinkedHashMap<>();
    private final Map<String, Schema> templates = new HashMap<>();
    private final Schema noFields;

    OfProvider(RawProvider raw, Guid guid) {
      this.raw = raw;
      this.guid = guid;
      this.noFields = schema(List.of());
    }

    private Schema schema(List<Field> fields) {
      return new Schema(source, raw.name, null, null, fields);
    }

    Manifest.Provider provider() {
      raw.maps.forEach((name, map) -> maps.put(name, map(name, map)));
      raw.templates.forEach((tid, fields) ->
          templates.put(tid, schema(new ManifestFields(maps, problems).fields(fields))));
      Map<Long, String> keywords = new LinkedHashMap<>();
      raw.keywords
          .values()
          .forEach(keyword -> {
            Long mask = number(keyword.line(), keyword.value(), -1);
            String called = called(keyword.message(), keyword.name());
            if (called != null && mask != null) {
              keywords.putIfAbsent(mask, called);
            }
          });
      List<Manifest.Event> events = new ArrayList<>(raw.events.size());
      for (RawEvent event : raw.events) {
        Long id = number(event.line(), event.value(), 0xFFFF);
        Long version = number(event.line(), event.version(), 0xFF);
        if (id != null && version != null) {
          events.add(event(event, id.intValue(), version.intValue()));
        }
      }
      boolean classic = raw.source.equalsIgnoreCase("Wbem");
      return new Manifest.Provider(
          guid, raw.name, classic, events, templates.size(), maps, keywords);
    }

    private ValueMap map(String name, RawMap map) {
      Map<Long, String> texts = new LinkedHashMap<>();
      for (RawName value : map.values()) {
        Long number = number(value.line(), value.value(), 0xFFFF_FFFFL);
        String text = text(value.message());
        if (number != null && text != null) {
          EventMapInfo.put(texts, number, text.strip(), map.bits());
        }
      }
      return new ValueMap(name, map.bits(), texts);
    }

    private Manifest.Event event(RawEvent event, int id, int version) {
      RawName task = raw.tasks.get(event.task());
      RawName opcode = raw.opcodes.get(event.task() + "/" + event.opcode());
      if (opcode == null) {
        opcode = raw.opcodes.get(event.opcode());
      }
      RawName level = raw.levels.get(event.level());
      String taskName = name(event, task, event.task());
      String opcodeName = name(event, opcode, event.opcode());
      Guid eventGuid = task == null ? null : guid(task.line(), task.guid());
      long keyword = 0;
      List<String> keywords = new ArrayList<>();
      for (String word : event.keywords().split("\\s+", 65)) {
        RawName named = raw.keywords.get(word);
        Long mask = named == null ? null : number(named.line(), named.value(), -1);
        keyword |= mask == null ? 0 : mask;
        String called = named == null ? EventNames.plain(word) : called(named.message(), word);
        if (called != null) {
          keywords.add(called);
        }
      }
      Schema fields = templates.get(event.template());
      if (fields == null && !event.template().isEmpty()) {
        problems.add(event.line(), "no template " + event.template());
      }
      String name = EventNames.of(text(event.name()), taskName, opcodeName);
      if (name == null && source == SchemaSource.EVENT_SOURCE) {
        // The name of its method.
        name = EventNames.plain(event.symbol());
      }
      return new Manifest.Event(
          id,
          version,
          eventGuid == null ? Guid.ZERO : eventGuid,
          numberOf(level, EventNames.level(event.level()), 0xFF),
          numberOf(task, 0, 0xFFFF),
          numberOf(opcode, EventNames.opcode(event.opcode()), 0xFF),
          keyword,
          name(event, level, event.level()),
          taskName,
          opcodeName,
          keywords,
          event.symbol(),
          (fields == null ? noFields : fields).described(name, text(event.message())));
    }

    private int numberOf(@Nullable RawName raw, int otherwise, int most) {
      Long number = raw == null ? null : number(raw.line(), raw.value(), most);
      return number == null ? otherwise : number.intValue();
    }

    private @Nullable String name(RawEvent event, @Nullable RawName named, String reference) {
      if (named != null) {
        return called(named.message(), named.name());
      }
      if (!reference.isEmpty() && !reference.startsWith("win:")) {
        problems.add(event.line(), "refers to " + reference + ", which is not defined");
      }
      return EventNames.plain(reference);
    }
  }
}
