package io.ntrail.cli.symbols;

import io.ntrail.cli.common.CommonOptions.Format;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.Listing;
import io.ntrail.cli.common.ListingColumns;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.decoration.Undecorator;
import io.ntrail.formats.decoration.Undecorator.Style;
import java.io.BufferedReader;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code symbols --undecorate NAME...}: what decorated names mean; others as they are. */
final class UndecoratedNames {
  /**
   * A name.
   *
   * @param text its meaning; null: it is not decorated
   */
  private record Row(String name, @Nullable String text) {}

  private UndecoratedNames() {}

  /**
   * Prints names.
   *
   * @param names {@code -} alone: all lines of {@code in}, each answered as it is read
   */
  static int print(
      List<String> names, String style, Format format, InputStream in, Terminal terminal) {
    if (names.isEmpty()) {
      throw new UsageError(
          "--undecorate needs a name, or - for those on standard input",
          "ntrail symbols --undecorate '?Load@Stock@@QEAAXH@Z'");
    }
    Style how =
        OptionValues.of("--style", List.of(Style.NAME, Style.FULL, Style.CRT))
            .example("full")
            .value(style);
    Consumer<Consumer<String>> all = names.equals(List.of("-")) ? lines(in) : names::forEach;
    Listing<Row> listing =
        new Listing<>(
            "names",
            new ListingColumns<Row>().text("name", Row::name).text("text", Row::text),
            sink ->
                all.accept(
                    name -> sink.accept(new Row(name, Undecorator.of(name, how).orElse(null)))));
    listing.print(
        format,
        terminal.out(),
        () ->
            listing
                .rows()
                .accept(row -> {
                  terminal.out().println(row.text == null ? row.name : row.text);
                  terminal.out().flush();
                }),
        json -> {
          json.text("schema", "ntrail.undecorated/1");
          listing.json(json);
        });
    return ExitCode.DONE;
  }

  private static Consumer<Consumer<String>> lines(InputStream in) {
    return sink ->
        new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8)).lines().forEach(sink);
  }
}
