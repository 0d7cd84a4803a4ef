package io.ntrail.cli.command;

import io.ntrail.analysis.events.Pattern;
import io.ntrail.analysis.image.ImageContents;
import io.ntrail.analysis.image.ImageFunction;
import io.ntrail.analysis.image.ImageFunction.Source;
import io.ntrail.analysis.image.ImageFunctions;
import io.ntrail.cli.command.Listing.Cell;
import io.ntrail.cli.command.Listing.Column;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.FunctionTable;
import io.ntrail.formats.pe.Machine;
import io.ntrail.formats.pe.RuntimeFunction;
import io.ntrail.formats.pe.UnwindChain;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code image --functions}: where functions are, who says so, and how their frames are unwound.
 */
final class ImageFunctionRows {
  private final ImageContents contents;
  private final FunctionTable table;
  private final ImageFunctions functions;
  private final Pattern pattern;
  private final boolean everything;
  private final boolean unwind;
  private long bytes;

  private ImageFunctionRows(ImageContents contents, String pattern, boolean unwind) {
    this.contents = contents;
    this.table = FunctionTable.of(contents.image());
    this.functions =
        ImageFunctions.of(contents.image(), contents.exports(), contents.loadConfig(), table);
    this.pattern = Pattern.of(pattern);
    this.everything = pattern.isEmpty();
    this.unwind = unwind;
  }

  /**
   * The part.
   *
   * @param pattern which names, empty for all functions
   * @param unwind whether people see how frames are unwound; programs always do
   */
  static ImagePart of(ImageContents contents, String pattern, boolean unwind) {
    ImageFunctionRows part = new ImageFunctionRows(contents, pattern, unwind);
    Listing listing = new Listing("functions", part.columns(), part::rows);
    return new ImagePart(
        listing, (out, limit, width) -> part.print(out, listing, limit, width), listing::json);
  }

  private List<Column> columns() {
    @Nullable String none = null;
    return List.of(
        Column.number("rva", "rva"),
        Column.number("size", "size"),
        new Column("prolog", unwind ? "prolog" : none, true),
        new Column("frame", unwind ? "frame" : none, false),
        new Column("unwind", unwind ? "unwind" : none, false),
        new Column("handler", unwind ? "handler" : none, false),
        Column.hidden("leaf"),
        Column.name("source", "found by"),
        Column.name("names", "function"));
  }

  private void rows(Consumer<List<Cell>> sink) {
    bytes = 0;
    for (ImageFunction function : functions.list()) {
      if (everything || function.names().stream().anyMatch(pattern::matches)) {
        bytes += function.size();
        sink.accept(row(function));
      }
    }
  }

  private List<Cell> row(ImageFunction function) {
    Optional<RuntimeFunction> entry = table.find(function.rva());
    Optional<UnwindChain> chain = entry.map(table::chain);
    boolean hasTable = contents.image().headers().machine() == Machine.AMD64;
    return List.of(
        new Cell.Hex(function.rva()),
        new Cell.Count(function.size()),
        chain.map(c -> (Cell) new Cell.Count(c.info().prologSize())).orElse(Cell.UNKNOWN),
        new Cell.Text(chain.map(c -> UnwindText.frame(c.info())).orElse(hasTable ? "leaf" : null)),
        new Cell.Shaped(
            chain.map(c -> UnwindText.prolog(c.info())).orElse("-"),
            json -> {
              if (chain.isPresent()) {
                UnwindText.json(json, entry.get(), chain.get());
              } else {
                json.text(null);
              }
            }),
        Cell.UNKNOWN,
        hasTable ? new Cell.Flag(entry.isEmpty()) : Cell.UNKNOWN,
        new Cell.Text(source(function)),
        names(function.names()));
  }

  static String source(ImageFunction function) {
    List<String> sources = new ArrayList<>();
    if (function.is(Source.FUNCTION_TABLE)) {
      sources.add("pdata");
    }
    if (function.is(Source.EXPORT)) {
      sources.add("export");
    }
    if (function.is(Source.GUARD_TABLE)) {
      sources.add("guard");
    }
    return String.join(" ", sources);
  }

  static Cell names(List<String> names) {
    return new Cell.Shaped(
        names.isEmpty() ? "-" : String.join(" ", names),
        json -> {
          json.array();
          names.forEach(json::text);
          json.endArray();
        });
  }

  private void print(PrintStream out, Listing listing, long limit, int width) {
    long rows = listing.table(out, limit, width);
    out.println(
        Numbers.counted(rows, "function")
            + ", "
            + Numbers.counted(bytes, "byte")
            + (rows < functions.list().size()
                ? " (of " + Numbers.counted(functions.list().size(), "function") + ")"
                : ""));
  }
}
