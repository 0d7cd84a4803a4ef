package io.ntrail.cli.image;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.programs.x86.InstructionDecoder;
import java.util.HexFormat;
import picocli.CommandLine.ParseResult;

/** {@code image --decode HEX}: the instructions in bytes that were typed. */
final class HexDisassembly {
  private HexDisassembly() {}

  static int print(ParseResult parsed, Format format, Terminal terminal) {
    Listing<InstructionRows.Row> listing = listing(parsed);
    listing.print(
        format,
        terminal.out(),
        () -> listing.table(terminal.out(), CommonOptions.number(parsed, "-n", 0), 0),
        json -> {
          json.text("schema", "ntrail.decode/1");
          listing.json(json);
        });
    return ExitCode.DONE;
  }

  private static Listing<InstructionRows.Row> listing(ParseResult parsed) {
    Bytes code = Bytes.copyOf(bytes(CommonOptions.text(parsed, "--decode", "")), "--decode");
    long address =
        FunctionArgument.address(
            "--at", CommonOptions.text(parsed, "--at", "0x0"), "--at 0x140001000");
    InstructionRows rows =
        new InstructionRows(
            InstructionDecoder.of(size(CommonOptions.text(parsed, "--bits", "64"))), _ -> "", null);
    return new Listing<>("instructions", rows.columns(), sink -> rows.rows(code, address, sink));
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
