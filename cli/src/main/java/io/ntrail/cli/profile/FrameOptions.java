package io.ntrail.cli.profile;

import io.ntrail.analysis.naming.FrameRules;
import io.ntrail.analysis.naming.FrameRules.Group;
import io.ntrail.analysis.naming.NamePattern;
import io.ntrail.analysis.profile.StackFilter;
import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** Options for the frames of stacks, and for the stacks that count. */
final class FrameOptions {
  private static final List<String> ALL =
      List.of("--just-my-code", "--fold", "--group", "--no-inline", "--only", "--hide");

  private FrameOptions() {}

  static void add(CommandSpec spec) {
    spec.addOption(
        CommonOptions.flag("fold Windows and .NET frames into their callers", "--just-my-code"));
    spec.addOption(
        CommonOptions.values("PATTERN", "fold these functions into their callers", "--fold"));
    spec.addOption(
        CommonOptions.values("PATTERN=NAME", "group these functions under one name", "--group"));
    spec.addOption(CommonOptions.flag("no inline frames", "--no-inline"));
    spec.addOption(
        CommonOptions.values(
            "PATTERN", "only stacks through one of these functions or modules", "--only"));
    spec.addOption(
        CommonOptions.values(
            "PATTERN", "without stacks through these functions or modules", "--hide"));
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

  /** Returns the stacks that {@code --only} and {@code --hide} choose. */
  static StackFilter filter(ParseResult parsed) {
    return new StackFilter(
        CommonOptions.patterns(parsed, "--only", "shopcore"),
        CommonOptions.patterns(parsed, "--hide", "'ntdll!*'"));
  }

  /** Returns the filters of stacks and frames in effect, as a heading lists them. */
  static List<String> active(FrameRules rules, StackFilter stacks) {
    List<String> parts = new ArrayList<>();
    add(parts, "only ", stacks.only());
    add(parts, "hidden: ", stacks.hidden());
    if (rules.justMyCode()) {
      parts.add("just my code");
    }
    add(parts, "folded: ", rules.folds());
    add(
        parts,
        "grouped: ",
        rules.groups().stream().map(group -> group.pattern() + " as " + group.name()).toList());
    if (!rules.inlines()) {
      parts.add("no inline frames");
    }
    return parts;
  }

  private static void add(List<String> parts, String before, List<?> words) {
    if (!words.isEmpty()) {
      parts.add(before + words.stream().map(Object::toString).collect(Collectors.joining(" or ")));
    }
  }

  private static NamePattern pattern(String text, String option) {
    return CommonOptions.pattern(text, option, "'ntdll!*'");
  }
}
