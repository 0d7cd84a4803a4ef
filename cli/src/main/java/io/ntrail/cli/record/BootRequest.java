package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.OptionValues;
import io.ntrail.cli.common.UsageError;
import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.bytes.SpellingSuggestion;
import io.ntrail.formats.etl.groups.GroupMask;
import io.ntrail.formats.etl.groups.KernelGroups;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.live.etw.BootSession;
import io.ntrail.live.etw.BootSession.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Recording of the kernel that the options ask for, at a boot or now.
 *
 * @param session its values
 * @param groups names of the groups that are logged, as xperf has them
 * @param notes of what will be missing in the recording
 */
record BootRequest(BootSession session, List<String> groups, List<String> notes) {
  /** Option for what is logged. */
  static final String KERNEL = "--kernel";

  /** Option for events with stacks. */
  static final String STACKS = "--stacks";

  private static final String ETL = "--etl";

  /** Option for the size at which a file is full. */
  static final String SIZE = "--max-size";

  private static final OptionValues<Kind> LOGGERS =
      OptionValues.of("--logger", List.of(Kind.values()));

  /** Size at which a file is full. */
  static final int DEFAULT_MEBIBYTES = 1024;

  private static final int MEBIBYTE_SHIFT = 20;

  /** A terabyte. */
  private static final long MOST_MEBIBYTES = 1 << 20;

  /** Characters of a path in EVENT_TRACE_PROPERTIES, without the zero behind it. */
  private static final int MOST_CHARACTERS = 1023;

  /** A path with a drive, of characters that Windows allows. */
  private static final Pattern PATH = Pattern.compile("[A-Za-z]:\\\\[^<>:\"/|?*\\p{Cntrl}]+");

  /** Keeps the lists from changes. */
  BootRequest {
    groups = List.copyOf(groups);
    notes = List.copyOf(notes);
  }

  /** Adds its options. */
  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.values(
            "NAME+NAME", "what is logged: cpu, wait, disk ..., xperf's or WPR's names", KERNEL));
    spec.addOption(
        CommonOptions.values(
            "EVENT+EVENT", "events with stacks, by xperf's or WPR's names, or 0xGGTT", STACKS));
    spec.addOption(
        CommonOptions.oneOf(
            LOGGERS.words(),
            "KIND",
            "Global Logger (default), or an autologger (Windows 8 and later)",
            LOGGERS.option()));
    spec.addOption(
        CommonOptions.value("PATH", "the recording, on the machine that is recorded", ETL));
    spec.addOption(
        CommonOptions.value("SIZE", "size at which the recording ends (default 1G)", SIZE));
  }

  /**
   * Returns the recording that is asked for.
   *
   * @param word that asks for it
   * @param example of a command line with that word
   * @throws UsageError if it cannot be had
   */
  static BootRequest of(ParseResult parsed, String word, String example) {
    KernelGroups known = new KernelGroups();
    GroupMask mask = GroupMask.NONE;
    List<String> names = split(parsed, KERNEL);
    if (names.isEmpty()) {
      throw new UsageError("record " + word + " needs what to log: --kernel NAME+NAME", example);
    }
    for (String name : names) {
      mask = mask.and(isOfOptions(name, parsed) ? KernelGroups.PROCESSES_AND_IMAGES : group(name));
    }
    List<StackEvent> stacks = stacks(STACKS, split(parsed, STACKS));
    BootSession session =
        new BootSession(kind(parsed), file(parsed), mebibytes(parsed), mask, stacks);
    return new BootRequest(session, known.namesOf(mask), notes(mask, stacks, known));
  }

  private static GroupMask group(String name) {
    KernelGroups known = new KernelGroups();
    return known.named(name).orElseThrow(() -> unknownGroup(name, known));
  }

  /** Returns whether a name stands for what other options say more of, and these are there. */
  private static boolean isOfOptions(String name, ParseResult parsed) {
    List<String> options =
        switch (name.toLowerCase(Locale.ROOT)) {
          case "heap" -> List.of("--heap");
          case "pmc" -> List.of("--sample", "--counters");
          default -> List.of();
        };
    return options.stream().anyMatch(option -> CommonOptions.has(parsed, option));
  }

  /** Returns the kind of session that the options name. */
  static Kind kind(ParseResult parsed) {
    return LOGGERS.value(parsed, Kind.GLOBAL);
  }

  /** Returns the names of all values of an option. */
  static List<String> split(ParseResult parsed, String option) {
    return CommonOptions.all(parsed, option).stream()
        .flatMap(text -> split(text).stream())
        .toList();
  }

  /** Returns the names of a list with plus signs or commas. */
  static List<String> split(String text) {
    return Arrays.stream(text.split("[+,]", -1))
        .map(String::strip)
        .filter(name -> !name.isEmpty())
        .toList();
  }

  private static UsageError unknownGroup(String name, KernelGroups known) {
    if (name.equalsIgnoreCase("heap")) {
      return new UsageError(
          "--kernel heap: heaps of programs are logged by a session of their own, for which record"
              + " start has --heap",
          "ntrail record start --heap shop.exe -o shop.etl");
    }
    if (name.equalsIgnoreCase("pmc")) {
      return new UsageError(
          "--kernel pmc: counters of the processor are named by record start --sample and"
              + " --counters",
          "--kernel cpu --sample CacheMisses=65536");
    }
    String meant = SpellingSuggestion.of(name, known.names());
    if (meant.isEmpty()) {
      meant = SpellingSuggestion.of(name.toUpperCase(Locale.ROOT), known.names());
    }
    return new UsageError(
        "no group of kernel events is named " + name + " (docs/record.md lists them)",
        "--kernel " + (meant.isEmpty() ? "cpu+disk" : meant));
  }

  /**
   * Returns events by their names.
   *
   * @param option that names them
   */
  static List<StackEvent> stacks(String option, List<String> names) {
    StackEvents known = new StackEvents();
    Map<Integer, StackEvent> events = new LinkedHashMap<>();
    for (String name : names) {
      StackEvent event = known.named(name).orElseThrow(() -> unknownEvent(option, name, known));
      events.putIfAbsent(event.hookId(), event);
    }
    if (events.size() > StackEvents.MOST) {
      throw new UsageError(
          "--stacks names %d events; Windows has at most %d with stacks in a session"
              .formatted(events.size(), StackEvents.MOST),
          "--stacks Profile+CSwitch+ReadyThread");
    }
    return List.copyOf(events.values());
  }

  private static UsageError unknownEvent(String option, String name, StackEvents known) {
    if (known.isOfOtherSessions(name)) {
      return new UsageError(
          option
              + ' '
              + name
              + ": this event is logged by sessions of chosen programs, not by the"
              + " kernel's; record start has --heap with --heap-stacks",
          option + " VirtualAlloc");
    }
    String meant = SpellingSuggestion.of(name, known.names());
    return new UsageError(
        "no kernel event with stacks is named " + name + " (docs/record.md lists them)",
        option + ' ' + (meant.isEmpty() ? "Profile+CSwitch" : meant));
  }

  /** Returns the path of the recording; empty if it is not given. */
  static String file(ParseResult parsed) {
    String path = CommonOptions.text(parsed, ETL, "");
    if (path.length() > MOST_CHARACTERS) {
      throw new UsageError(
          "%s takes a path of at most %s characters, as Windows does, not of %s"
              .formatted(ETL, Numbers.count(MOST_CHARACTERS), Numbers.count(path.length())),
          ETL + " 'C:\\boot.etl'");
    }
    if (CommonOptions.has(parsed, ETL) && !PATH.matcher(path).matches()) {
      throw new UsageError(
          ETL + " takes a path with a drive on the recorded machine, not " + path,
          ETL + " 'C:\\boot.etl'");
    }
    return path;
  }

  /** Returns the size at which a file is full. */
  static int mebibytes(ParseResult parsed) {
    if (!CommonOptions.has(parsed, SIZE)) {
      return DEFAULT_MEBIBYTES;
    }
    long bytes = CommonOptions.size(parsed, SIZE);
    long mebibytes = bytes >> MEBIBYTE_SHIFT;
    if (mebibytes << MEBIBYTE_SHIFT != bytes || mebibytes < 1 || mebibytes > MOST_MEBIBYTES) {
      throw new UsageError(
          SIZE + " takes whole megabytes, 1M to 1024G, not " + CommonOptions.text(parsed, SIZE, ""),
          SIZE + " 512M");
    }
    return (int) mebibytes;
  }

  /** Tells what would be missed in the recording, and how it is had. */
  static List<String> notes(GroupMask mask, List<StackEvent> stacks, KernelGroups known) {
    List<String> notes = new ArrayList<>();
    if (!mask.hasAll(KernelGroups.PROCESSES_AND_IMAGES)) {
      notes.add("Without PROC_THREAD+LOADER events have no processes, and addresses no modules.");
    }
    notes.addAll(unlogged("stacks", mask, stacks, known));
    return notes;
  }

  /** Tells of events with something that are not logged themselves, so that it is missing, too. */
  static List<String> unlogged(
      String what, GroupMask mask, List<StackEvent> events, KernelGroups known) {
    List<String> notes = new ArrayList<>();
    for (StackEvent event : events) {
      boolean isLogged =
          event.group().isEmpty() || known.named(event.group()).map(mask::hasAll).orElse(true);
      if (!isLogged) {
        notes.add(
            "No %s of %s: it is logged with --kernel %s."
                .formatted(what, event.name(), event.group()));
      }
    }
    return notes;
  }
}
