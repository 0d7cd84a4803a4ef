package io.ntrail.cli.symbols;

import io.ntrail.cli.common.ExitCode;
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
        switch (style) {
          case "name" -> Style.NAME;
          case "full" -> Style.FULL;
          case "crt" -> Style.CRT;
          default ->
              throw new UsageError("--style takes name, full or crt, not " + style, "--style full");
        };
    for (String name : names) {
      terminal.out().println(Undecorator.of(name, how).orElse(name));
    }
    return ExitCode.DONE;
  }
}
