package io.ntrail.cli.shell;

import io.ntrail.cli.text.TextSanitizer;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.SpellingSuggestion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The settings of a user: a file of lines {@code name = value}. A setting stands for an option of
 * every command that has it, unless the option was typed.
 */
final class Settings {
  /** The settings there are. */
  enum Setting {
    COLOR("color", "--color", "colour: auto, always or never"),
    ASCII("ascii", "--ascii", "yes: ASCII only"),
    PAGER("pager", "", "the pager, if NTRAIL_PAGER and PAGER are not set; none: never"),
    SYMBOLS_PATH("symbols.path", "-y", "where PDBs and images are looked for first"),
    SYMBOLS_SERVER("symbols.server", "--server", "the symbol server to ask"),
    CORES("cores", "--cores", "threads to use");

    final String title;

    /** The option that it stands for; empty: none. */
    final String option;

    final String meaning;

    Setting(String title, String option, String meaning) {
      this.title = title;
      this.option = option;
      this.meaning = meaning;
    }

    /** Returns whether a value is one that the setting can have. */
    boolean takes(String value) {
      return switch (this) {
        case COLOR -> List.of("auto", "always", "never").contains(value);
        case ASCII -> List.of("yes", "no").contains(value);
        case CORES -> value.matches("[1-9]\\d{0,3}");
        case PAGER, SYMBOLS_PATH, SYMBOLS_SERVER -> TextSanitizer.one(value).equals(value);
      };
    }

    static Optional<Setting> named(String name) {
      return Arrays.stream(values()).filter(setting -> setting.title.equals(name)).findFirst();
    }

    static List<String> titles() {
      return Arrays.stream(values()).map(setting -> setting.title).toList();
    }
  }

  /** Environment variable that names another file; an empty one: no file is read. */
  private static final String PLACE = "NTRAIL_CONFIG";

  private final Optional<Path> file;
  private final List<String> lines = new ArrayList<>();
  private final Map<Setting, String> values = new TreeMap<>();
  private final List<String> problems = new ArrayList<>();

  /** True if there is a file whose lines are not known: it must not be written over. */
  private boolean isUnreadable;

  private Settings(Optional<Path> file) {
    this.file = file;
  }

  /** Reads those of the user of this process. */
  static Settings ofUser() {
    return read(place(System.getenv(), System.getProperty("user.home", "")));
  }

  /** Returns the place of the file; empty if there can be none. */
  static Optional<Path> place(Map<String, String> environment, String home) {
    String named = environment.get(PLACE);
    if (named != null) {
      return named.isEmpty() ? Optional.empty() : Optional.of(Path.of(named));
    }
    String roaming = environment.getOrDefault("APPDATA", "");
    String folder = environment.getOrDefault("XDG_CONFIG_HOME", "");
    if (folder.isEmpty()) {
      folder = roaming.isEmpty() ? home.isEmpty() ? "" : home + "/.config" : roaming;
    }
    return folder.isEmpty() ? Optional.empty() : Optional.of(Path.of(folder, "ntrail", "config"));
  }

  /** Reads a file; none is one without settings. */
  static Settings read(Optional<Path> file) {
    Settings settings = new Settings(file);
    if (file.isPresent() && Files.isRegularFile(file.get())) {
      try {
        settings.lines.addAll(Files.readAllLines(file.get(), StandardCharsets.UTF_8));
      } catch (IOException e) {
        settings.isUnreadable = true;
        settings.problems.add(file.get() + " cannot be read: " + e);
      }
      settings.parse();
    }
    return settings;
  }

  private void parse() {
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = file.map(Path::toString).orElse("") + ":" + (i + 1) + ": ";
      int equals = line.indexOf('=');
      if (equals < 0) {
        problems.add(where + "not NAME = VALUE: " + line);
        continue;
      }
      String name = line.substring(0, equals).strip();
      String value = line.substring(equals + 1).strip();
      Setting setting = Setting.named(name).orElse(null);
      if (setting == null) {
        problems.add(where + unknown(name));
      } else if (setting.takes(value)) {
        values.put(setting, value);
      } else {
        problems.add(where + refusal(setting, value));
      }
    }
  }

  /** Returns the words about a value that a setting cannot have. */
  static String refusal(Setting setting, String value) {
    return setting.title + " cannot be " + value + " (" + setting.meaning + ")";
  }

  /**
   * Returns the settings as the options of a command that they stand for.
   *
   * @param isTyped whether an option was typed, which goes before its setting
   */
  List<String> options(CommandSpec spec, Predicate<String> isTyped) {
    List<String> options = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      String option = setting.option;
      if (!option.isEmpty() && spec.findOption(option) != null && !isTyped.test(option)) {
        value(setting)
            .filter(value -> setting != Setting.ASCII || value.equals("yes"))
            .ifPresent(value ->
                options.addAll(
                    setting == Setting.ASCII ? List.of(option) : List.of(option, value)));
      }
    }
    return options;
  }

  /** Returns the words about a setting that there is not, with the nearest one. */
  static String unknown(String name) {
    String nearest = SpellingSuggestion.of(name, Setting.titles());
    return "unknown setting "
        + name
        + (nearest.isEmpty()
            ? " (there are " + String.join(", ", Setting.titles()) + ")"
            : " (nearest: " + nearest + ")");
  }

  Optional<Path> file() {
    return file;
  }

  Optional<String> value(Setting setting) {
    return Optional.ofNullable(values.get(setting)).filter(value -> !value.isEmpty());
  }

  /** Lines of the file that mean nothing, each in a sentence. */
  List<String> problems() {
    return problems;
  }

  /**
   * Writes the file with another value; an empty one takes the setting away.
   *
   * @throws CannotGoOn if that is not possible, or would lose lines that could not be read
   */
  void change(Setting setting, String value) {
    Path place =
        file.orElseThrow(() -> new CannotGoOn("there is no folder for settings", "export HOME"));
    if (isUnreadable) {
      throw new CannotGoOn(problems.getFirst(), "correct it (UTF-8), or remove it");
    }
    List<String> changed = new ArrayList<>();
    boolean isDone = value.isEmpty();
    for (String line : lines) {
      int equals = line.indexOf('=');
      boolean isIt = equals > 0 && line.substring(0, equals).strip().equals(setting.title);
      if (!isIt) {
        changed.add(line);
      } else if (!isDone) {
        changed.add(setting.title + " = " + value);
        isDone = true;
      }
    }
    if (!isDone) {
      changed.add(setting.title + " = " + value);
    }
    try {
      Files.createDirectories(place.toAbsolutePath().getParent());
    } catch (IOException e) {
      throw new CannotGoOn(place + " cannot be written: " + e.getMessage(), "");
    }
    String text = String.join("\n", changed) + (changed.isEmpty() ? "" : "\n");
    OutputFile.write(place, text.getBytes(StandardCharsets.UTF_8));
  }
}
