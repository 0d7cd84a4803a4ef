package io.ntrail.cli.probe;

import io.ntrail.cli.text.Numbers;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.session.RecorderStatistics;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Prints what fired no probe in a program that was watched, and why. */
final class LiveReport {
  private LiveReport() {}

  /** Prints what is known before the program runs. */
  static void begin(TracePlan plan, PrintStream err) {
    plan.remarks().forEach(remark -> err.println("ntrail: " + remark));
    refused(plan, err);
  }

  private static void refused(TracePlan plan, PrintStream err) {
    int refused = plan.matched() - plan.patched();
    if (refused > 0) {
      err.println(
          "warning: %s of %s cannot be traced and %s no probe: %s"
              .formatted(
                  Numbers.count(refused),
                  Numbers.counted(plan.matched(), "matching function"),
                  refused == 1 ? "fires" : "fire",
                  reasons(plan.byReason())));
    }
    List<PlannedFunction> entries =
        plan.functions().stream().filter(one -> one.isTraced() && !one.hasExits()).toList();
    if (!entries.isEmpty()) {
      err.println(
          "warning: %s only entry, neither return nor unwind: %s"
              .formatted(
                  entries.size() == 1 ? "1 function fires" : entries.size() + " functions fire",
                  names(entries)));
    }
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
          TracePlan before = live.plan();
          if (result.plan().functions().size() > before.functions().size()
              || result.plan().patched() < before.patched()) {
            refused(result.plan(), err);
          }
          if (!result.hasExits()) {
            err.println("warning: entries only: exits cannot be recorded in this program");
          }
          for (UntracedModule one : result.untraced()) {
            err.println(
                "warning: %s was not traced for a time: %s"
                    .formatted(WindowsPath.lastPart(one.module()), one.why()));
          }
          RecorderStatistics statistics = result.statistics();
          if (statistics.allDropped() > 0) {
            err.println(
                "warning: %s lost, as all buffers were full: what was not recorded fires no probe"
                    .formatted(Numbers.counted(statistics.allDropped(), "record")));
          }
          if (live.late() > 0) {
            err.println(
                "warning: %s fired after later ones of other threads"
                    .formatted(Numbers.counted(live.late(), "event")));
          }
          result.remarks().forEach(remark -> err.println("ntrail: " + remark));
        });
  }
}
