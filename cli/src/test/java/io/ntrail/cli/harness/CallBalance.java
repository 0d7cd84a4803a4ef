package io.ntrail.cli.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

/** Checks of the numbers of calls by their ends, in what commands print as JSON. */
public final class CallBalance {
  private static final List<String> ENDS =
      List.of("exits", "unwinds", "abandoned", "open", "entryOnly");

  private CallBalance() {}

  /** Checks that an object has as many entries as ends of them. */
  public static void check(JsonReader counts) {
    long ends = ENDS.stream().mapToLong(end -> counts.get(end).number()).sum();
    assertEquals(counts.get("entries").number(), ends, counts::toString);
  }

  /** Checks that two objects have the same numbers of calls. */
  public static void same(JsonReader one, JsonReader other) {
    assertEquals(one.get("entries").number(), other.get("entries").number());
    for (String end : ENDS) {
      assertEquals(one.get(end).number(), other.get(end).number(), end);
    }
    assertEquals(one.get("lostEntries").number(), other.get("lostEntries").number());
  }

  /** Checks an answer of {@code calls --flat}, its functions, and the lines of the same calls. */
  public static void check(JsonReader flat, List<JsonReader> lines) {
    check(flat);
    List<JsonReader> functions = flat.get("functions").array();
    assertTrue(!functions.isEmpty());
    functions.forEach(CallBalance::check);
    for (String key :
        List.of("entries", "exits", "unwinds", "abandoned", "open", "entryOnly", "lostEntries")) {
      long sum = functions.stream().mapToLong(function -> function.get(key).number()).sum();
      assertEquals(flat.get(key).number(), sum, key);
      assertEquals(sum, lines.stream().filter(line -> counts(line, key)).count(), key);
    }
    long calls = functions.stream().mapToLong(function -> function.get("calls").number()).sum();
    assertEquals(lines.size() - flat.get("open").number(), calls);
  }

  /** Returns true if a line of a call is one of those that a key counts. */
  private static boolean counts(JsonReader line, String key) {
    JsonReader inferred = line.get("inferred");
    String missing = inferred.isNull() ? "" : inferred.text();
    boolean isEntryOnly = line.has("entryOnly");
    return switch (key) {
      case "entries" -> !missing.equals("entry");
      case "lostEntries" -> missing.equals("entry");
      case "exits" -> line.get("end").text().equals("return");
      case "unwinds" -> line.get("end").text().equals("unwind");
      case "abandoned" -> missing.equals("exit");
      case "open" -> line.get("end").text().equals("open") && !isEntryOnly;
      default -> isEntryOnly;
    };
  }
}
