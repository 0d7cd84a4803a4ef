package io.ntrail.cli.trace;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.programs.patchability.PatchClass;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** Text of a plan: its functions by class and by module, and the reasons why some are skipped. */
final class TracePlanText {
  private TracePlanText() {}

  /** Functions of one module. */
  private record Share(int matched, int patched, int exits) {
    static final Share NONE = new Share(0, 0, 0);

    Share and(PlannedFunction function) {
      return new Share(
          matched + 1,
          patched + (function.isTraced() ? 1 : 0),
          exits + (function.hasExits() ? 1 : 0));
    }
  }

  private static Map<String, Share> byModule(TracePlan plan) {
    Map<String, Share> modules = new LinkedHashMap<>();
    for (PlannedFunction function : plan.functions()) {
      modules.merge(
          function.module().module().name(),
          Share.NONE.and(function),
          (old, _) -> old.and(function));
    }
    return modules;
  }

  /** Prints the counts of a plan. */
  static void counts(PrintStream out, int width, PlanSubject subject, TracePlan plan) {
    out.println(
        "%s: %s of %s matching functions can be traced, %s of them with exits"
            .formatted(
                subject.program(),
                Numbers.count(plan.patched()),
                Numbers.count(plan.matched()),
                Numbers.count(plan.withExits())));
    String architecture = subject.architecture();
    Map<String, Integer> classes = plan.byClass(architecture);
    Table table = new Table().number("functions").remark("class");
    for (PatchClass one : PatchClass.values()) {
      String name = architecture + "-" + one;
      String text = one == PatchClass.D ? "skipped" : one.text();
      table.row(Numbers.count(classes.getOrDefault(name, 0)), name + ": " + text);
    }
    table.print(out, 2, width);
    out.println(
        "  %s of the traced functions can only be patched while all threads are suspended"
            .formatted(Numbers.count(plan.needStop())));
    Map<String, Share> modules = byModule(plan);
    if (modules.size() > 1) {
      out.println();
      Table shares =
          new Table().number("functions").number("traced").number("exits").name("module");
      modules.forEach((module, share) ->
          shares.row(
              Numbers.count(share.matched),
              Numbers.count(share.patched),
              Numbers.count(share.exits),
              module));
      shares.print(out, 2, width);
    }
    reasons(out, width, plan, PlannedFunction::isTraced, "only entries, because");
    reasons(out, width, plan, function -> !function.isTraced(), "skipped because");
  }

  private static void reasons(
      PrintStream out, int width, TracePlan plan, Predicate<PlannedFunction> which, String title) {
    Table table = new Table().number("functions").remark(title);
    Map<String, Integer> counts = reasons(plan, which);
    counts.forEach((reason, count) -> table.row(Numbers.count(count), reason));
    if (!counts.isEmpty()) {
      out.println();
      table.print(out, 2, width);
    }
  }

  /** Counts functions by the reason, in the order of the reasons' names. */
  private static Map<String, Integer> reasons(TracePlan plan, Predicate<PlannedFunction> which) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    plan.functions().stream()
        .filter(which)
        .flatMap(function -> function.reason().stream())
        .sorted((a, b) -> a.name().compareTo(b.name()))
        .forEach(reason -> counts.merge(reason.general(), 1, Integer::sum));
    return counts;
  }

  /** Prints why only entries of some functions are recorded, a line a reason. */
  static void entriesOnly(PrintStream out, TracePlan plan) {
    reasons(plan, PlannedFunction::isTraced)
        .forEach((reason, count) ->
            out.println(
                "only entries of %s: %s".formatted(Numbers.counted(count, "function"), reason)));
  }

  /** Prints the reason of each function that is skipped, or of which only entries are recorded. */
  static void why(PrintStream out, List<PlannedFunction> functions) {
    Table table = new Table().name("function").name("traced").remark("why not");
    for (PlannedFunction function : functions) {
      if (function.reason().isPresent()) {
        table.row(
            function.title(),
            function.isTraced() ? "entries" : "no",
            function.reason().get().text());
      }
    }
    table.print(out, 0, Integer.MAX_VALUE);
  }

  /**
   * Writes the member with the counts of a plan.
   *
   * @param exits whether exits are recorded at all
   * @param why whether each function with a reason is listed
   */
  static void json(Json json, PlanSubject subject, TracePlan plan, boolean exits, boolean why) {
    int patched = plan.patched();
    json.object("functions")
        .number("matched", plan.matched())
        .number("patched", patched)
        .number("entriesOnly", exits ? plan.patched() - plan.withExits() : patched)
        .number("refused", plan.matched() - patched)
        .number("needStop", plan.needStop());
    json.object("byClass");
    plan.byClass(subject.architecture()).forEach((name, count) -> json.number(name, count));
    json.endObject().object("byReason");
    plan.byReason().forEach((name, count) -> json.number(name, count));
    json.endObject().object("entriesOnlyBecause");
    reasons(plan, PlannedFunction::isTraced).forEach((reason, count) -> json.number(reason, count));
    json.endObject().array("modules");
    byModule(plan)
        .forEach((module, share) ->
            json.object()
                .text("module", module)
                .number("matched", share.matched)
                .number("patched", share.patched)
                .number("exits", exits ? share.exits : 0)
                .endObject());
    json.endArray();
    if (why) {
      json.array("leftAlone");
      for (PlannedFunction function : plan.functions()) {
        function
            .reason()
            .ifPresent(its ->
                json.object()
                    .text("function", function.title())
                    .bool("entries", function.isTraced())
                    .text("reason", its.name())
                    .text("text", its.text())
                    .endObject());
      }
      json.endArray();
    }
    json.endObject();
  }
}
