package io.ntrail.cli.info;

import io.ntrail.analysis.etw.events.Overview;
import io.ntrail.analysis.etw.events.ProviderCounts;
import io.ntrail.analysis.etw.machine.MachineCounts;
import io.ntrail.analysis.etw.machine.Sampling;
import io.ntrail.analysis.etw.machine.SystemConfiguration;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.EtwSummary;
import io.ntrail.cli.common.EventTotals;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** {@code ntrail info} for people: a line for each recorded fact. */
final class InfoScreen {
  private static final int LABEL = 11;

  /** Names after {@code no schema}. */
  private static final int NAMED = 2;

  /** File name that mergers write if they had several. */
  private static final String SEVERAL_FILES = "[multiple files]";

  private final EtwRecording recording;
  private final Overview overview;
  private final PrintStream out;

  InfoScreen(EtwRecording recording, Overview overview, PrintStream out) {
    this.recording = recording;
    this.overview = overview;
    this.out = out;
  }

  /**
   * Prints all of it.
   *
   * @param limit rows of the table; 0 for all
   * @param width columns of the terminal; 0 to cut nothing
   */
  void print(long limit, int width) {
    EtwSummary.Part total = overview.summary().total();
    out.println(
        Headings.files(recording)
            + ": ETW recording, "
            + Numbers.bytes(recording.size())
            + ", "
            + Losses.state(recording));
    out.println();
    machine();
    zone();
    time(total);
    sessions(total);
    sampling();
    contents(total);
    symbols();
    if (overview.pieces().count() > 0) {
      item("pt", TracePiecesAnswer.text(overview.pieces()));
    }
    out.println();
    sources(limit, width);
  }

  private void item(String label, String text) {
    out.println(
        "  " + label + " ".repeat(Math.max(1, LABEL - label.length())) + TextSanitizer.one(text));
  }

  private static void add(StringBuilder line, String separator, String text) {
    line.append(line.isEmpty() ? "" : separator).append(text);
  }

  private void machine() {
    SystemConfiguration hardware = overview.hardware();
    WindowsMachine machine = WindowsMachine.of(recording, hardware);
    StringBuilder line = new StringBuilder();
    String name = hardware.computerName();
    if (name != null) {
      line.append(name);
    }
    String windows = machine.windows();
    if (windows != null) {
      add(line, ", ", windows);
    }
    String architecture = machine.architecture();
    if (architecture != null) {
      add(line, windows == null ? ", " : " ", architecture);
    }
    String speed =
        machine.megahertz() == 0 ? "" : " at " + Numbers.gigahertz(machine.megahertz()) + " GHz";
    if (machine.processors() > 0) {
      add(line, ", ", Numbers.counted(machine.processors(), "CPU") + speed);
    } else if (!speed.isEmpty()) {
      add(line, ", ", "CPUs" + speed);
    }
    if (hardware.memoryMebibytes() > 0) {
      add(line, ", ", Numbers.bytes(hardware.memoryMebibytes() << 20));
    }
    if (!line.isEmpty()) {
      item("machine", line.toString());
    }
  }

  private void zone() {
    LogFileHeader header = recording.files().getFirst().header().orElse(null);
    String zone = header == null ? "" : header.timeZone().standardName();
    if (header == null || zone.isEmpty()) {
      return;
    }
    // Windows names zones by resources (@tzres.dll,-212), which mean nothing to people.
    String named = zone.startsWith("@") ? "" : " (" + zone + ")";
    int bias = -header.timeZone().bias();
    item(
        "zone",
        "UTC"
            + (bias < 0 ? "-" : "+")
            + Numbers.padded(Math.abs(bias) / 60, 2)
            + ":"
            + Numbers.padded(Math.abs(bias) % 60, 2)
            + named);
  }

  private void time(EtwSummary.Part total) {
    EtlFile file = recording.files().getFirst();
    String clock =
        switch (file.clock().kind()) {
          case QPC -> "QPC, " + Numbers.oneDecimal(file.clock().ticksPerSecond() / 1e6) + " MHz";
          case SYSTEM_TIME -> "system time";
          case CPU_CYCLES ->
              "CPU cycles, " + Numbers.oneDecimal(file.clock().ticksPerSecond() / 1e6) + " MHz";
          case UNKNOWN -> "unknown";
        };
    if (!total.hasTimes()) {
      item("time", "no records except the header; clock: " + clock);
      return;
    }
    String range = Numbers.utcRange(total.firstFileTime(), total.lastFileTime());
    long nanos = total.lastNanos() - total.firstNanos();
    item(
        "time",
        (range == null ? "unknown" : range)
            + (nanos == 0 ? "" : " (" + Numbers.duration(nanos) + ")")
            + ", clock: "
            + clock);
  }

  private void sessions(EtwSummary.Part total) {
    boolean several = recording.files().size() > 1;
    String label = "sessions";
    for (int f = 0; f < recording.files().size(); f++) {
      EtlFile file = recording.files().get(f);
      LogFileHeader header = file.header().orElse(null);
      EtwSummary.Part part = overview.summary().files().get(f);
      item(
          label,
          (several ? file.name() + ": " : "")
              + (header == null ? "unknown" : name(header))
              + ", "
              + Numbers.counted(part.buffers(), "buffer")
              + " of "
              + Numbers.bytes(file.sessionBufferSize())
              + compressed(part));
      if (header != null) {
        item(
            "",
            "log format "
                + header.logMajor()
                + "."
                + header.logMinor()
                + ", "
                + LogFileModes.text(header.logFileMode())
                + (several && !header.finalised() ? ", never finalised" : ""));
      }
      label = "";
    }
    if (total.buffersAfterLoss() > 0) {
      item(
          "lost",
          "before "
              + Numbers.counted(total.buffersAfterLoss(), "buffer")
              + ", by their buffer flags");
    }
  }

  private static String name(LogFileHeader header) {
    String name = header.sessionName();
    if ((header.logFileMode() & LogFileHeader.EVENT_TRACE_RELOG_MODE) == 0) {
      return name.isEmpty() ? "(no name)" : name;
    }
    String how =
        header.logFileName().equals(SEVERAL_FILES) ? "merged from several files" : "relogged";
    return name.isEmpty() ? "(no name, " + how + ")" : name + " (" + how + ")";
  }

  private static String compressed(EtwSummary.Part part) {
    return part.compressedBuffers() == 0
        ? ""
        : " (" + Numbers.count(part.compressedBuffers()) + " compressed)";
  }

  private void sampling() {
    Sampling sampling = overview.sampling();
    List<Long> intervals = sampling.intervals();
    if (sampling.samples() == 0) {
      if (!intervals.isEmpty()) {
        item("sampling", "no CPU samples");
      }
      return;
    }
    StringBuilder line = new StringBuilder();
    if (intervals.isEmpty()) {
      line.append("sampling interval unknown");
    } else {
      line.append("every ").append(Numbers.duration(intervals.getFirst() * 100));
      if (intervals.size() > 1) {
        line.append(" to ").append(Numbers.duration(intervals.getLast() * 100));
      }
    }
    line.append("; ")
        .append(Numbers.counted(sampling.samples(), "sample"))
        .append(", ")
        .append(Numbers.count(sampling.busy()))
        .append(" of them busy (")
        .append(Numbers.percent(sampling.busy(), sampling.samples()))
        .append(" %)");
    if (sampling.busy() > 0) {
      line.append(", ")
          .append(Numbers.percent(sampling.busyWithStack(), sampling.busy()))
          .append(" % with stacks");
    }
    item("sampling", line.toString());
  }

  private void contents(EtwSummary.Part total) {
    MachineCounts contents = overview.contents();
    ProviderCounts sources = overview.sources();
    String least = contents.leftOut() > 0 ? "at least " : "";
    StringBuilder line = new StringBuilder();
    if (contents.processes() > 0) {
      add(line, ", ", least + counted(contents.processes(), "process", "es"));
    }
    if (contents.threads() > 0) {
      add(line, ", ", least + counted(contents.threads(), "thread", "s"));
    }
    if (contents.images() > 0) {
      String many = contents.imagesWithPdbId() == 0 ? "none" : count(contents.imagesWithPdbId());
      add(
          line,
          ", ",
          least + counted(contents.images(), "image file", "s") + " (" + many + " with a PDB id)");
    }
    EventTotals totals =
        new EventTotals(sources.events() + sources.stackRecords(), sources.stackRecords());
    add(line, ", ", counted(totals.events(), "event", "s"));
    if (!total.cpus().isEmpty()) {
      line.append(" of ").append(counted(total.cpus().cardinality(), "CPU", "s"));
    }
    item("contents", line.toString());
    if (sources.stackRecords() > 0) {
      item("", "(" + totals.attached(sources.stackBytes()) + ")");
    }
  }

  private static String count(long value) {
    return Numbers.count(value);
  }

  private static String counted(long value, String noun, String plural) {
    return Numbers.count(value) + " " + noun + (value == 1 ? "" : plural);
  }

  private void symbols() {
    MachineCounts contents = overview.contents();
    if (contents.images() > 0) {
      String named =
          contents.imagesWithPdbId() == 0
              ? "no image file has a PDB id"
              : count(contents.imagesWithPdbId())
                  + " of "
                  + counted(contents.images(), "image file", "s")
                  + " have PDB ids";
      item("symbols", "not loaded; " + named);
    }
  }

  /** Sum of a row of the table. */
  private static final class Sum {
    private long events;
    private long bytes;
    private long withStack;
    private long types;

    void add(ProviderCounts.Row row) {
      events += row.events();
      bytes += row.bytes();
      withStack += row.withStack();
      types += row.types();
    }
  }

  /** Line of the table; the one of most events comes first. */
  private record Line(String name, Sum sum) implements Comparable<Line> {
    @Override
    public int compareTo(Line other) {
      return Long.compare(other.sum.events, sum.events);
    }
  }

  private void sources(long limit, int width) {
    ProviderCounts sources = overview.sources();
    Sum all = new Sum();
    Sum bare = new Sum();
    StringBuilder bareNames = new StringBuilder();
    int bareSources = 0;
    List<Line> lines = new ArrayList<>();
    for (ProviderCounts.Row row : sources.rows()) {
      all.add(row);
      if (row.described()) {
        Sum sum = new Sum();
        sum.add(row);
        lines.add(new Line(title(row), sum));
      } else {
        bare.add(row);
        bareSources++;
        if (bareSources <= NAMED) {
          add(bareNames, ", ", row.name());
        }
      }
    }
    if (bareSources > 0) {
      String more = bareSources > NAMED ? ", " + count(bareSources - NAMED) + " more" : "";
      String types = counted(bare.types, "type", "s");
      lines.add(new Line("no schema (" + types + "): " + bareNames + more, bare));
      lines.sort(null);
    }
    print(lines, all, limit, width);
  }

  private void print(List<Line> lines, Sum all, long limit, int width) {
    Numbers.SizeUnit unit = Numbers.SizeUnit.of(all.bytes);
    Table table =
        new Table()
            .number("events")
            .number("%")
            .number(unit.title())
            .number("with stack")
            .name("events by source");
    // A line about one more row would take its place.
    int shown = limit > 0 && lines.size() > limit + 1 ? (int) limit : lines.size();
    Sum rest = new Sum();
    for (int i = 0; i < lines.size(); i++) {
      Line line = lines.get(i);
      if (i < shown) {
        row(table, line.name, line.sum, all, unit);
      } else {
        rest.events += line.sum.events;
        rest.bytes += line.sum.bytes;
        rest.withStack += line.sum.withStack;
      }
    }
    if (shown < lines.size()) {
      String more = counted(lines.size() - shown, "more source", "s");
      row(table, more + " (-n 0 shows all)", rest, all, unit);
    }
    row(table, "total", all, all, unit);
    table.print(out, 2, width);
  }

  private static String title(ProviderCounts.Row row) {
    if (row.traceLogging()) {
      return row.name() + " (TraceLogging)";
    }
    List<String> opcodes = row.opcodes();
    return switch (opcodes.size()) {
      case 0 -> row.name();
      case 1 -> row.name() + " (" + opcodes.getFirst() + ")";
      default -> row.name() + " (" + opcodes.get(0) + ", " + opcodes.get(1) + ")";
    };
  }

  private static void row(Table table, String name, Sum sum, Sum all, Numbers.SizeUnit unit) {
    table.row(
        Numbers.count(sum.events),
        Numbers.percent(sum.events, all.events),
        unit.text(sum.bytes),
        Numbers.percent(sum.withStack, sum.events) + " %",
        name);
  }
}
