package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.Tsv;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Expectations of RtlVirtualUnwind that Windows met when they were written down: 103 rows, of which
 * 29 are what older versions did, and a family of jumps.
 */
class RecordedUnwindsTest {
  private static final long OTHERS = 0x5555_5555_5555_5555L;
  private static final long FUNCTION = 0x400;
  private static final long INFO = 0x800;
  private static final int SLOTS = 0x100;

  private static List<Map<String, String>> rows = List.of();

  @BeforeAll
  static void read() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    rows = Tsv.rows("pe/unwind/virtual-unwind-x64.tsv");
  }

  @Test
  void theNewestWindowsDoesWhatItsRowsSay() {
    List<Map<String, String>> newest =
        rows.stream().filter(row -> !cell(row, "windows").equals("old")).toList();
    assertEquals(74, newest.size());
    newest.forEach(row -> check(row, WindowsBehavior.newest()));
  }

  @Test
  void olderWindowsDoesWhatItsRowsSay() {
    List<Map<String, String>> old =
        rows.stream().filter(row -> cell(row, "windows").equals("old")).toList();
    assertEquals(29, old.size());
    old.forEach(row -> check(row, WindowsBehavior.BEFORE_1809));
  }

  @Test
  void onlySevenOldRowsDifferFromTheNewest() {
    List<String> differing = new ArrayList<>();
    for (Map<String, String> row : rows) {
      if (cell(row, "windows").equals("old")
          && !told(row).equals(unwound(row, WindowsBehavior.newest()))) {
        differing.add(cell(row, "case") + " " + cell(row, "pc"));
      }
    }
    assertEquals(
        List.of(
            "frame-register 2c",
            "frame-register 34",
            "frame-register 35",
            "no-codes-epilogue-shape 01",
            "tail-jump-short-same-start 03",
            "chained 37",
            "chained 3b"),
        differing);
  }

  @Test
  void eachChangeCameWithItsVersion() {
    for (WindowsBehavior version : WindowsBehavior.values()) {
      for (Map<String, String> row : rows) {
        WindowsBehavior changed =
            switch (cell(row, "case")) {
              case "no-codes-epilogue-shape" -> WindowsBehavior.SINCE_1809;
              case "tail-jump-short-same-start" -> WindowsBehavior.SINCE_20H2;
              default -> WindowsBehavior.SINCE_WINDOWS_11;
            };
        String era = version.isSince(changed) ? "new" : "old";
        String windows = cell(row, "windows");
        // The last case was not looked at on older versions.
        boolean told =
            windows.equals("all")
                && !(cell(row, "case").equals("chained-parent-registered") && era.equals("old"));
        if (windows.equals(era) || told) {
          check(row, version);
        }
      }
    }
  }

  /** The rows' header describes them: which jumps through memory end an epilogue. */
  @Test
  void jumpsThroughMemoryAreEpiloguesIfTheyAreRipRelativeOrMarked() {
    Map<String, String> like =
        rows.stream()
            .filter(row -> cell(row, "case").equals("tail-jump-short-out"))
            .findFirst()
            .orElseThrow();
    for (int rex : new int[] {0, 0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48}) {
      for (int modRm = 0; modRm < 0x100; modRm++) {
        String jump = rex == 0 ? "ff%02x" : "%02xff%02x".formatted(rex, modRm);
        Map<String, String> row = new TreeMap<>(like);
        row.put("function", "55905d" + jump.formatted(modRm) + "0000000000");
        row.put("end", "10");
        row.put("pc", "03");
        boolean epilogue =
            (rex == 0 || rex == 0x48) && modRm == 0x25 || rex == 0x48 && (modRm >> 3 & 7) == 4;
        row.put("handler", "0");
        row.put("rip", epilogue ? "0" : "8");
        row.put("frame", "0");
        row.put("registers", epilogue ? "rsp=8" : "rsp=10 rbp=0");
        check(row, WindowsBehavior.newest());
      }
    }
  }

  private static void check(Map<String, String> row, WindowsBehavior version) {
    assertEquals(
        told(row),
        unwound(row, version),
        version + " " + cell(row, "case") + " at " + cell(row, "pc"));
  }

  private static String told(Map<String, String> row) {
    Map<String, Long> registers = new TreeMap<>();
    for (String pair : cell(row, "registers").split(" ", -1)) {
      String[] parts = pair.split("=", -1);
      boolean absolute = parts[1].startsWith("@");
      long value = hex(absolute ? parts[1].substring(1) : parts[1]);
      registers.put(
          parts[0], parts[0].equals("rsp") && !absolute ? UnwindSketch.STACK + value : value);
    }
    return text(
        cell(row, "handler").equals("1"),
        hex(cell(row, "rip")),
        UnwindSketch.STACK + hex(cell(row, "frame")),
        registers);
  }

  private static String text(boolean handler, long rip, long frame, Map<String, Long> registers) {
    return "handler %s rip %x frame %x %s".formatted(handler, rip, frame, registers);
  }

  private static String unwound(Map<String, String> row, WindowsBehavior version) {
    boolean hasEntry = !cell(row, "unwind").isEmpty();
    UnwindSketch sketch = sketch(row, hasEntry);
    long pc = UnwindSketch.BASE + FUNCTION + hex(cell(row, "pc"));
    VirtualUnwinder unwinder =
        new VirtualUnwinder(sketch.space(), sketch.modules(), DynamicFunctions.NONE, version);
    UnwindDecision decision = unwinder.decide(pc);
    if (hasEntry) {
      RuntimeFunction function =
          RuntimeFunction.of(
              0, FUNCTION + hex(cell(row, "begin")), FUNCTION + hex(cell(row, "end")), INFO);
      decision =
          unwinder.decide(
              new FunctionEntry(UnwindSketch.BASE, function, sketch.image().view()), pc);
    }
    FrameRegisters registers = FrameRegisters.x64();
    for (int i = 0; i < registers.count(); i++) {
      registers.set(i, OTHERS);
    }
    registers.setIp(pc);
    registers.setSp(UnwindSketch.STACK);
    registers.set(FrameRegisters.BP, UnwindSketch.STACK + hex(cell(row, "rbp")));
    UnwindRule rule = (UnwindRule) decision;
    FrameRegisters before = registers.copy();
    UnwindStep step = VirtualUnwinder.run(rule, registers, new StackMemory(sketch.space()));
    boolean handler = rule.handler().filter(FrameHandler::seesExceptions).isPresent();
    if (handler) {
      assertEquals(UnwindSketch.BASE + 0x200, rule.handler().orElseThrow().address());
      long data = rule.handler().orElseThrow().data();
      assertEquals(0x0807_0605L, sketch.image().view().u32(data - UnwindSketch.BASE));
    }
    return text(
        handler,
        registers.ip(),
        ((UnwindStep.Caller) step).establisherFrame(),
        changed(before, registers));
  }

  /** The registers with new values; volatile ones that became unknown are none. */
  private static Map<String, Long> changed(FrameRegisters before, FrameRegisters after) {
    Map<String, Long> changed = new TreeMap<>();
    for (int i = 0; i < after.count(); i++) {
      boolean isVolatile = (UnwindRuleBuilder.NONVOLATILE & 1 << i) == 0;
      assertEquals(!isVolatile, after.isKnown(i), UnwindCode.generalName(i));
      if (!isVolatile && before.get(i) != after.get(i)) {
        changed.put(UnwindCode.generalName(i), after.get(i));
      }
    }
    return changed;
  }

  private static UnwindSketch sketch(Map<String, String> row, boolean hasEntry) {
    UnwindSketch sketch = new UnwindSketch().at(FUNCTION, cell(row, "function"));
    if (hasEntry) {
      String info = cell(row, "unwind");
      sketch.at(INFO, info);
      String chain = cell(row, "chain");
      if (!chain.isEmpty()) {
        String[] parts = chain.split(":", -1);
        long at = INFO + info.length() / 2;
        LittleEndian parent =
            new LittleEndian()
                .u32(FUNCTION + hex(parts[0]))
                .u32(FUNCTION + hex(parts[1]))
                .u32(at + 12);
        sketch.at(at, HexFormat.of().formatHex(parent.toByteArray()) + parts[2]);
      }
    }
    String registered = cell(row, "registered");
    if (!registered.isEmpty()) {
      String[] parts = registered.split(":", -1);
      sketch.entry(FUNCTION + hex(parts[0]), FUNCTION + hex(parts[1]), 0);
    }
    long[] slots = new long[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
      slots[i] = 8L * i;
    }
    if (!hasEntry) {
      slots[0] = 0x1234;
    }
    return sketch.stack(slots);
  }

  private static long hex(String digits) {
    return Long.parseLong(digits, 16);
  }

  private static String cell(Map<String, String> row, String column) {
    return Objects.requireNonNull(row.get(column), column);
  }
}
