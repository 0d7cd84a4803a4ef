package io.ntrail.formats.schema;

import io.ntrail.formats.identity.Guid;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
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
 * <p>Rows are parsed when their provider, fields when their schema is first requested. May be used
 * by several threads.
 */
public final class SchemaTable {
  private static final String PROVIDER = "provider ";

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
  private volatile @Nullable Map<String, ValueMap> maps;

  private SchemaTable() {}

  /** The kernel logger's events and what a merge adds, by hook id or opcode. */
  public static SchemaTable kernel() {
    SchemaTable table = new SchemaTable();
    table.read(resource("kernel.txt"), SchemaSource.KERNEL);
    table.read(resource("merge.txt"), SchemaSource.KERNEL);
    return table;
  }

  /** The .NET runtime's events, by event id. */
  public static SchemaTable clr() {
    SchemaTable table = new SchemaTable();
    table.read(resource("clr.txt"), SchemaSource.CLR);
    return table;
  }

  /** A table from its text. */
  public static SchemaTable of(String text, SchemaSource source) {
    SchemaTable table = new SchemaTable();
    table.read(text, source);
    return table;
  }

  private static String resource(String name) {
    try (InputStream in = SchemaTable.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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

  private Map<String, ValueMap> maps() {
    Map<String, ValueMap> known = maps;
    if (known == null) {
      known = new HashMap<>();
      // Names that several tables share, and those of the table itself.
      List<String> all = new ArrayList<>(List.of(resource("values.txt")));
      all.addAll(texts);
      for (String text : all) {
        for (String line : lines(text)) {
          if (isMap(line)) {
            ValueMap map = readMap(line);
            known.put(map.name(), map);
          }
        }
      }
      maps = known;
    }
    return known;
  }

  private static ValueMap readMap(String line) {
    int equals = line.indexOf('=');
    String name = line.substring(line.indexOf(' '), equals).strip();
    Map<Long, String> named = new LinkedHashMap<>();
    for (String entry : split(line.substring(equals + 1), ',')) {
      int blank = entry.indexOf(' ');
      named.put(Long.decode(entry.substring(0, blank)), entry.substring(blank + 1).strip());
    }
    return new ValueMap(name, line.startsWith("bits "), named);
  }

  static List<String> split(String text, char separator) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    for (int i = 0; i <= text.length(); i++) {
      if (i == text.length() || text.charAt(i) == separator) {
        parts.add(text.substring(from, i).strip());
        from = i + 1;
      }
    }
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
          FieldNotation.parse(row.fields.equals("(empty)") ? "" : row.fields, maps()::get);
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
    return maps().get(name);
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
