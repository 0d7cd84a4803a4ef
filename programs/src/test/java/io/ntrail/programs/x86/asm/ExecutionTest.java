package io.ntrail.programs.x86.asm;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg32.ECX;
import static io.ntrail.programs.x86.asm.operands.Reg32.EDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R8;
import static io.ntrail.programs.x86.asm.operands.Reg64.R9;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RBX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RDX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSI;
import static io.ntrail.programs.x86.asm.operands.Reg64.RSP;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM0;
import static io.ntrail.programs.x86.asm.operands.Xmm.XMM1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.programs.x86.asm.operands.Imm;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Reg16;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg8;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The processor itself does what was written: results beside those of Java. */
class ExecutionTest {
  private static final int ROUNDS = 200;

  private final SplittableRandom random = new SplittableRandom(31);

  @BeforeEach
  void onlyWhereTheCodeRuns() {
    assumeTrue(NativeCode.available(), NativeCode.MISSING);
  }

  private static NativeCode code(Consumer<Assembler> program) {
    Assembler a = Assembler.x64();
    program.accept(a);
    return new NativeCode(a.assemble());
  }

  /** Expected result, computed in Java from the four arguments. */
  @FunctionalInterface
  private interface Expected {
    long of(long a, long b, long c, long d);
  }

  private void same(Consumer<Assembler> program, Expected expected) {
    try (NativeCode code = code(program)) {
      for (int i = 0; i < ROUNDS; i++) {
        long a = number();
        long b = number();
        long c = number();
        long d = number();
        assertEquals(
            expected.of(a, b, c, d), code.call(a, b, c, d), () -> a + " " + b + " " + c + " " + d);
      }
    }
  }

  private long number() {
    return switch (random.nextInt(4)) {
      case 0 -> random.nextInt(-3, 4);
      case 1 -> random.nextInt();
      case 2 -> random.nextBoolean() ? Long.MIN_VALUE : Long.MAX_VALUE;
      default -> random.nextLong();
    };
  }

  @Test
  void arithmeticIsThatOfJava() {
    same(
        a ->
            a.lea(RAX, ptr(RDI).index(RSI, 4).plus(-0x1234))
                .imul(RAX, RDX)
                .sub(RAX, RCX)
                .xor(RAX, 0x55AA)
                .not(RAX)
                .ret(),
        (p, q, r, s) -> ~(((p + 4 * q - 0x1234) * r - s) ^ 0x55AA));
    same(
        a -> a.mov(EAX, Reg32.EDI).add(EAX, Reg32.ESI).ret(), (p, q, _, _) -> p + q & 0xFFFF_FFFFL);
    same(
        a -> a.mov(RAX, RDI).mul(RSI).mov(RAX, RDX).ret(),
        (p, q, _, _) -> Math.unsignedMultiplyHigh(p, q));
    same(
        a -> a.movsx(RAX, Reg16.DI).movzx(ECX, Reg8.SIL).add(RAX, RCX).bswap(RAX).ret(),
        (p, q, _, _) -> Long.reverseBytes((short) p + (q & 0xFF)));
    same(
        a -> a.mov(RAX, RDI).shl(RAX, 13).sar(RSI, 7).ror(RDX, 5).add(RAX, RSI).add(RAX, RDX).ret(),
        (p, q, r, _) -> (p << 13) + (q >> 7) + Long.rotateRight(r, 5));
  }

  @Test
  void flagsDecideWhatComesNext() {
    for (Condition condition : Condition.values()) {
      same(
          a -> {
            Label yes = a.label("yes");
            a.mov(EAX, 1).cmp(RDI, RSI).j(condition, yes).dec(EAX).bind(yes).ret();
          },
          (p, q, _, _) -> holds(condition, p, q) ? 1 : 0);
      same(
          a -> a.xor(EAX, EAX).cmp(RDI, RSI).set(condition, Reg8.AL).ret(),
          (p, q, _, _) -> holds(condition, p, q) ? 1 : 0);
      same(
          a -> a.mov(RAX, RDX).cmp(RDI, RSI).cmov(condition, RAX, RCX).ret(),
          (p, q, r, s) -> holds(condition, p, q) ? s : r);
    }
  }

  private static boolean holds(Condition condition, long p, long q) {
    long difference = p - q;
    boolean overflow = ((p ^ q) & (p ^ difference)) < 0;
    return switch (condition) {
      case O -> overflow;
      case NO -> !overflow;
      case B -> Long.compareUnsigned(p, q) < 0;
      case AE -> Long.compareUnsigned(p, q) >= 0;
      case E -> p == q;
      case NE -> p != q;
      case BE -> Long.compareUnsigned(p, q) <= 0;
      case A -> Long.compareUnsigned(p, q) > 0;
      case S -> difference < 0;
      case NS -> difference >= 0;
      case P -> (Long.bitCount(difference & 0xFF) & 1) == 0;
      case NP -> (Long.bitCount(difference & 0xFF) & 1) != 0;
      case L -> p < q;
      case GE -> p >= q;
      case LE -> p <= q;
      case G -> p > q;
    };
  }

  @Test
  void jumpsGoForwardsAndBackFarAndNear() {
    for (int distance : new int[] {0, 1, 100, 126, 127, 128, 129, 1000, 70_000}) {
      same(
          a -> {
            Label forward = a.label("forward");
            Label back = a.label("back");
            Label end = a.label("end");
            a.mov(RAX, RDI).jmp(forward).nop(distance).bind(back).add(RAX, RSI).jmp(end);
            a.nop(distance).bind(forward).add(RAX, 7).jmp(back).nop(distance).bind(end).ret();
          },
          (p, q, _, _) -> p + 7 + q);
    }
  }

  @Test
  void loopsEndWhenTheCounterIsZero() {
    same(
        a -> {
          Label again = a.label("again");
          Label done = a.label("done");
          a.xor(EAX, EAX).movzx(ECX, Reg8.DIL).bind(again).jrcxz(done).add(RAX, RCX);
          a.lea(RCX, ptr(RCX).plus(-1)).jmp(again).bind(done).ret();
        },
        (p, _, _, _) -> (p & 0xFF) * ((p & 0xFF) + 1) / 2);
    same(
        a -> {
          Label again = a.label("again");
          a.mov(EAX, 1).mov(ECX, 20).bind(again).imul(RAX, RAX, 3).loop(again).ret();
        },
        (_, _, _, _) -> 3_486_784_401L);
  }

  @Test
  void callsComeBackAndKeepTheirOrder() {
    same(
        a -> {
          Label factorial = a.label("factorial");
          Label one = a.label("one");
          Label table = a.label("table");
          a.and(RDI, 15).push(RBX).lea(RAX, ptr(table)).call(ptr(RAX)).pop(RBX).ret();
          a.bind(factorial).cmp(RDI, 1).jbe(one).push(RDI).dec(RDI).call(factorial).pop(RDI);
          a.imul(RAX, RDI).ret().bind(one).mov(EAX, 1).ret();
          a.align(8, Padding.INT3).bind(table).dq(factorial);
        },
        (p, _, _, _) -> {
          long result = 1;
          for (long i = 2; i <= (p & 15); i++) {
            result *= i;
          }
          return result;
        });
  }

  @Test
  void dataIsReachedThroughLabelsAndRegisters() {
    long[] numbers = random.longs(16).toArray();
    same(
        a -> {
          Label table = a.label("table");
          a.and(RDI, 15).lea(R8, ptr(table)).mov(RAX, ptr(R8).index(RDI, 8));
          a.add(RAX, ptr(table).plus(8 * 15)).ret().align(8, Padding.INT3).bind(table).dq(numbers);
        },
        (p, _, _, _) -> numbers[(int) (p & 15)] + numbers[15]);
    same(
        a -> {
          Label begin = a.here("begin");
          Label end = a.label("end");
          a.lea(RAX, ptr(end)).lea(RCX, ptr(begin)).sub(RAX, RCX);
          a.sub(RAX, Imm.distance(begin, end)).mov(RDX, begin).cmp(RDX, RCX);
          a.set(Condition.E, Reg8.AL).movzx(EAX, Reg8.AL).ret().bind(end);
        },
        (_, _, _, _) -> 1);
  }

  @Test
  void memoryOfAllWidthsIsWritten() {
    try (Arena arena = Arena.ofConfined();
        NativeCode code =
            code(a ->
                a.mov(ptr(RDI), RSI)
                    .mov(ptr(RDI).plus(8), Reg32.ESI)
                    .mov(ptr(RDI).plus(12), Reg16.SI)
                    .mov(ptr(RDI).plus(14), Reg8.SIL)
                    .mov(ptr(RDI).plus(15).as8(), -1)
                    .mov(ptr(RDI).plus(16).as16(), 0x1234)
                    .mov(ptr(RDI).plus(18).as32(), 0x5678_9ABC)
                    .mov(ptr(RDI).plus(22).as64(), -2)
                    .inc(ptr(RDI).plus(30).as8())
                    .mov(RAX, RDI)
                    .ret())) {
      MemorySegment data = NativeCode.data(arena, new byte[32]);
      long address = data.address();
      assertEquals(address, code.call(address, 0x1122_3344_5566_7788L, 0, 0));
      assertEquals(0x1122_3344_5566_7788L, data.get(ValueLayout.JAVA_LONG, 0));
      assertEquals(0xFF88_7788_5566_7788L, data.get(ValueLayout.JAVA_LONG, 8));
      assertEquals(0x1234, data.get(ValueLayout.JAVA_SHORT, 16));
      assertEquals(0x5678_9ABC, data.get(ValueLayout.JAVA_INT_UNALIGNED, 18));
      assertEquals(-2, data.get(ValueLayout.JAVA_LONG_UNALIGNED, 22));
      assertEquals(1, data.get(ValueLayout.JAVA_BYTE, 30));
    }
  }

  @Test
  void lockedInstructionsExchange() {
    try (Arena arena = Arena.ofConfined();
        NativeCode code =
            code(a ->
                a.mov(RAX, RSI)
                    .lock()
                    .cmpxchg(ptr(RDI), RDX)
                    .set(Condition.E, Reg8.CL)
                    .movzx(ECX, Reg8.CL)
                    .mov(EDX, 5)
                    .lock()
                    .xadd(ptr(RDI).plus(8), RDX)
                    .lock()
                    .inc(ptr(RDI).plus(8).as64())
                    .lea(RAX, ptr(RAX).index(RCX, 1))
                    .ret())) {
      MemorySegment data = NativeCode.data(arena, new byte[16]);
      data.set(ValueLayout.JAVA_LONG, 0, 100);
      data.set(ValueLayout.JAVA_LONG, 8, 1000);
      assertEquals(101, code.call(data.address(), 100, 200, 0), "exchanged, and the old value");
      assertEquals(200, data.get(ValueLayout.JAVA_LONG, 0));
      assertEquals(200, code.call(data.address(), 100, 300, 0), "not exchanged: what is there");
      assertEquals(200, data.get(ValueLayout.JAVA_LONG, 0));
      assertEquals(1012, data.get(ValueLayout.JAVA_LONG, 8));
    }
  }

  @Test
  void stringsAreCopiedFilledAndSearched() {
    byte[] text = "what was written is what runs".getBytes(StandardCharsets.US_ASCII);
    try (Arena arena = Arena.ofConfined();
        NativeCode copy = code(a -> a.cld().mov(RCX, RDX).rep().movsb().mov(RAX, RDI).ret());
        NativeCode fill = code(a -> a.mov(EAX, Reg32.ESI).mov(RCX, RDX).rep().stosw().ret());
        NativeCode find =
            code(a ->
                a.mov(EAX, Reg32.ESI)
                    .mov(RCX, RDX)
                    .repne()
                    .scasb()
                    .lea(RAX, ptr(RDI).plus(-1))
                    .ret());
        NativeCode compare = code(a -> a.mov(RCX, RDX).repe().cmpsb().mov(RAX, RCX).ret())) {
      MemorySegment from = NativeCode.data(arena, text);
      MemorySegment to = NativeCode.data(arena, new byte[text.length]);
      assertEquals(
          to.address() + text.length, copy.call(to.address(), from.address(), text.length, 0));
      assertArrayEquals(text, to.toArray(ValueLayout.JAVA_BYTE));
      assertEquals(from.address() + 10, find.call(from.address(), 'r', text.length, 0));
      to.set(ValueLayout.JAVA_BYTE, 10, (byte) 0);
      assertEquals(text.length - 11, compare.call(from.address(), to.address(), text.length, 0));
      fill.call(to.address(), 0x4142, 3, 0);
      assertEquals(0x4142_4142, to.get(ValueLayout.JAVA_INT, 0));
      assertEquals(0x4142, to.get(ValueLayout.JAVA_SHORT, 4));
      assertEquals('a', to.get(ValueLayout.JAVA_BYTE, 6));
    }
  }

  @Test
  void vectorsAreMovedAddedAndCompared() {
    same(
        a ->
            a.movq(XMM0, RDI)
                .movq(XMM1, RSI)
                .op("PADDD", XMM0, XMM1)
                .pxor(XMM1, XMM1)
                .op("PUNPCKLQDQ", XMM0, XMM1)
                .movq(RAX, XMM0)
                .ret(),
        (p, q, _, _) -> ((int) p + (int) q & 0xFFFF_FFFFL) | ((p >>> 32) + (q >>> 32) << 32));
    same(
        a ->
            a.op("CVTSI2SD", XMM0, Reg32.EDI)
                .op("CVTSI2SD", XMM1, Reg32.ESI)
                .op("MULSD", XMM0, XMM1)
                .op("SQRTSD", XMM1, XMM0)
                .op("UCOMISD", XMM0, XMM0)
                .movq(RAX, XMM0)
                .ret(),
        (p, q, _, _) -> Double.doubleToRawLongBits((double) (int) p * (int) q));
    same(
        a ->
            a.push(RDI)
                .push(RSI)
                .movdqu(XMM0, ptr(RSP))
                .op("PSHUFD", XMM1, XMM0, Imm.imm(0x4E))
                .movdqu(ptr(RSP), XMM1)
                .pop(RAX)
                .pop(RCX)
                .sub(RAX, RCX)
                .ret(),
        (p, q, _, _) -> p - q);
  }

  @Test
  void registersBeyondTheOldEightAreReached() {
    same(
        a ->
            a.mov(R8, RDI)
                .mov(R9, RSI)
                .lea(R10, ptr(R8).index(R9, 2).plus(5))
                .movzx(EDX, Reg8.R10B)
                .mov(RAX, R10)
                .sub(RAX, RDX)
                .ret(),
        (p, q, _, _) -> {
          long sum = p + 2 * q + 5;
          return sum - (sum & 0xFF);
        });
  }
}
