package io.ntrail.live.code.x64;

import static io.ntrail.programs.x86.asm.operands.Mem.ptr;
import static io.ntrail.programs.x86.asm.operands.Reg32.EAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.R10;
import static io.ntrail.programs.x86.asm.operands.Reg64.R11;
import static io.ntrail.programs.x86.asm.operands.Reg64.RAX;
import static io.ntrail.programs.x86.asm.operands.Reg64.RCX;
import static io.ntrail.programs.x86.asm.operands.Reg8.AL;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.GuardCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Answers for Wine's {@code LdrFindEntryForAddress} for addresses that belong to tracing: no
 * module.
 *
 * <p>Every search for unwind data calls it. For an address of no module it walks the whole list of
 * modules, without the list's lock, while other threads may load and unload modules. What is not
 * ours is left to it.
 */
final class LookupGuard implements GuardCode {
  /** Size of the table, which an empty range ends. */
  private static final int TABLE = 0x4000;

  private static final int RANGE = 16;

  /** Lowest bit of an address in the table, whose lowest byte is free: the range is whole. */
  private static final int WHOLE = 1;

  private static final int FREE = 0xFF;
  private static final int NO_MORE_ENTRIES = 0x8000_001A;

  @Override
  public int tableBytes() {
    return TABLE;
  }

  @Override
  public int maxRanges() {
    return TABLE / RANGE - 1;
  }

  @Override
  public byte[] table(List<Range> ranges) {
    if (ranges.size() > maxRanges()) {
      throw new IllegalArgumentException(ranges.size() + " ranges");
    }
    BytesBuilder out = new BytesBuilder(TABLE);
    ranges.forEach(range -> out.bytes(entry(range)));
    return out.zeros(TABLE - out.size()).toArray();
  }

  private static byte[] entry(Range range) {
    if ((range.begin() & FREE) != 0) {
      throw new IllegalArgumentException("begins at 0x%x".formatted(range.begin()));
    }
    return new BytesBuilder(RANGE).u64(range.begin() | WHOLE).u64(range.size()).toArray();
  }

  @Override
  public List<Piece> added(int place, Range range) {
    byte[] entry = entry(range);
    // The byte with the lowest bit last: a write of one byte is not torn.
    return List.of(
        new Piece(place * RANGE + 1, Arrays.copyOfRange(entry, 1, RANGE)),
        new Piece(place * RANGE, Arrays.copyOf(entry, 1)));
  }

  @Override
  public List<Range> ranges(Bytes table) {
    List<Range> found = new ArrayList<>();
    for (int at = 0; (table.u8(at) & WHOLE) != 0; at += RANGE) {
      found.add(new Range(table.i64(at) - WHOLE, table.i64(at + 8)));
    }
    return found;
  }

  /** It uses only registers that a function need not preserve. */
  @Override
  public byte[] code(long table) {
    Assembler a = Assembler.x64();
    Label next = a.label("next");
    Label ours = a.label("ours");
    Label theirs = a.label("theirs");
    a.mov(R10, table)
        .bind(next)
        .mov(RAX, ptr(R10))
        .test(AL, WHOLE)
        .jz(theirs)
        .sub(RAX, WHOLE)
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

  @Override
  public int codeSize() {
    return code(Long.MAX_VALUE).length;
  }

  @Override
  public long tableOf(byte[] found) {
    if (found.length < codeSize() || found[0] != 0x49 || found[1] != (byte) 0xBA) {
      return 0;
    }
    long table = Bytes.copyOf(found, "guard").i64(2);
    return Arrays.equals(found, 0, codeSize(), code(table), 0, codeSize()) ? table : 0;
  }
}
