package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.plan.SkipReason.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Code in memory beside that of its file. */
final class FileCodeTest {
  private static final int RET = 0xC3;

  /** mov rax, address; ret, and two functions without addresses. */
  private static Sketch sketch() {
    Sketch sketch = new Sketch();
    sketch.code().align(16, 0xCC).label("relocated").code(0x48, 0xB8).label("operand");
    sketch.code().address("relocated").code(RET).label("relocated, end");
    sketch.builder().function("relocated", "relocated, end", UnwindInfoBuilder.prologue(0));
    sketch.builder().exports("relocated", "relocated");
    return sketch
        .function("plain", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 1, 0x8D, 0x40, 2, RET)
        .function("last", UnwindInfoBuilder.prologue(0), 0x8D, 0x41, 1, 0x8D, 0x40, 2, RET);
  }

  private static void relocate(byte[] memory, int at, long by) {
    ByteBuffer bytes = ByteBuffer.wrap(memory).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(at, bytes.getLong(at) + by);
  }

  private static Optional<Kind> why(List<PlannedFunction> plan, String name) {
    PlannedFunction function = Sketch.named(plan, name);
    assertEquals(function.reason().isEmpty(), function.hasExits());
    return function.reason().map(SkipReason::kind);
  }

  @Test
  void anAddressThatTheLoaderChangedIsNotAPatch() {
    Sketch sketch = sketch();
    byte[] memory = sketch.memory();
    long moved = 0x7FF6_1234_0000L;
    relocate(memory, (int) sketch.rva("operand"), moved - sketch.stored().headers().imageBase());
    List<PlannedFunction> plan = sketch.plan(memory, moved);
    assertEquals(Optional.empty(), why(plan, "relocated"));
    assertEquals(Optional.empty(), why(plan, "plain"));
  }

  @Test
  void anAddressOfAnotherPlaceIsOne() {
    Sketch sketch = sketch();
    byte[] memory = sketch.memory();
    relocate(memory, (int) sketch.rva("operand"), 0x1000);
    List<PlannedFunction> plan = sketch.plan(memory, sketch.stored().headers().imageBase());
    assertEquals(Optional.of(Kind.FOREIGN_PATCH), why(plan, "relocated"));
    // The loader moved the module, and somebody put the old address back.
    plan = sketch.plan(sketch.memory(), 0x7FF6_1234_0000L);
    assertEquals(Optional.of(Kind.FOREIGN_PATCH), why(plan, "relocated"));
    assertEquals(Optional.empty(), why(plan, "plain"));
  }

  @Test
  void eachByteOfTheUnitAndOfTheRoomCountsAndNoneBeyond() {
    Sketch sketch = sketch();
    long base = sketch.stored().headers().imageBase();
    int at = (int) sketch.rva("plain");
    for (int i = -8; i < 7; i++) {
      byte[] memory = sketch.memory();
      // Operands alone: everything stays code, and padding.
      int[] others = {0x8D, 0x42, 3, 0x8D, 0x42, 5, RET};
      memory[at + i] = (byte) (i < 0 ? 0x90 : others[i]);
      boolean changed = memory[at + i] != sketch.memory()[at + i];
      boolean counts = changed && i >= -5 && i < 3;
      assertEquals(
          counts ? Optional.of(Kind.FOREIGN_PATCH) : Optional.empty(),
          why(sketch.plan(memory, base), "plain"),
          "byte " + i);
    }
  }

  @Test
  void aJumpToSomewhereIsShownWithWhatTheFileHas() {
    Sketch sketch = sketch();
    byte[] memory = sketch.memory();
    int at = (int) sketch.rva("plain");
    memory[at] = (byte) 0xE9;
    PlannedFunction plain =
        Sketch.named(sketch.plan(memory, sketch.stored().headers().imageBase()), "plain");
    assertEquals(
        "code in memory differs from the file (patched by another tool) (0x%x: E9 41 01 8D 40, file: 8D 41 01 8D 40)"
            .formatted(at),
        plain.reason().orElseThrow().text());
    assertEquals("FOREIGN_PATCH", plain.reason().orElseThrow().name());
  }

  @Test
  void withoutTheFileNothingIsCompared() {
    Sketch sketch = sketch();
    byte[] memory = sketch.memory();
    memory[(int) sketch.rva("plain") + 2] = 7;
    List<PlannedFunction> plan =
        Sketch.plan("sketch.dll", memory, 0x1_8000_0000L, PlanSymbols.NONE, Optional.empty());
    assertTrue(Sketch.named(plan, "plain").hasExits());
  }
}
