package io.ntrail.testkit.dump;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Output of LLVM's obj2yaml for a dump: maps, lists and texts. Reads the YAML that this tool
 * writes, and no other.
 */
public final class DumpYaml {
  private final List<String> lines;
  private int at;

  private DumpYaml(List<String> lines) {
    this.lines = lines;
  }

  /**
   * Returns the streams of a dump.
   *
   * @param name of the dump without a folder: {@code windows}
   */
  public static List<DumpYamlMap> streams(String name) throws IOException {
    String text =
        new String(TestData.gunzip("dumps/truth/" + name + ".yaml.gz"), StandardCharsets.UTF_8);
    List<String> lines =
        new ArrayList<>(
            text.lines()
                .filter(line -> !line.startsWith("---") && !line.equals("..."))
                .filter(line -> !line.isBlank())
                .toList());
    return new DumpYaml(lines).map(0).list("Streams");
  }

  private static int indent(String line) {
    int i = 0;
    while (i < line.length() && line.charAt(i) == ' ') {
      i++;
    }
    return i;
  }

  /** Reads a map whose keys have an indentation. */
  private DumpYamlMap map(int indent) {
    Map<String, Object> values = new LinkedHashMap<>();
    while (at < lines.size() && indent(lines.get(at)) == indent) {
      String line = lines.get(at).strip();
      int colon = line.indexOf(':');
      String key = line.substring(0, colon);
      String rest = line.substring(colon + 1).strip();
      at++;
      if (!rest.isEmpty() && !rest.equals("|")) {
        values.put(key, rest);
      } else if (at < lines.size() && indent(lines.get(at)) > indent) {
        String next = lines.get(at);
        int deeper = indent(next);
        if (rest.equals("|")) {
          while (at < lines.size() && indent(lines.get(at)) >= deeper) {
            at++;
          }
        } else if (next.strip().startsWith("- ")) {
          values.put(key, list(deeper));
        } else {
          values.put(key, map(deeper));
        }
      }
    }
    return new DumpYamlMap(values);
  }

  private List<DumpYamlMap> list(int indent) {
    List<DumpYamlMap> list = new ArrayList<>();
    while (at < lines.size()
        && indent(lines.get(at)) == indent
        && lines.get(at).strip().startsWith("- ")) {
      // The first key stands behind the dash: as if it had the indentation of the others.
      lines.set(at, " ".repeat(indent + 2) + lines.get(at).substring(indent + 2));
      list.add(map(indent + 2));
    }
    return list;
  }

  /** Keys with their values. */
  public record DumpYamlMap(Map<String, Object> values) {
    /** Returns a text without quotes; empty if it is not there. */
    public String text(String key) {
      @Nullable Object value = values.get(key);
      String text = value == null ? "" : value.toString();
      char quote = text.isEmpty() ? 0 : text.charAt(0);
      if (text.length() < 2 || quote != '\'' && quote != '"') {
        return text;
      }
      return text.substring(1, text.length() - 1).replace("''", "'");
    }

    /** Returns true if the key is there. */
    public boolean has(String key) {
      return values.containsKey(key);
    }

    /** Returns a number, hexadecimal or decimal; 0 if it is not there. */
    public long number(String key) {
      String text = text(key);
      if (text.isEmpty()) {
        return 0;
      }
      return text.startsWith("0x")
          ? Long.parseUnsignedLong(text.substring(2), 16)
          : Long.parseLong(text);
    }

    /** Returns bytes that are written in hexadecimal. */
    public byte[] bytes(String key) {
      return HexFormat.of().parseHex(text(key));
    }

    /** Returns a map inside; an empty one if it is not there. */
    public DumpYamlMap map(String key) {
      return values.get(key) instanceof DumpYamlMap map ? map : new DumpYamlMap(Map.of());
    }

    /** Returns a list of maps; an empty one if it is not there. */
    public List<DumpYamlMap> list(String key) {
      List<DumpYamlMap> list = new ArrayList<>();
      if (values.get(key) instanceof List<?> some) {
        for (Object element : some) {
          if (element instanceof DumpYamlMap map) {
            list.add(map);
          }
        }
      }
      return list;
    }
  }
}
