package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import java.io.StringReader;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An instrumentation manifest: the XML that describes the events of one or several providers. A
 * user gives it as a file, or a .NET {@code EventSource} sends it into the recording. Immutable.
 *
 * <p>Its texts are those of en-US if it has them, else of the culture that comes first.
 *
 * @param providers in the order of the manifest; never empty
 * @param problems what made no sense and was left out, with its line; no more than a hundred
 */
public record Manifest(List<Provider> providers, List<String> problems) {
  private static final int MAX_FILE = 64 << 20;
  private static final int MAX_SENT = 16 << 20;

  /** Keeps the order. */
  public Manifest {
    providers = List.copyOf(providers);
    problems = List.copyOf(problems);
  }

  /**
   * A manifest, or why there is none.
   *
   * @param manifest null if the text is none
   * @param reason why it is none, for people; empty if it is one
   */
  public record Result(@Nullable Manifest manifest, String reason) {}

  /**
   * One event.
   *
   * @param id {@code value} of the manifest
   * @param version 0 if the manifest says nothing
   * @param eventGuid of its task; identifies classic events, zero for others
   * @param level 0 if the manifest says nothing
   * @param task its number, likewise
   * @param opcode its number, likewise
   * @param keyword the bits of its keywords
   * @param levelName what the level is called
   * @param taskName what the task is called
   * @param opcodeName what the opcode is called
   * @param keywordNames what the keywords are called
   * @param symbol what the writer's source code calls it
   * @param schema its name, its message and its fields
   */
  public record Event(
      int id,
      int version,
      Guid eventGuid,
      int level,
      int task,
      int opcode,
      long keyword,
      @Nullable String levelName,
      @Nullable String taskName,
      @Nullable String opcodeName,
      List<String> keywordNames,
      @Nullable String symbol,
      Schema schema) {
    /** Keeps the order. */
    public Event {
      keywordNames = List.copyOf(keywordNames);
    }
  }

  /** One provider. Immutable. */
  public static final class Provider {
    private final Guid guid;
    private final String name;
    private final boolean classic;
    private final List<Event> events;
    private final int templates;
    private final Map<String, ValueMap> maps;
    private final Map<Long, String> keywords;
    private final Map<Integer, Event> byId = new HashMap<>();

    Provider(
        Guid guid,
        String name,
        boolean classic,
        List<Event> events,
        int templates,
        Map<String, ValueMap> maps,
        Map<Long, String> keywords) {
      this.guid = guid;
      this.name = name;
      this.classic = classic;
      this.events = List.copyOf(events);
      this.templates = templates;
      this.maps = Map.copyOf(maps);
      this.keywords = Collections.unmodifiableMap(new LinkedHashMap<>(keywords));
      events.forEach(event -> byId.putIfAbsent(event.id() << 8 | event.version(), event));
    }

    /** Its GUID. */
    public Guid guid() {
      return guid;
    }

    /** Its name; empty if the manifest has none. */
    public String name() {
      return name;
    }

    /** Returns true if records have its events as class ({@link Event#eventGuid}) and opcode. */
    public boolean isClassic() {
      return classic;
    }

    /** All events, in the order of the manifest. */
    public List<Event> events() {
      return events;
    }

    /** Returns the number of kinds of payload it describes. */
    public int templates() {
      return templates;
    }

    /** Names of values, by the names of the maps. */
    public Map<String, ValueMap> maps() {
      return maps;
    }

    /** Returns the names of keywords, by their bits. */
    public Map<Long, String> keywords() {
      return keywords;
    }

    /** One event; null if the manifest has no such one. */
    public @Nullable Event event(int id, int version) {
      return byId.get(id << 8 | version);
    }

    @Override
    public String toString() {
      return name + " " + guid + ", " + events.size() + " events";
    }
  }

  /**
   * Reads a file.
   *
   * @param xml in any encoding that XML has
   * @param name of the file, for messages
   * @throws CannotGoOn if it is not XML, not a manifest, larger than 64 MiB or nested too deep; the
   *     message has the line
   */
  public static Manifest parse(byte[] xml, String name) {
    if (xml.length > MAX_FILE) {
      throw new CannotGoOn(name + ": manifest larger than 64 MiB", "");
    }
    try {
      return new ManifestReader(SchemaSource.MANIFEST, name).read(xml);
    } catch (ManifestReader.NoManifest e) {
      throw new CannotGoOn(name + e.getMessage(), "");
    }
  }

  /**
   * Reads what an EventSource sent.
   *
   * @param xml without its byte order mark, or with it
   * @param name of the recording or provider, for {@link #problems}
   * @return the reason instead, if it is not a manifest or longer than 16 Mi characters
   */
  public static Result parseSent(String xml, String name) {
    if (xml.length() > MAX_SENT) {
      return new Result(null, "manifest too long");
    }
    try {
      String text = xml.startsWith("\uFEFF") ? xml.substring(1) : xml;
      ManifestReader reader = new ManifestReader(SchemaSource.EVENT_SOURCE, name);
      return new Result(reader.read(new StringReader(text)), "");
    } catch (ManifestReader.NoManifest e) {
      return new Result(null, String.valueOf(e.getMessage()));
    }
  }
}
