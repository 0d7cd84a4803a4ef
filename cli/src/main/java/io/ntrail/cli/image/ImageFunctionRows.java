package io.ntrail.cli.image;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.Listing.Cell;
import io.ntrail.cli.common.Listing.Column;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindChain;
import io.ntrail.programs.handlers.HandledFunction;
import io.ntrail.programs.handlers.LanguageHandlers;
import io.ntrail.programs.image.ImageFunction;
import io.ntrail.programs.image.ImageFunction.Source;
import io.ntrail.programs.image.ImageFunctions;
import io.ntrail.programs.image.ParsedImage;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.patchability.Patchability;
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
  private final PeHeaders headers;
  private final FunctionTable table;
  private final ImageFunctions functions;
  private final LanguageHandlers handlers;
  private final @Nullable Patchability patches;
  private final NamePattern pattern;
  private final boolean everything;
  private final boolean unwind;
  private long bytes;

  private ImageFunctionRows(
      ParsedImage contents,
      ImageFunctions functions,
      String pattern,
      boolean unwind,
      boolean hotpatch) {
    this.headers = contents.image().headers();
    this.table = FunctionTable.of(contents.image());
    this.functions = functions;
    this.handlers = LanguageHandlers.of(contents.image(), table);
    this.patches =
        hotpatch
            ? Patchability.of(
                contents.image(), functions, contents.imports(), contents.loadConfig())
            : null;
    this.pattern = NamePattern.of(pattern);
    this.everything = pattern.isEmpty();
    this.unwind = unwind;
  }

  /**
   * The part.
   *
   * @param functions those of the image
   * @param pattern which names, empty for all functions; null: people see the share of {@code
   *     hotpatch} alone
   * @param unwind whether people see how frames are unwound; programs always do
   * @param hotpatch whether it is said how functions can be patched
   */
  static ImagePart of(
      ParsedImage contents,
      ImageFunctions functions,
      @Nullable String pattern,
      boolean unwind,
      boolean hotpatch) {
    ImageFunctionRows part =
        new ImageFunctionRows(
            contents, functions, pattern == null ? "" : pattern, unwind, hotpatch);
    Listing listing = new Listing("functions", part.columns(), part::rows);
    return new ImagePart(
        listing,
        (out, limit, width) -> {
          if (pattern != null) {
            part.print(out, listing, limit, width);
          }
          part.share().ifPresent(share -> share.print(out));
        },
        json -> {
          part.share().ifPresent(share -> share.json(json));
          listing.json(json);
        });
  }

  private Optional<HotpatchText> share() {
    return Optional.ofNullable(patches).map(p -> new HotpatchText(headers, p));
  }

  private List<Column> columns() {
    List<Column> columns = new ArrayList<>();
    @Nullable String none = null;
    columns.add(Column.number("rva", "rva"));
    columns.add(Column.number("size", "size"));
    columns.add(new Column("prolog", unwind ? "prolog" : none, true));
    columns.add(new Column("frame", unwind ? "frame" : none, false));
    columns.add(new Column("unwind", unwind ? "unwind" : none, false));
    columns.add(new Column("handler", unwind ? "handler" : none, false));
    columns.add(Column.hidden("leaf"));
    if (patches != null) {
      columns.add(Column.name("hotpatch", "class, bytes in front, first instruction, or why not"));
    }
    columns.add(Column.name("source", "found by"));
    columns.add(Column.name("names", "function"));
    return columns;
  }

  private void rows(Consumer<List<Cell>> sink) {
    bytes = 0;
    for (int i = 0; i < functions.list().size(); i++) {
      ImageFunction function = functions.list().get(i);
      if (everything || function.names().stream().anyMatch(pattern::matches)) {
        bytes += function.size();
        sink.accept(row(function, patches == null ? null : patches.list().get(i)));
      }
    }
  }

  private List<Cell> row(ImageFunction function, @Nullable FunctionPatch patch) {
    Optional<RuntimeFunction> entry = table.find(function.rva());
    Optional<UnwindChain> chain = entry.map(table::chain);
    boolean hasTable = headers.machine() == MachineType.AMD64;
    List<Cell> row = new ArrayList<>();
    row.add(new Cell.Hex(function.rva()));
    row.add(new Cell.Count(function.size()));
    row.add(chain.map(c -> (Cell) new Cell.Count(c.info().prologSize())).orElse(Cell.UNKNOWN));
    row.add(
        new Cell.Text(chain.map(c -> UnwindText.frame(c.info())).orElse(hasTable ? "leaf" : null)));
    row.add(unwind(entry, chain));
    row.add(
        new Cell.Text(chain.flatMap(handlers::of).map(ImageFunctionRows::handler).orElse(null)));
    row.add(hasTable ? new Cell.Flag(entry.isEmpty()) : Cell.UNKNOWN);
    if (patch != null) {
      row.add(
          new Cell.Shaped(
              HotpatchText.text(headers, patch), json -> HotpatchText.json(json, headers, patch)));
    }
    row.add(new Cell.Text(source(function)));
    row.add(names(function.names()));
    return row;
  }

  /** The unwind information of an entry, as a cell. */
  static Cell unwind(Optional<RuntimeFunction> entry, Optional<UnwindChain> chain) {
    return new Cell.Shaped(
        chain.map(c -> UnwindText.prolog(c.info())).orElse("-"),
        json -> {
          if (entry.isPresent() && chain.isPresent()) {
            UnwindText.json(json, entry.get(), chain.get());
          } else {
            json.text(null);
          }
        });
  }

  /** The name of a language handler, or where it is. */
  static String handler(HandledFunction function) {
    String name = function.handler().name();
    return name.isEmpty() ? Numbers.hex(function.handler().rva()) : name;
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
    if (function.is(Source.PDB)) {
      sources.add("pdb");
    }
    if (function.is(Source.SYMBOL_TABLE)) {
      sources.add("symbols");
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
