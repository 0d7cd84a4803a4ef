package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.KernelGroups;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.live.etw.TraceSetting;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Settings of a session of the kernel that Windows 8 and later have.
 *
 * @param interval between two samples of the timer in units of 100 ns; 0: as it is
 * @param sampled counters of the processor that samples are taken by, with their intervals (0: as
 *     it is)
 * @param counters that are recorded with events
 * @param counterEvents the events that they are recorded with
 * @param branchEvents events with the last branches of the processor
 * @param branches bits of the branches that are left out
 * @param stackCache cache of stacks; empty: none
 */
record KernelSettings(
    int interval,
    Map<String, Integer> sampled,
    List<String> counters,
    List<StackEvent> counterEvents,
    List<StackEvent> branchEvents,
    int branches,
    Optional<StackCache> stackCache) {
  /**
   * Cache of stacks.
   *
   * @param bytes of it; 0: as Windows chooses
   * @param buckets of its table; 0: as Windows chooses
   */
  record StackCache(int bytes, int buckets) {}

  /** Nothing is to be set. */
  static final KernelSettings NONE =
      new KernelSettings(0, Map.of(), List.of(), List.of(), List.of(), 0, Optional.empty());

  private static final String INTERVAL = "--interval";
  private static final String SAMPLE = "--sample";
  private static final String COUNTERS = "--counters";
  private static final String BRANCHES = "--branches";
  private static final String LEAVE_OUT = "--branches-without";
  private static final String STACK_CACHE = "--stack-cache";

  /** Its options, which only a start has. */
  static final List<String> OPTIONS =
      List.of(INTERVAL, SAMPLE, COUNTERS, BRANCHES, LEAVE_OUT, STACK_CACHE);

  private static final Pattern TIME = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(us|ms|s)");

  /** Branches that can be left out, each with its bit (ntexapi.h). */
  private static final String KINDS =
      """
      kernel 1
      user 2
      conditional 4
      calls 8
      indirect-calls 10
      returns 20
      indirect-jumps 40
      jumps 80
      far 100
      stack-mode 200
      """;

  /** Keeps the collections from changes. */
  KernelSettings {
    sampled = Map.copyOf(sampled);
    counters = List.copyOf(counters);
    counterEvents = List.copyOf(counterEvents);
    branchEvents = List.copyOf(branchEvents);
  }

  /** Adds its options. */
  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.value("TIME", "start: between two samples, 0.1221ms to 1s", INTERVAL));
    spec.addOption(
        CommonOptions.values(
            "NAME[=N]+NAME", "start: also sampled every N events of a counter", SAMPLE));
    spec.addOption(
        CommonOptions.value(
            "NAME+NAME[:EVENT+EVENT]",
            "start: counters recorded with events (default CSwitch)",
            COUNTERS));
    spec.addOption(
        CommonOptions.values("EVENT+EVENT", "start: events with the last branches", BRANCHES));
    spec.addOption(
        CommonOptions.values("KIND+KIND", "start: kinds of branches that are left out", LEAVE_OUT));
    spec.addOption(
        CommonOptions.optional("SIZE", "start: equal stacks are recorded once", STACK_CACHE));
  }

  /**
   * Returns those that the options ask for.
   *
   * @throws UsageError if Windows has no such
   */
  static KernelSettings of(ParseResult parsed) {
    String counters = CommonOptions.text(parsed, COUNTERS, "");
    int colon = counters.indexOf(':');
    String events = colon < 0 ? "CSwitch" : counters.substring(colon + 1);
    List<String> names = BootRequest.split(colon < 0 ? counters : counters.substring(0, colon));
    if (names.size() > TraceSetting.MOST_COUNTERS) {
      throw tooMany(COUNTERS, names.size(), "counters");
    }
    return new KernelSettings(
        interval(parsed),
        sampled(parsed),
        names,
        names.isEmpty() ? List.of() : events(COUNTERS, BootRequest.split(events)),
        events(BRANCHES, BootRequest.split(parsed, BRANCHES)),
        leftOut(parsed),
        CommonOptions.has(parsed, STACK_CACHE)
            ? Optional.of(new StackCache(cache(parsed), 0))
            : Optional.empty());
  }

  private static int interval(ParseResult parsed) {
    if (!CommonOptions.has(parsed, INTERVAL)) {
      return 0;
    }
    String text = CommonOptions.text(parsed, INTERVAL, "");
    Matcher parts = TIME.matcher(text.toLowerCase(Locale.ROOT));
    BigDecimal units = BigDecimal.ZERO;
    if (parts.matches()) {
      int power = parts.group(2).equals("us") ? 1 : parts.group(2).equals("ms") ? 4 : 7;
      units = new BigDecimal(parts.group(1)).scaleByPowerOfTen(power);
    }
    if (units.compareTo(BigDecimal.valueOf(TraceSetting.LEAST_INTERVAL)) < 0
        || units.compareTo(BigDecimal.valueOf(TraceSetting.MOST_INTERVAL)) > 0) {
      throw new UsageError(INTERVAL + " takes 0.1221ms to 1s, not " + text, INTERVAL + " 0.25ms");
    }
    return units.intValue();
  }

  private static Map<String, Integer> sampled(ParseResult parsed) {
    Map<String, Integer> sampled = new LinkedHashMap<>();
    for (String word : BootRequest.split(parsed, SAMPLE)) {
      int equals = word.indexOf('=');
      try {
        int every = equals < 0 ? 0 : Integer.parseInt(word.substring(equals + 1));
        if (every < 0 || equals == 0) {
          throw new NumberFormatException(word);
        }
        sampled.put(equals < 0 ? word : word.substring(0, equals), every);
      } catch (NumberFormatException e) {
        throw new UsageError(
            SAMPLE + " takes NAME or NAME=EVENTS, not " + word, SAMPLE + " CacheMisses=65536");
      }
    }
    if (sampled.size() > TraceSetting.MOST_COUNTERS) {
      throw tooMany(SAMPLE, sampled.size(), "counters");
    }
    return sampled;
  }

  private static List<StackEvent> events(String option, List<String> names) {
    List<StackEvent> events = BootRequest.stacks(option, names);
    if (events.size() > TraceSetting.MOST_COUNTERS) {
      throw tooMany(option, events.size(), "events");
    }
    return events;
  }

  private static UsageError tooMany(String option, int count, String what) {
    return new UsageError(
        "%s names %d %s; Windows takes at most %d"
            .formatted(option, count, what, TraceSetting.MOST_COUNTERS),
        "ntrail record -h");
  }

  private static int leftOut(ParseResult parsed) {
    int bits = bits(BootRequest.split(parsed, LEAVE_OUT));
    if (bits != 0 && !CommonOptions.has(parsed, BRANCHES)) {
      throw new UsageError(
          LEAVE_OUT + " needs events with branches: " + BRANCHES, BRANCHES + " Profile");
    }
    return bits;
  }

  /**
   * Returns the bits of kinds of branches.
   *
   * @throws UsageError if there is no such kind
   */
  static int bits(List<String> words) {
    Map<String, Integer> kinds = new LinkedHashMap<>();
    for (String line : KINDS.lines().toList()) {
      String[] parts = line.split(" ", -1);
      kinds.put(parts[0], Integer.parseInt(parts[1], 16));
    }
    int bits = 0;
    for (String word : words) {
      Integer bit = kinds.get(word.toLowerCase(Locale.ROOT));
      if (bit == null) {
        throw new UsageError(
            "%s takes %s, not %s".formatted(LEAVE_OUT, String.join(", ", kinds.keySet()), word),
            LEAVE_OUT + " kernel+jumps");
      }
      bits |= bit;
    }
    return bits;
  }

  private static int cache(ParseResult parsed) {
    if (CommonOptions.text(parsed, STACK_CACHE, "").isEmpty()) {
      return 0;
    }
    long bytes = CommonOptions.size(parsed, STACK_CACHE);
    if (bytes > Integer.MAX_VALUE) {
      throw new UsageError(STACK_CACHE + " takes less than 2G", STACK_CACHE + " 16M");
    }
    return (int) bytes;
  }

  /** Returns whether there is nothing to be set. */
  boolean isEmpty() {
    return equals(NONE);
  }

  /** Tells of events that counters or branches are asked for with, and that are not logged. */
  List<String> unlogged(GroupMask groups, List<StackEvent> stacks) {
    KernelGroups known = new KernelGroups();
    GroupMask mask =
        sampled.isEmpty() ? groups : groups.and(known.named("PMC_PROFILE").orElseThrow());
    List<String> notes =
        new ArrayList<>(BootRequest.unlogged("counters", mask, counterEvents, known));
    notes.addAll(BootRequest.unlogged("branches", mask, branchEvents, known));
    for (StackEvent event : branchEvents) {
      if (!stacks.contains(event)) {
        notes.add(
            "Windows may leave out the branches of %s without its stacks: --stacks %s."
                .formatted(event.name(), event.name()));
      }
    }
    return notes;
  }

  /** Returns the settings of the session, given the numbers of its counters. */
  List<TraceSetting> session(List<Integer> counting) {
    List<TraceSetting> settings = new ArrayList<>();
    if (!counting.isEmpty()) {
      // Counters before their events, as public callers have it.
      settings.add(TraceSetting.counters(counting));
      settings.add(TraceSetting.counterEvents(counterEvents));
    }
    if (!branchEvents.isEmpty()) {
      settings.add(TraceSetting.branches(branches));
      settings.add(TraceSetting.branchEvents(branchEvents));
    }
    stackCache.ifPresent(
        its -> settings.add(TraceSetting.stackCaching(its.bytes(), its.buckets())));
    return settings;
  }
}
