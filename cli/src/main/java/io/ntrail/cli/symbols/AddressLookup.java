package io.ntrail.cli.symbols;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.programs.symbols.SymbolFrame;
import io.ntrail.programs.symbols.SymbolizedAddress;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * {@code symbols FILE --address}: functions and lines at addresses, with what was inlined there.
 */
final class AddressLookup {
  private final SymbolSource source;
  private final List<Long> addresses;
  private final boolean parameters;

  /**
   * Asks.
   *
   * @param parameters whether people see the types of parameters; programs always do
   */
  AddressLookup(SymbolSource source, List<Long> addresses, boolean parameters) {
    this.source = source;
    this.addresses = addresses;
    this.parameters = parameters;
  }

  void print(Format format, Terminal terminal) {
    source.mustHaveAddresses();
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
      default ->
          throw new UsageError("addresses are written as text, json or jsonl", "--format json");
    }
  }

  private void json(Json json, long rva) {
    Optional<SymbolizedAddress> found = source.symbols().at(rva);
    json.object().text("rva", Numbers.hex(rva));
    if (found.isPresent()) {
      SymbolizedAddress symbol = found.get();
      json.text("source", symbol.origin().text()).bool("exact", symbol.origin().isExact());
      json.number("offset", symbol.offset());
      if (symbol.length() < 0) {
        json.unknown("length");
      } else {
        json.number("length", symbol.length());
      }
    }
    json.array("frames");
    found.map(SymbolizedAddress::frames).orElse(List.of()).forEach(frame -> frame(json, frame));
    json.endArray().endObject();
  }

  private void frame(Json json, SymbolFrame frame) {
    json.object().text("function", known(frame.function()));
    Optional<List<String>> types = source.symbols().parameters(frame.type());
    if (types.isPresent()) {
      json.array("parameters");
      types.get().forEach(json::text);
      json.endArray();
    } else {
      json.unknown("parameters");
    }
    json.text("file", known(frame.file()));
    if (frame.line() == 0) {
      json.unknown("line");
    } else {
      json.number("line", frame.line());
    }
    json.bool("inline", frame.isInlined()).endObject();
  }

  private static @Nullable String known(String text) {
    return text.isEmpty() ? null : text;
  }

  private void text(Terminal terminal) {
    if (!source.missing().isEmpty()) {
      terminal.err().println("ntrail: names from the image only: " + source.missing());
    }
    Table table = new Table().number("rva").name("function").name("line");
    boolean doubt = false;
    for (long rva : addresses) {
      Optional<SymbolizedAddress> found = source.symbols().at(rva);
      String address = Numbers.hex(rva);
      if (found.isEmpty()) {
        table.row(address, "(unknown)", "");
        continue;
      }
      for (SymbolFrame frame : found.get().frames()) {
        String line =
            frame.file().isEmpty() ? "" : TextSanitizer.one(frame.file()) + ":" + frame.line();
        table.row(address, function(found.get(), frame), line);
        address = "";
      }
      doubt |= !found.get().origin().isExact();
    }
    table.print(terminal.out(), 0, Integer.MAX_VALUE);
    if (doubt) {
      terminal.out().println("? nearest preceding symbol: an unnamed function may lie between");
    }
  }

  /** {@code Stock::Load+0x12}, and whether it is only the nearest name that is known. */
  private String function(SymbolizedAddress symbol, SymbolFrame frame) {
    String name = frame.function().isEmpty() ? "(unknown)" : TextSanitizer.one(frame.function());
    // Also if nobody sees them: the gaps of an answer are the same in every format.
    Optional<List<String>> types = source.symbols().parameters(frame.type());
    if (parameters) {
      name += types.map(all -> "(" + TextSanitizer.one(String.join(", ", all)) + ")").orElse("");
    }
    if (frame.isInlined()) {
      return name + " (inlined)";
    }
    return symbol.origin().isExact()
        ? name
        : name + (symbol.offset() == 0 ? "" : "+" + Numbers.hex(symbol.offset())) + " ?";
  }
}
