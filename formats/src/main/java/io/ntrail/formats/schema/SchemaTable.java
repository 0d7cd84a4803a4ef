package io.ntrail.formats.schema;

import io.ntrail.formats.identity.Guid;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * {@code *}) and the fields in the notation of {@link FieldText}; without fields only the names are
 * known. Versions are read the way ETW means them: a newer one than known only appends fields, so
 * that the last known one serves it.
 *
 * <p>Fields are parsed when a schema is first asked for. May be used by several threads.
 */
public final class SchemaTable {
  /** What an event is called, and its fields where they are known. */
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

  private record Key(Guid provider, int id) {}

  private static final int ANY = -1;

  private final Map<Key, TreeMap<Integer, Row>> rows = new HashMap<>();
  private final Map<Guid, String> providers = new HashMap<>();
  private final Map<String, ValueMap> maps = new HashMap<>();

  private SchemaTable() {}

  /** The kernel logger's events and what a merge adds, by hook id or opcode. */
  public static SchemaTable kernel() {
    SchemaTable table = new SchemaTable();
    table.resource("values.txt", SchemaSource.KERNEL);
    table.resource("kernel.txt", SchemaSource.KERNEL);
    table.resource("merge.txt", SchemaSource.KERNEL);
    return table;
  }

  /** The .NET runtime's events, by event id. */
  public static SchemaTable clr() {
    SchemaTable table = new SchemaTable();
    table.resource("values.txt", SchemaSource.CLR);
    table.resource("clr.txt", SchemaSource.CLR);
    return table;
  }

  /** A table from its text. */
  public static SchemaTable of(String text, SchemaSource source) {
    SchemaTable table = new SchemaTable();
    table.read(text.lines().toList(), source);
    return table;
  }

  private void resource(String name, SchemaSource source) {
    try (InputStream in = SchemaTable.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IllegalStateException("missing resource " + name);
      }
      BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
      read(lines.lines().toList(), source);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read(List<String> lines, SchemaSource source) {
    String provider = "";
    Guid guid = Guid.ZERO;
    int radix = 10;
    String task = "";
    for (String line : lines) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (line.startsWith("map ") || line.startsWith("bits ")) {
        readMap(line);
      } else if (line.startsWith("provider ")) {
        List<String> parts = split(line.substring(9), '|');
        provider = parts.get(0);
        guid = Guid.parse(parts.get(1));
        radix = parts.get(2).equals("hook") ? 16 : 10;
        task = parts.size() > 3 ? parts.get(3) : "";
        providers.put(guid, provider);
      } else {
        row(line, source, provider, guid, radix, task);
      }
    }
  }

  private void readMap(String line) {
    int equals = line.indexOf('=');
    String name = line.substring(line.indexOf(' '), equals).strip();
    Map<Long, String> texts = new java.util.LinkedHashMap<>();
    for (String entry : split(line.substring(equals + 1), ',')) {
      int blank = entry.indexOf(' ');
      texts.put(Long.decode(entry.substring(0, blank)), entry.substring(blank + 1).strip());
    }
    maps.put(name, new ValueMap(name, line.startsWith("bits "), texts));
  }

  private void row(
      String line, SchemaSource source, String provider, Guid guid, int radix, String task) {
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
      TreeMap<Integer, Row> versions =
          rows.computeIfAbsent(new Key(guid, id), k -> new TreeMap<>());
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

  private @Nullable Row find(Guid provider, int id, int version) {
    TreeMap<Integer, Row> versions = rows.get(new Key(provider, id));
    if (versions == null) {
      return null;
    }
    Map.Entry<Integer, Row> known = versions.floorEntry(version);
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
    Row row = find(provider, id, version);
    return row == null || row.fields.isEmpty() ? null : schema(row);
  }

  private Schema schema(Row row) {
    Schema schema = row.schema;
    if (schema == null) {
      FieldText text = FieldText.parse(row.fields.equals("(empty)") ? "" : row.fields, maps::get);
      schema =
          new Schema(row.source, row.provider, row.event, null, text.fields())
              .subject(text.process(), text.thread());
      row.schema = schema;
    }
    return schema;
  }

  /** The name of an event; null if it is not known. */
  public @Nullable String event(Guid provider, int id, int version) {
    Row row = find(provider, id, version);
    if (row == null) {
      TreeMap<Integer, Row> versions = rows.get(new Key(provider, id));
      row = versions == null ? null : versions.firstEntry().getValue();
    }
    return row == null ? null : row.event;
  }

  /** The name of a provider; null if the table has none of its events. */
  public @Nullable String provider(Guid provider) {
    return providers.get(provider);
  }

  /** A map of names by its name; null if there is none. */
  public @Nullable ValueMap map(String name) {
    return maps.get(name);
  }

  /** Every schema that the table can give: for tests that hold it against something. */
  public List<Schema> all() {
    List<Schema> all = new ArrayList<>();
    rows.values()
        .forEach(versions ->
            versions.values().stream()
                .filter(row -> !row.fields.isEmpty())
                .forEach(row -> all.add(schema(row))));
    return all;
  }
}
