package io.ntrail.benchmarks;

import io.ntrail.benchmarks.LinearFit.Point;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Points of pictures, kept as text, so that a later picture can show them beside its own: a line
 * for each, with what was measured, millions of events, and seconds beyond the untraced run; lines
 * that begin with {@code #} are for readers.
 */
final class PlotPoints {
  private static final int COLUMNS = 3;

  private PlotPoints() {}

  /** Reads the points of each thing that was measured, in the file's order. */
  static Map<String, List<Point>> read(Path file) throws IOException {
    Map<String, List<Point>> all = new LinkedHashMap<>();
    for (String line : Files.readAllLines(file)) {
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String[] cells = line.split("\t", -1);
      if (cells.length != COLUMNS) {
        throw new IOException(file + ": " + line);
      }
      all.computeIfAbsent(cells[0], _ -> new ArrayList<>())
          .add(new Point(Double.parseDouble(cells[1]), Double.parseDouble(cells[2])));
    }
    return all;
  }

  /** Writes points. */
  static void write(Path file, String remark, Map<String, List<Point>> all) throws IOException {
    List<String> lines = new ArrayList<>(List.of("# " + remark));
    all.forEach((name, points) ->
        points.forEach(point ->
            lines.add(String.format(Locale.ROOT, "%s\t%.6f\t%.4f", name, point.x(), point.y()))));
    Files.write(file, lines);
  }
}
