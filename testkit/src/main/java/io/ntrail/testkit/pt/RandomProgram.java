package io.ntrail.testkit.pt;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.pt.PtEncoder.Kind;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;

/**
 * A program without end that is the same for a seed: functions that call later ones directly and
 * through registers and tables, loops, switches, deep recursion, repeated instructions, and, if
 * wanted, returns to where no call came from. Its numbers come from a generator in its own
 * registers, so that only a processor knows where it goes.
 */
public final class RandomProgram {
  private static final int FUNCTIONS = 12;
  private static final int MOST_BLOCKS = 8;
  private static final long STACK_BYTES = 0x2_0000;
  private static final long DATA_BYTES = 0x1000;
  private static final int DEEP = 90;

  private final SplittableRandom random;
  private final int bits;
  private final long base;
  private final boolean strayReturns;
  private final LittleEndian code = new LittleEndian(1 << 14);
  private final Map<String, Long> labels = new HashMap<>();
  private final List<Fixup> fixups = new ArrayList<>();
  private final TreeMap<Long, Instruction> instructions = new TreeMap<>();
  private int begun = -1;
  private Kind kind = Kind.OTHER;

  /** Place that needs the address of a label: so many bytes, relative to their end or not. */
  private record Fixup(int at, int size, boolean relative, String label) {}

  private record Instruction(Kind kind, long after) {}

  /** Receiver of the instructions of a run. */
  @FunctionalInterface
  public interface Steps {
    /** An instruction was executed; see {@link PtEncoder#step}. */
    void step(Kind kind, long ip, long after, long next);
  }

  /**
   * Writes a program.
   *
   * @param bits 32 or 64
   * @param base address of its first byte and of its first instruction
   * @param strayReturns some returns go to where no call came from
   */
  public RandomProgram(long seed, int bits, long base, boolean strayReturns) {
    this.random = new SplittableRandom(seed);
    this.bits = bits;
    this.base = base;
    this.strayReturns = strayReturns;
    for (int function = 0; function < FUNCTIONS; function++) {
      function(function);
    }
    recursion();
    fixups.forEach(this::fix);
  }

  /** Returns its bytes, from the base on. */
  public byte[] code() {
    return code.toByteArray();
  }

  /** Returns the address of its first byte. */
  public long base() {
    return base;
  }

  /**
   * Runs it.
   *
   * @param most number of steps
   * @return address of the next instruction
   */
  public long run(UnicornMachine machine, long most, Steps steps) throws IOException {
    long size = code.size() + 0x1FFFL & -0x1000L;
    long stack = data() + DATA_BYTES;
    machine.reset(bits);
    machine.map(base & -0x1000L, size);
    machine.write(base, code());
    machine.map(data(), DATA_BYTES + STACK_BYTES);
    machine.setRegister(UnicornMachine.SP, stack + STACK_BYTES - 0x100);
    machine.setRegister(0, random.nextInt());
    long[] last = {-1};
    UnicornRun.End end =
        machine.run(
            new UnicornRun(base, -1, 0, 0, most, 0, UnicornRun.ADDRESSES),
            new UnicornRun.Listener() {
              @Override
              public void instruction(long address, long[] general, long[] vectors) {
                step(last[0], address, steps);
                last[0] = address;
              }
            });
    if (end.reason() != UnicornRun.Reason.MOST) {
      throw new IOException("the program ended: " + end + " at 0x" + Long.toHexString(end.ip()));
    }
    step(last[0], end.ip(), steps);
    return end.ip();
  }

  private void step(long ip, long next, Steps steps) {
    if (ip == -1) {
      return;
    }
    Instruction its = instructions.get(ip);
    if (its == null) {
      throw new IllegalStateException("nothing was written at 0x" + Long.toHexString(ip));
    }
    if (its.kind != Kind.REPEAT || next != ip) {
      steps.step(its.kind, ip, its.after, next);
    }
  }

  private long data() {
    return (base & -0x1000L) + 0x10_0000;
  }

  private long here() {
    return base + code.size();
  }

  /** Begins an instruction; the one before it ends. */
  private LittleEndian op(Kind next) {
    end();
    begun = code.size();
    kind = next;
    return code;
  }

  private LittleEndian op() {
    return op(Kind.OTHER);
  }

  private void end() {
    if (begun >= 0) {
      instructions.put(base + begun, new Instruction(kind, here()));
      begun = -1;
    }
  }

  private void label(String name) {
    end();
    labels.put(name, here());
  }

  private void to(String label, int size, boolean relative) {
    fixups.add(new Fixup(code.size(), size, relative, label));
    code.zeros(size);
  }

  private void fix(Fixup fixup) {
    long target = Objects.requireNonNull(labels.get(fixup.label), fixup.label);
    long value = fixup.relative ? target - (base + fixup.at + fixup.size) : target;
    if (fixup.size == 1 && value != (byte) value) {
      throw new IllegalStateException(fixup + " is too far away");
    }
    switch (fixup.size) {
      case 1 -> code.setU8(fixup.at, (int) value);
      case 4 -> code.setU32(fixup.at, value);
      default -> {
        code.setU32(fixup.at, value);
        code.setU32(fixup.at + 4, value >>> 32);
      }
    }
  }

  private void function(int number) {
    if (number > 0 && random.nextInt(3) == 0) {
      end();
      code.fill(random.nextInt(15), 0xCC);
    }
    label("f" + number);
    int blocks = 2 + random.nextInt(MOST_BLOCKS);
    for (int block = 0; block < blocks; block++) {
      label(block(number, block));
      fill();
      body(number, block, blocks);
    }
    label(block(number, blocks));
    fill();
    if (number == 0) {
      // Without a branch that is told, nobody could say how often it came around.
      conditional(block(0, 0));
      jump(block(0, 0));
    } else if (random.nextInt(4) == 0) {
      op(Kind.RETURN).u8(0xC2).u16(0);
    } else {
      op(Kind.RETURN).u8(0xC3);
    }
    end();
  }

  private static String block(int function, int block) {
    return "f" + function + "." + block;
  }

  private void body(int number, int block, int blocks) {
    String next = block(number, block + 1);
    String any = block(number, block + 1 + random.nextInt(blocks - block));
    switch (random.nextInt(strayReturns ? 14 : 12)) {
      case 0, 1, 2 -> conditional(any);
      // With less than one half it ends.
      case 3 -> conditional(block(number, random.nextInt(block + 1)));
      case 4 -> jump(any);
      case 5, 6 -> call(number);
      case 7 -> indirectCall(number);
      case 8 -> choose(number, block, blocks);
      case 9 -> loop();
      case 10 -> repeat();
      case 11 -> odd(next);
      case 12 -> strayReturn(any);
      default -> thunk(any);
    }
  }

  /** Draws the next number, and makes a bit of it the zero flag. */
  private void draw() {
    op().u8(0x69).u8(0xC0).u32(1103515245);
    op().u8(0x05).u32(12345);
    op().u8(0xA9).u32(0x0801_0000L << random.nextInt(4));
  }

  private void conditional(String target) {
    draw();
    // Zero of two bits: three of four times not.
    op(Kind.CONDITIONAL).u8(0x0F).u8(0x84);
    to(target, 4, true);
  }

  private void jump(String target) {
    op(Kind.JUMP).u8(0xE9);
    to(target, 4, true);
  }

  private String callee(int number) {
    int later = FUNCTIONS - 1 - number;
    return later == 0 || random.nextInt(6) == 0
        ? "deep"
        : "f" + (number + 1 + random.nextInt(later));
  }

  private void call(int number) {
    op(Kind.CALL).u8(0xE8);
    to(callee(number), 4, true);
  }

  /** Moves the address of a label into a register. */
  private void address(int register, String label) {
    if (bits == 64) {
      op().u8(0x48).u8(0xB8 + register);
      to(label, 8, false);
    } else {
      op().u8(0xB8 + register);
      to(label, 4, false);
    }
  }

  private void indirectCall(int number) {
    address(2, callee(number));
    op(Kind.INDIRECT_CALL).u8(0xFF).u8(0xD2);
  }

  /** A switch over four blocks, through a table behind the jump. */
  private void choose(int number, int block, int blocks) {
    String table = "t" + number + "." + block;
    draw();
    op().u8(0x89).u8(0xC1);
    op().u8(0xC1).u8(0xE9).u8(18);
    op().u8(0x83).u8(0xE1).u8(3);
    address(2, table);
    op(Kind.INDIRECT_JUMP).u8(0xFF).u8(0x24).u8(bits == 64 ? 0xCA : 0x8A);
    label(table);
    for (int i = 0; i < 4; i++) {
      to(block(number, block + 1 + random.nextInt(blocks - block)), bits / 8, false);
    }
  }

  private void loop() {
    String begin = "l" + code.size();
    op().u8(0xB9).u32(1 + random.nextInt(20));
    label(begin);
    fill();
    op(Kind.CONDITIONAL).u8(0xE2);
    to(begin, 1, true);
  }

  private void repeat() {
    if (bits == 64) {
      op().u8(0x48).u8(0xBF).u64(data());
    } else {
      op().u8(0xBF).u32(data());
    }
    op().u8(0xB9).u32(random.nextInt(9));
    op(Kind.REPEAT).u8(0xF3).u8(0xAA);
  }

  /** A call of the next instruction, or JECXZ. */
  private void odd(String next) {
    if (random.nextBoolean()) {
      op(Kind.CALL).u8(0xE8).u32(0);
      op().u8(0x5A);
    } else {
      op(Kind.CONDITIONAL).u8(0xE3);
      String over = "o" + code.size();
      to(over, 1, true);
      fill();
      label(over);
      jump(next);
    }
  }

  private void strayReturn(String target) {
    address(2, target);
    op().u8(0x52);
    op(Kind.RETURN).u8(0xC3);
  }

  /** A call over a trap whose return address is replaced, as against speculation. */
  private void thunk(String target) {
    String over = "r" + code.size();
    op(Kind.CALL).u8(0xE8);
    to(over, 4, true);
    op().u8(0xF3).u8(0x90);
    label(over);
    address(2, target);
    if (bits == 64) {
      op().u8(0x48);
    } else {
      op();
    }
    code.u8(0x89).u8(0x14).u8(0x24);
    op(Kind.RETURN).u8(0xC3);
  }

  /** A function that calls itself more often than the processor remembers calls. */
  private void recursion() {
    label("deep");
    op().u8(0xBE).u32(DEEP);
    label("deeper");
    op().u8(0x83).u8(0xEE).u8(1);
    op(Kind.CONDITIONAL).u8(0x74);
    to("flat", 1, true);
    op(Kind.CALL).u8(0xE8);
    to("deeper", 4, true);
    fill();
    label("flat");
    op(Kind.RETURN).u8(0xC3);
    end();
  }

  /** Instructions that do nothing that matters; eax, esi and the stack pointer stay. */
  private void fill() {
    for (int i = random.nextInt(4); i > 0; i--) {
      switch (random.nextInt(8)) {
        case 0 -> op().u8(0x90);
        case 1 -> op().u8(0x0F).u8(0x1F).u8(0x44).u8(0).u8(0);
        case 2 -> op().u8(0x8D).u8(0x5B).u8(random.nextInt(128));
        case 3 -> op().u8(0x66).u8(0x0F).u8(0xEF).u8(0xC0);
        case 4 -> op().u8(0xBB).u32(random.nextInt());
        case 5 -> op().u8(0x0F).u8(0xB6).u8(0xDB);
        case 6 -> op().u8(0x2E).u8(0x66).u8(0x0F).u8(0x1F).u8(0x84).u32(0).u8(0);
        default -> op().u8(0x01).u8(0xDB);
      }
    }
  }
}
