package io.ntrail.cli.pt;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.TimeRange;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;
import java.nio.file.Path;
import java.util.function.Consumer;
import picocli.CommandLine.ParseResult;

/** {@code pt packets}: the packets of a stream in order. */
final class PacketListing {
  /**
   * Packets of a stream that are asked for.
   *
   * @param time packets of other times are left out
   * @param limit packets at most; 0: all
   */
  record Request(Path path, ProcessorOptions processor, TimeRange time, long limit) {
    /** Returns true for packets of the times that were asked for; the first ones have time 0. */
    boolean isInTime(PacketClock clock) {
      return time.whole() || time.contains(clock.isKnown() ? clock.nanos() : 0);
    }
  }

  private final PtInput input;
  private final Request request;
  private PacketClock clock;

  /** Rows beyond the limit. */
  private long leftOut;

  PacketListing(PtInput input, Request request) {
    this.input = input;
    this.request = request;
    this.clock = request.processor().newClock();
    request.processor().checkTime(request.time(), "packets", request.path());
  }

  int print(Format format, ParseResult parsed, Terminal terminal) {
    boolean isText = format == Format.TEXT;
    WorkProgress<WorkPhase> progress = WorkProgress.of(input.work(), parsed, terminal);
    Listing<PacketRow> listing =
        new Listing<>(
            "packets",
            columns(),
            sink -> {
              try (Progress _ = progress.listing()) {
                rows(!isText, isText ? 0 : request.limit(), sink);
              }
            });
    listing.print(
        format,
        terminal.out(),
        () -> {
          terminal.out().println(heading());
          listing.table(terminal.out(), request.limit(), CommonOptions.width(parsed, terminal));
        },
        json -> {
          json.text("schema", "ntrail.pt-packets/1").text("file", input.file().name());
          json.number("bytes", input.file().size());
          listing.json(json);
          json.number("rowsLeftOut", leftOut);
          json.gaps(input.allGaps(progress));
        });
    ProcessorOptions.warn(clock, terminal);
    Losses.warn(input.gaps().list(), terminal);
    return input.exitCode();
  }

  /** Returns the first line: what was asked of what. */
  String heading() {
    long hertz = request.processor().clock().tscHertz();
    return "%s: %s, first PSB at %s, %s, %s"
        .formatted(
            input.title(),
            Numbers.bytes(input.file().size()),
            Numbers.hex(input.firstPsb()),
            request.time().whole() ? "all packets" : request.time().text(),
            hertz == 0
                ? "clock frequency unknown"
                : "clock " + Numbers.gigahertz(hertz / 1_000_000) + " GHz");
  }

  private static ListingColumns<PacketRow> columns() {
    return new ListingColumns<PacketRow>()
        .count("offset", PacketRow::offset)
        .titled()
        .shown(row -> "0x%06x".formatted(row.offset()))
        .count("length", PacketRow::length)
        .name("type", row -> row.type().label())
        .titled("packet")
        .shown(PacketText::name)
        .value("fields", (row, cell) -> cell.shaped(row::fieldText, row::fields))
        .titled("value")
        .shown(PacketText::value)
        .label("meaning", PacketText::meaning)
        .remarks()
        .value(
            "timeNanos",
            (row, cell) -> {
              if (row.clock().knowsNanos()) {
                cell.count(row.nanos());
              } else {
                cell.unknown();
              }
            })
        .knownCount("tsc", PacketRow::tsc)
        .value(
            "why",
            (row, cell) -> {
              if (row.isDamage()) {
                cell.text(row.why());
              } else {
                cell.absent();
              }
            });
  }

  /**
   * Gives the rows.
   *
   * @param single whether each PAD is a row of its own
   * @param limit rows at most; 0: all. Those beyond it are read, too: there may be damage
   */
  private void rows(boolean single, long limit, Consumer<PacketRow> sink) {
    PacketCursor cursor = new PacketCursor(input.file(), request.processor().errata());
    clock = request.processor().newClock();
    long rows = 0;
    input.begin("reading the packets of");
    while (cursor.next() && !input.stopsAt(cursor.offset())) {
      clock.take(cursor);
      if (cursor.type() == PacketType.ERROR) {
        input.note(cursor);
      }
      if (!request.isInTime(clock)) {
        continue;
      }
      long repeats = single ? cursor.repeats() : 1;
      for (long pad = 0; pad < repeats; pad++) {
        if (limit != 0 && rows == limit) {
          leftOut += repeats - pad;
          break;
        }
        sink.accept(
            new PacketRow(
                cursor,
                clock,
                pad,
                repeats > 1 ? 1 : cursor.length(),
                request.processor().asLibipt()));
        rows++;
      }
    }
  }
}
