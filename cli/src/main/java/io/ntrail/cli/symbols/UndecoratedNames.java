package io.ntrail.cli.symbols;

import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.decoration.Undecorator;
import io.ntrail.formats.decoration.Undecorator.Style;
import java.util.List;

/** {@code symbols --undecorate NAME...}: what decorated names mean; others as they are. */
final class UndecoratedNames {
  private UndecoratedNames() {}

  static int print(List<String> names, String style, Terminal terminal) {
    if (names.isEmpty()) {
      throw new UsageError(
          "--undecorate needs a name", "ntrail symbols --undecorate '?Load@Stock@@QEAAXH@Z'");
    }
    Style how =
        OptionValues.of("--style", List.of(Style.NAME, Style.FULL, Style.CRT))
            .example("full")
            .value(style);
    for (String name : names) {
      terminal.out().println(Undecorator.of(name, how).orElse(name));
    }
    return ExitCode.DONE;
  }
}
