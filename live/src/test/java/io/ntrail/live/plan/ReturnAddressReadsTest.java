package io.ntrail.live.plan;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBP;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.build.UnwindInfoBuilder;
import io.ntrail.live.plan.SkipReason.Kind;
import io.ntrail.programs.x86.asm.Assembler;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Detection of functions that read their return address, in hand-written code. */
final class ReturnAddressReadsTest {
  private static final int RBX_NUMBER = 3;
  private static final int RBP_NUMBER = 5;

  private static int[] code(UnaryOperator<Assembler> body) {
    byte[] bytes = body.apply(Assembler.x64()).assemble().bytes();
    int[] code = new int[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      code[i] = bytes[i] & 0xFF;
    }
    return code;
  }

  private static UnwindInfoBuilder none() {
    return UnwindInfoBuilder.prologue(0);
  }

  /** Of push rbx; sub rsp, 20h. */
  private static UnwindInfoBuilder pushed() {
    return UnwindInfoBuilder.prologue(5).push(1, RBX_NUMBER).allocate(5, 0x20);
  }

  private static Optional<Kind> why(Sketch sketch, String name) {
    return Sketch.named(sketch.plan(), name).reason().map(SkipReason::kind);
  }

  private static boolean looks(Sketch sketch, String name) {
    PlannedFunction function = Sketch.named(sketch.plan(), name);
    assertTrue(function.isTraced(), () -> function.reason().toString());
    boolean looks =
        function.reason().filter(why -> why.kind() == Kind.READS_RETURN_ADDRESS).isPresent();
    assertEquals(looks, !function.hasExits());
    return looks;
  }

  private static boolean looks(UnwindInfoBuilder unwind, UnaryOperator<Assembler> body) {
    return looks(new Sketch().function("one", unwind, code(body)), "one");
  }

  private static boolean leafLooks(UnaryOperator<Assembler> body) {
    return looks(new Sketch().leaf("one", code(body)), "one");
  }

  @Test
  void theFirstInstructionMayRead() {
    assertTrue(looks(none(), a -> a.mov(RAX, ptr(RSP)).ret()));
    assertTrue(leafLooks(a -> a.mov(RAX, ptr(RSP)).ret()));
    assertTrue(leafLooks(a -> a.lea(RAX, ptr(RSP)).ret()));
    assertFalse(leafLooks(a -> a.mov(RAX, ptr(RSP).plus(8)).ret()), "home space");
    assertFalse(leafLooks(a -> a.mov(ptr(RSP).plus(8), RCX).lea(RAX, ptr(RSP).plus(16)).ret()));
  }

  @Test
  void eachStepOfAPrologueMovesTheStack() {
    int[] distances = {0, 8, 0x28};
    for (int place = 0; place < distances.length; place++) {
      for (int at : new int[] {0, 8, 0x20, 0x28}) {
        int after = place;
        int offset = at;
        // Loads of four or five bytes between the steps, so that these are later.
        int load = at == 0 ? 4 : 5;
        UnwindInfoBuilder unwind =
            UnwindInfoBuilder.prologue(5 + (place < 2 ? load : 0))
                .push(1 + (place < 1 ? load : 0), RBX_NUMBER)
                .allocate(5 + (place < 2 ? load : 0), 0x20);
        UnaryOperator<Assembler> body =
            a -> {
              for (int i = 0; i < 3; i++) {
                Assembler to = i == 1 ? a.push(RBX) : i == 2 ? a.sub(RSP, 0x20) : a;
                if (i == after) {
                  to.mov(RAX, ptr(RSP).plus(offset));
                }
              }
              return a.add(RSP, 0x20).pop(RBX).ret();
            };
        assertEquals(at == distances[place], looks(unwind, body), "[rsp + " + at + "] at " + place);
      }
    }
  }

  @Test
  void theFrameRegisterAndCopiesOfTheStackPointerLeadThereToo() {
    UnwindInfoBuilder frame =
        UnwindInfoBuilder.prologue(4).push(1, RBP_NUMBER).frame(4, RBP_NUMBER, 0);
    assertTrue(
        looks(frame, a -> a.push(RBP).mov(RBP, RSP).mov(RAX, ptr(RBP).plus(8)).pop(RBP).ret()));
    UnwindInfoBuilder same =
        UnwindInfoBuilder.prologue(4).push(1, RBP_NUMBER).frame(4, RBP_NUMBER, 0);
    assertFalse(
        looks(same, a -> a.push(RBP).mov(RBP, RSP).mov(RAX, ptr(RBP).plus(16)).pop(RBP).ret()));
    // As Microsoft's compiler begins.
    assertTrue(leafLooks(a -> a.mov(RAX, RSP).mov(ptr(RAX).plus(8), RBX).mov(RCX, ptr(RAX)).ret()));
    assertFalse(
        leafLooks(a ->
            a.mov(RAX, RSP).mov(ptr(RAX).plus(8), RBX).mov(RAX, RCX).mov(RCX, ptr(RAX)).ret()));
    assertTrue(
        looks(
            pushed(),
            a ->
                a.push(RBX)
                    .sub(RSP, 0x20)
                    .lea(RDX, ptr(RSP).plus(0x30))
                    .mov(RAX, ptr(RDX).plus(-8))
                    .add(RSP, 0x20)
                    .pop(RBX)
                    .ret()));
  }

  @Test
  void partOfTheReturnAddressIsEnough() {
    assertTrue(leafLooks(a -> a.mov(ECX, ptr(RSP).plus(4)).ret()));
    assertTrue(leafLooks(a -> a.mov(RAX, RCX).pop(RCX).push(RCX).ret()));
    assertTrue(leafLooks(a -> a.mov(ptr(RSP), RCX).ret()), "it is changed");
  }

  @Test
  void anEpilogueIsFollowedAndCodeAfterItHasTheFrameAgain() {
    UnaryOperator<Assembler> twice =
        a -> {
          var out = a.label("out");
          return a.push(RBX)
              .sub(RSP, 0x20)
              .test(RCX, RCX)
              .jz(out)
              .add(RSP, 0x20)
              .pop(RBX)
              .ret()
              .bind(out)
              .mov(RAX, ptr(RSP).plus(0x28))
              .add(RSP, 0x20)
              .pop(RBX)
              .ret();
        };
    assertTrue(looks(pushed(), twice));
    assertTrue(
        looks(
            pushed(),
            a -> a.push(RBX).sub(RSP, 0x20).add(RSP, 0x20).pop(RBX).mov(RAX, ptr(RSP)).ret()));
    assertFalse(
        looks(
            pushed(),
            a -> a.push(RBX).sub(RSP, 0x20).mov(RAX, ptr(RSP)).add(RSP, 0x20).pop(RBX).ret()));
  }

  @Test
  void unknownCodeCountsAsARead() {
    assertTrue(looks(none(), a -> a.mov(RAX, RCX).db(0x06).ret()), "no instruction in 64-bit code");
    assertTrue(leafLooks(a -> a.mov(RAX, RSP).mov(RSP, ptr(RCX)).ret()), "another stack");
    assertFalse(
        looks(none(), a -> a.mov(RAX, RCX).jmp(RAX).db(0x06, 0x06)), "tables behind a switch");
  }

  @Test
  void aPartElsewhereHasTheLayoutOfItsFunction() {
    for (int offset : new int[] {0x28, 0x20}) {
      Sketch sketch =
          new Sketch()
              .function(
                  "one",
                  pushed(),
                  code(a -> a.push(RBX).sub(RSP, 0x20).add(RSP, 0x20).pop(RBX).ret()))
              .part(
                  "part of one",
                  none().chained("one"),
                  code(a -> a.mov(RAX, ptr(RSP).plus(offset)).ud2()));
      assertEquals(offset == 0x28, looks(sketch, "one"), "offset " + offset);
    }
  }

  @Test
  void aPartThatIsOnlyJumpedToIsLookedAtAndNotTraced() {
    for (int offset : new int[] {0x28, 0x20}) {
      Sketch sketch = new Sketch();
      sketch.code().align(16, 0xCC).label("one").code(0x53, 0x48, 0x83, 0xEC, 0x20);
      sketch.code().code(0xE9).relative("one.cold").label("one, end");
      sketch.builder().function("one", "one, end", pushed());
      sketch.builder().exports("one", "one");
      // As GCC describes what it moved out: the frame is there at the first byte.
      sketch.function(
          "one.cold",
          UnwindInfoBuilder.prologue(0).push(0, RBX_NUMBER).allocate(0, 0x20),
          code(a -> a.mov(RAX, ptr(RSP).plus(offset)).ud2()));
      assertEquals(offset == 0x28, looks(sketch, "one"), "offset " + offset);
      assertEquals(Optional.of(Kind.PART), why(sketch, "one.cold"));
    }
  }

  @Test
  void whatAFunctionEndsWithHasItsReturnAddress() {
    for (int offset : new int[] {0, 8}) {
      Sketch sketch = new Sketch();
      sketch.code().align(16, 0xCC).label("one").code(0x48, 0x89, 0xC8).code(0xE9);
      sketch.code().relative("two").label("one, end");
      sketch.builder().function("one", "one, end", none());
      sketch.builder().exports("one", "one");
      sketch.leaf("two", code(a -> a.mov(RAX, ptr(RSP).plus(offset)).ret()));
      assertEquals(offset == 0, looks(sketch, "one"), "offset " + offset);
    }
  }

  @Test
  void codeAfterALeafIsNotTheLeafs() {
    Sketch sketch = new Sketch();
    sketch.leaf("leaf", code(a -> a.mov(RAX, RCX).ret()));
    sketch.code().code(code(a -> a.mov(RAX, ptr(RSP)).ret()));
    assertFalse(looks(sketch, "leaf"));
  }

  @Test
  void theFrameOfAnInterruptIsNotUnderstood() {
    // Moved unwind data cannot say it if it belongs to the unit; after it, it can.
    Sketch sketch =
        new Sketch()
            .function(
                "late",
                UnwindInfoBuilder.prologue(6).machineFrame(6, false),
                code(a -> a.mov(RAX, RCX).mov(RCX, RDX).ret()));
    assertTrue(looks(sketch, "late"));
    Sketch first =
        new Sketch()
            .function(
                "first",
                UnwindInfoBuilder.prologue(0).machineFrame(0, false),
                code(a -> a.mov(RAX, RCX).ret()));
    assertEquals(List.of(Kind.UNWIND_DATA), why(first, "first").stream().toList());
  }
}
