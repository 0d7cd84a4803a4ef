package io.ntrail.cli.probe;

import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Prints what fired no probe in a program that was watched, and why. */
final class LiveReport {
  private LiveReport() {}

  /** Prints what is known before the program runs. */
  static void begin(LiveProbes live, PrintStream err) {
    TracePlan plan = live.plan();
    plan.remarks().forEach(remark -> err.println("ntrail: " + remark));
    refused(plan).forEach(line -> err.println("warning: " + line));
    doubtful(live).forEach(line -> err.println("warning: " + line));
  }

  /** Tells of arguments that may be in registers, while words of the stack are taken for them. */
  private static List<String> doubtful(LiveProbes live) {
    List<PlannedFunction> functions = live.withDoubtfulArguments();
    return functions.isEmpty()
        ? List.of()
        : List.of(
            "%s may have other arguments, as the calling convention is assumed: %s"
                .formatted(Numbers.counted(functions.size(), "function"), names(functions)));
  }

  private static List<String> refused(TracePlan plan) {
    List<String> lines = new ArrayList<>();
    int refused = plan.matched() - plan.patched();
    if (refused > 0) {
      lines.add(
          "%s of %s cannot be traced and %s no probe: %s"
              .formatted(
                  Numbers.count(refused),
                  Numbers.counted(plan.matched(), "matching function"),
                  refused == 1 ? "fires" : "fire",
                  reasons(plan.byReason())));
    }
    List<PlannedFunction> entries =
        plan.functions().stream().filter(one -> one.isTraced() && !one.hasExits()).toList();
    if (!entries.isEmpty()) {
      lines.add(
          "%s only entry, neither return nor unwind: %s"
              .formatted(
                  entries.size() == 1 ? "1 function fires" : entries.size() + " functions fire",
                  names(entries)));
    }
    return lines;
  }

  private static String names(List<PlannedFunction> functions) {
    String first =
        functions.stream().limit(3).map(PlannedFunction::title).collect(Collectors.joining(", "));
    return functions.size() > 3 ? first + " and %d more".formatted(functions.size() - 3) : first;
  }

  private static String reasons(Map<String, Integer> byReason) {
    return new TreeMap<>(byReason)
        .entrySet().stream()
            .map(one -> one.getKey() + " " + Numbers.count(one.getValue()))
            .collect(Collectors.joining(", "));
  }

  /** Prints what is known when it is over. */
  static void print(LiveProbes live, PrintStream err) {
    live.result()
        .ifPresent(result -> {
          if (!refused(result.plan()).equals(refused(live.plan()))) {
            refused(result.plan()).forEach(line -> err.println("warning: " + line));
          }
          missed(live, result).forEach(line -> err.println("warning: " + line));
          result.remarks().forEach(remark -> err.println("ntrail: " + remark));
        });
  }

  /** Returns what fired no probe, or not in its turn. */
  static List<String> missing(LiveProbes live) {
    List<String> lines = new ArrayList<>();
    live.result()
        .ifPresent(result -> {
          lines.addAll(refused(result.plan()));
          lines.addAll(doubtful(live));
          lines.addAll(missed(live, result));
        });
    return lines;
  }

  private static List<String> missed(LiveProbes live, LiveTrace.Result result) {
    List<String> lines = new ArrayList<>();
    if (!result.hasExits()) {
      lines.add("entries only: exits cannot be recorded in this program");
    }
    for (UntracedModule one : result.untraced()) {
      lines.add(
          "%s was not traced for a time: %s"
              .formatted(WindowsPath.lastPart(one.module()), one.why()));
    }
    long lost = result.statistics().allDropped();
    if (lost > 0) {
      lines.add(
          "%s lost, as all buffers were full: what was not recorded fires no probe"
              .formatted(Numbers.counted(lost, "record")));
    }
    long unrecorded = result.statistics().unrecorded();
    if (unrecorded > 0) {
      lines.add(
          "%s made without a record, as there was no room for it: it fires no probe"
              .formatted(Numbers.counted(unrecorded, "call")));
    }
    long alone = result.statistics().entriesAlone();
    if (alone > 0) {
      lines.add(
          "only entries of %s recorded, too deep or on too many stacks: no return of them fires"
              .formatted(Numbers.counted(alone, "call")));
    }
    if (live.late() > 0) {
      lines.add(
          "%s fired after later ones of other threads"
              .formatted(Numbers.counted(live.late(), "event")));
    }
    return lines;
  }
}
