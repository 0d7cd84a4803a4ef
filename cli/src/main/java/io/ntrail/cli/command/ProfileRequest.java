package io.ntrail.cli.command;

import io.ntrail.analysis.events.Pattern;
import io.ntrail.analysis.profile.Inventory;
import io.ntrail.analysis.profile.Metric;
import io.ntrail.analysis.profile.ProfileInput;
import io.ntrail.analysis.profile.ProfileScope;
import io.ntrail.analysis.profile.Profiler;
import io.ntrail.analysis.profile.Unit;
import io.ntrail.analysis.recording.Recording;
import io.ntrail.formats.bytes.CannotGoOn;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParseResult;

/**
 * What was asked of {@code ntrail profile}, understood.
 *
 * @param metric what to add up
 * @param unit of the metric
 * @param source what {@code --source} says; null if nothing
 * @param scope which part of the recording
 * @param range the same as the scope's
 * @param look how it is shown
 * @param by what rows are of
 * @param callers whose callers are asked for
 * @param bySelf whether rows are sorted by their own weight
 * @param least percent that a row must have
 * @param limit rows; 0 for all
 * @param format one of the command's
 */
record ProfileRequest(
    Metric metric,
    Unit unit,
    @Nullable String source,
    ProfileScope scope,
    TimeRange range,
    Look look,
    String by,
    List<Pattern> callers,
    boolean bySelf,
    double least,
    long limit,
    String format) {
  /** How a profile is shown. */
  enum Look {
    FLAT,
    TREE,
    BOTTOM_UP,
    CALLERS
  }

  static ProfileRequest of(
      ParseResult parsed, List<String> formats, List<String> keys, long defaultLimit) {
    String format = Options.text(parsed, "--format", "text");
    if (!formats.contains(format)) {
      throw new UsageError(
          "--format takes text, json, jsonl, csv or collapsed, not " + format, "--format json");
    }
    Metric metric = ProfileCommand.metric(parsed);
    String by = Options.text(parsed, "--by", "function");
    if (!keys.contains(by)) {
      throw new UsageError(
          "--by takes function, module, process, thread or cpu, not " + by, "--by module");
    }
    String sort = Options.text(parsed, "-s", "self");
    if (!List.of("self", "incl", "inclusive").contains(sort)) {
      throw new UsageError("-s takes self or incl, not " + sort, "-s incl");
    }
    sensible(parsed, metric);
    TimeRange range = TimeRange.parse(Options.text(parsed, "--time", ".."));
    Look look = look(parsed, format);
    if (look != Look.FLAT && !by.equals("function") && !by.equals("module")) {
      throw new UsageError("stacks are of functions or modules, not by " + by, "--by module");
    }
    return new ProfileRequest(
        metric,
        unit(parsed, metric),
        Options.has(parsed, "--source") ? Options.text(parsed, "--source", "") : null,
        new ProfileScope(
            patterns(parsed, "-p"),
            patterns(parsed, "-t"),
            patterns(parsed, "-e"),
            range.fromNanos(),
            range.toNanos(),
            ProfileCommand.mode(parsed),
            Options.has(parsed, "--idle")),
        range,
        look,
        by,
        patterns(parsed, "--callers"),
        sort.equals("self"),
        percent(parsed),
        Options.number(parsed, "-n", format.equals("text") ? defaultLimit : 0),
        format);
  }

  /** What would be passed over in silence is said instead. */
  private static void sensible(ParseResult parsed, Metric metric) {
    if (Options.has(parsed, "--source") && metric != Metric.PMC && metric != Metric.ALLOC) {
      throw new UsageError("--source is of pmc and alloc, not of " + metric.text(), "--metric pmc");
    }
    if (Options.has(parsed, "--idle") && metric != Metric.CPU && metric != Metric.PMC) {
      throw new UsageError("--idle is of cpu and pmc, not of " + metric.text(), "--metric cpu");
    }
  }

  private static Look look(ParseResult parsed, String format) {
    List<Look> looks = new ArrayList<>();
    if (Options.has(parsed, "--tree")) {
      looks.add(Look.TREE);
    }
    if (Options.has(parsed, "--bottom-up")) {
      looks.add(Look.BOTTOM_UP);
    }
    if (Options.has(parsed, "--callers")) {
      looks.add(Look.CALLERS);
    }
    if (looks.size() > 1) {
      throw new UsageError("one of --tree, --bottom-up and --callers at a time", "--tree");
    }
    if (format.equals("collapsed")) {
      if (!looks.isEmpty() && looks.getFirst() != Look.TREE) {
        throw new UsageError("collapsed stacks are whole ones", "--format collapsed");
      }
      return Look.TREE;
    }
    return looks.isEmpty() ? Look.FLAT : looks.getFirst();
  }

  private static List<Pattern> patterns(ParseResult parsed, String option) {
    List<Pattern> patterns = new ArrayList<>();
    for (String text : Options.all(parsed, option)) {
      try {
        patterns.add(Pattern.of(text));
      } catch (IllegalArgumentException e) {
        throw new UsageError(
            String.valueOf(e.getMessage()), option + (option.equals("-t") ? " 4316" : " 'shop*'"));
      }
    }
    return patterns;
  }

  private static Unit unit(ParseResult parsed, Metric metric) {
    String text = Options.text(parsed, "--unit", metric.units().getFirst().text());
    StringBuilder names = new StringBuilder();
    for (Unit unit : metric.units()) {
      if (unit.text().equals(text)) {
        return unit;
      }
      names.append(names.isEmpty() ? "" : " or ").append(unit.text());
    }
    throw new UsageError(
        "--unit of " + metric.text() + " is " + names + ", not " + text,
        "--unit " + metric.units().getFirst().text());
  }

  private static double percent(ParseResult parsed) {
    String text = Options.text(parsed, "--min", "0");
    try {
      double percent = Double.parseDouble(text.replace("%", "").strip());
      if (percent >= 0 && percent <= 100) {
        return percent;
      }
    } catch (NumberFormatException e) {
      // Said below.
    }
    throw new UsageError("--min takes a percentage, not " + text, "--min 1%");
  }

  /** The least weight that a row must have. */
  long leastOf(long total) {
    return (long) Math.ceil(total * least / 100);
  }

  /** What only the recording tells: which counter, which kind of allocations. */
  Profiler.Request complete(ProfileInput input, Recording recording) {
    Inventory inventory = input.inventory();
    if (metric != Metric.EVENT && inventory.events(metric) == 0) {
      throw new CannotGoOn(
          recording.files().getFirst().name() + " holds no " + metric.things(), metric.toRecord());
    }
    return new Profiler.Request(
        metric,
        unit,
        metric == Metric.PMC ? counter(inventory) : -1,
        metric == Metric.ALLOC ? allocations(inventory) : "",
        scope);
  }

  private int counter(Inventory inventory) {
    Map<Integer, Long> sources = inventory.pmcSources();
    String wanted = source;
    if (wanted == null) {
      int most = -1;
      for (Map.Entry<Integer, Long> entry : sources.entrySet()) {
        if (most < 0 || entry.getValue() > sources.getOrDefault(most, 0L)) {
          most = entry.getKey();
        }
      }
      return most;
    }
    List<String> names = new ArrayList<>();
    for (int number : sources.keySet()) {
      String name = inventory.sourceName(number);
      if (wanted.equals(Integer.toString(number)) || wanted.equalsIgnoreCase(name)) {
        return number;
      }
      names.add(name == null ? Integer.toString(number) : name);
    }
    throw new UsageError(
        "no samples of the counter " + wanted + ", but of " + String.join(", ", names),
        "--source " + names.getFirst());
  }

  private String allocations(Inventory inventory) {
    List<String> kinds = inventory.allocationKinds();
    String wanted = source == null ? kinds.getFirst() : source.toLowerCase(Locale.ROOT);
    if (!kinds.contains(wanted)) {
      throw new UsageError(
          "no allocations of the kind " + wanted + ", but of " + String.join(", ", kinds),
          "--source " + kinds.getFirst());
    }
    return wanted;
  }
}
