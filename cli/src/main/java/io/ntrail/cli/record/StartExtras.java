package io.ntrail.cli.record;

import io.ntrail.cli.common.CommonOptions;
import io.ntrail.cli.common.UsageError;
import io.ntrail.formats.bytes.SpellingSuggestion;
import io.ntrail.formats.etl.groups.StackEvents;
import io.ntrail.formats.etl.groups.StackEvents.StackEvent;
import io.ntrail.live.etw.FlagExtension;
import io.ntrail.live.etw.HeapRecorder;
import io.ntrail.live.etw.KernelRequest;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Memory that {@code record start} is asked for: heaps of programs, in a session of their own, and
 * pool allocations of the kernel by their tags.
 *
 * @param heaps that are recorded; empty: none
 * @param poolTags four characters each; none: all that the kernel logs
 */
record StartExtras(Optional<Heaps> heaps, List<Integer> poolTags) {
  /**
   * Heaps of programs.
   *
   * @param processes that run
   * @param program name of a program's file, whose processes begin later; empty: none
   * @param stacks events with stacks
   */
  record Heaps(List<Integer> processes, String program, List<StackEvent> stacks) {
    /** Keeps the lists from changes. */
    Heaps {
      processes = List.copyOf(processes);
      stacks = List.copyOf(stacks);
    }

    /** Returns it in words. */
    String text() {
      if (!program.isEmpty()) {
        return "heaps of " + program + " from its next start";
      }
      return processes.isEmpty()
          ? "heaps of the programs that are set up for it"
          : "heaps of " + String.join("+", processes.stream().map(String::valueOf).toList());
    }
  }

  /** Nothing of that. */
  static final StartExtras NONE = new StartExtras(Optional.empty(), List.of());

  /** Events with stacks, as xperf's guides have them. */
  static final List<String> USUAL_STACKS = List.of("HeapAlloc", "HeapRealloc");

  private static final String HEAP = "--heap";
  private static final String STACKS = "--heap-stacks";
  private static final String TAGS = "--pool-tags";

  /** Its options, which only a start has. */
  static final List<String> OPTIONS = List.of(HEAP, STACKS, TAGS);

  private static final String NO_STACKS = "none";
  private static final Pattern PROGRAM = Pattern.compile("[^\\\\/:*?\"<>|\\p{Cntrl}]{1,255}");

  /** Tag, or a pattern of tags, in which only the last character stands for several. */
  private static final Pattern TAG = Pattern.compile("[ -~&&[^*]]{1,4}|[ -~&&[^*]]{0,3}\\*");

  /** Characters of a tag. */
  private static final int TAG_CHARACTERS = 4;

  /** Keeps the list from changes. */
  StartExtras {
    poolTags = List.copyOf(poolTags);
  }

  /** Adds its options. */
  static void options(CommandSpec spec) {
    spec.addOption(
        CommonOptions.value(
            "PID+PID|NAME.exe", "start: heaps of processes, or of a program's next ones", HEAP));
    spec.addOption(
        CommonOptions.value(
            "EVENT+EVENT|none", "start: with stacks (default HeapAlloc+HeapRealloc)", STACKS));
    spec.addOption(
        CommonOptions.values(
            "TAG+TAG",
            "start: of pool allocations only these, at most 4; Nt* and N?fs, too",
            TAGS));
  }

  /**
   * Returns what the options ask for.
   *
   * @throws UsageError if it cannot be had
   */
  static StartExtras of(ParseResult parsed) {
    boolean isHeap = CommonOptions.has(parsed, HEAP);
    if (!isHeap && CommonOptions.has(parsed, STACKS)) {
      throw new UsageError(STACKS + " needs " + HEAP, HEAP + " 4312");
    }
    List<Integer> tags = tags(BootRequest.split(parsed, TAGS));
    return new StartExtras(isHeap ? Optional.of(heaps(parsed)) : Optional.empty(), tags);
  }

  private static Heaps heaps(ParseResult parsed) {
    String text = CommonOptions.text(parsed, HEAP, "");
    String stacks = CommonOptions.text(parsed, STACKS, "");
    List<StackEvent> events =
        stacks.equals(NO_STACKS)
            ? List.of()
            : stacks(stacks.isEmpty() ? USUAL_STACKS : BootRequest.split(stacks));
    boolean areProcesses =
        !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9' || c == '+');
    if (!areProcesses) {
      if (!PROGRAM.matcher(text).matches() || !text.contains(".")) {
        throw new UsageError(
            HEAP + " takes ids of processes, or the name of a program's file, not " + text,
            HEAP + " shop.exe");
      }
      return new Heaps(List.of(), text, events);
    }
    return new Heaps(processes(BootRequest.split(text)), "", events);
  }

  private static List<Integer> processes(List<String> words) {
    List<Integer> ids = new ArrayList<>();
    for (String word : words) {
      try {
        ids.add(Integer.parseUnsignedInt(word));
      } catch (NumberFormatException e) {
        throw new UsageError(HEAP + ": no process has the id " + word, HEAP + " 4312");
      }
    }
    if (ids.isEmpty() || ids.size() > FlagExtension.MOST_PROCESSES) {
      throw new UsageError(
          "%s names %d processes; Windows takes 1 to %d"
              .formatted(HEAP, ids.size(), FlagExtension.MOST_PROCESSES),
          HEAP + " 4312+5020");
    }
    return ids;
  }

  /** Returns events of heaps by their names. */
  static List<StackEvent> stacks(List<String> names) {
    StackEvents known = new StackEvents();
    return names.stream()
        .map(name ->
            known
                .ofHeaps(name)
                .orElseThrow(() -> {
                  String meant = SpellingSuggestion.of(name, known.namesOfHeaps());
                  return new UsageError(
                      "no event of heaps with stacks is named " + name,
                      STACKS + " " + (meant.isEmpty() ? "HeapAlloc+HeapRealloc" : meant));
                }))
        .distinct()
        .toList();
  }

  /**
   * Returns tags as numbers: their characters, with spaces behind a short one, as drivers have it.
   *
   * <p>Of a pattern the question marks are among the characters. Source: {@code -pooltag} of xperf,
   * as documented, has one for any character and an asterisk for several, and the filter that
   * Windows takes has room for four characters and nothing else. Since all tags have four, question
   * marks say what an asterisk at the end does.
   *
   * @throws UsageError if one is none
   */
  static List<Integer> tags(List<String> words) {
    List<Integer> tags = new ArrayList<>();
    for (String word : words) {
      if (!TAG.matcher(word).matches()) {
        throw new UsageError(
            TAGS
                + " takes tags of 1 to 4 characters, of which any may be ? and the last one *, not "
                + word,
            TAGS + " Ntff+File+Nt*");
      }
      boolean isOpen = word.endsWith("*");
      String filler = (isOpen ? "?" : " ").repeat(TAG_CHARACTERS);
      String characters = (isOpen ? word.substring(0, word.length() - 1) : word) + filler;
      byte[] bytes = characters.getBytes(StandardCharsets.US_ASCII);
      tags.add(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24);
    }
    if (tags.size() > KernelRequest.MOST_TAGS) {
      throw new UsageError(
          "%s names %d tags; Windows takes at most %d"
              .formatted(TAGS, tags.size(), KernelRequest.MOST_TAGS),
          TAGS + " Ntff+File");
    }
    return tags;
  }

  /** Tells what would be missed in the recording. */
  List<String> notes(Optional<BootRequest> kernel) {
    List<String> notes = new ArrayList<>();
    boolean hasPool = kernel.map(boot -> boot.groups().contains("POOL")).orElse(false);
    if (!poolTags.isEmpty() && !hasPool) {
      notes.add("No pool allocations: they are logged with --kernel POOL.");
    }
    if (heaps.isPresent() && kernel.isEmpty()) {
      notes.add("Without --kernel PROC_THREAD+LOADER addresses of stacks have no modules.");
    }
    heaps
        .filter(heap -> !heap.program().isEmpty())
        .ifPresent(heap ->
            notes.add(
                "TracingFlags of %s stays in the registry until record stop; by hand: %s"
                    .formatted(heap.program(), HeapRecorder.undo(heap.program()))));
    return notes;
  }
}
