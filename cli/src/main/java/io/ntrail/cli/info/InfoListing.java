package io.ntrail.cli.info;

import io.ntrail.analysis.etw.RecordedMachine;
import io.ntrail.analysis.etw.RecordedMachine.ImageRow;
import io.ntrail.analysis.etw.RecordedMachine.Life;
import io.ntrail.analysis.etw.RecordedMachine.MethodRow;
import io.ntrail.analysis.etw.RecordedMachine.ProcessRow;
import io.ntrail.analysis.etw.RecordedMachine.ThreadRow;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Headings;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.ReadingProgress;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import picocli.CommandLine.ParseResult;

/** {@code ntrail info --list WHAT}: rows about what a recording tells of. */
final class InfoListing {
  /** Subject of the rows. */
  enum What {
    PROCESSES,
    THREADS,
    IMAGES,
    METHODS,
    SESSIONS
  }

  static final OptionValues<What> WHATS = OptionValues.of("--list", List.of(What.values()));

  private final EtwRecording recording;
  private final RecordedMachine machine;
  private final What what;
  private final Terminal terminal;

  private InfoListing(
      EtwRecording recording, RecordedMachine machine, What what, Terminal terminal) {
    this.recording = recording;
    this.machine = machine;
    this.what = what;
    this.terminal = terminal;
  }

  static int print(RecordingInput input, Format format, ParseResult parsed, Terminal system) {
    What what = WHATS.value(parsed, What.PROCESSES);
    long limit = CommonOptions.limit(parsed, format, system);
    try (EtwRecording recording = input.open(EtwRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system)) {
      RecordedMachine machine;
      try (Progress _ = ReadingProgress.start(recording, parsed, terminal)) {
        machine = RecordedMachine.of(recording, CommonOptions.cores(parsed));
      }
      InfoListing listing = new InfoListing(recording, machine, what, terminal);
      int width = CommonOptions.width(parsed, terminal);
      switch (what) {
        case PROCESSES ->
            listing.print(machine.processes(), listing.processes(), format, limit, width);
        case THREADS -> listing.print(machine.threads(), listing.threads(), format, limit, width);
        case IMAGES -> listing.print(machine.images(), listing.images(), format, limit, width);
        case METHODS -> listing.print(machine.methods(), methods(), format, limit, width);
        case SESSIONS -> listing.print(recording.files(), sessions(), format, limit, width);
      }
      if (machine.leftOut() > 0) {
        terminal.out().flush();
        terminal
            .err()
            .println(
                "warning: memory limit reached: "
                    + Numbers.counted(machine.leftOut(), "note")
                    + " of processes, threads, images or methods left out");
      }
      return Losses.finish(recording, parsed, terminal);
    }
  }

  private <R> void print(
      List<R> all, ListingColumns<R> columns, Format format, long limit, int width) {
    List<R> rows = limit == 0 || limit >= all.size() ? all : all.subList(0, (int) limit);
    new Listing<>("rows", columns, rows::forEach)
        .print(
            format,
            terminal.out(),
            () -> text(all, rows, columns, width),
            json -> members(json, all, rows, columns));
  }

  private <R> void members(Json json, List<R> all, List<R> rows, ListingColumns<R> columns) {
    json.text("schema", "ntrail.list/1")
        .text("file", Headings.files(recording))
        .text("what", OptionValues.word(what));
    new Listing<>("rows", columns, rows::forEach).json(json);
    json.number("rowsLeftOut", all.size() - rows.size());
    if (hasCpu()) {
      json.number("cpuNanos", machine.total());
    }
    Losses.json(json, recording).gaps(recording.gaps());
  }

  /** Returns whether rows have CPU times, and these are known. */
  private boolean hasCpu() {
    return machine.hasCpuTimes() && what != What.METHODS && what != What.SESSIONS;
  }

  private <R> void text(List<R> all, List<R> rows, ListingColumns<R> columns, int width) {
    String noun = OptionValues.word(what);
    terminal
        .out()
        .println(
            Headings.files(recording)
                + ": "
                + Numbers.count(all.size())
                + " "
                + (all.size() == 1 ? noun.replaceFirst("(?<=ss)es$|s$", "") : noun)
                + cpu()
                + ", "
                + Losses.state(recording));
    if (all.isEmpty()) {
      return;
    }
    Table table = columns.table();
    rows.forEach(row -> columns.row(table, row));
    table.print(terminal.out(), 0, width);
    if (rows.size() < all.size()) {
      terminal
          .out()
          .println(
              Numbers.count(all.size() - rows.size())
                  + " more "
                  + noun
                  + " not shown (-n 0 shows all)");
    }
  }

  private String cpu() {
    return switch (what) {
      case METHODS, SESSIONS -> "";
      default ->
          machine.hasCpuTimes()
              ? ", " + Numbers.duration(machine.total()) + " CPU by samples"
              : ", CPU time unknown (no samples recorded)";
    };
  }

  private <R> ListingColumns<R> cpu(ListingColumns<R> columns, ToLongFunction<R> nanos) {
    columns.knownCount("cpuNanos", nanos);
    if (machine.hasCpuTimes()) {
      columns
          .titled("cpu ms")
          .shown(row -> Numbers.decimal(nanos.applyAsLong(row) / 100_000, 1))
          .figure("%", row -> Numbers.percent(nanos.applyAsLong(row), machine.total()));
    }
    return columns;
  }

  private static <R> ListingColumns<R> life(
      ListingColumns<R> columns, String start, String end, Function<R, Life> life) {
    return columns
        .value(
            start, (row, cell) -> time(cell, life.apply(row).hasStart(), life.apply(row).start()))
        .titled(start + " s")
        .shown(row -> seconds(life.apply(row).hasStart(), life.apply(row).start()))
        .right()
        .value(end, (row, cell) -> time(cell, life.apply(row).hasEnd(), life.apply(row).end()))
        .titled(end + " s")
        .shown(row -> seconds(life.apply(row).hasEnd(), life.apply(row).end()))
        .right();
  }

  private static void time(CellWriter cell, boolean known, long nanos) {
    if (known) {
      cell.count(nanos);
    } else {
      cell.unknown();
    }
  }

  private static String seconds(boolean known, long nanos) {
    return known ? Numbers.seconds(nanos) : "-";
  }

  private static <R> ListingColumns<R> id(
      ListingColumns<R> columns, String key, ToLongFunction<R> id) {
    return columns
        .knownCount(key, id)
        .titled()
        .shown(row -> id.applyAsLong(row) < 0 ? "-" : Long.toString(id.applyAsLong(row)));
  }

  private ListingColumns<ProcessRow> processes() {
    ListingColumns<ProcessRow> columns = cpu(new ListingColumns<>(), ProcessRow::cpuNanos);
    id(columns, "pid", row -> Integer.toUnsignedLong(row.pid()));
    id(columns, "parent", row -> row.parent() == -1 ? -1 : Integer.toUnsignedLong(row.parent()));
    columns.count("threads", ProcessRow::threads).titled();
    life(columns, "start", "end", ProcessRow::life);
    return columns
        .text("name", ProcessRow::name)
        .titled("process")
        .text("commandLine", ProcessRow::commandLine)
        .titled("command line")
        .optional("end", "start", "parent", "threads")
        .csv("pid", "name", "parent", "commandLine", "start", "end", "cpuNanos", "threads");
  }

  private ListingColumns<ThreadRow> threads() {
    ListingColumns<ThreadRow> columns = cpu(new ListingColumns<>(), ThreadRow::cpuNanos);
    id(columns, "tid", row -> Integer.toUnsignedLong(row.tid()));
    id(columns, "pid", row -> row.pid() == -1 ? -1 : Integer.toUnsignedLong(row.pid()));
    life(columns, "start", "end", ThreadRow::life);
    return columns
        .text("process", ThreadRow::process)
        .titled()
        .text("name", ThreadRow::name)
        .titled("thread")
        .csv("tid", "pid", "process", "name", "start", "end", "cpuNanos");
  }

  private ListingColumns<ImageRow> images() {
    ListingColumns<ImageRow> columns = cpu(new ListingColumns<>(), ImageRow::cpuNanos);
    id(columns, "pid", row -> Integer.toUnsignedLong(row.pid()));
    columns.hex("base", ImageRow::base).titled();
    columns.value("size", (row, cell) -> cell.hexCount(row.size())).titled().right();
    life(columns, "load", "unload", ImageRow::life);
    return columns
        .value(
            "timestamp",
            (row, cell) ->
                time(cell, row.timestamp() != 0, Integer.toUnsignedLong(row.timestamp())))
        .value(
            "pdb",
            (row, cell) ->
                cell.shaped(
                    () -> row.pdb().map(pdb -> pdb.id().key()).orElse(""), json -> pdb(json, row)))
        .value("version", (_, cell) -> cell.unknown())
        .text("process", ImageRow::process)
        .titled()
        .shown(InfoListing::owner)
        .text("path", ImageRow::path)
        .titled("image")
        .optional("unload", "load", "size", "base");
  }

  private static String owner(ImageRow row) {
    String process = row.process();
    return row.pid() == 0 ? "(kernel)" : process == null ? "-" : process;
  }

  private static void pdb(Json json, ImageRow row) {
    if (row.pdb().isEmpty()) {
      json.text((String) null);
      return;
    }
    json.object()
        .text("guid", row.pdb().get().id().guid().toString())
        .number("age", row.pdb().get().id().age())
        .text("name", row.pdb().get().fileName())
        .endObject();
  }

  private static ListingColumns<MethodRow> methods() {
    ListingColumns<MethodRow> columns = new ListingColumns<>();
    id(columns, "pid", row -> Integer.toUnsignedLong(row.pid()));
    columns.hex("address", MethodRow::address).titled();
    columns.count("size", MethodRow::size).titled();
    life(columns, "start", "end", MethodRow::life);
    return columns
        .text("process", MethodRow::process)
        .titled()
        .text("module", MethodRow::module)
        .text("name", MethodRow::name)
        .titled("method");
  }

  private static ListingColumns<EtlFile> sessions() {
    return new ListingColumns<EtlFile>()
        .count("buffers", file -> file.buffers().count())
        .titled()
        .count("bufferBytes", EtlFile::sessionBufferSize)
        .titled("bytes each")
        .value("lostEvents", (file, cell) -> known(cell, file, LogFileHeader::eventsLost))
        .titled("lost events")
        .right()
        .value("lostBuffers", (file, cell) -> known(cell, file, LogFileHeader::buffersLost))
        .titled("lost buffers")
        .right()
        .text(
            "mode", file -> file.header().map(h -> LogFileModes.text(h.logFileMode())).orElse(null))
        .titled()
        .text("file", EtlFile::name)
        .titled()
        .text("name", file -> file.header().map(LogFileHeader::sessionName).orElse(null))
        .titled("session")
        .optional("bufferBytes", "mode");
  }

  private static void known(CellWriter cell, EtlFile file, ToLongFunction<LogFileHeader> figure) {
    Optional<LogFileHeader> header = file.header();
    time(cell, header.isPresent(), header.map(figure::applyAsLong).orElse(0L));
  }
}
