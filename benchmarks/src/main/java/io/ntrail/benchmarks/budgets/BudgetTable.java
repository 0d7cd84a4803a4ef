package io.ntrail.benchmarks.budgets;

import io.ntrail.benchmarks.Times;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/**
 * Prints a line for each figure that has a budget: figure, yardstick, ratio, budget, met or missed.
 */
final class BudgetTable {
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private int met;
  private int missed;

  BudgetTable() {
    out.printf(
        "%-52s %24s %32s %8s %8s%n",
        "figure", "median (least to most)", "yardstick", "ratio", "budget");
  }

  /**
   * Prints a ratio that may be at most as large as its budget.
   *
   * @param times the figure, in milliseconds
   * @param by what it is divided by
   */
  void atMost(String name, Times times, String yardstick, Times by, double budget) {
    double ratio = times.median() / by.median();
    row(name, times, yardstick + " " + by, ratio, "<= " + text(budget), ratio <= budget);
  }

  /** Prints a ratio that has to be at least as large as its budget. */
  void atLeast(String name, Times times, String yardstick, Times by, double budget) {
    double ratio = by.median() / times.median();
    row(name, times, yardstick + " " + by, ratio, ">= " + text(budget), ratio >= budget);
  }

  /**
   * Prints a rate that has to be at least as large as its budget.
   *
   * @param millions of what is done in a time, millions
   * @param budget millions a second
   */
  void rate(String name, Times times, double millions, String unit, double budget) {
    double rate = millions / times.median() * 1000;
    String done = String.format(Locale.ROOT, "%.1f M %s", millions, unit);
    row(name, times, done, rate, ">= " + text(budget), rate >= budget);
  }

  /** Prints a figure without a budget. */
  void figure(String name, Times times) {
    out.printf("%-52s %24s%n", name, times);
  }

  /** Prints why something is not measured. */
  void left(String name, String why) {
    out.printf("%-52s not measured: %s%n", name, why);
  }

  /** Prints how many budgets were met. */
  void end() {
    out.printf("%d of %d budgets met%n", met, met + missed);
  }

  private void row(
      String name, Times times, String yardstick, double ratio, String budget, boolean isMet) {
    out.printf(
        "%-52s %24s %32s %8s %8s %s%n",
        name, times, yardstick, text(ratio), budget, isMet ? "met" : "MISSED");
    if (isMet) {
      met++;
    } else {
      missed++;
    }
  }

  private static String text(double number) {
    return String.format(Locale.ROOT, "%.2f", number);
  }
}
