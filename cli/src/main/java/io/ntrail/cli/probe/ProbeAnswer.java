package io.ntrail.cli.probe;

import io.ntrail.analysis.probe.aggregation.Aggregate;
import io.ntrail.analysis.probe.aggregation.Aggregation;
import io.ntrail.analysis.probe.aggregation.Buckets;
import io.ntrail.analysis.probe.aggregation.Distribution;
import io.ntrail.analysis.probe.engine.Options;
import io.ntrail.analysis.probe.sources.ProbeRun;
import io.ntrail.cli.common.Omissions;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Progress;
import io.ntrail.cli.text.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.ParseResult;

/** Answer of a program: what it prints, or its aggregations. */
final class ProbeAnswer {
  /** Bytes of the output that JSON holds. */
  private static final int MOST_OUTPUT = 64 << 20;

  private final ProbeInput input;
  private final Options options;
  private final ProbeRun run;
  private final ParseResult parsed;
  private final Terminal terminal;

  ProbeAnswer(
      ProbeInput input, Options options, ProbeRun run, ParseResult parsed, Terminal terminal) {
    this.input = input;
    this.options = options;
    this.run = run;
    this.parsed = parsed;
    this.terminal = terminal;
  }

  /** The first bytes of what is printed. */
  private static final class Kept extends OutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private long leftOut;

    @Override
    public void write(int b) {
      if (bytes.size() < MOST_OUTPUT) {
        bytes.write(b);
      } else {
        leftOut++;
      }
    }

    @Override
    public void write(byte[] from, int at, int length) {
      int room = Math.min(length, MOST_OUTPUT - bytes.size());
      bytes.write(from, at, room);
      leftOut += length - room;
    }
  }

  private ProbeRun.Outcome run(OutputStream out) {
    ProbeRun.Outcome outcome;
    try (Progress _ = input.progress(parsed, terminal)) {
      outcome = run.run(out, terminal.err(), input::isStopped);
    }
    input.ended();
    return outcome;
  }

  private static void flush(OutputStream out) {
    try {
      out.flush();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Prints what the program prints: bytes, but on a terminal. */
  ProbeRun.Outcome text() {
    OutputStream out = terminal.bytes();
    ProbeRun.Outcome outcome = run(out);
    flush(out);
    remarks(outcome);
    return outcome;
  }

  /** Prints warnings of what was not kept or not known, and of aggregations that wrapped. */
  private void remarks(ProbeRun.Outcome outcome) {
    outcome.drops().forEach(drop -> terminal.err().println("dtrace: " + drop));
    if (outcome.undecided() > 0) {
      terminal
          .err()
          .println(
              "warning: "
                  + Numbers.counted(outcome.undecided(), "firing")
                  + " by unknown processes or on unknown files may be meant by a condition");
    }
    for (Aggregation aggregation : outcome.aggregations()) {
      if (aggregation.overflows() > 0) {
        terminal
            .err()
            .println(
                "warning: a sum of @%s wrapped at 64 bits %s: its values are wrong"
                    .formatted(
                        aggregation.name(), Numbers.counted(aggregation.overflows(), "time")));
      }
    }
  }

  private static void overflows(Json json, ProbeRun.Outcome outcome) {
    json.array("overflows");
    for (Aggregation aggregation : outcome.aggregations()) {
      if (aggregation.overflows() > 0) {
        json.object().text("name", aggregation.name());
        json.number("count", aggregation.overflows()).endObject();
      }
    }
    json.endArray();
  }

  /** Prints what it printed, and its aggregations, as JSON. */
  ProbeRun.Outcome json() {
    Kept kept = new Kept();
    ProbeRun.Outcome outcome = run(kept);
    try (Json json = new Json(terminal.out())) {
      json.object().text("schema", "ntrail.probe/1");
      json.text("output", kept.bytes.toString(StandardCharsets.UTF_8));
      json.number("outputLeftOut", kept.leftOut);
      json.array("aggregations");
      for (Aggregation aggregation : outcome.aggregations()) {
        for (Aggregation.Entry entry : sorted(aggregation)) {
          entry(json, aggregation, entry);
        }
      }
      json.endArray();
      json.object("probes").number("matched", outcome.matched()).number("fired", outcome.fired());
      json.number("faults", outcome.faults()).endObject().array("drops");
      outcome.drops().forEach(json::text);
      input.missing().forEach(json::text);
      json.endArray();
      overflows(json, outcome);
      json.number("unattributed", outcome.undecided());
      json.number("exitStatus", outcome.status());
      json.text("unit", input.hasNanos() ? "ns" : "ticks");
      input.lost(json);
      Omissions.json(json, input.omissions());
      json.gaps(input.gaps()).endObject();
    }
    return outcome;
  }

  private List<Aggregation.Entry> sorted(Aggregation aggregation) {
    List<Aggregation.Entry> entries = new ArrayList<>(aggregation.entries());
    entries.sort(options.order().of(aggregation));
    return entries;
  }

  private static void entry(Json json, Aggregation aggregation, Aggregation.Entry entry) {
    json.object().text("name", aggregation.name()).text("function", function(aggregation));
    json.array("keys");
    for (Object key : entry.keys()) {
      switch (key) {
        case Long number -> json.number(number);
        default -> json.text(key(key));
      }
    }
    json.endArray();
    switch (aggregation.function()) {
      case Aggregate.Scalar scalar ->
          json.number("value", scalar.value(entry.state(), aggregation.normal()));
      case Buckets buckets -> {
        json.array("buckets");
        int[] shown = Distribution.shown(buckets, entry.state());
        for (int i = shown[0]; i <= shown[1]; i++) {
          json.object().number("value", buckets.value(i)).text("label", buckets.label(i).strip());
          json.number("count", entry.state()[i] / aggregation.normal()).endObject();
        }
        json.endArray();
      }
    }
    json.endObject();
  }

  private static String function(Aggregation aggregation) {
    return aggregation.function().name().toLowerCase(Locale.ROOT);
  }

  /** Returns the text that bytes are, a character for each. */
  static String utf8(String bytes) {
    return new String(bytes.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
  }

  /** Prints a row for each value of its aggregations. */
  ProbeRun.Outcome csv() {
    ProbeRun.Outcome outcome = run(OutputStream.nullOutputStream());
    terminal.out().print("name,function,keys,bucket,value\r\n");
    for (Aggregation aggregation : outcome.aggregations()) {
      for (Aggregation.Entry entry : sorted(aggregation)) {
        String start = aggregation.name() + "," + function(aggregation) + "," + quoted(keys(entry));
        switch (aggregation.function()) {
          case Aggregate.Scalar scalar ->
              row(start, "", scalar.value(entry.state(), aggregation.normal()));
          case Buckets buckets -> {
            int[] shown = Distribution.shown(buckets, entry.state());
            for (int i = shown[0]; i <= shown[1]; i++) {
              row(start, quoted(buckets.label(i).strip()), entry.state()[i] / aggregation.normal());
            }
          }
        }
      }
    }
    remarks(outcome);
    return outcome;
  }

  private void row(String start, String bucket, long value) {
    terminal.out().print(start + "," + bucket + "," + value + "\r\n");
  }

  /**
   * Returns the keys in one cell, blanks between them; of several keys, one that is empty or has a
   * blank or a quote is in quotes, so that the cell can be cut into its keys again.
   */
  private static String keys(Aggregation.Entry entry) {
    List<String> texts = new ArrayList<>();
    for (Object key : entry.keys()) {
      String text = key(key);
      boolean isPlain =
          entry.keys().length == 1
              || !text.isEmpty()
                  && text.chars().noneMatch(c -> c == '"' || Character.isWhitespace(c));
      texts.add(isPlain ? text : inQuotes(text));
    }
    return String.join(" ", texts);
  }

  /** Returns the text of a key; a stack has a line for each frame. */
  private static String key(Object key) {
    return switch (key) {
      case List<?> frames -> String.join("\n", frames.stream().map(String::valueOf).toList());
      case String text -> utf8(text);
      default -> String.valueOf(key);
    };
  }

  private static String inQuotes(String text) {
    return '"' + text.replace("\"", "\"\"") + '"';
  }

  private static String quoted(String text) {
    return text.chars().anyMatch(c -> ",\"\r\n".indexOf(c) >= 0) ? inQuotes(text) : text;
  }
}
