package io.ntrail.benchmarks;

import io.ntrail.benchmarks.LinearFit.Point;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/** A picture of run time against events, with fitted lines and, below, what they leave over. */
final class ThesisPlot {
  private static final int WIDTH = 460;
  private static final int LEFT = 60;
  private static final int PLOT = 370;
  private static final int TOP = 40;
  private static final int HEIGHT = 260;
  private static final int REST_TOP = TOP + HEIGHT + 40;
  private static final int REST = 90;
  private static final int LEGEND = REST_TOP + REST + 55;
  private static final int LINE = 16;
  private static final List<String> COLOURS = List.of("#1b5fa8", "#d9822b", "#2e8b57");

  private final StringBuilder body = new StringBuilder();
  private int panels;
  private int mostSeries;

  /**
   * Points of one kind.
   *
   * @param points x: millions of events, y: seconds beyond the untraced run
   */
  record Series(String name, List<Point> points) {
    /** Copies the points. */
    Series {
      points = List.copyOf(points);
    }
  }

  /** Draws one more pair of axes, to the right of those before. */
  void panel(String title, List<Series> all) {
    double right = round(all.stream().flatMap(s -> s.points.stream()).mapToDouble(Point::x));
    double top = round(all.stream().flatMap(s -> s.points.stream()).mapToDouble(Point::y));
    List<LinearFit> fits = all.stream().map(series -> LinearFit.of(series.points)).toList();
    List<Double> rests = new ArrayList<>();
    for (int s = 0; s < all.size(); s++) {
      rests.add(fits.get(s).worst(all.get(s).points));
    }
    double rest = round(rests.stream().mapToDouble(r -> r));
    add("<g transform=\"translate(" + panels * WIDTH + " 0)\">");
    text(LEFT, 20, "start", title);
    axes(right, top, TOP, HEIGHT, 0, "seconds more than untraced");
    axes(right, rest, REST_TOP, REST, -rest, "beyond the line, s");
    text(LEFT + PLOT / 2, REST_TOP + REST + 34, "middle", "million events");
    for (int s = 0; s < all.size(); s++) {
      Series series = all.get(s);
      LinearFit fit = fits.get(s);
      String colour = COLOURS.get(s);
      double most = series.points.stream().mapToDouble(Point::x).max().orElseThrow();
      add(
          "<line x1=\"%d\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"/>"
              .formatted(
                  LEFT,
                  place(TOP + HEIGHT * (1 - fit.offset() / top)),
                  place(LEFT + PLOT * most / right),
                  place(TOP + HEIGHT * (1 - fit.at(most) / top)),
                  colour));
      for (Point point : series.points) {
        double x = LEFT + PLOT * point.x() / right;
        dot(x, TOP + HEIGHT * (1 - point.y() / top), colour);
        dot(x, REST_TOP + REST / 2.0 * (1 - fit.residual(point) / rest), colour);
      }
      dot(LEFT, LEGEND + LINE * s - 4, colour);
      text(
          LEFT + 10,
          LEGEND + LINE * s,
          "start",
          String.format(
              Locale.ROOT,
              "%s: %.1f ns an event, at most %.2f s beside the line",
              series.name,
              fit.slope() * 1e3,
              rests.get(s)));
    }
    add("</g>");
    panels++;
    mostSeries = Math.max(mostSeries, all.size());
  }

  private void axes(double right, double top, int y, int height, double bottom, String label) {
    add(
        "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#999\"/>"
            .formatted(LEFT, y, PLOT, height));
    for (int i = 0; i <= 2; i++) {
      text(LEFT - 5, y + height - height * i / 2 + 4, "end", number(bottom, top, i));
      text(LEFT + PLOT * i / 2, y + height + 15, "middle", number(0, right, i));
    }
    add(
        "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>"
            .formatted(y + height / 2, label));
  }

  private static String number(double from, double to, int half) {
    double value = from + (to - from) * half / 2;
    int digits = to >= 10 ? 0 : to >= 1 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }

  private static double round(DoubleStream values) {
    double most = Math.max(values.max().orElseThrow(), 1e-3);
    double unit = Math.pow(10, Math.floor(Math.log10(most)));
    return Math.ceil(most / unit * 2) / 2 * unit;
  }

  private static String place(double pixels) {
    return String.format(Locale.ROOT, "%.1f", pixels);
  }

  private void dot(double x, double y, String colour) {
    add("<circle cx=\"%s\" cy=\"%s\" r=\"3\" fill=\"%s\"/>".formatted(place(x), place(y), colour));
  }

  private void text(int x, int y, String anchor, String words) {
    add("<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>".formatted(x, y, anchor, words));
  }

  private void add(String line) {
    body.append(line).append('\n');
  }

  /** The file. */
  String svg() {
    int height = LEGEND + LINE * mostSeries;
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" \
    font-size="12" fill="#222">
    <rect width="100%%" height="100%%" fill="#fff"/>
    %s</svg>
    """
        .formatted(WIDTH * panels, height, body);
  }
}
