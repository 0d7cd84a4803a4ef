package io.ntrail.cli.info;

import io.ntrail.analysis.dumps.DumpRecording;
import io.ntrail.analysis.input.RecordingInput;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.Losses;
import io.ntrail.cli.text.Csv;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.io.OutputStream;
import picocli.CommandLine.ParseResult;

/** {@code ntrail info} of a dump. */
final class DumpInfo {
  private DumpInfo() {}

  static int print(
      RecordingInput input, Format format, long limit, ParseResult parsed, Terminal system) {
    try (DumpRecording dump = input.open(DumpRecording.class);
        Terminal terminal = CommonOptions.output(parsed, system)) {
      switch (format) {
        case TEXT -> {
          new DumpScreen(dump, terminal.out()).print(limit, CommonOptions.width(parsed, terminal));
          hint(input, parsed, terminal);
        }
        case JSON -> {
          try (Json json = new Json(terminal.out())) {
            DumpJson.print(dump, json);
          }
        }
        case JSONL -> {
          try (Json json = new Json(terminal.out())) {
            DumpJson.file(dump, json);
          }
        }
        default -> {
          // One row reads little: damage is told as in the formats that read all lists.
          try (Json nowhere = new Json(OutputStream.nullOutputStream())) {
            DumpJson.print(dump, nowhere);
          }
          DumpJson.csv(dump, new Csv(terminal.out()));
        }
      }
      return Losses.finish(dump, parsed, terminal);
    }
  }

  private static void hint(RecordingInput input, ParseResult parsed, Terminal terminal) {
    if (terminal.errIsTerminal() && !CommonOptions.has(parsed, "-q")) {
      terminal.out().flush();
      terminal.err().println("hint: ntrail stacks " + ShellWords.file(input.paths().getFirst()));
    }
  }
}
