package io.ntrail.cli.shell;

import io.ntrail.cli.common.Command;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.shell.Settings.Setting;
import io.ntrail.cli.text.Table;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.ShellWords;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code ntrail config [NAME [VALUE]]}: prints and changes the settings of the user. */
final class ConfigCommand implements Command {
  ConfigCommand() {}

  @Override
  public CommandSpec spec() {
    CommandSpec spec = CommonOptions.command("config", "Prints and changes settings.");
    spec.addOption(CommonOptions.flag("take the setting NAME away", "--unset"));
    spec.addPositional(
        CommonOptions.words("NAME|VALUE", "a setting, and its new value", Setting.titles()));
    return spec;
  }

  @Override
  public int run(ParseResult parsed, Terminal terminal) {
    List<String> words = CommonOptions.positionals(parsed);
    boolean isUnset = CommonOptions.has(parsed, "--unset");
    Settings settings = Settings.ofUser();
    if (words.isEmpty() && !isUnset) {
      list(settings, CommonOptions.width(parsed, terminal), terminal);
      return ExitCode.DONE;
    }
    if (words.isEmpty() || words.size() > (isUnset ? 1 : 2)) {
      throw new UsageError("config takes a name and a value", "ntrail config color never");
    }
    String name = words.getFirst();
    Setting setting =
        Setting.named(name)
            .orElseThrow(() -> new UsageError(Settings.unknown(name), "ntrail config"));
    if (isUnset || words.size() == 2) {
      String value = isUnset ? "" : words.get(1);
      if (!isUnset && !setting.takes(value)) {
        throw new UsageError(Settings.refusal(setting, value), "ntrail config");
      }
      settings.change(setting, value);
      terminal.out().println(setting.title + " = " + (isUnset ? "(not set)" : value));
    } else {
      settings.value(setting).ifPresent(terminal.out()::println);
    }
    return ExitCode.DONE;
  }

  private static void list(Settings settings, int width, Terminal terminal) {
    Path none = Path.of("none");
    terminal.out().println("settings: " + ShellWords.file(settings.file().orElse(none)));
    Table table = new Table().name("setting").name("value").remark("meaning");
    for (Setting setting : Setting.values()) {
      table.row(setting.title, settings.value(setting).orElse("-"), setting.meaning);
    }
    table.print(terminal.out(), 2, width);
  }
}
