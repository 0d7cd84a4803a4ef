package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.programs.unwind.StackWalk.End;
import io.ntrail.testkit.LittleEndian;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Walks over stacks that were laid out by hand. */
class StackWalkerTest {
  private static final long STACK = UnwindSketch.STACK;

  /** Function with a frame of 28h bytes: sub rsp, 28h; call; nop; add rsp, 28h; ret. */
  private static final long CALLER = 0x1000;

  /** Address behind its call. */
  private static final long RETURN = UnwindSketch.BASE + CALLER + 9;

  /** Function that pushes rbx: push rbx; sub rsp, 20h; call; nop; add rsp, 20h; pop rbx; ret. */
  private static final long PUSHER = 0x1100;

  private static final long RETURN_TO_PUSHER = UnwindSketch.BASE + PUSHER + 10;

  /** A function without an entry: mov eax, ecx; ret. */
  private static final long LEAF = 0x1200;

  /** Memory of no module. */
  private static final long HEAP = 0x20_0000_0000L;

  private static UnwindSketch sketch() {
    return new UnwindSketch()
        .at(CALLER, "4883ec28 e8f7010000 90 4883c428 c3")
        .entry(CALLER, CALLER + 15, 0x2000)
        .at(0x2000, "01 04 01 00 0442")
        .at(PUSHER, "53 4883ec20 e8f6000000 90 4883c420 5b c3")
        .entry(PUSHER, PUSHER + 17, 0x2020)
        .at(0x2020, "01 05 02 00 0532 0130")
        .at(LEAF, "89c8 c3");
  }

  private static FrameRegisters registers(long ip) {
    FrameRegisters registers = FrameRegisters.x64();
    for (int i = 0; i < registers.count(); i++) {
      registers.set(i, 0x1111_1111_1111_1111L * i);
      registers.setVector(i, i, -i);
    }
    registers.setIp(ip);
    registers.setSp(STACK);
    return registers;
  }

  private static StackWalk walk(UnwindSketch sketch, FrameRegisters registers) {
    return new StackWalker(sketch.unwinder()).walk(registers, sketch.space());
  }

  private static String told(StackWalk walk) {
    return walk.frames().stream()
            .map(frame -> "%s %x %x".formatted(frame.trust().word(), frame.ip(), frame.sp()))
            .collect(Collectors.joining("\n"))
        + "\n"
        + walk.end();
  }

  private static String told(String... lines) {
    return String.join("\n", lines);
  }

  private static String frame(FrameTrust trust, long ip, long sp) {
    return "%s %x %x".formatted(trust.word(), ip, sp);
  }

  @Test
  void aWalkGoesFromALeafToTheOutermostFunction() {
    UnwindSketch sketch =
        sketch().stack(RETURN_TO_PUSHER, 0, 0, 0, 0, 77, RETURN, 0, 0, 0, 0, 0, 0);
    StackWalk walk = walk(sketch, registers(UnwindSketch.BASE + LEAF));
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, UnwindSketch.BASE + LEAF, STACK),
            frame(FrameTrust.UNWIND, RETURN_TO_PUSHER, STACK + 8),
            frame(FrameTrust.UNWIND, RETURN, STACK + 0x38),
            "END_OF_STACK"),
        told(walk));
  }

  @Test
  void everyFrameHasItsNonvolatileRegistersAndNoVolatileOnes() {
    UnwindSketch sketch =
        sketch().stack(RETURN_TO_PUSHER, 0, 0, 0, 0, 77, RETURN, 0, 0, 0, 0, 0, 0);
    List<StackFrame> frames = walk(sketch, registers(UnwindSketch.BASE + LEAF)).frames();
    FrameRegisters pusher = frames.get(1).registers();
    FrameRegisters caller = frames.get(2).registers();
    assertEquals(0x3333_3333_3333_3333L, pusher.get(FrameRegisters.BX));
    assertEquals(77, caller.get(FrameRegisters.BX));
    assertEquals(0x6666_6666_6666_6666L, caller.get(FrameRegisters.SI));
    assertFalse(pusher.isKnown(FrameRegisters.AX) || pusher.isVectorKnown(5));
    assertEquals(-15, caller.vectorHigh(15));
    assertTrue(frames.getFirst().registers().isKnown(FrameRegisters.AX));
  }

  @Test
  void aCallThroughANullPointerIsAGuessThatKeepsTheRegistersOfTheCaller() {
    UnwindSketch sketch = sketch().stack(RETURN, 0, 0, 0, 0, 0, 0);
    StackWalk walk = walk(sketch, registers(0));
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, 0, STACK),
            frame(FrameTrust.SCAN, RETURN, STACK + 8),
            "END_OF_STACK"),
        told(walk));
    assertTrue(walk.frames().get(1).registers().isKnown(FrameRegisters.BX));
  }

  @Test
  void aWordThatIsBehindNoCallIsNoReturnAddress() {
    StackWalk walk = walk(sketch().stack(RETURN + 1, UnwindSketch.BASE + LEAF, 0), registers(0));
    assertEquals(1, walk.frames().size());
    assertEquals(End.UNKNOWN_CODE, walk.end());
    assertEquals("0x0 is in no module", walk.why());
  }

  @Test
  void codeOfNoModuleIsWalkedByItsFramePointer() {
    UnwindSketch sketch =
        sketch()
            .memory(HEAP, new byte[64])
            .stack(RETURN, 1, STACK + 0x28, HEAP + 9, 5, STACK + 0x40, RETURN, 0, 0, 0, 0, 0, 0);
    FrameRegisters registers = registers(HEAP + 16);
    registers.set(FrameRegisters.BP, STACK + 0x10);
    StackWalk walk = walk(sketch, registers);
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, HEAP + 16, STACK),
            frame(FrameTrust.FRAME, HEAP + 9, STACK + 0x20),
            frame(FrameTrust.FRAME, RETURN, STACK + 0x38),
            "END_OF_STACK"),
        told(walk));
    assertFalse(walk.frames().get(1).registers().isKnown(FrameRegisters.BX));
  }

  @Test
  void registeredFunctionsAreUnwoundAsThoseOfImages() {
    UnwindSketch sketch =
        sketch().memory(HEAP, new byte[64]).stack(0, 0, 0, 0, 0, RETURN, 0, 0, 0, 0, 0, 0);
    FunctionEntry registered =
        new FunctionEntry(
            HEAP - 0x3000, RuntimeFunction.of(0, 0x3000, 0x3040, 0x2000), sketch.image().view());
    DynamicFunctions dynamic =
        address ->
            address >= HEAP && address < HEAP + 64 ? Optional.of(registered) : Optional.empty();
    VirtualUnwinder unwinder =
        new VirtualUnwinder(sketch.space(), sketch.modules(), dynamic, WindowsBehavior.newest());
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, HEAP + 16, STACK),
            frame(FrameTrust.UNWIND, RETURN, STACK + 0x30),
            "END_OF_STACK"),
        told(new StackWalker(unwinder).walk(registers(HEAP + 16), sketch.space())));
  }

  @Test
  void aModuleWithoutAnImageIsScanned() {
    UnwindSketch sketch = sketch().stack(1, 2, RETURN, 3, 4, 5);
    LoadedModule bare = new LoadedModule("bare.dll", UnwindSketch.BASE, 0x1_0000, Optional.empty());
    VirtualUnwinder unwinder = new VirtualUnwinder(sketch.space(), LoadedModules.of(List.of(bare)));
    StackWalk walk =
        new StackWalker(unwinder).walk(registers(UnwindSketch.BASE + CALLER), sketch.space());
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, UnwindSketch.BASE + CALLER, STACK),
            frame(FrameTrust.SCAN, RETURN, STACK + 0x18),
            "UNKNOWN_CODE"),
        told(walk));
    assertTrue(walk.why().contains("bare.dll, whose unwind data are not at hand"), walk.why());
  }

  @Test
  void aCallAtTheEndOfAFunctionBelongsToIt() {
    UnwindSketch sketch =
        sketch()
            .at(0x1300, "4883ec28 e8f7010000")
            .entry(0x1300, 0x1309, 0x2000)
            .at(0x1309, "4883ec28")
            .entry(0x1309, 0x1320, 0x2000)
            .stack(UnwindSketch.BASE + 0x1309, 0, 0, 0, 0, 0, RETURN, 0, 0, 0, 0, 0, 0);
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, UnwindSketch.BASE + LEAF, STACK),
            frame(FrameTrust.UNWIND, UnwindSketch.BASE + 0x1309, STACK + 8),
            frame(FrameTrust.UNWIND, RETURN, STACK + 0x38),
            "END_OF_STACK"),
        told(walk(sketch, registers(UnwindSketch.BASE + LEAF))));
  }

  @Test
  void aTrapFrameLeadsToTheInterruptedCodeAndItsStack() {
    UnwindSketch sketch =
        sketch()
            .at(0x2040, "01 00 01 00 001a")
            .entry(0x1400, 0x1410, 0x2040)
            .stack(0xE, UnwindSketch.BASE + CALLER, 0x33, 0x246, STACK - 0x1000, 0x2B)
            .memory(STACK - 0x1000, new byte[8]);
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, UnwindSketch.BASE + 0x1402, STACK),
            frame(FrameTrust.TRAP, UnwindSketch.BASE + CALLER, STACK - 0x1000),
            "END_OF_STACK"),
        told(walk(sketch, registers(UnwindSketch.BASE + 0x1402))));
  }

  @Test
  void aTrapFrameThatLeadsBackEndsTheWalk() {
    long trap = UnwindSketch.BASE + 0x1402;
    UnwindSketch sketch =
        sketch()
            .at(0x2040, "01 00 01 00 000a")
            .entry(0x1400, 0x1410, 0x2040)
            .stack(trap + 1, 0x33, 0x246, STACK, 0x2B);
    StackWalk walk = walk(sketch, registers(trap));
    assertEquals(End.NO_PROGRESS, walk.end());
    assertEquals(2, walk.frames().size());
  }

  @Test
  void aFrameRegisterThatPointsBelowEndsTheWalk() {
    byte[] below = new LittleEndian().u64(0).u64(RETURN).zeros(64).toByteArray();
    UnwindSketch sketch =
        sketch()
            .at(0x2060, "01 04 02 05 0403 0150")
            .entry(0x1500, 0x1540, 0x2060)
            .stack(0, 0)
            .memory(STACK - 0x100, below);
    FrameRegisters registers = registers(UnwindSketch.BASE + 0x1520);
    registers.set(FrameRegisters.BP, STACK - 0x100);
    StackWalk walk = walk(sketch, registers);
    assertEquals(End.NO_PROGRESS, walk.end());
    assertEquals(1, walk.frames().size());
  }

  @Test
  void missingMemoryEndsTheWalkAndIsNamed() {
    StackWalk walk = walk(sketch().stack(RETURN, 1, 2), registers(UnwindSketch.BASE + LEAF));
    assertEquals(End.MEMORY_MISSING, walk.end());
    assertEquals(2, walk.frames().size());
    assertTrue(walk.why().contains("0x120030"), walk.why());
  }

  @Test
  void damagedUnwindDataEndTheWalkWithTheirReason() {
    UnwindSketch sketch = sketch().entry(0x1600, 0x1640, 0x2080).at(0x2080, "07000000").stack(0, 0);
    StackWalk walk = walk(sketch, registers(UnwindSketch.BASE + 0x1610));
    assertEquals(End.DAMAGED, walk.end());
    assertTrue(walk.why().contains("unknown version 7"), walk.why());
  }

  @Test
  void theNumberOfFramesIsBounded() {
    long[] words = new long[6 * 50];
    for (int i = 5; i < words.length; i += 6) {
      words[i] = RETURN;
    }
    UnwindSketch sketch = sketch().stack(words);
    StackWalk walk = new StackWalker(sketch.unwinder(), 20).walk(registers(RETURN), sketch.space());
    assertEquals(End.TOO_MANY, walk.end());
    assertEquals(20, walk.frames().size());
  }

  @Test
  void aStackPointerOutsideOfTheStackEndsTheWalk() {
    UnwindSketch sketch = sketch().stack(0, 0, 0, 0, 0, RETURN, 0, 0, 0, 0, 0, 0);
    StackWalk walk =
        new StackWalker(sketch.unwinder())
            .walk(registers(RETURN), sketch.space(), new StackLimits(STACK, STACK + 0x28));
    assertEquals(End.DAMAGED, walk.end());
    assertTrue(walk.why().contains("outside of the stack"), walk.why());
  }

  @Test
  void anOddStackPointerEndsTheWalk() {
    UnwindSketch sketch = sketch().stack(RETURN << 8, 0, 0, 0, 0, 0, RETURN);
    FrameRegisters registers = registers(UnwindSketch.BASE + LEAF);
    registers.setSp(STACK + 1);
    assertEquals(End.DAMAGED, walk(sketch, registers).end());
  }

  @Test
  void codeThatTheMemoryLacksIsReadFromTheImage() {
    UnwindSketch sketch = sketch().withoutCodeInMemory().stack(77, RETURN, 0, 0, 0, 0, 0, 0);
    // At the pop: its frame is gone already.
    assertEquals(
        told(
            frame(FrameTrust.CONTEXT, UnwindSketch.BASE + PUSHER + 15, STACK),
            frame(FrameTrust.UNWIND, RETURN, STACK + 0x10),
            "END_OF_STACK"),
        told(walk(sketch, registers(UnwindSketch.BASE + PUSHER + 15))));
  }
}
