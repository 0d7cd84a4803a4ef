package io.ntrail.cli.image;

import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.text.CellWriter;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code image --functions}: functions with their source and their unwind data. */
final class ImageFunctionRows {
  private final ParsedImage contents;
  private final PeImage image;
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
      NamePattern pattern,
      boolean unwind,
      boolean hotpatch) {
    this.contents = contents;
    this.image = contents.image();
    this.headers = image.headers();
    this.table = FunctionTable.of(contents.image());
    this.functions = functions;
    this.handlers = LanguageHandlers.of(contents.image(), table);
    this.patches =
        hotpatch
            ? Patchability.of(
                contents.image(), functions, contents.imports(), contents.loadConfig())
            : null;
    this.pattern = pattern;
    this.everything = pattern.toString().isEmpty();
    this.unwind = unwind;
  }

  /**
   * The part.
   *
   * @param functions those of the image
   * @param pattern which names, empty for all functions; null: people see the share of {@code
   *     hotpatch} alone
   * @param unwind whether people see how frames are unwound; programs always do
   * @param hotpatch whether the patch of functions is shown
   */
  static ImagePart of(
      ParsedImage contents,
      ImageFunctions functions,
      @Nullable NamePattern pattern,
      boolean unwind,
      boolean hotpatch) {
    ImageFunctionRows part =
        new ImageFunctionRows(
            contents, functions, pattern == null ? NamePattern.of("") : pattern, unwind, hotpatch);
    Listing<Row> listing = new Listing<>("functions", part.columns(), part::rows);
    Optional<String> notShown = ofArm(contents);
    return new ImagePart(
            listing,
            (out, limit, width) -> {
              if (pattern != null) {
                part.print(out, listing, limit, width);
              }
              part.share().ifPresent(share -> share.print(out));
              notShown.ifPresent(out::println);
            },
            json -> {
              part.share().ifPresent(share -> share.json(json));
              listing.json(json);
            })
        .with(notShown.stream().map(text -> new ImagePart.Remark(text, true)).toList());
  }

  /** Returns how many functions of ARM code no answer lists; empty if none are known. */
  static Optional<String> ofArm(ParsedImage contents) {
    long entries = contents.arm().entries();
    return entries == 0
        ? Optional.empty()
        : Optional.of(
            contents.arm().name()
                + ": "
                + Numbers.count(entries)
                + (contents.functionTable().entries() > 0 ? " more" : "")
                + (entries == 1 ? " entry" : " entries")
                + " of the function table not shown");
  }

  private Optional<HotpatchText> share() {
    return Optional.ofNullable(patches).map(p -> new HotpatchText(headers, p));
  }

  /**
   * A function of an image.
   *
   * @param entry its entry in the function table; empty: it has none
   * @param chain its unwind information; empty: it has none
   * @param handled its language handler; empty: it has none
   * @param parts its further parts
   * @param patch how it can be patched; null: not requested
   */
  private record Row(
      ImageFunction function,
      Optional<RuntimeFunction> entry,
      Optional<UnwindChain> chain,
      Optional<HandledFunction> handled,
      List<RuntimeFunction> parts,
      @Nullable FunctionPatch patch) {}

  private ListingColumns<Row> columns() {
    ListingColumns<Row> columns =
        new ListingColumns<Row>()
            .hex("rva", row -> row.function.rva())
            .titled()
            .count("size", row -> row.function.size())
            .titled();
    unwindColumn(
        columns.knownCount("prolog", row -> row.chain.map(c -> c.info().prologSize()).orElse(-1)));
    unwindColumn(
        columns.text(
            "frame",
            row ->
                row.chain
                    .map(c -> UnwindText.frame(c.info()))
                    .orElse(isUnknown(row) ? null : "leaf")));
    unwindColumn(columns.value("unwind", (row, cell) -> unwind(cell, row.entry, row.chain)));
    unwindColumn(
        columns.text("handler", row -> row.handled.map(ImageFunctionRows::handler).orElse(null)));
    columns.value("parts", this::parts);
    columns.value(
        "leaf",
        (row, cell) -> {
          if (isUnknown(row)) {
            cell.unknown();
          } else {
            cell.flag(row.entry.isEmpty());
          }
        });
    columns.knownHex("continues", row -> functions.missingOwner(row.function.rva()));
    if (patches != null) {
      columns
          .value("hotpatch", this::hotpatch)
          .titled("class, padding, first instruction, or reason for refusal");
    }
    return columns
        .below(this::below)
        .text("source", row -> source(row.function))
        .titled("found by")
        .value("names", (row, cell) -> names(cell, row.function.names()))
        .titled("function");
  }

  private boolean isUnknown(Row row) {
    return row.entry.isEmpty() && contents.withoutUnwindData(row.function.rva()).isPresent();
  }

  private void parts(Row row, CellWriter cell) {
    cell.shaped(
        () -> row.parts.stream().map(ImageFunctionRows::range).collect(Collectors.joining(" ")),
        json -> {
          json.array();
          for (RuntimeFunction part : row.parts) {
            json.object().text("rva", Numbers.hex(part.begin())).number("size", part.size());
            UnwindText.json(json.key("unwind"), part, table.chain(part));
            json.endObject();
          }
          json.endArray();
        });
  }

  private static String range(RuntimeFunction part) {
    return Numbers.hex(part.begin()) + ".." + Numbers.hex(part.end());
  }

  private List<String> below(Row row) {
    return Stream.concat(
            Stream.ofNullable(doubt(functions, row.function)), row.parts.stream().map(this::part))
        .toList();
  }

  /**
   * Returns what is wrong with a range that should be a part of another function; null for all
   * others.
   */
  static @Nullable String doubt(ImageFunctions functions, ImageFunction function) {
    long owner = functions.missingOwner(function.rva());
    return owner < 0
        ? null
        : "by its unwind data a part of " + Numbers.hex(owner) + ", where no function is known";
  }

  private String part(RuntimeFunction part) {
    return "further part "
        + range(part)
        + " ("
        + Numbers.counted(part.size(), "byte")
        + ")"
        + (unwind ? ": " + UnwindText.prolog(table.chain(part)) : "");
  }

  private void unwindColumn(ListingColumns<Row> columns) {
    if (unwind) {
      columns.titled();
    }
  }

  private void hotpatch(Row row, CellWriter cell) {
    FunctionPatch patch = row.patch;
    if (patch == null) {
      cell.unknown();
    } else {
      cell.shaped(
          () -> HotpatchText.text(headers, patch), json -> HotpatchText.json(json, headers, patch));
    }
  }

  private void rows(Consumer<Row> sink) {
    bytes = 0;
    for (int i = 0; i < functions.list().size(); i++) {
      ImageFunction function = functions.list().get(i);
      if (everything || function.names().stream().anyMatch(pattern::matches)) {
        bytes += function.size();
        List<RuntimeFunction> parts = functions.parts(function.rva());
        bytes += parts.stream().mapToLong(RuntimeFunction::size).sum();
        Optional<RuntimeFunction> entry = table.find(function.rva());
        Optional<UnwindChain> chain = entry.map(table::chain);
        sink.accept(
            new Row(
                function,
                entry,
                chain,
                chain.flatMap(c -> HandlerText.handled(image, handlers, c)),
                parts,
                patches == null ? null : patches.list().get(i)));
      }
    }
  }

  /** Writes the unwind information of an entry. */
  static void unwind(
      CellWriter cell, Optional<RuntimeFunction> entry, Optional<UnwindChain> chain) {
    cell.shaped(
        () -> chain.map(UnwindText::prolog).orElse("-"),
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
    if (function.is(Source.FRAME_DATA)) {
      sources.add("fpo");
    }
    return String.join(" ", sources);
  }

  /** Writes the names of a function. */
  static void names(CellWriter cell, List<String> names) {
    cell.shaped(
        () -> names.isEmpty() ? "-" : String.join(" ", names),
        json -> {
          json.array();
          names.forEach(json::text);
          json.endArray();
        });
  }

  private void print(PrintStream out, Listing<Row> listing, long limit, int width) {
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
