package io.ntrail.live.code.x64;

import static io.ntrail.live.code.x64.AreaLayout.CODE;
import static io.ntrail.live.code.x64.AreaLayout.DATA;
import static io.ntrail.live.code.x64.AreaLayout.DELTA;
import static io.ntrail.live.code.x64.AreaLayout.SLOTS;
import static io.ntrail.live.code.x64.AreaLayout.TABLE;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.ControlBlockLayout;
import java.util.List;

/**
 * What is written into the memory of areas: the same code for all of them, and data that differs by
 * the number of the area.
 */
public final class AreaImage {
  private final byte[] code;
  private final byte[] table;
  private final int entries;
  private final int exit;
  private final List<Integer> clocks;
  private final RuntimeBlock runtime;

  private AreaImage(
      byte[] code,
      byte[] table,
      int entries,
      int exit,
      List<Integer> clocks,
      RuntimeBlock runtime) {
    this.code = code;
    this.table = table;
    this.entries = entries;
    this.exit = exit;
    this.clocks = clocks;
    this.runtime = runtime;
  }

  /**
   * The areas of a session.
   *
   * @param record bytes of a record
   */
  public static AreaImage of(TlsOffsets words, int record, RuntimeBlock runtime) {
    BytesBuilder code = new BytesBuilder(DELTA);
    FunctionTableBuilder functions = new FunctionTableBuilder();
    code.zeros(AreaLayout.STRIDE);
    int exit = 0;
    List<Integer> clocks = List.of();
    int handlerAt = TABLE + FunctionTableBuilder.ENTRY * (6 * SLOTS + 2) + 0x80;
    byte[] handler =
        SlotExceptionHandler.assemble(words, record, runtime.full(), exitOf(words, record));
    for (int slot = 0; slot < SLOTS; slot++) {
      SlotCode.Assembled assembled = SlotCode.assemble(words, slot, record);
      int begin = code.size() + CODE - AreaLayout.HEAD;
      exit = assembled.exit();
      clocks = assembled.clocks();
      functions.add(begin, begin + assembled.three(), UnwindBytes.PUSHED_2);
      functions.add(begin + assembled.three(), begin + assembled.two(), UnwindBytes.PUSHED_3);
      functions.add(begin + assembled.two(), begin + assembled.call(), UnwindBytes.PUSHED_2);
      functions.add(begin + assembled.call(), begin + exit - 1, UnwindBytes.CALL);
      // From the byte before on: some walkers look up the address before a return address.
      functions.addSlot(
          begin + exit - 1,
          begin + exit + SlotCode.RETURN_POINT,
          DELTA + AreaLayout.TRUE_RIP - exit,
          handlerAt - AreaLayout.HEAD);
      functions.add(
          begin + exit + SlotCode.RETURN_POINT, begin + assembled.bytes().length, UnwindBytes.EXIT);
      code.bytes(assembled.bytes()).zeros(AreaLayout.STRIDE - assembled.bytes().length);
    }
    int overflow = code.size() + CODE - AreaLayout.HEAD;
    byte[] last = SlotCode.overflow();
    functions.add(overflow, overflow + last.length, UnwindBytes.PUSHED_2);
    code.bytes(last);
    int handlerBegin = handlerAt - AreaLayout.HEAD;
    SlotExceptionHandler.describe(functions, handlerBegin, handler.length);
    BytesBuilder table = new BytesBuilder(1 << 14);
    table.bytes(functions.bytes(TABLE - AreaLayout.HEAD));
    table.zeros(handlerAt - TABLE - table.size()).bytes(handler);
    return new AreaImage(code.toArray(), table.toArray(), functions.count(), exit, clocks, runtime);
  }

  private static int exitOf(TlsOffsets words, int record) {
    return SlotCode.assemble(words, 0, record).exit();
  }

  /** What lies at {@link AreaLayout#CODE} of each area. */
  public byte[] code() {
    return code.clone();
  }

  /** What lies at {@link AreaLayout#TABLE} of each area; its addresses count from the head. */
  public byte[] table() {
    return table.clone();
  }

  /** Entries of the function table. */
  public int entries() {
    return entries;
  }

  /** Distance of the return point from the beginning of a slot. */
  public int exit() {
    return exit;
  }

  /** Distances from the beginning of a slot of the instructions that read the clock: 0F 31. */
  public List<Integer> clocks() {
    return clocks;
  }

  /** Bytes from the head to the end of the memory that an area needs. */
  public int size() {
    return TABLE + (table.length + 0xFFF & ~0xFFF) - AreaLayout.HEAD;
  }

  /** What lies at {@link AreaLayout#DATA} of an area. */
  public byte[] data(int area) {
    BytesBuilder data = new BytesBuilder(DELTA);
    data.zeros((SLOTS + 2) * AreaLayout.STRIDE);
    for (int slot = 0; slot <= SLOTS; slot++) {
      int at = AreaLayout.data(slot) - DATA;
      data.setU64(at + AreaLayout.TRUE_CS, 0x33).setU64(at + AreaLayout.TRUE_SS, 0x2B);
      data.setU32(at + AreaLayout.META, area << 20 | slot << 8 | ControlBlockLayout.ENTRY);
      data.setU64(at + AreaLayout.SLOW, slot == SLOTS ? runtime.overflow() : runtime.slow());
      data.setU64(at + AreaLayout.FULL, runtime.full());
      data.setU64(at + AreaLayout.STACK_ARGUMENTS, runtime.stackArguments());
    }
    return data.toArray();
  }
}
