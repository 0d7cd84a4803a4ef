package io.ntrail.cli.profile;

import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.FrameRules.Group;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Options for the frames of stacks. */
final class FrameOptions {
  private static final List<String> ALL =
      List.of("--just-my-code", "--fold", "--group", "--no-inline");

  private FrameOptions() {}

  static void add(CommandSpec spec) {
    spec.addOption(
        CommonOptions.flag("fold Windows and .NET frames into their callers", "--just-my-code"));
    spec.addOption(
        CommonOptions.values("PATTERN", "fold these functions into their callers", "--fold"));
    spec.addOption(
        CommonOptions.values("PATTERN=NAME", "group these functions under one name", "--group"));
    spec.addOption(CommonOptions.flag("no inline frames", "--no-inline"));
  }

  /** The option of these that was given, if any. */
  static List<String> given(ParseResult parsed) {
    return ALL.stream().filter(option -> CommonOptions.has(parsed, option)).toList();
  }

  static FrameRules of(ParseResult parsed, boolean lines) {
    List<Group> groups = new ArrayList<>();
    for (String text : CommonOptions.all(parsed, "--group")) {
      // Operators of C++ have equal signs, too.
      int equals = text.lastIndexOf('=');
      String name = text.substring(equals + 1).strip();
      if (equals <= 0 || name.isEmpty()) {
        throw new UsageError(
            "--group takes a pattern and a name, not " + text, "--group 'ntdll!*=system'");
      }
      groups.add(new Group(pattern(text.substring(0, equals), "--group"), name));
    }
    List<NamePattern> folds =
        CommonOptions.all(parsed, "--fold").stream().map(text -> pattern(text, "--fold")).toList();
    return new FrameRules(
        !CommonOptions.has(parsed, "--no-inline"),
        lines,
        CommonOptions.has(parsed, "--just-my-code"),
        groups,
        folds);
  }

  private static NamePattern pattern(String text, String option) {
    try {
      return NamePattern.of(text);
    } catch (IllegalArgumentException e) {
      throw new UsageError(String.valueOf(e.getMessage()), option + " 'ntdll!*'");
    }
  }
}
