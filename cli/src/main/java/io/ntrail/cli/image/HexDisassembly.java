package io.ntrail.cli.image;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.JsonRow;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.InstructionDecoder;
import java.io.PrintStream;
import java.util.HexFormat;
import java.util.function.Consumer;
import picocli.CommandLine.ParseResult;

/** {@code image --decode HEX}: the instructions in bytes that were typed. */
final class HexDisassembly {
  private static final String KEY = "instructions";

  private HexDisassembly() {}

  static int print(ParseResult parsed, Format format, Terminal terminal) {
    Bytes code = Bytes.copyOf(bytes(CommonOptions.text(parsed, "--decode", "")), "--decode");
    long address =
        FunctionArgument.address(
            "--at", CommonOptions.text(parsed, "--at", "0x0"), "--at 0x140001000");
    InstructionRows rows =
        new InstructionRows(
            InstructionDecoder.of(size(CommonOptions.text(parsed, "--bits", "64"))), _ -> "", null);
    Consumer<Consumer<InstructionRows.Row>> all = sink -> rows.rows(code, address, sink);
    PrintStream out = terminal.out();
    switch (format) {
      case JSON -> {
        try (Json json = new Json(out)) {
          json.object().text("schema", "ntrail.decode/1");
          new InstructionObjects(rows, json.newRow()).array(json, KEY, all);
          json.endObject();
        }
      }
      case JSONL -> new InstructionObjects(rows, JsonRow.of(out)).lines(out, all);
      default -> {
        Listing<InstructionRows.Row> listing = new Listing<>(KEY, rows.columns(), all);
        long limit = CommonOptions.number(parsed, "-n", 0);
        listing.print(format, out, () -> listing.table(out, limit, 0), _ -> {});
      }
    }
    return ExitCode.DONE;
  }

  private static byte[] bytes(String hex) {
    try {
      return HexFormat.of().parseHex(hex.replace(" ", "").replace("0x", ""));
    } catch (IllegalArgumentException _) {
      throw new UsageError(
          "--decode takes bytes in hexadecimal, not " + hex, "--decode '48 8b c1 c3'");
    }
  }

  private static CodeSize size(String bits) {
    return switch (bits) {
      case "16" -> CodeSize.BITS16;
      case "32" -> CodeSize.BITS32;
      case "64" -> CodeSize.BITS64;
      default -> throw new UsageError("--bits takes 16, 32 or 64, not " + bits, "--bits 64");
    };
  }
}
