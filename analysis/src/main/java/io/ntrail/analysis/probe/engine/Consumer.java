package io.ntrail.analysis.probe.engine;

import io.ntrail.analysis.probe.aggregation.Aggregation;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Prints what clauses recorded, in the order of their firings. Texts are bytes, a character for
 * each.
 */
public final class Consumer {
  private final Options options;
  private final PrintStream out;
  private final PrintStream err;
  private final List<Aggregation> aggregations;
  private final AggregationPrinter printer;
  private boolean hasHeader;
  private int indent;
  private int lastProbe;
  private long lastEvent;

  /**
   * A consumer that printed nothing yet.
   *
   * @param out receives what the program prints
   * @param err receives faults
   * @param aggregations of the program, in the order in which they appear
   */
  public Consumer(
      Options options, OutputStream out, PrintStream err, List<Aggregation> aggregations) {
    this.options = options;
    this.out = new PrintStream(out, false, StandardCharsets.ISO_8859_1);
    this.err = err;
    this.aggregations = aggregations;
    this.printer = new AggregationPrinter(options, this);
  }

  /** Returns how many values of aggregations were not added. */
  long drops() {
    return aggregations.stream().mapToLong(Aggregation::drops).sum();
  }

  /** Returns the options. */
  Options options() {
    return options;
  }

  /** Prints a text. */
  void print(String text) {
    out.print(text);
  }

  /** Returns what prints aggregations. */
  AggregationPrinter printer() {
    return printer;
  }

  boolean isQuiet() {
    return options.is("quiet");
  }

  /** Prints what a firing recorded. */
  void consume(Firing firing) {
    if (isQuiet()) {
      firing.data().forEach(one -> one.consume(this));
      return;
    }
    Probe probe = firing.enabling().probe();
    if (options.is("flowindent")) {
      flow(probe, firing);
    } else {
      if (!hasHeader) {
        print("%3s %6s %32s\n".formatted("CPU", "ID", "FUNCTION:NAME"));
        hasHeader = true;
      }
      print(
          "%3d %6d %32s "
              .formatted(firing.cpu(), probe.id(), probe.function() + ":" + probe.name()));
    }
    firing.data().forEach(one -> one.consume(this));
    print("\n");
  }

  /** Prints the begin of a line with the depth of calls. */
  private void flow(Probe probe, Firing firing) {
    if (!hasHeader) {
      print("%3s %-41s\n".formatted("CPU", "FUNCTION"));
      hasHeader = true;
    }
    boolean isSystem = probe.provider().equals("syscall");
    // Another clause at the same event is on the same level.
    boolean isAgain = lastProbe == probe.id() && lastEvent == firing.event();
    String text;
    int depth;
    if (is(probe, "entry")) {
      depth = isAgain ? indent - 2 : indent;
      indent = depth + 2;
      text = (isSystem ? "=> " : "-> ") + probe.function();
    } else if (is(probe, "return")) {
      indent = isAgain ? indent : Math.max(0, indent - 2);
      depth = indent;
      text = (isSystem ? "<= " : "<- ") + probe.function();
    } else {
      depth = indent;
      text = "| " + probe.function() + ":" + probe.name();
    }
    lastProbe = probe.id();
    lastEvent = firing.event();
    print("%3d %-41s ".formatted(firing.cpu(), " ".repeat(Math.max(0, depth) + 1) + text));
  }

  private static boolean is(Probe probe, String kind) {
    return probe.name().equals(kind) || probe.name().endsWith("-" + kind);
  }

  /** Tells a fault. */
  void fault(Enabling at, int action, Fault fault) {
    out.flush();
    String where = action == 0 ? "predicate" : "action #" + action;
    String value = fault.kind() == Fault.Kind.BADADDR ? " (0x%x)".formatted(fault.value()) : "";
    err.println(
        "dtrace: error on enabled probe ID %d (ID %d: %s): %s%s in %s"
            .formatted(
                at.id(), at.probe().id(), at.probe().text(), fault.kind().text(), value, where));
  }

  /** Prints the aggregations that the program did not print itself, at its end. */
  public void end() {
    print("\n");
    for (Aggregation aggregation : aggregations) {
      if (!aggregation.isPrinted() && !aggregation.entries().isEmpty()) {
        printer.print(List.of(aggregation), Optional.empty());
      }
    }
    out.flush();
  }

  /** Writes what was printed so far. */
  public void flush() {
    out.flush();
  }
}
