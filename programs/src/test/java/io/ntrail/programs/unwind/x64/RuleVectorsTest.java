package io.ntrail.programs.unwind.x64;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.formats.pe.unwind.RuntimeFunction;
import io.ntrail.formats.pe.unwind.UnwindCode;
import io.ntrail.programs.memory.ImageSpace;
import io.ntrail.programs.memory.SpacePiece;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackWalk;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import org.junit.jupiter.api.Test;

/**
 * Unwind data that no image at hand has, put together by hand, and what they mean for a stack whose
 * n-th word is n: registers that are loaded, the return address and the words that are popped.
 */
class RuleVectorsTest {
  private static final long STACK = UnwindSketch.STACK;
  private static final long BEGIN = 0x1000;
  private static final int WORDS = 64;

  private static UnwindSketch sketch(long end, String info) {
    UnwindSketch sketch = new UnwindSketch().entry(BEGIN, end, 0x2000).at(0x2000, info);
    long[] words = new long[WORDS];
    for (int i = 0; i < WORDS; i++) {
      words[i] = i;
    }
    return sketch.stack(words);
  }

  /** Unwinds from an offset in the function; rbp is at word 16. */
  private static String unwound(UnwindSketch sketch, long offset) {
    FrameRegisters registers = FrameRegisters.x64();
    for (int i = 0; i < registers.count(); i++) {
      registers.set(i, -1);
      registers.setVector(i, -1, -1);
    }
    registers.setSp(STACK);
    registers.set(FrameRegisters.BP, STACK + 16 * 8);
    registers.setIp(UnwindSketch.BASE + BEGIN + offset);
    UnwindStep step = sketch.unwinder().unwind(registers, new StackMemory(sketch.space()));
    if (!(step instanceof UnwindStep.Caller caller)) {
      return step.toString();
    }
    StringJoiner text = new StringJoiner(" ");
    text.add(caller.rule().place().toString());
    for (int i = 0; i < registers.count(); i++) {
      boolean loaded =
          registers.isKnown(i)
              && registers.get(i) != -1
              && i != FrameRegisters.SP
              && registers.get(i) != STACK + 16 * 8;
      if (loaded) {
        text.add(UnwindCode.generalName(i) + "=" + registers.get(i));
      }
      if (registers.isVectorKnown(i) && registers.vectorLow(i) != -1) {
        text.add("xmm%d=%d:%d".formatted(i, registers.vectorLow(i), registers.vectorHigh(i)));
      }
    }
    text.add("ip=" + registers.ip());
    text.add("sp=" + (registers.sp() - STACK) / 8);
    text.add("frame=" + (caller.establisherFrame() - STACK) / 8);
    return text.toString();
  }

  /** Pushes rdi, rsi, allocates 20h; epilogues at 14h, 1Eh and 23h: {@code v3-multi-epilog}. */
  @Test
  void version3UndoesWhatHasStarted() {
    UnwindSketch sketch =
        sketch(0x1040, "030b0d63070200181400000006000405000a00100500010003000138343c");
    assertEquals("PROLOGUE ip=0 sp=1 frame=0", unwound(sketch, 0));
    assertEquals("PROLOGUE rdi=0 ip=1 sp=2 frame=0", unwound(sketch, 1));
    assertEquals("PROLOGUE rdi=0 ip=1 sp=2 frame=0", unwound(sketch, 2));
    assertEquals("PROLOGUE rsi=0 rdi=1 ip=2 sp=3 frame=0", unwound(sketch, 3));
    assertEquals("PROLOGUE rsi=0 rdi=1 ip=2 sp=3 frame=0", unwound(sketch, 7));
    assertEquals("PROLOGUE rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 8));
    assertEquals("BODY rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 0x13));
  }

  @Test
  void version3DoesTheRestOfAnEpilogue() {
    UnwindSketch sketch =
        sketch(0x1040, "030b0d63070200181400000006000405000a00100500010003000138343c");
    assertEquals("EPILOGUE rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 0x14));
    assertEquals("EPILOGUE rsi=0 rdi=1 ip=2 sp=3 frame=0", unwound(sketch, 0x18));
    assertEquals("EPILOGUE rdi=0 ip=1 sp=2 frame=0", unwound(sketch, 0x19));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x1A));
    assertEquals("BODY rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 0x1B));
    // The second one inherits the codes of the first; the third begins at 23h, inside of it.
    assertEquals("EPILOGUE rsi=0 rdi=1 ip=2 sp=3 frame=0", unwound(sketch, 0x22));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x24));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x25));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x26));
    assertEquals("BODY rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 0x27));
  }

  /** {@code v3-negative-offset}: the epilogue counts from the end. */
  @Test
  void version3CountsEpiloguesFromTheEndToo() {
    UnwindSketch sketch = sketch(0x1020, "030b082307020018ecff00000600040538343c00");
    assertEquals("BODY rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 0xB));
    assertEquals("EPILOGUE rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 0xC));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x12));
    assertEquals("BODY rsi=4 rdi=5 ip=6 sp=7 frame=0", unwound(sketch, 0x13));
  }

  /** {@code v3-large-epilog}: offsets of 16 bits. */
  @Test
  void version3HasLongEpilogues() {
    UnwindSketch sketch = sketch(0x1200, "03060621040a14000000300100003800");
    assertEquals("EPILOGUE ip=4 sp=5 frame=0", unwound(sketch, 0x14));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x15));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x14 + 0x130));
    assertEquals("BODY ip=4 sp=5 frame=0", unwound(sketch, 0x14 + 0x131));
  }

  /**
   * Pushes rbx and rbp at once (CONSECUTIVE_2 would be rbx and rsp), then rax and rcx with PUSH2,
   * sets rbp, saves r12 and xmm6.
   */
  @Test
  void version3HasFrameRegistersAndPairs() {
    // Offsets: xmm6 at 12h, r12 at 0Eh, frame at 9, PUSH2 at 4, PUSH rbx at 2.
    String info =
        "03 18 08 05  12 0e 09 04 02" + "6a0200" + "660300" + "0005" + "6029" + "1c" + "00";
    UnwindSketch sketch = sketch(0x1080, info);
    // PUSH2 with bits b>>6 | (b1&7)<<2 = 5 (rbp), b1>>3 = 5: the same twice; the second is lower.
    assertEquals("PROLOGUE rbx=0 ip=1 sp=2 frame=0", unwound(sketch, 3));
    assertEquals("PROLOGUE rbx=2 rbp=1 ip=3 sp=4 frame=0", unwound(sketch, 5));
    assertEquals("PROLOGUE rbx=18 rbp=17 ip=19 sp=20 frame=16", unwound(sketch, 0xA));
    assertEquals("PROLOGUE rbx=18 rbp=17 r12=19 ip=19 sp=20 frame=16", unwound(sketch, 0xF));
    assertEquals(
        "BODY rbx=18 rbp=17 xmm6=20:21 r12=19 ip=19 sp=20 frame=16", unwound(sketch, 0x20));
  }

  @Test
  void version3PushesARegisterAndTheNextOne() {
    // PUSH_CONSECUTIVE_2 r14: first r14, then r15.
    UnwindSketch sketch = sketch(0x1080, "03 04 01 01 00 77");
    assertEquals("BODY r14=1 r15=0 ip=2 sp=3 frame=0", unwound(sketch, 0x20));
  }

  @Test
  void registersThatOnlyApxHasMoveTheStackAndAreNotKept() {
    // PUSH r16.
    UnwindSketch sketch = sketch(0x1080, "03 04 01 01 00 84");
    assertEquals("BODY ip=1 sp=2 frame=0", unwound(sketch, 0x20));
  }

  @Test
  void version3HasMachineFramesOfTwoKindsAndRefusesOthers() {
    UnwindSketch plain = sketch(0x1080, "03 00 02 01 00 03 00 00").stack(7, 0, 0, STACK + 80, 0);
    assertEquals("PROLOGUE ip=7 sp=10 frame=0", unwoundAt(plain, 0));
    UnwindSketch code = sketch(0x1080, "03 00 02 01 00 03 01 00").stack(9, 7, 0, 0, STACK + 80, 0);
    assertEquals("PROLOGUE ip=7 sp=10 frame=0", unwoundAt(code, 0));
    UnwindSketch other = sketch(0x1080, "03 00 02 01 00 03 02 00").stack(9, 7, 0, 0, STACK, 0);
    assertTrue(unwound(other, 4).contains("UNSUPPORTED"), unwound(other, 4));
  }

  /** The code of offset 0 has run as soon as one byte has. */
  private static String unwoundAt(UnwindSketch sketch, long offset) {
    return unwound(sketch, offset + 1).replace("BODY", "PROLOGUE");
  }

  /** Pushes rbx, r12, flags; an epilogue of 5 bytes at the end. */
  @Test
  void version2CountsPopsByTheirLength() {
    // Codes: EPILOG size 5 at the end, padding, PUSH r12 at 3, PUSH rbx at 1... in reverse order.
    UnwindSketch sketch = sketch(0x1040, "02 04 05 00 0516 0006 04c0 0230 0102 0000");
    assertEquals("BODY rbx=1 r12=0 ip=3 sp=4 frame=0", unwound(sketch, 0x10));
    assertEquals("EPILOGUE rbx=1 r12=0 ip=3 sp=4 frame=0", unwound(sketch, 0x3B));
    assertEquals("EPILOGUE rbx=0 ip=2 sp=3 frame=0", unwound(sketch, 0x3D));
    assertEquals("EPILOGUE ip=1 sp=2 frame=0", unwound(sketch, 0x3E));
    assertEquals("EPILOGUE ip=0 sp=1 frame=0", unwound(sketch, 0x3F));
  }

  @Test
  void indirectEntriesAreFollowedInTablesAndChains() {
    // The entry in the table refers to one at 3000h; its information is chained to an indirect one.
    UnwindSketch sketch =
        sketch(0x1040, "")
            .entry(BEGIN, 0x1040, 0x3001)
            .at(0x3000, "00100000 40100000 00210000")
            .at(0x2100, "21 00 00 00 00100000 40100000 01300000".replace("01300000", "11300000"))
            .at(0x3010, "00100000 40100000 20210000")
            .at(0x2120, "01 01 01 00 0130");
    assertEquals("BODY rbx=0 ip=1 sp=2 frame=0", unwound(sketch, 0x20));
    UnwindSketch loop = sketch(0x1040, "").entry(BEGIN, 0x1040, 0x3001);
    loop.at(0x3000, "00100000 40100000 01300000");
    assertTrue(unwound(loop, 0x20).contains("indirect entries in a row"), unwound(loop, 0x20));
  }

  @Test
  void aChainThatRefersToItselfEnds() {
    assumeTrue(TestData.available(), TestData.MISSING);
    PeImage image = image(PeSamples.of("hostile", "cfi_chained_loop.exe")).orElseThrow();
    VirtualUnwinder unwinder = unwinder(image);
    long base = image.headers().imageBase();
    int damaged = 0;
    for (RuntimeFunction function : FunctionTable.of(image).entries()) {
      FunctionEntry entry = new FunctionEntry(base, function, image.view());
      UnwindDecision decision = unwinder.decide(entry, entry.begin());
      if (decision instanceof UnwindDecision.NoRule none) {
        assertEquals(StackWalk.End.DAMAGED, none.end());
        assertTrue(none.why().contains("more than 33 links"), none.why());
        damaged++;
      }
    }
    assertTrue(damaged > 0);
  }

  @Test
  void imagesOfAnyShapeAreWalkedToAnEnd() {
    assumeTrue(TestData.available(), TestData.MISSING);
    int walked = 0;
    for (String group : List.of("hostile", "corkami")) {
      for (PeSample sample : PeSamples.group(group)) {
        Optional<PeImage> image = image(sample);
        if (image.isEmpty()) {
          continue;
        }
        StackWalker walker = new StackWalker(unwinder(image.get()));
        SpacePiece stack = SpacePiece.filled(STACK, "stack", 0x400, 0x10);
        long base = image.get().headers().imageBase();
        for (long offset : new long[] {0, 0x1000, image.get().headers().entryPoint()}) {
          FrameRegisters registers = FrameRegisters.x64();
          registers.setIp(base + offset);
          registers.setSp(STACK);
          assertInstanceOf(StackWalk.class, walker.walk(registers, stack));
          walked++;
        }
      }
    }
    assertTrue(walked > 500, "walked " + walked);
  }

  private static Optional<PeImage> image(PeSample sample) {
    try {
      return Optional.of(PeImage.ofFile(InputFile.of(sample.bytes(), sample.name())));
    } catch (CannotGoOn _) {
      return Optional.empty();
    }
  }

  private static VirtualUnwinder unwinder(PeImage image) {
    ImageSpace space = new ImageSpace(image, image.headers().imageBase());
    LoadedModule module =
        new LoadedModule(image.name(), space.base(), Math.max(1, space.size()), Optional.of(image));
    return new VirtualUnwinder(space, LoadedModules.of(List.of(module)));
  }
}
