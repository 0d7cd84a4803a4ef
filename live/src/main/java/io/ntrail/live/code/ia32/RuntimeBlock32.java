package io.ntrail.live.code.ia32;

import io.ntrail.live.code.SessionAddresses;
import io.ntrail.programs.x86.asm.AssembledCode;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.Padding;
import io.ntrail.programs.x86.asm.operands.Label;

/**
 * Runtime block of a session, with the rare cases of stubs and slots: a stack's first traced call,
 * a slot that finds another stack or a stale frame below it, the end of a chunk of records,
 * functions whose entries alone are recorded.
 *
 * <p>It takes no lock and allocates nothing, and makes two system calls only where memory is copied
 * that arguments point to: it runs under any lock of the target. Flags and all registers but those
 * that stubs saved stay as they are.
 */
final class RuntimeBlock32 {
  private final RoutineContext32 parts;
  private final long base;
  private final AssembledCode code;

  /**
   * Assembles the block.
   *
   * @param addresses of the session; the block is like an area, with its head and spill, and {@link
   *     AreaLayout32#INDEX} in front of them; the code lies at {@link AreaLayout32#CODE}
   */
  RuntimeBlock32(SessionAddresses addresses) {
    if (addresses.block() % AreaLayout32.ALIGNMENT != 0) {
      throw new IllegalArgumentException("a block at 0x" + Long.toHexString(addresses.block()));
    }
    base = addresses.block() + AreaLayout32.CODE;
    parts = RoutineContext32.of(addresses);
    SlowPathRoutines32 stacks = new SlowPathRoutines32(parts);
    ChunkRoutines32 chunks = new ChunkRoutines32(parts);
    ArgumentRoutine arguments = new ArgumentRoutine(parts);
    CopyRoutine32 copying = new CopyRoutine32(parts, arguments.begin, stacks.untraced);
    boolean copies = parts.addresses().records().copies().exist();
    Label recording = copies ? copying.begin : arguments.begin;
    TableRoutines32 tables = new TableRoutines32(parts, stacks.firstCall, stacks.untraced);
    SlotTotals32 totals = new SlotTotals32(parts);
    StackSampling32 sampling = new StackSampling32(parts);
    EntryOnlyRoutine32 entries =
        new EntryOnlyRoutine32(parts, stacks.firstCall, recording, sampling.begin, chunks.full);
    AreaRoutines32 areas = new AreaRoutines32(parts);
    boolean adds = parts.tables().exist();
    boolean samples = parts.samples().exist();
    Assembler a = parts.assembler();
    Label none = a.label("none");
    // In the order of RuntimeCells.
    a.dd(stacks.slow)
        .dd(stacks.overflow)
        .dd(stacks.init)
        .dd(chunks.full)
        .dd(entries.entryOnly)
        .dd(adds ? tables.count : none)
        .dd(recording)
        .dd(adds ? totals.enter : none)
        .dd(adds ? totals.leave : none)
        .dd(samples ? sampling.begin : none)
        .pad(RuntimeCells.BYTES - 10 * Integer.BYTES, Padding.ZERO);
    stacks.write(areas, adds ? tables.firstTable : chunks.firstChunk, entries.entryOnly);
    if (adds) {
      tables.write();
      totals.write();
    }
    entries.write();
    areas.write();
    chunks.write(stacks.untraced);
    arguments.write();
    if (copies) {
      copying.write();
    }
    if (samples) {
      sampling.write();
    }
    a.bind(none).int3();
    code = a.assemble();
  }

  RoutineContext32 parts() {
    return parts;
  }

  /** Returns the code. */
  byte[] bytes() {
    return code.bytesAt(base);
  }
}
