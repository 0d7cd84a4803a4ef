package io.ntrail.testkit.baseline;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The lines of one {@code .baseline.txt}: the first few events of every kind with their fields, and
 * how many there are of each kind.
 *
 * @param events in the order of the file
 * @param counts by {@code Provider/Task/Opcode}
 */
public record Baseline(List<BaselineEvent> events, Map<String, Long> counts) {
  private static final Pattern EVENT =
      Pattern.compile(
          "EVENT ([\\d,.]+): (.*?) PID=(-?\\d+); TID=(-?\\d+); PName=(.*?); ProceNum=(\\d+);"
              + " DataLen=([\\d,]+); ?(.*)");

  /**
   * A field begins with a name; what has none goes on with the value before, which had a {@code ;}.
   */
  private static final Pattern FIELD = Pattern.compile("([A-Za-z_]\\w*)=(.*)", Pattern.DOTALL);

  /** Keeps what it is given. */
  public Baseline {
    events = List.copyOf(events);
    counts = java.util.Collections.unmodifiableMap(new LinkedHashMap<>(counts));
  }

  /**
   * The baseline of a shared recording.
   *
   * @param recording for example {@code perfview-gcevents}
   */
  public static Baseline of(String recording) throws IOException {
    return parse(
        new String(
            TestData.gunzip("etl/" + recording + ".baseline.txt.gz"), StandardCharsets.UTF_8));
  }

  /**
   * The lines of a text.
   *
   * @throws IllegalArgumentException if a line is of neither kind
   */
  public static Baseline parse(String text) {
    List<BaselineEvent> events = new ArrayList<>();
    Map<String, Long> counts = new LinkedHashMap<>();
    // A mark of the byte order is before the first line.
    for (String line : text.replace("\uFEFF", "").split("\r?\n", -1)) {
      if (line.startsWith("EVENT ")) {
        events.add(event(line));
      } else if (line.startsWith("COUNT ")) {
        int colon = line.lastIndexOf(':');
        counts.put(line.substring(6, colon), whole(line.substring(colon + 1)));
      } else if (!line.isBlank()) {
        throw new IllegalArgumentException("neither an event nor a count: " + line);
      }
    }
    return new Baseline(events, counts);
  }

  private static BaselineEvent event(String line) {
    Matcher parts = EVENT.matcher(line);
    if (!parts.matches()) {
      throw new IllegalArgumentException("not an event: " + line);
    }
    return new BaselineEvent(
        parts.group(2),
        micros(parts.group(1)),
        Integer.parseInt(parts.group(3)),
        Integer.parseInt(parts.group(4)),
        parts.group(5),
        Integer.parseInt(parts.group(6)),
        (int) whole(parts.group(7)),
        fields(parts.group(8)));
  }

  private static Map<String, String> fields(String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    String name = "";
    for (String part : text.split(";", -1)) {
      Matcher field = FIELD.matcher(part.startsWith(" ") ? part.substring(1) : part);
      if (field.matches()) {
        name = field.group(1);
        if (fields.put(name, field.group(2)) != null) {
          throw new IllegalArgumentException(name + " twice in: " + text);
        }
      } else if (!name.isEmpty() && !part.isBlank()) {
        fields.merge(name, part, (value, more) -> value + ";" + more);
      }
    }
    return fields;
  }

  private static long micros(String milliseconds) {
    String digits = milliseconds.replace(",", "");
    int point = digits.indexOf('.');
    if (point < 0 || digits.length() - point != 4) {
      throw new IllegalArgumentException("not milliseconds with three digits: " + milliseconds);
    }
    return Long.parseLong(digits.substring(0, point) + digits.substring(point + 1));
  }

  private static long whole(String number) {
    return Long.parseLong(number.replace(",", "").strip());
  }
}
