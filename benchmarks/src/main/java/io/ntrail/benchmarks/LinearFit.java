package io.ntrail.benchmarks;

import java.util.List;

/**
 * The line that fits points best, by least squares.
 *
 * @param offset where it begins
 * @param slope how it rises
 * @param share of the points' variance that it explains, 0 to 1
 */
record LinearFit(double offset, double slope, double share) {
  /** A place of a plot. */
  record Point(double x, double y) {}

  /** Fits two points or more, not all at the same x. */
  static LinearFit of(List<Point> points) {
    double x = points.stream().mapToDouble(Point::x).average().orElseThrow();
    double y = points.stream().mapToDouble(Point::y).average().orElseThrow();
    double xx = 0;
    double xy = 0;
    double yy = 0;
    for (Point point : points) {
      xx += (point.x - x) * (point.x - x);
      xy += (point.x - x) * (point.y - y);
      yy += (point.y - y) * (point.y - y);
    }
    return new LinearFit(y - xy / xx * x, xy / xx, xy * xy / (xx * yy));
  }

  /** Returns the line's value at a place. */
  double at(double x) {
    return offset + slope * x;
  }

  /** Returns the distance of a point above the line. */
  double residual(Point point) {
    return point.y - at(point.x);
  }

  /** The greatest distance of a point from it. */
  double worst(List<Point> points) {
    return points.stream().mapToDouble(point -> Math.abs(residual(point))).max().orElseThrow();
  }
}
