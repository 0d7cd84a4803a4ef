package io.ntrail.cli.image;

import io.ntrail.cli.text.Json;
import io.ntrail.cli.text.Numbers;
import io.ntrail.cli.text.Table;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.fixups.DynamicFixup;
import io.ntrail.formats.pe.fixups.DynamicRelocations;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Fixups;
import io.ntrail.formats.pe.fixups.DynamicRelocations.Symbol;
import io.ntrail.formats.pe.unwind.UnwindCode;
import java.io.PrintStream;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The places of an image that the system changes for the machine that it runs on ({@code image
 * --relocations}): how many by their symbol for people, each for programs.
 */
final class DynamicRelocationRows {
  private final DynamicRelocations dynamic;

  DynamicRelocationRows(PeImage image) {
    this.dynamic = DynamicRelocations.of(image);
  }

  private Map<String, Long> bySymbol() {
    Map<String, Long> counts = new TreeMap<>();
    for (Fixups list : dynamic.lists()) {
      long[] count = {0};
      dynamic.forEach(list, _ -> count[0]++);
      counts.merge(list.name(), count[0], Long::sum);
    }
    return counts;
  }

  /** Prints them, if there are any. */
  void print(PrintStream out, int width) {
    Map<String, Long> counts = bySymbol();
    if (counts.isEmpty()) {
      out.println("no dynamic relocations");
      return;
    }
    Table table = new Table().number("places").name("symbol").remark("dynamic relocations");
    counts.forEach((name, count) -> table.row(Numbers.count(count), name, meaning(name)));
    table.print(out, 2, width);
  }

  private String meaning(String name) {
    Symbol kind =
        dynamic.lists().stream()
            .filter(list -> list.name().equals(name))
            .findFirst()
            .orElseThrow()
            .kind();
    return switch (kind) {
      case GUARD_RF_PROLOGUE -> "prologues for return flow guard";
      case GUARD_RF_EPILOGUE -> "epilogues for return flow guard";
      case GUARD_IMPORT_CONTROL_TRANSFER -> "calls and jumps to imports";
      case GUARD_INDIR_CONTROL_TRANSFER -> "calls and jumps through pointers";
      case GUARD_SWITCHTABLE_BRANCH -> "jumps through tables of switches";
      case ARM64X -> "contents for the other architecture";
      case FUNCTION_OVERRIDE -> "functions with versions for other processors";
      case ARM64_KERNEL_IMPORT_CALL_TRANSFER -> "calls and jumps to imports (ARM64)";
      case MM_SHARED_USER_DATA_VA, KI_USER_SHARED_DATA64 -> "uses of the shared user data";
      case ADDRESS -> "uses of this address";
      case UNKNOWN -> "of an unknown kind, not read";
    };
  }

  /** Writes them as a member of an open object. */
  void json(Json json) {
    json.object("dynamic").number("version", dynamic.version()).object("bySymbol");
    bySymbol().forEach(json::number);
    json.endObject().array("sites");
    for (Fixups list : dynamic.lists()) {
      dynamic.forEach(list, fixup -> site(json, list.name(), fixup));
    }
    json.endArray().endObject();
  }

  private void site(Json json, String symbol, DynamicFixup fixup) {
    json.object().text("symbol", symbol).text("rva", Numbers.hex(fixup.rva()));
    switch (fixup) {
      case DynamicFixup.ImportTransfer(_, boolean call, int index) ->
          branch(json, call, dynamic.slot(index), -1, false);
      case DynamicFixup.IndirectTransfer(_, boolean call, _, boolean checked) ->
          branch(json, call, 0, -1, checked);
      case DynamicFixup.SwitchBranch(_, int register) -> branch(json, false, 0, register, false);
      case DynamicFixup.Arm64ImportTransfer(_, boolean call, int register, _, int index) -> {
        json.bool("call", call).text("slotRva", rva(dynamic.slot(index)));
        json.number("register", register).text("registerText", "x" + register).bool("cfg", false);
      }
      default -> {
        json.unknown("call");
        json.unknown("slotRva");
        json.unknown("register");
        json.unknown("cfg");
      }
    }
    json.endObject();
  }

  private static void branch(Json json, boolean call, long slot, int register, boolean checked) {
    json.bool("call", call).text("slotRva", rva(slot));
    if (register < 0) {
      json.unknown("register");
    } else {
      json.number("register", register).text("registerText", UnwindCode.generalName(register));
    }
    json.bool("cfg", checked);
  }

  private static @Nullable String rva(long rva) {
    return rva == 0 ? null : Numbers.hex(rva);
  }
}
