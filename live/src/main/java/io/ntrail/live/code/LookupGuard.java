package io.ntrail.live.code;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.Arrays;
import java.util.List;

/**
 * Answers for Wine's {@code LdrFindEntryForAddress} when it is asked for the module of an address
 * that belongs to tracing: there is none.
 *
 * <p>Whoever looks for unwind data asks it. For an address of no module it walks the whole list of
 * modules, without the list's lock, while other threads may load and unload modules. What is not
 * ours is left to it.
 */
public final class LookupGuard {
  /** Bytes of the ranges in front of the code; the last one is empty. */
  public static final int RANGES = 0x4000;

  private static final int RANGE = 16;

  /** As many ranges as there is room for. */
  public static final int MOST_RANGES = RANGES / RANGE - 1;

  private static final int NO_MORE_ENTRIES = 0x8000_001A;
  private static final int JUMP = 5;

  private LookupGuard() {}

  /**
   * Memory that belongs to tracing.
   *
   * @param begin its first address
   * @param size bytes
   */
  public record Range(long begin, long size) {}

  /** The ranges as they lie in memory. */
  public static byte[] ranges(List<Range> ranges) {
    if (ranges.size() > MOST_RANGES) {
      throw new IllegalArgumentException(ranges.size() + " ranges");
    }
    BytesBuilder out = new BytesBuilder(RANGES);
    ranges.forEach(range -> out.u64(range.begin).u64(range.size));
    return out.zeros(RANGES - out.size()).toArray();
  }

  /**
   * The code, with which the function begins from now on. It uses registers only that a function
   * need not keep.
   *
   * @param ranges where the ranges lie
   */
  public static byte[] code(long ranges) {
    Assembler a = Assembler.x64();
    Label next = a.label("next");
    Label ours = a.label("ours");
    Label theirs = a.label("theirs");
    a.mov(R10, ranges)
        .bind(next)
        .mov(RAX, ptr(R10))
        .test(RAX, RAX)
        .jz(theirs)
        .mov(R11, RCX)
        .sub(R11, RAX)
        .cmp(R11, ptr(R10).plus(8))
        .jb(ours)
        .lea(R10, ptr(R10).plus(RANGE))
        .jmp(next)
        .bind(ours)
        .mov(EAX, NO_MORE_ENTRIES)
        .ret()
        .bind(theirs);
    return a.assemble().bytes();
  }

  /** Bytes of the code. */
  public static int codeSize() {
    return code(Long.MAX_VALUE).length;
  }

  /**
   * Where the ranges of a guard lie that another session left behind.
   *
   * @param found what lies where the function's jump goes, {@link #codeSize} bytes
   * @return 0 if that is no guard
   */
  public static long rangesOf(byte[] found) {
    if (found.length < codeSize() || found[0] != 0x49 || found[1] != (byte) 0xBA) {
      return 0;
    }
    long ranges = Bytes.copyOf(found, "guard").i64(2);
    return Arrays.equals(found, 0, codeSize(), code(ranges), 0, codeSize()) ? ranges : 0;
  }

  /**
   * The moved first instructions of the function and the jump to the rest.
   *
   * @param at where they will lie; less than 2 GiB from the function
   */
  public static byte[] body(TracedCode function, long at) {
    byte[] unit = function.unit();
    long rest = function.address() + unit.length - (at + unit.length + JUMP);
    if (!function.relative().isEmpty() || rest != (int) rest) {
      throw new IllegalArgumentException("a function that cannot be moved there");
    }
    return new BytesBuilder(unit.length + JUMP).bytes(unit).u8(0xE9).u32((int) rest).toArray();
  }
}
