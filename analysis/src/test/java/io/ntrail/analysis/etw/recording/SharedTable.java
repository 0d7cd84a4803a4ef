package io.ntrail.analysis.etw.recording;

import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The tables of the shared recordings' {@code README.md}: what an independent reader measured, read
 * when the tests run, so that no number of them is copied here.
 */
final class SharedTable {
  private static final Pattern SYSTEM =
      Pattern.compile(
          "(\\d+), (\\d+)\\.(\\d+) log (\\d+)\\.(\\d+), mode 0x([0-9a-fA-F]+), clock (\\d+),"
              + " ptr (\\d), buffer (\\d+)");

  private SharedTable() {}

  /** One row; {@code groups} and {@code items} are empty where the README lists none. */
  record Row(
      String name,
      String system,
      long bytes,
      int buffers,
      int compressed,
      long records,
      Map<String, Long> kinds,
      int cpusSeen,
      int cpusConfigured,
      long eventsLost,
      long buffersLost,
      String first,
      String last,
      String providers,
      Map<Integer, Long> groups,
      Map<Integer, Long> items) {

    Path path() {
      return TestData.file("etl/" + name + ".gz");
    }

    EtwRecording open() {
      return RecordingInput.openEtw(List.of(path()));
    }

    /** Build, OS major, minor, log major, minor, mode, clock, pointer, buffer size. */
    List<Long> facts() {
      Matcher m = SYSTEM.matcher(system);
      if (!m.matches()) {
        throw new IllegalStateException("README: " + system);
      }
      List<Long> facts = new ArrayList<>();
      for (int i = 1; i <= 9; i++) {
        facts.add(Long.parseLong(m.group(i), i == 6 ? 16 : 10));
      }
      return facts;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /** Returns true if the shared files are on this machine; without them their tests are skipped. */
  static boolean present() {
    return TestData.folder().isPresent();
  }

  static List<Row> rows() {
    if (!present()) {
      return List.of();
    }
    try {
      return parse(Files.readAllLines(TestData.file("etl/README.md")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Row row(String name) {
    return rows().stream().filter(r -> r.name.equals(name)).findFirst().orElseThrow();
  }

  private static List<Row> parse(List<String> lines) {
    Map<String, Map<Integer, Long>> groups = new HashMap<>();
    Map<String, Map<Integer, Long>> items = new HashMap<>();
    for (String line : lines) {
      int colon = line.indexOf(".etl: groups ");
      if (line.startsWith("- ") && colon > 0) {
        String name = line.substring(2, colon + 4);
        String[] halves = line.substring(colon + 13).split("; ext ", -1);
        groups.put(name, counts(halves[0], 16));
        items.put(name, halves.length > 1 ? counts(halves[1], 10) : Map.of());
      }
    }
    List<Row> rows = new ArrayList<>();
    for (String line : lines) {
      String[] cells = line.split("\\|", -1);
      if (cells.length == 13 && cells[1].strip().endsWith(".etl")) {
        rows.add(row(cells, groups, items));
      }
    }
    return rows;
  }

  private static Row row(
      String[] cells,
      Map<String, Map<Integer, Long>> groups,
      Map<String, Map<Integer, Long>> items) {
    for (int i = 0; i < cells.length; i++) {
      cells[i] = cells[i].strip();
    }
    String[] buffers = cells[4].split("[ ()]+", -1);
    String[] cpus = cells[7].split("/", -1);
    String[] lost = cells[8].split("/", -1);
    Map<String, Long> kinds = new TreeMap<>();
    for (String kind : cells[6].split(", ", -1)) {
      String[] parts = kind.split(" ", -1);
      kinds.put(parts[0].equals("MESSAGE90") ? "MESSAGE" : parts[0], Long.valueOf(parts[1]));
    }
    return new Row(
        cells[1],
        cells[2],
        Long.parseLong(cells[3]),
        Integer.parseInt(buffers[0]),
        Integer.parseInt(buffers[1]),
        Long.parseLong(cells[5]),
        kinds,
        Integer.parseInt(cpus[0]),
        Integer.parseInt(cpus[1]),
        Long.parseLong(lost[0]),
        Long.parseLong(lost[1]),
        cells[9],
        cells[10],
        cells[11],
        groups.getOrDefault(cells[1], Map.of()),
        items.getOrDefault(cells[1], Map.of()));
  }

  private static Map<Integer, Long> counts(String text, int radix) {
    Map<Integer, Long> counts = new TreeMap<>();
    for (String pair : text.strip().split(", ", -1)) {
      String[] parts = pair.split(":", -1);
      counts.put(Integer.parseInt(parts[0], radix), Long.valueOf(parts[1]));
    }
    return counts;
  }
}
