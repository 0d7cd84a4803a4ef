package io.ntrail.cli.pt.recipe;

import io.ntrail.cli.common.ExitCode;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.OutputFile;
import java.util.List;

/** {@code pt recipe}: a profile for WPR, the commands, and what can go wrong. */
public final class RecipeAnswer {
  /** Command of a step, and what it does. */
  private record Step(String command, String does) {}

  /** Name of a profile that has no file. */
  public static final String DEFAULT_NAME = "ProcessorTrace.wprp";

  private static final String RECORDING = "trace.etl";

  private final Recipe recipe;
  private final String file;

  /**
   * @param file name of the profile's file, without its folder
   */
  public RecipeAnswer(Recipe recipe, String file) {
    this.recipe = recipe;
    this.file = file;
  }

  /** Writes the profile alone. */
  public static void write(Recipe recipe, OutputFile to, Terminal terminal) {
    try (Terminal output = terminal.withOutput(to)) {
      WprProfile.xml(recipe).lines().forEach(output.out()::println);
    }
  }

  /** Quotes as cmd, the shell of Windows, does. */
  private static String quoted(String word) {
    return word.matches("[\\w.!-]+") ? word : '"' + word + '"';
  }

  private List<Step> steps() {
    return List.of(
        new Step(
            "wpr -start " + quoted(file + "!" + WprProfile.NAME) + " -filemode",
            "begins to record, as administrator"),
        new Step("wpr -stop " + RECORDING, "ends it, after what is to be seen has happened"),
        new Step("ntrail info " + RECORDING, "tells how many pieces can be decoded"),
        new Step(
            "ntrail pt before " + RECORDING + " -e EVENT --image-path FOLDER",
            "tells what ran before each such event"));
  }

  private List<String> notes() {
    String unknown =
        recipe.withoutKeyword().isEmpty()
            ? ""
            : "No keyword is known that turns on "
                + String.join(", ", recipe.withoutKeyword())
                + ": add what logs it to the profile.";
    return List.of(
            "Each of the events writes up to "
                + recipe.ringKib()
                + " KiB of what its thread ran since it came onto the CPU: choose rare events, or"
                + " record for seconds.",
            "Without -filemode the newest "
                + WprProfile.MEMORY_MIB
                + " MiB of the recording are kept in memory.",
            "WPR asks for no packets of time: times are those of the events.",
            "WPR has no filter of processes or addresses: all threads are traced.",
            "Keep the images and PDBs of the machine: a trace is decoded with the code that ran.",
            unknown)
        .stream()
        .filter(note -> !note.isEmpty())
        .toList();
  }

  /**
   * Prints the commands, with the profile before them unless it has a file.
   *
   * @param hasFile whether the profile was written
   */
  public int text(boolean hasFile, Terminal terminal) {
    if (!hasFile) {
      terminal.out().println("Profile, to be saved as " + file + " (-o " + file + " does it):");
      terminal.out().println();
      WprProfile.xml(recipe).lines().forEach(terminal.out()::println);
      terminal.out().println();
    }
    terminal.out().println("On the Windows that is to be traced:");
    terminal.out().println();
    int width = steps().stream().mapToInt(step -> step.command().length()).max().orElse(0);
    for (Step step : steps()) {
      terminal
          .out()
          .println(
              "  "
                  + step.command()
                  + " ".repeat(width - step.command().length() + 3)
                  + step.does());
    }
    terminal.out().println();
    notes().forEach(note -> terminal.out().println("- " + note));
    terminal.out().println();
    terminal.out().println("If it does not work:");
    for (Obstacle obstacle : Obstacle.usual()) {
      terminal.out().println();
      terminal.out().println("  " + obstacle.sign() + ": " + obstacle.cause());
      terminal.out().println("    -> " + obstacle.remedy());
    }
    return ExitCode.DONE;
  }

  /** Prints one object. */
  public int json(Terminal terminal) {
    try (Json json = new Json(terminal.out())) {
      json.object()
          .text("schema", "ntrail.pt-recipe/1")
          .number("ringBytes", recipe.ringKib() * 1024L)
          .text("codeMode", recipe.mode().word());
      texts(json, "events", recipe.events());
      texts(json, "keywords", recipe.keywords());
      texts(json, "eventsWithoutKeyword", recipe.withoutKeyword());
      json.text("profile", WprProfile.xml(recipe));
      json.array("commands");
      for (Step step : steps()) {
        json.object().text("command", step.command()).text("does", step.does()).endObject();
      }
      json.endArray();
      texts(json, "notes", notes());
      json.array("refusals");
      for (Obstacle obstacle : Obstacle.usual()) {
        json.object()
            .text("sign", obstacle.sign())
            .text("cause", obstacle.cause())
            .text("remedy", obstacle.remedy())
            .endObject();
      }
      json.endArray().endObject();
    }
    return ExitCode.DONE;
  }

  private static void texts(Json json, String key, List<String> texts) {
    json.array(key);
    texts.forEach(json::text);
    json.endArray();
  }
}
