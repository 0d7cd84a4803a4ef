package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.profile.ProfileQuery;
import io.ntrail.testkit.profile.ProfileTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Asks {@code ntrail profile} and compares its answer with a table. */
final class ProfileAnswers {
  /** A row of the answer; {@code merged} rows of one name. */
  private record Row(long self, long inclusive, int merged) {
    Row plus(Row other) {
      return new Row(self + other.self, inclusive + other.inclusive, merged + other.merged);
    }
  }

  private ProfileAnswers() {}

  static Cli.Result ask(Path file, ProfileQuery query) {
    List<Object> words = new ArrayList<>(List.of("profile", file));
    words.addAll(query.words());
    words.addAll(List.of("--format", "json", "-n", "0"));
    return Cli.run(words.toArray());
  }

  /**
   * Asks and compares. Where there is nothing at all to show the program may also say why.
   *
   * @throws AssertionError if the answer is another
   */
  static void check(Path file, ProfileQuery query, ProfileTable expected) {
    Cli.Result result = ask(file, query);
    boolean nothing = expected.total() == 0 && expected.idle() == 0;
    if (nothing && result.exit() == 1) {
      assertTrue(!result.err().isEmpty(), "a refusal says why");
      return;
    }
    assertEquals(0, result.exit(), result.err());
    compare(result.json(), query, expected);
  }

  /** Compares an answer with a table. */
  static void compare(JsonReader json, ProfileQuery query, ProfileTable expected) {
    assertEquals(query.metric(), json.get("metric").text());
    assertEquals(
        expected.total(),
        json.get("total").number(),
        () -> "total; " + query + " of " + json.get("file") + ": " + expected);
    assertEquals(
        expected.idle(),
        json.get("idle").number(),
        () -> "idle; " + query + " of " + json.get("file") + ": " + expected);
    assertEquals(0, json.get("rowsLeftOut").number());
    Map<String, Row> rows = rows(query.by(), json, expected.total());
    Map<String, Row> wanted = wanted(query.by(), json, expected);
    assertEquals(
        text(wanted), text(rounded(rows, wanted)), () -> query + " of " + json.get("file"));
  }

  private static @Nullable String text(JsonReader row, String key) {
    return row.has(key) && !row.get(key).isNull() ? row.get(key).text() : null;
  }

  private static String number(JsonReader row, String key) {
    return row.has(key) && !row.get(key).isNull() ? String.valueOf(row.get(key).number()) : "?";
  }

  private static boolean withoutProcesses(JsonReader json) {
    return json.get("rows").array().stream().allMatch(row -> number(row, "pid").equals("?"));
  }

  /** Threads belong to processes, unless no row has one. */
  private static Map<String, Row> wanted(String by, JsonReader json, ProfileTable expected) {
    boolean tidOnly = by.equals("thread") && withoutProcesses(json);
    Map<String, Row> wanted = new TreeMap<>();
    expected
        .rows()
        .forEach((name, sums) -> {
          String key = tidOnly ? "?" + name.substring(name.indexOf('/')) : name;
          wanted.merge(key, new Row(sums.self(), sums.inclusive(), 1), Row::plus);
        });
    return wanted;
  }

  private static Map<String, Row> rows(String by, JsonReader json, long total) {
    boolean ofStacks = by.equals("function") || by.equals("module");
    Map<String, Row> rows = new TreeMap<>();
    Row without = null;
    for (JsonReader row : json.get("rows").array()) {
      Row read = new Row(row.get("self").number(), row.get("inclusive").number(), 1);
      if (read.self == 0 && read.inclusive == 0) {
        continue;
      }
      String key = key(by, row);
      if (key == null) {
        assertEquals(null, without, "two rows of events without a stack");
        without = read;
        continue;
      }
      Row before = rows.merge(key, read, Row::plus);
      assertTrue(
          !ofStacks || before.merged == 1, () -> "two rows " + key + " of " + json.get("file"));
    }
    if (without != null) {
      long others = rows.values().stream().mapToLong(Row::self).sum();
      assertTrue(Math.abs(total - others - without.self) <= rows.size(), "without a stack");
    }
    return rows;
  }

  /** The name of a row as {@link ProfileTable} has it; null for events without a stack. */
  private static @Nullable String key(String by, JsonReader row) {
    String module = text(row, "module");
    String function = text(row, "function");
    String rva = text(row, "rva");
    return switch (by) {
      case "process" -> {
        String process = text(row, "process");
        yield (process == null ? "?" : process) + ":" + number(row, "pid");
      }
      case "thread" -> number(row, "pid") + "/" + number(row, "tid");
      case "cpu" -> number(row, "cpu");
      case "module" -> module == null || module.equals("(no stack)") ? null : module;
      default -> {
        if (module == null || module.equals("(no stack)")) {
          yield null;
        }
        yield function != null
            ? module + "!" + function
            : rva != null ? module + "+" + rva : module;
      }
    };
  }

  /** Rows of one name that were rounded down one by one: what the whole would have been. */
  private static Map<String, Row> rounded(Map<String, Row> rows, Map<String, Row> wanted) {
    Map<String, Row> out = new TreeMap<>();
    rows.forEach((key, row) -> {
      Row other = wanted.get(key);
      boolean near =
          other != null
              && Math.abs(other.self - row.self) < Math.max(row.merged, other.merged)
              && Math.abs(other.inclusive - row.inclusive) < Math.max(row.merged, other.merged);
      out.put(key, other != null && near ? other : row);
    });
    return out;
  }

  private static String text(Map<String, Row> rows) {
    StringBuilder out = new StringBuilder();
    rows.forEach((key, row) ->
        out.append("%s self %d inclusive %d%n".formatted(key, row.self, row.inclusive)));
    return out.toString();
  }
}
