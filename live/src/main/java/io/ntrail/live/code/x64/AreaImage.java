package io.ntrail.live.code.x64;

import static io.ntrail.live.code.x64.AreaLayout.CODE;
import static io.ntrail.live.code.x64.AreaLayout.DATA;
import static io.ntrail.live.code.x64.AreaLayout.DELTA;
import static io.ntrail.live.code.x64.AreaLayout.SLOTS;
import static io.ntrail.live.code.x64.AreaLayout.TABLE;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.code.AreaCode;
import io.ntrail.live.code.SessionLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * Content of areas: the same code for all of them, and data that depends on the number of the area.
 */
final class AreaImage implements AreaCode {
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
   * Assembles the areas of a session.
   *
   * @param record bytes of a record; 0: calls are added up
   */
  static AreaImage of(TlsOffsets words, int record, RuntimeBlock runtime) {
    BytesBuilder code = new BytesBuilder(DELTA);
    FunctionTableBuilder functions = new FunctionTableBuilder();
    code.zeros(AreaLayout.STRIDE);
    SlotCode.Assembled assembled = SlotCode.assemble(words, record, runtime.samples());
    int exit = assembled.exit();
    int handlerAt = TABLE + FunctionTableBuilder.ENTRY * (6 * SLOTS + 2) + 0x80;
    byte[] handler = SlotExceptionHandler.assemble(words, record, runtime.full(), exit);
    for (int slot = 0; slot < SLOTS; slot++) {
      int begin = code.size() + CODE - AreaLayout.HEAD;
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
          begin + exit + SlotCode.RETURN_POINT, begin + assembled.length(), UnwindBytes.EXIT);
      code.bytes(assembled.bytes(slot)).zeros(AreaLayout.STRIDE - assembled.length());
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
    return new AreaImage(
        code.toArray(), table.toArray(), functions.count(), exit, assembled.clocks(), runtime);
  }

  @Override
  public byte[] template(long area) {
    byte[] whole = new byte[TABLE - CODE + table.length];
    System.arraycopy(code, 0, whole, 0, code.length);
    System.arraycopy(table, 0, whole, TABLE - CODE, table.length);
    return whole;
  }

  @Override
  public int entries() {
    return entries;
  }

  /** Returns the offset of the return point in a slot. */
  int exit() {
    return exit;
  }

  /** Returns the offsets in a slot of the instructions that read the clock: 0F 31. */
  List<Integer> clocks() {
    return clocks;
  }

  @Override
  public int size() {
    return TABLE + (table.length + 0xFFF & ~0xFFF) - AreaLayout.HEAD;
  }

  @Override
  public byte[] data(int area) {
    BytesBuilder data = new BytesBuilder(DELTA);
    data.zeros((SLOTS + 2) * AreaLayout.STRIDE);
    for (int slot = 0; slot <= SLOTS; slot++) {
      int at = AreaLayout.data(slot) - DATA;
      data.setU64(at + AreaLayout.TRUE_CS, 0x33).setU64(at + AreaLayout.TRUE_SS, 0x2B);
      data.setU32(at + AreaLayout.META, area << 20 | slot << 8 | SessionLayout.ENTRY);
      data.setU64(at + AreaLayout.SLOW, slot == SLOTS ? runtime.overflow() : runtime.slow());
      data.setU64(at + AreaLayout.FULL, runtime.full());
      data.setU64(at + AreaLayout.STACK_ARGUMENTS, runtime.stackArguments());
      if (runtime.samples()) {
        data.setU64(at + AreaLayout.SAMPLING, runtime.sampling());
      }
    }
    return data.toArray();
  }

  @Override
  public int slots() {
    return AreaLayout.data(0);
  }

  @Override
  public int slotsBytes() {
    return AreaLayout.STRIDE * (SLOTS + 1);
  }

  @Override
  public List<SlotFrame> frames(long area, Bytes slots) {
    List<SlotFrame> frames = new ArrayList<>();
    // The last slot first: a tail call returns into the slot before, from the same place.
    for (int slot = SLOTS - 1; slot >= 0; slot--) {
      int at = AreaLayout.STRIDE * slot;
      frames.add(
          new SlotFrame(
              slots.i64(at + AreaLayout.KEY) - Long.BYTES,
              area + AreaLayout.code(slot) + exit,
              slots.i64(at + AreaLayout.RET)));
    }
    return frames;
  }
}
