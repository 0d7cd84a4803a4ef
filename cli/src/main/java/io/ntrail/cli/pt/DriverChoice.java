package io.ntrail.cli.pt;

import io.ntrail.analysis.flow.recorded.DriverVariant;
import io.ntrail.analysis.flow.recorded.PieceSettings;
import io.ntrail.analysis.flow.recorded.RecordedTrace;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.common.WorkPhase;
import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.programs.kernelcode.CodeVariant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code --retpoline}: in which variant the code of drivers is taken, and what that came to. */
final class DriverChoice {
  static final String OPTION = "--retpoline";

  private static final String AUTO = "auto";

  private static final List<String> WORDS = List.of(AUTO, "import-only", "import-r10", "on", "off");

  /** Null if the flow decides. */
  private final @Nullable CodeVariant given;

  private List<DriverVariant> found = List.of();

  private DriverChoice(@Nullable CodeVariant given) {
    this.given = given;
  }

  static OptionSpec option() {
    return CommonOptions.oneOf(
        WORDS,
        "STATE",
        "recording: code of drivers as the kernel rewrites it: off (as in the file), import-only,"
            + " import-r10 (newer kernels), on; auto (default): the one with which the flow goes on, for each driver",
        OPTION);
  }

  static DriverChoice of(ParseResult parsed) {
    String text = CommonOptions.text(parsed, OPTION, AUTO);
    return new DriverChoice(
        switch (text) {
          case AUTO -> null;
          case "on" -> CodeVariant.RETPOLINE;
          case "off" -> CodeVariant.FILE;
          case "import-only" -> CodeVariant.IMPORT_OPTIMIZATION;
          case "import-r10" -> CodeVariant.IMPORT_REGISTER;
          default ->
              throw new UsageError(
                  OPTION + " takes auto, import-only, import-r10, on or off, not " + text,
                  OPTION + " auto");
        });
  }

  /** Takes the variant that was given, or finds out which ones they were. */
  void choose(
      RecordedTrace trace, int[] pieces, PieceSettings settings, StoppableWork<WorkPhase> work) {
    if (given != null) {
      trace.useVariant(given);
      return;
    }
    long kernel = 0;
    for (int piece : pieces) {
      kernel += trace.pieces().piece(piece).bytes();
    }
    work.begin(WorkPhase.ofBytes("trying the variants of drivers"), kernel);
    found = trace.chooseVariants(pieces, settings, work);
  }

  private static String word(CodeVariant variant) {
    return switch (variant) {
      case FILE -> "off";
      case IMPORT_OPTIMIZATION -> "import-only";
      case IMPORT_REGISTER -> "import-r10";
      case RETPOLINE -> "on";
    };
  }

  /** Returns what was found out, in sentences. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    for (DriverVariant driver : found) {
      String others =
          driver.possible().stream()
              .filter(variant -> variant != driver.variant())
              .map(DriverChoice::word)
              .sorted()
              .collect(Collectors.joining(", "));
      notes.add(
          "code of %s at %s: %s %s, by the flow of %s%s"
              .formatted(
                  driver.image(),
                  Numbers.hex(driver.base()),
                  OPTION,
                  word(driver.variant()),
                  Numbers.counted(driver.pieces(), "piece"),
                  others.isEmpty() ? "" : " (" + others + " would fit as well)"));
    }
    return notes;
  }

  /** Writes what was found out. */
  void json(Json json) {
    json.text("retpoline", given == null ? AUTO : word(given)).array("drivers");
    for (DriverVariant driver : found) {
      json.object()
          .text("image", driver.image())
          .text("base", Numbers.hex(driver.base()))
          .text("retpoline", word(driver.variant()))
          .number("pieces", driver.pieces())
          .array("possible");
      driver.possible().stream().sorted().forEach(variant -> json.text(word(variant)));
      json.endArray().endObject();
    }
    json.endArray();
  }
}
