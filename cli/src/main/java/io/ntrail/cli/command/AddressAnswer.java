package io.ntrail.cli.command;

import io.ntrail.cli.command.Options.Format;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Lines;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.decoration.Undecoration;
import io.ntrail.formats.pdb.PdbAddresses.Frame;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * {@code symbols FILE --address}: functions and lines at addresses, with what was inlined there.
 */
final class AddressAnswer {
  private final SymbolSource source;
  private final List<Long> addresses;

  AddressAnswer(SymbolSource source, List<Long> addresses) {
    this.source = source;
    this.addresses = addresses;
  }

  void print(Format format, Terminal terminal) {
    switch (format) {
      case TEXT -> text(terminal);
      case JSON -> {
        try (Json json = new Json(terminal.out())) {
          json.object().text("schema", "ntrail.frames/1").array("addresses");
          addresses.forEach(rva -> json(json, rva));
          json.endArray().gaps(source.gaps()).endObject();
        }
      }
      case JSONL -> {
        try (Json json = new Json(terminal.out())) {
          addresses.forEach(rva -> json(json, rva));
        }
      }
      case CSV ->
          throw new UsageError("addresses are written as text, json or jsonl", "--format json");
    }
  }

  private void json(Json json, long rva) {
    json.object().text("rva", Numbers.hex(rva)).array("frames");
    for (Frame frame : source.frames(rva)) {
      json.object().text("function", name(frame)).text("file", known(frame.file()));
      if (frame.line() == 0) {
        json.unknown("line");
      } else {
        json.number("line", frame.line());
      }
      json.bool("inline", frame.isInlined()).endObject();
    }
    json.endArray().endObject();
  }

  private static @Nullable String known(String text) {
    return text.isEmpty() ? null : text;
  }

  private static String name(Frame frame) {
    return Undecoration.of(frame.function(), Undecoration.Style.NAME).orElse(frame.function());
  }

  private void text(Terminal terminal) {
    if (!source.missing().isEmpty()) {
      terminal.err().println("ntrail: names of exports alone: " + source.missing());
    }
    Table table = new Table().number("rva").name("function").name("line");
    for (long rva : addresses) {
      List<Frame> frames = source.frames(rva);
      String address = Numbers.hex(rva);
      if (frames.isEmpty()) {
        table.row(address, "(unknown)", "");
      }
      for (Frame frame : frames) {
        String line = frame.file().isEmpty() ? "" : Lines.one(frame.file()) + ":" + frame.line();
        table.row(address, Lines.one(name(frame)) + (frame.isInlined() ? " (inlined)" : ""), line);
        address = "";
      }
    }
    table.print(terminal.out(), 0, Integer.MAX_VALUE);
  }
}
