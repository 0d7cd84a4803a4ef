package io.ntrail.cli.image;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.programs.patchability.FunctionPatch;
import io.ntrail.programs.patchability.HotPatchStatistics;
import io.ntrail.programs.patchability.PatchClass;
import io.ntrail.programs.patchability.PatchRefusal;
import io.ntrail.programs.patchability.Patchability;
import java.io.PrintStream;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/** {@code image --hotpatch}: the share of functions that can be patched, by class and by reason. */
final class HotpatchText {
  private final PeHeaders headers;
  private final Patchability patches;
  private final HotPatchStatistics share;

  HotpatchText(PeHeaders headers, Patchability patches) {
    this.headers = headers;
    this.patches = patches;
    this.share = patches.share();
  }

  /** {@code x64-A}. */
  static String className(PeHeaders headers, PatchClass patchClass) {
    return MachineType.text(headers.machine()) + "-" + patchClass;
  }

  /** Returns the reason why a function is refused; empty if it is not. */
  static String reason(FunctionPatch patch) {
    return patch
        .refusal()
        .map(r -> r.text() + (patch.detail().isEmpty() ? "" : " (" + patch.detail() + ")"))
        .orElse("");
  }

  private Map<PatchClass, Integer> byClass() {
    Map<PatchClass, Integer> counts = new EnumMap<>(PatchClass.class);
    for (FunctionPatch patch : patches.list()) {
      counts.merge(patch.patchClass(), 1, Integer::sum);
    }
    return counts;
  }

  private Map<PatchRefusal, Integer> byReason() {
    Map<PatchRefusal, Integer> counts = new EnumMap<>(PatchRefusal.class);
    for (FunctionPatch patch : patches.list()) {
      patch.refusal().ifPresent(refusal -> counts.merge(refusal, 1, Integer::sum));
    }
    return counts;
  }

  private int roomNeeded() {
    return headers.isWide() ? 6 : 5;
  }

  /** Prints the table for people. */
  void print(PrintStream out) {
    int all = share.functions();
    out.println(
        MachineType.text(headers.machine())
            + ", "
            + Numbers.counted(all, "function")
            + (all == 0
                ? ""
                : ": "
                    + of(share.both(), all)
                    + " made for hot-patching, "
                    + of((int) patches.possible(), all)
                    + " can be patched"));
    if (all == 0) {
      return;
    }
    Table measure = new Table().number("functions").number("%").remark("made for hot-patching");
    row(measure, share.firstLong(), all, "first instruction of 2 bytes or more");
    row(
        measure,
        share.padded(),
        all,
        roomNeeded() + " or more padding bytes (CC, 90 or 00) in front");
    row(measure, share.both(), all, "both: made for hot-patching");
    row(measure, share.bothWithNops(), all, "both, multi-byte nops counted as padding");
    if (!headers.isWide()) {
      row(measure, share.moveFirst(), all, "mov edi,edi first");
    }
    measure.print(out, 2, 0);
    Table classes =
        new Table().number("functions").number("%").name("class").remark("can be patched");
    byClass()
        .forEach((patchClass, count) ->
            classes.row(
                Numbers.count(count),
                Numbers.percent(count, all),
                className(headers, patchClass),
                patchClass.text()));
    classes.print(out, 2, 0);
    Map<PatchRefusal, Integer> reasons = byReason();
    if (!reasons.isEmpty()) {
      Table refused = new Table().number("functions").number("%").remark("reason for refusal");
      reasons.entrySet().stream()
          .sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
          .forEach(entry -> row(refused, entry.getValue(), all, entry.getKey().text()));
      refused.print(out, 2, 0);
    }
  }

  private static void row(Table table, int count, int all, String text) {
    table.row(Numbers.count(count), Numbers.percent(count, all), text);
  }

  private static String of(int part, int all) {
    return Numbers.count(part) + " (" + Numbers.percent(part, all) + " %)";
  }

  /** The object of the share, as a member of an open object. */
  void json(Json json) {
    json.object("hotpatch")
        .number("functions", share.functions())
        .number("firstInstructionLong", share.firstLong())
        .number("padded", share.padded())
        .number("patchable", share.both())
        .number("patchableWithNops", share.bothWithNops())
        .number("movEdiEdi", share.moveFirst())
        .number("functionTable", share.table())
        .number("functionTablePatchable", share.tableBoth())
        .number("exports", share.exports())
        .number("exportsPatchable", share.exportsBoth())
        .number("exportsPatchableWithNops", share.exportsBothWithNops())
        .object("byClass");
    byClass().forEach((c, count) -> json.number(className(headers, c), count));
    json.endObject().object("byReason");
    byReason().forEach((reason, count) -> json.number(reasonKey(reason), count));
    json.endObject().endObject();
  }

  /** {@code noPadding}. */
  private static String reasonKey(PatchRefusal refusal) {
    StringBuilder key = new StringBuilder();
    boolean upper = false;
    for (char c : refusal.name().toLowerCase(Locale.ROOT).toCharArray()) {
      if (c == '_') {
        upper = true;
      } else {
        key.append(upper ? Character.toUpperCase(c) : c);
        upper = false;
      }
    }
    return key.toString();
  }

  /** {@code x64-A, 16 CC, first 5}, or the class and why it is refused. */
  static String text(PeHeaders headers, FunctionPatch patch) {
    String name = className(headers, patch.patchClass());
    return patch.isPossible()
        ? name
            + ", "
            + patch.padding().own()
            + " "
            + patch.padding().filler().text()
            + ", first "
            + patch.firstLength()
        : name + ": " + reason(patch);
  }

  /** The object of one function, after its key. */
  static void json(Json json, PeHeaders headers, FunctionPatch patch) {
    json.object()
        .text("class", className(headers, patch.patchClass()))
        .number("padding", patch.padding().run())
        .number("ownPadding", patch.padding().own())
        .number("paddingWithNops", patch.padding().withNops())
        .text("filler", patch.padding().fills().text())
        .number("firstInstructionLength", patch.firstLength())
        .number("unitLength", patch.unitLength())
        .number("unitInstructions", patch.unitInstructions())
        .bool("straddlesCacheLine", patch.straddles())
        .text("reason", patch.isPossible() ? null : reason(patch))
        .endObject();
  }
}
