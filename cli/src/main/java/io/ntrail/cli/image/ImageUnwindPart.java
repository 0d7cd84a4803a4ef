package io.ntrail.cli.image;

import io.ntrail.cli.common.FunctionArgument;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.programs.handlers.HandledFunction;
import io.ntrail.programs.handlers.LanguageHandlers;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ParsedImage;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;

/** {@code image --unwind ADDRESS|NAME}: which function that is, and its unwind information. */
final class ImageUnwindPart {
  /**
   * A function that was requested.
   *
   * @param rva the address as given, or where the named function begins
   * @param entry what describes it; empty: nothing, as for a leaf
   * @param unknown why nothing is known of its frame; empty: its entry, or that there is none, says
   *     all
   */
  private record Asked(
      long rva, List<String> names, Optional<RuntimeFunction> entry, Optional<String> unknown) {}

  private final ParsedImage contents;
  private final FunctionTable table;
  private final LanguageHandlers handlers;
  private final List<Asked> asked;

  private ImageUnwindPart(ParsedImage contents, ImageNames names, String what) {
    ImageFunctions functions = names.functions();
    this.contents = contents;
    this.table = FunctionTable.of(contents.image());
    this.handlers = LanguageHandlers.of(contents.image(), table);
    this.asked =
        FunctionArgument.isAddress(what)
            ? at(FunctionArgument.rva(contents.image(), what), functions)
            : named(what, names);
  }

  static ImagePart of(ParsedImage contents, ImageNames names, String what) {
    ImageUnwindPart part = new ImageUnwindPart(contents, names, what);
    Listing<Asked> listing = new Listing<>("functions", part.columns(), part.asked::forEach);
    return new ImagePart(listing, (out, _, _) -> part.print(out), listing::json);
  }

  private List<Asked> at(long rva, ImageFunctions functions) {
    int index = functions.indexAt(rva);
    List<String> names = index < 0 ? List.of() : functions.list().get(index).names();
    return List.of(asked(rva, names));
  }

  private List<Asked> named(String what, ImageNames names) {
    List<Gap> gaps = ImageCommand.gaps(contents.image().gaps(), names.gaps());
    return FunctionArgument.find(contents, names.functions(), "--unwind", what, gaps).stream()
        .map(function -> asked(function.rva(), function.names()))
        .toList();
  }

  private Asked asked(long rva, List<String> names) {
    Optional<RuntimeFunction> entry = table.entry(rva);
    return new Asked(
        rva,
        names,
        entry,
        entry.isPresent()
            ? Optional.empty()
            : contents
                .withoutUnwindData(rva)
                .or(() ->
                    table.isWhole()
                        ? Optional.empty()
                        : Optional.of(
                            "no entry among those of the function table that were read")));
  }

  private ListingColumns<Asked> columns() {
    return new ListingColumns<Asked>()
        .hex("rva", asked -> asked.entry.map(RuntimeFunction::begin).orElse(asked.rva))
        .titled()
        .knownCount("size", asked -> asked.entry.map(RuntimeFunction::size).orElse(-1L))
        .titled()
        .value("names", (asked, cell) -> ImageFunctionRows.names(cell, asked.names))
        .titled("function")
        .value(
            "leaf",
            (asked, cell) -> {
              if (asked.unknown.isPresent()) {
                cell.unknown();
              } else {
                cell.flag(asked.entry.isEmpty());
              }
            })
        .titled()
        .text(
            "handler",
            asked ->
                chain(asked).flatMap(this::handled).map(ImageFunctionRows::handler).orElse(null))
        .titled()
        .value("unwind", (asked, cell) -> ImageFunctionRows.unwind(cell, asked.entry, chain(asked)))
        .titled();
  }

  private Optional<UnwindChain> chain(Asked function) {
    return function.entry.map(table::chain);
  }

  private Optional<HandledFunction> handled(UnwindChain chain) {
    return HandlerText.handled(contents.image(), handlers, chain);
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
                + ": "
                + function.unknown.orElse(
                    "no entry in the function table: a leaf function (no prologue), or not code"));
        continue;
      }
      RuntimeFunction entry = function.entry.get();
      out.println(name + Numbers.hex(function.rva) + ": " + Numbers.counted(entry.size(), "byte"));
      UnwindChain chain = table.chain(entry);
      new UnwindPrinter(out).print(entry, chain);
      handled(chain).ifPresent(handled -> new HandlerText(out).print(handled));
    }
  }
}
