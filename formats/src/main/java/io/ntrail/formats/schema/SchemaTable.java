package io.ntrail.formats.schema;

import io.ntrail.formats.bytes.ResourceFile;
import io.ntrail.formats.identity.Guid;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Schemas that are written down as rows of a text: the kernel's events, the records that a merge
 * adds, the .NET runtime's events.
 *
 * <pre>
 * provider Windows Kernel | 3d6fa8d0-fe05-11d0-9dda-00c04fd7ba7c | hook | Process
 * 0301 Start, 0302 End | 1 | ptr PageDirectoryBase; *pid ProcessId; i32 ExitStatus:NtStatus
 * 0324 ProcessFreeze   | * |
 * map WaitReason = 0 Executive, 1 FreePage
 * bits IrpFlags = 0x1 nocache, 0x2 paging
 * </pre>
 *
 * <p>A provider line gives its name, GUID, what the keys of the rows below are ({@code hook} ids in
 * hexadecimal, {@code opcode}s or {@code event} ids in decimal) and the task that goes before their
 * names. A row has the keys with their names, the versions ({@code 2}, {@code 0-2}, {@code 3,4},
 * {@code *}) and the fields in the notation of {@link FieldNotation}; without fields only the names
 * are known. Versions are read the way ETW means them: a newer one than known only appends fields,
 * so that the last known one serves it.
 *
 * <p>Rows are parsed when their provider, fields when their schema, maps when their name is first
 * requested. May be used by several threads.
 */
public final class SchemaTable {
  private static final String PROVIDER = "provider ";
  private static final String SHARED_MAPS = "values.txt";

  /** Name of an event, and its fields where they are known. */
  private static final class Row {
    final SchemaSource source;
    final String provider;
    final String event;
    final String fields;
    volatile @Nullable Schema schema;

    Row(SchemaSource source, String provider, String event, String fields) {
      this.source = source;
      this.provider = provider;
      this.event = event;
      this.fields = fields;
    }
  }

  private static final int ANY = -1;

  /**
   * One provider line and the rows below it. Rows are parsed when the provider is first requested:
   * most recordings have events of few.
   */
  private static final class Section {
    final SchemaSource source;
    final String provider;
    final int radix;
    final String task;
    final String text;
    volatile @Nullable Map<Integer, NavigableMap<Integer, Row>> rows;

    Section(SchemaSource source, String provider, int radix, String task, String text) {
      this.source = source;
      this.provider = provider;
      this.radix = radix;
      this.task = task;
      this.text = text;
    }

    Map<Integer, NavigableMap<Integer, Row>> rows() {
      Map<Integer, NavigableMap<Integer, Row>> known = rows;
      if (known == null) {
        known = new HashMap<>();
        for (String line : lines(text)) {
          if (!line.isBlank() && !isNote(line) && !isMap(line)) {
            row(known, line);
          }
        }
        rows = known;
      }
      return known;
    }

    private void row(Map<Integer, NavigableMap<Integer, Row>> into, String line) {
      int first = line.indexOf('|');
      int second = line.indexOf('|', first + 1);
      if (second < 0) {
        throw new IllegalArgumentException("not a row: " + line);
      }
      String fields = line.substring(second + 1).strip();
      for (String named : split(line.substring(0, first), ',')) {
        int blank = named.indexOf(' ');
        int id = Integer.parseInt(named.substring(0, blank), radix);
        String name = named.substring(blank + 1).strip();
        String event = task.isEmpty() ? name : name.equals("-") ? task : task + "/" + name;
        NavigableMap<Integer, Row> versions = into.computeIfAbsent(id, k -> new TreeMap<>());
        Row row = new Row(source, provider, event, fields);
        for (String version : split(line.substring(first + 1, second), ',')) {
          int dash = version.indexOf('-');
          if (version.equals("*")) {
            versions.put(ANY, row);
          } else if (dash > 0) {
            int last = Integer.parseInt(version.substring(dash + 1));
            for (int v = Integer.parseInt(version.substring(0, dash)); v <= last; v++) {
              versions.put(v, row);
            }
          } else {
            versions.put(Integer.parseInt(version), row);
          }
        }
      }
    }
  }

  private final Map<Guid, Section> sections = new LinkedHashMap<>();
  private final List<String> texts = new ArrayList<>();

  /** Maps that several tables share, where they were read together; null elsewhere. */
  private @Nullable String sharedMaps;

  private final Map<String, ValueMap> maps = new ConcurrentHashMap<>();
  private volatile @Nullable Map<String, String> mapLines;

  private SchemaTable() {}

  /** The kernel logger's events and what a merge adds, by hook id or opcode. */
  public static SchemaTable kernel() {
    SchemaTable table = new SchemaTable();
    List<String> texts =
        ResourceFile.texts(SchemaTable.class, List.of(SHARED_MAPS, "kernel.txt", "merge.txt"));
    table.sharedMaps = texts.get(0);
    table.read(texts.get(1), SchemaSource.KERNEL);
    table.read(texts.get(2), SchemaSource.KERNEL);
    return table;
  }

  /** The .NET runtime's events, by event id. */
  public static SchemaTable clr() {
    SchemaTable table = new SchemaTable();
    table.read(ResourceFile.text(SchemaTable.class, "clr.txt"), SchemaSource.CLR);
    return table;
  }

  /** A table from its text. */
  public static SchemaTable of(String text, SchemaSource source) {
    SchemaTable table = new SchemaTable();
    table.read(text, source);
    return table;
  }

  private void read(String text, SchemaSource source) {
    texts.add(text);
    int at = text.startsWith(PROVIDER) ? 0 : after(text.indexOf("\n" + PROVIDER));
    while (at >= 0) {
      int lineEnd = text.indexOf('\n', at);
      int next = after(text.indexOf("\n" + PROVIDER, at));
      List<String> parts =
          split(text.substring(at + PROVIDER.length(), lineEnd < 0 ? text.length() : lineEnd), '|');
      String rows = lineEnd < 0 ? "" : text.substring(lineEnd + 1, next < 0 ? text.length() : next);
      Section section =
          new Section(
              source,
              parts.get(0),
              parts.get(2).equals("hook") ? 16 : 10,
              parts.size() > 3 ? parts.get(3) : "",
              rows);
      if (sections.put(Guid.parse(parts.get(1)), section) != null) {
        throw new IllegalArgumentException("two sections for " + parts.get(1));
      }
      at = next;
    }
  }

  private static int after(int newline) {
    return newline < 0 ? -1 : newline + 1;
  }

  private static List<String> lines(String text) {
    return split(text, '\n');
  }

  private static boolean isNote(String line) {
    return line.startsWith("#");
  }

  private static boolean isMap(String line) {
    return line.startsWith("map ") || line.startsWith("bits ");
  }

  private @Nullable ValueMap readMap(String name) {
    Map<String, String> lines = mapLines;
    if (lines == null) {
      lines = new HashMap<>();
      String shared = sharedMaps;
      mapLines(shared == null ? ResourceFile.text(SchemaTable.class, SHARED_MAPS) : shared, lines);
      for (String text : texts) {
        mapLines(text, lines);
      }
      mapLines = lines;
    }
    String line = lines.get(name);
    return line == null ? null : new ValueMap(name, line.startsWith("bits "), values(line));
  }

  /** Adds the lines of maps by the names of these. */
  private static void mapLines(String text, Map<String, String> into) {
    int end;
    for (int at = 0; at < text.length(); at = end + 1) {
      end = text.indexOf('\n', at);
      end = end < 0 ? text.length() : end;
      if (text.startsWith("map ", at) || text.startsWith("bits ", at)) {
        String line = text.substring(at, end);
        into.put(line.substring(line.indexOf(' '), line.indexOf('=')).strip(), line);
      }
    }
  }

  private static Map<Long, String> values(String line) {
    Map<Long, String> named = new LinkedHashMap<>();
    for (String entry : split(line.substring(line.indexOf('=') + 1), ',')) {
      int blank = entry.indexOf(' ');
      named.put(Long.decode(entry.substring(0, blank)), entry.substring(blank + 1).strip());
    }
    return named;
  }

  static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    for (int at = text.indexOf(separator); at >= 0; at = text.indexOf(separator, from)) {
      parts.add(text.substring(from, at).strip());
      from = at + 1;
    }
    parts.add(text.substring(from).strip());
    return parts;
  }

  private @Nullable NavigableMap<Integer, Row> versions(Guid provider, int id) {
    Section section = sections.get(provider);
    return section == null ? null : section.rows().get(id);
  }

  private static @Nullable Row find(@Nullable NavigableMap<Integer, Row> versions, int version) {
    Map.Entry<Integer, Row> known = versions == null ? null : versions.floorEntry(version);
    return known == null ? null : known.getValue();
  }

  /**
   * The schema of an event.
   *
   * @param provider GUID of the provider or class
   * @param id what the table has as the key of this provider's rows
   * @return null if its fields are not known
   */
  public @Nullable Schema schema(Guid provider, int id, int version) {
    Row row = find(versions(provider, id), version);
    return row == null || row.fields.isEmpty() ? null : schema(row);
  }

  private Schema schema(Row row) {
    Schema schema = row.schema;
    if (schema == null) {
      FieldNotation text =
          FieldNotation.parse(row.fields.equals("(empty)") ? "" : row.fields, this::map);
      schema =
          new Schema(row.source, row.provider, row.event, null, text.fields())
              .subject(text.process(), text.thread());
      row.schema = schema;
    }
    return schema;
  }

  /** The name of an event; null if it is not known. */
  public @Nullable String event(Guid provider, int id, int version) {
    NavigableMap<Integer, Row> versions = versions(provider, id);
    Row row = find(versions, version);
    if (row == null && versions != null) {
      row = versions.firstEntry().getValue();
    }
    return row == null ? null : row.event;
  }

  /** The name of a provider; null if the table has none of its events. */
  public @Nullable String provider(Guid provider) {
    Section section = sections.get(provider);
    return section == null ? null : section.provider;
  }

  /** A map of names by its name; null if there is none. */
  public @Nullable ValueMap map(String name) {
    ValueMap known = maps.get(name);
    if (known == null) {
      // Threads that ask at the same time may each read it: they get the same.
      known = readMap(name);
      if (known != null) {
        maps.put(name, known);
      }
    }
    return known;
  }

  /** Every schema that the table can give: for tests that hold it against something. */
  public List<Schema> all() {
    List<Schema> all = new ArrayList<>();
    for (Section section : sections.values()) {
      section
          .rows()
          .values()
          .forEach(versions ->
              versions.values().stream()
                  .filter(row -> !row.fields.isEmpty())
                  .forEach(row -> all.add(schema(row))));
    }
    return all;
  }
}
