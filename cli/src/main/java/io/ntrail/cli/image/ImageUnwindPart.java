package io.ntrail.cli.image;

import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.programs.handlers.LanguageHandlers;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ParsedImage;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/** {@code image --unwind ADDRESS|NAME}: which function that is, and its unwind information. */
final class ImageUnwindPart {
  /**
   * A function that was asked for.
   *
   * @param rva the address as given, or where the named function begins
   * @param entry what describes it; empty: nothing, as for a leaf
   */
  private record Asked(long rva, List<String> names, Optional<RuntimeFunction> entry) {}

  private final ParsedImage contents;
  private final FunctionTable table;
  private final LanguageHandlers handlers;
  private final List<Asked> asked;

  private ImageUnwindPart(ParsedImage contents, ImageFunctions functions, String what) {
    this.contents = contents;
    this.table = FunctionTable.of(contents.image());
    this.handlers = LanguageHandlers.of(contents.image(), table);
    this.asked =
        FunctionArgument.isAddress(what)
            ? at(FunctionArgument.rva(contents.image(), what), functions)
            : named(what, functions);
  }

  static ImagePart of(ParsedImage contents, ImageFunctions functions, String what) {
    ImageUnwindPart part = new ImageUnwindPart(contents, functions, what);
    Listing listing =
        new Listing(
            "functions",
            List.of(
                Column.number("rva", "rva"),
                Column.number("size", "size"),
                Column.name("names", "function"),
                Column.name("leaf", "leaf"),
                Column.name("handler", "handler"),
                Column.name("unwind", "unwind")),
            sink -> part.asked.forEach(a -> sink.accept(part.row(a))));
    return new ImagePart(listing, (out, _, _) -> part.print(out), listing::json);
  }

  private List<Asked> at(long rva, ImageFunctions functions) {
    int index = functions.indexUpTo(rva);
    List<String> names = List.of();
    if (index >= 0) {
      ImageFunction function = functions.list().get(index);
      names = rva < function.end() ? function.names() : names;
    }
    return List.of(new Asked(rva, names, table.entry(rva)));
  }

  private List<Asked> named(String what, ImageFunctions functions) {
    return FunctionArgument.find(contents, functions, "--unwind", what).stream()
        .map(function -> new Asked(function.rva(), function.names(), table.entry(function.rva())))
        .toList();
  }

  private List<Cell> row(Asked function) {
    Optional<UnwindChain> chain = function.entry.map(table::chain);
    return List.of(
        new Cell.Hex(function.entry.map(RuntimeFunction::begin).orElse(function.rva)),
        function.entry.map(e -> (Cell) new Cell.Count(e.size())).orElse(Cell.UNKNOWN),
        ImageFunctionRows.names(function.names),
        new Cell.Flag(function.entry.isEmpty()),
        new Cell.Text(chain.flatMap(handlers::of).map(ImageFunctionRows::handler).orElse(null)),
        ImageFunctionRows.unwind(function.entry, chain));
  }

  private void print(PrintStream out) {
    boolean first = true;
    for (Asked function : asked) {
      if (!first) {
        out.println();
      }
      first = false;
      String name = function.names.isEmpty() ? "" : String.join(", ", function.names) + ", ";
      if (function.entry.isEmpty()) {
        out.println(
            name
                + Numbers.hex(function.rva)
                + ": no entry in the function table: a leaf, which saves no register and moves no stack, or no code");
        continue;
      }
      RuntimeFunction entry = function.entry.get();
      out.println(name + Numbers.hex(function.rva) + ": " + Numbers.counted(entry.size(), "byte"));
      UnwindChain chain = table.chain(entry);
      new UnwindPrinter(out).print(entry, chain);
      handlers.of(chain).ifPresent(handled -> new HandlerText(out).print(handled));
    }
  }
}
