package io.ntrail.cli.pt;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.common.WorkProgress;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;

/** {@code pt packets --count}: how many packets of each type, in the order of the table. */
final class PacketCounts {
  private static final PacketType[] TYPES = PacketType.values();

  private final PtInput input;
  private final PacketListing.Request request;
  private final WorkProgress<WorkPhase> progress;
  private final long[] counts = new long[TYPES.length];
  private final long[] bytes = new long[TYPES.length];
  private long branches;

  /** A row of the table. */
  private record Row(PacketType type, long count, long bytes) {}

  /** Walks over the whole stream. */
  PacketCounts(PtInput input, PacketListing.Request request, WorkProgress<WorkPhase> progress) {
    this.input = input;
    this.request = request;
    this.progress = progress;
    request.processor().checkTime(request.time(), "packets", request.path());
    try (Progress _ = progress.start()) {
      input.begin("counting the packets of");
      count();
    }
  }

  private void count() {
    boolean isWhole = request.time().whole();
    PacketCursor cursor =
        isWhole
            ? PacketCursor.joined(input.file(), request.processor().errata())
            : new PacketCursor(input.file(), request.processor().errata());
    PacketClock clock = request.processor().newClock();
    while (cursor.next() && !input.stopsAt(cursor.offset())) {
      if (!isWhole) {
        clock.take(cursor);
        if (cursor.type() == PacketType.ERROR) {
          input.note(cursor);
        }
        if (!request.isInTime(clock)) {
          continue;
        }
      }
      int type = cursor.type().ordinal();
      counts[type] += cursor.repeats();
      bytes[type] += cursor.length();
      switch (cursor.type()) {
        case TNT8, TNT64 -> branches += cursor.branches();
        case ERROR -> {
          if (isWhole) {
            input.note(cursor);
          }
        }
        default -> {
          // Only counted.
        }
      }
    }
  }

  int print(Format format, Terminal terminal) {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .name("type", row -> row.type().label())
            .titled()
            .count("count", Row::count)
            .titled()
            .count("bytes", Row::bytes)
            .titled();
    Listing<Row> listing =
        new Listing<>(
            "packets",
            columns,
            sink -> {
              for (PacketType type : TYPES) {
                if (counts[type.ordinal()] > 0) {
                  sink.accept(new Row(type, counts[type.ordinal()], bytes[type.ordinal()]));
                }
              }
            });
    listing.print(
        format,
        terminal.out(),
        () -> {
          terminal
              .out()
              .println(
                  "%s: %s, first PSB at %s, %s, %s of branches%s"
                      .formatted(
                          input.title(),
                          Numbers.bytes(input.file().size()),
                          Numbers.hex(input.firstPsb()),
                          Numbers.counted(packets(), "packet"),
                          Numbers.counted(branches, "result"),
                          progress.state()));
          listing.table(terminal.out(), 0, 0);
        },
        this::json);
    Losses.warn(input.gaps().list(), terminal);
    return input.exitCode();
  }

  private long packets() {
    long sum = 0;
    for (PacketType type : TYPES) {
      sum += type == PacketType.ERROR ? 0 : counts[type.ordinal()];
    }
    return sum;
  }

  private void json(Json json) {
    json.text("schema", "ntrail.pt-packets/1").text("file", input.file().name());
    json.number("bytes", input.file().size()).number("firstPsb", input.firstPsb());
    json.number("packets", packets()).number("branches", branches);
    json.object("types");
    for (PacketType type : TYPES) {
      if (counts[type.ordinal()] > 0) {
        json.number(type.label(), counts[type.ordinal()]);
      }
    }
    json.endObject().gaps(input.allGaps(progress));
  }
}
