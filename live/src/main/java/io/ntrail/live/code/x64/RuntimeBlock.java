package io.ntrail.live.code.x64;

import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.RecordLayout;
import io.ntrail.live.code.SamplePlaces;
import io.ntrail.programs.x86.asm.AssembledCode;

/**
 * Runtime block of a session, with the rare cases of stubs and slots: a stack's first traced call,
 * a slot that finds another stack or a stale frame below it, the end of a chunk of records,
 * functions whose entries alone are recorded.
 *
 * <p>It takes no lock and allocates nothing, and makes one system call only where memory is copied
 * that arguments point to: it runs under any lock of the target. Flags and all registers but those
 * that stubs saved stay as they are.
 */
final class RuntimeBlock {
  private final RoutineContext parts;
  private final SlowPathRoutines stacks;
  private final EntryOnlyRoutine entries;
  private final ChunkRoutines chunks;
  private final TableRoutines tables;
  private final ArgumentRoutines arguments;
  private final StackSampling sampling;
  private final long base;
  private final AssembledCode code;

  private RuntimeBlock(long base, RoutineContext parts) {
    this.base = base;
    this.parts = parts;
    stacks = new SlowPathRoutines(parts);
    chunks = new ChunkRoutines(parts);
    arguments = new ArgumentRoutines(parts, stacks.untraced);
    tables = new TableRoutines(parts, stacks.firstCall, stacks.untraced);
    sampling = new StackSampling(parts);
    entries =
        new EntryOnlyRoutine(parts, stacks.firstCall, arguments.begin, sampling.begin, chunks.full);
    AreaRoutines areas = new AreaRoutines(parts);
    boolean adds = parts.tables().exist();
    stacks.write(areas, adds ? tables.firstTable : chunks.firstChunk, entries.entryOnly);
    if (adds) {
      tables.write();
    }
    entries.write();
    areas.write();
    chunks.write(stacks.untraced);
    arguments.write();
    if (parts.samples().exist()) {
      sampling.write();
    }
    code = parts.assembler().assemble();
  }

  /**
   * Assembles the block.
   *
   * @param block the beginning of a block like an area's, with its head and spill, and {@link
   *     AreaLayout#INDEX} in front of them; the code lies at {@link AreaLayout#CODE}
   * @param control where the target has the session file mapped
   * @param chunks how many the file may have
   * @param records size and content of records
   * @param tables where calls are added up in place of records
   * @param samples where stacks are copied to
   * @param query address of NtQueryVirtualMemory, where memory is copied
   */
  static RuntimeBlock at(
      long block,
      long control,
      int chunks,
      TlsOffsets words,
      RecordLayout records,
      CallTables tables,
      SamplePlaces samples,
      long query) {
    if (block % AreaLayout.ALIGNMENT != 0) {
      throw new IllegalArgumentException("a block at 0x" + Long.toHexString(block));
    }
    return new RuntimeBlock(
        block + AreaLayout.CODE,
        RoutineContext.of(block, control, chunks, words, records, tables, samples, query));
  }

  /** Returns the code. */
  byte[] bytes() {
    return code.bytesAt(base);
  }

  /**
   * Returns its function table, with the unwind data after it.
   *
   * @param at distance of the table from the code, which is the base of its addresses
   */
  byte[] table(int at) {
    return parts.functions(code).bytes(at);
  }

  /** Returns the number of entries of the function table. */
  int entries() {
    return parts.functions(code).count();
  }

  /** Returns the address of the slow path of slots. */
  long slow() {
    return base + code.offset(stacks.slow);
  }

  /** Returns the address of the routine for stacks without a free slot. */
  long overflow() {
    return base + code.offset(stacks.overflow);
  }

  /** Returns the address of the routine for unknown threads. */
  long init() {
    return base + code.offset(stacks.init);
  }

  /** Returns the address of the routine for functions whose entries alone are recorded. */
  long entryOnly() {
    return base + code.offset(entries.entryOnly);
  }

  /**
   * Returns the address of the routine for calls that stubs count, of threads without a table; 0 if
   * there are no tables.
   */
  long count() {
    return parts.tables().exist() ? base + code.offset(tables.count) : 0;
  }

  /** Returns the address of the routine for the end of a chunk or of a spill. */
  long full() {
    return base + code.offset(chunks.full);
  }

  /** Returns whether stacks are sampled. */
  boolean samples() {
    return parts.samples().exist();
  }

  /** Returns the address of the routine that samples stacks, where that is done. */
  long sampling() {
    return base + code.offset(sampling.begin);
  }

  /**
   * Returns the address of the routine that records arguments on the stack, and memory that
   * arguments point to ({@link ArgumentRoutines}).
   */
  long stackArguments() {
    return base + code.offset(arguments.begin);
  }
}
