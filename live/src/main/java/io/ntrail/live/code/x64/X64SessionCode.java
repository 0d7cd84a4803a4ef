package io.ntrail.live.code.x64;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.AreaCode;
import io.ntrail.live.code.CallTables;
import io.ntrail.live.code.OverheadTest;
import io.ntrail.live.code.RuntimeImage;
import io.ntrail.live.code.SessionAddresses;
import io.ntrail.live.code.SessionCode;
import io.ntrail.live.code.SlotOverheadTest;
import io.ntrail.live.code.StubWriter;
import io.ntrail.live.code.UnwindTest;
import java.util.function.ToLongFunction;

/** Code of one session for x64. */
final class X64SessionCode implements SessionCode {
  /** Offsets in the runtime block: after the code its function table, then routines. */
  private static final int TABLE = AreaLayout.CODE + 0x2000;

  private static final int END = TABLE + 0x2000;

  private final TlsOffsets tls;
  private final CallTables tables;
  private final long cells;
  private final RuntimeBlock runtime;
  private final int record;
  private final RuntimeImage image;
  private final AreaImage areas;

  X64SessionCode(SessionAddresses addresses) {
    this.record = addresses.records().bytes();
    this.tls = TlsOffsets.of(addresses.tls());
    this.tables = addresses.tables();
    this.cells = addresses.cells();
    int slotRecord = tables.exist() ? 0 : record;
    this.runtime =
        RuntimeBlock.at(
            addresses.block(),
            addresses.control(),
            addresses.chunks(),
            tls,
            addresses.records(),
            tables,
            addresses.samples(),
            addresses.query());
    this.areas = AreaImage.of(tls, slotRecord, runtime);
    byte[] code = runtime.bytes();
    if (code.length > TABLE - AreaLayout.CODE) {
      throw new IllegalStateException("the runtime block is too small");
    }
    BytesBuilder all = new BytesBuilder(END - AreaLayout.CODE).bytes(code);
    all.zeros(TABLE - AreaLayout.CODE - code.length);
    all.bytes(runtime.table(TABLE - AreaLayout.CODE));
    int register = add(all, TargetRoutines.register());
    int selfTest = add(all, TargetRoutines.selfTest());
    int overhead = add(all, TargetRoutines.cost(tls, record, tables.detail()));
    int touch = add(all, TargetRoutines.touch());
    int unregister = add(all, TargetRoutines.unregister());
    int copyAreas = add(all, TargetRoutines.copyAreas(areas.size()));
    if (all.size() > END - AreaLayout.CODE) {
      throw new IllegalStateException("the runtime block is too small");
    }
    this.image =
        new RuntimeImage(
            AreaLayout.INDEX,
            AreaLayout.CODE,
            END,
            all.toArray(),
            TABLE,
            runtime.entries(),
            new RuntimeImage.Routines(register, unregister, touch, copyAreas, selfTest, overhead));
  }

  private static int add(BytesBuilder all, byte[] routine) {
    all.zeros((all.size() + 0x3F & ~0x3F) - all.size());
    int at = AreaLayout.CODE + all.size();
    all.bytes(routine);
    return at;
  }

  @Override
  public RuntimeImage runtime() {
    return image;
  }

  @Override
  public AreaCode areas() {
    return areas;
  }

  @Override
  public long stubBytes(int functions) {
    return StubBlock.size(functions, tables, cells);
  }

  @Override
  public StubWriter stubs(long base) {
    return new StubBlock(base, tls, tables, cells, runtime);
  }

  @Override
  public UnwindTest unwindTest(long area, ToLongFunction<String> functions) {
    return new SlotUnwindTest(area, areas, functions);
  }

  @Override
  public OverheadTest overheadTest(long area) {
    return new SlotOverheadTest(
        area,
        area + AreaLayout.code(0),
        AreaLayout.STRIDE,
        areas.clocks(),
        SlotOverheadTest.calls(record));
  }
}
