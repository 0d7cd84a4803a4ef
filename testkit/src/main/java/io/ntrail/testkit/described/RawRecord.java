package io.ntrail.testkit.described;

import io.ntrail.testkit.compress.ReferenceDecoders;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/**
 * An event record (EVENT_HEADER) or a class record (EVENT_TRACE_HEADER) of a recording, walked
 * without anything but the format's description: no order in time, no tolerance of damage.
 *
 * @param classic whether it is a class record; then id is -1 and {@code provider} is the class
 * @param buffer which buffer of the file, the header buffer is 0
 * @param offset of the record in its buffer's inflated bytes, counted from the buffer's start
 * @param traits the data of the extended item 12, empty without one
 * @param schema the data of the extended item 11, empty without one
 */
public record RawRecord(
    boolean classic,
    int buffer,
    int offset,
    String provider,
    int id,
    int version,
    int opcode,
    int flags,
    long pid,
    long tid,
    long time,
    int pointer,
    Blob traits,
    Blob schema,
    Blob payload) {
  private static final int BUFFER_HEADER = 72;

  /**
   * Calls {@code each} for the event and class records of a recording, in the order of the file.
   *
   * @param file the bytes of an undamaged {@code .etl}, its buffers plain or XPRESS
   */
  public static void walk(byte[] file, Consumer<RawRecord> each) {
    int at = 0;
    for (int buffer = 0; at + BUFFER_HEADER <= file.length; buffer++) {
      int size = (int) new PayloadReader(file, at).u32();
      if (size < BUFFER_HEADER) {
        break;
      }
      boolean packed = (new PayloadReader(file, at + 0x34).u16() & 0x40) != 0;
      int end = (int) new PayloadReader(file, at + 0x30).u32();
      byte[] area;
      if (packed) {
        int inflated = (int) new PayloadReader(file, at + 4).u32() - BUFFER_HEADER;
        byte[] input = Arrays.copyOfRange(file, at + BUFFER_HEADER, at + size);
        area = ReferenceDecoders.xpress(input, inflated);
      } else {
        area = Arrays.copyOfRange(file, at + BUFFER_HEADER, Math.min(at + end, file.length));
      }
      records(buffer, area, each);
      at += size;
    }
  }

  /** All event and class records of a recording, in the order of the file. */
  public static List<RawRecord> all(byte[] file) {
    List<RawRecord> out = new ArrayList<>();
    walk(file, out::add);
    return out;
  }

  private static void records(int buffer, byte[] area, Consumer<RawRecord> each) {
    int at = 0;
    while (at + 8 <= area.length) {
      long marker = new PayloadReader(area, at).u32();
      int top = (int) (marker >>> 24);
      int type = (int) (marker >>> 16 & 0xFF);
      int size;
      if (top == 0xC0) {
        boolean sizeBehind = type <= 4 || type == 16 || type == 17;
        size = sizeBehind ? new PayloadReader(area, at + 4).u16() : (int) (marker & 0xFFFF);
      } else if (top >>> 4 == 9) {
        size = (int) (marker & 0xFFFF);
      } else {
        return;
      }
      if (size < 8 || at + size > area.length) {
        return;
      }
      byte[] record = Arrays.copyOfRange(area, at, at + size);
      int offset = at + BUFFER_HEADER;
      if (top == 0xC0 && (type == 18 || type == 19)) {
        each.accept(event(buffer, offset, type == 18 ? 4 : 8, record));
      } else if (top == 0xC0 && (type == 10 || type == 20)) {
        each.accept(classic(buffer, offset, type == 10 ? 4 : 8, record));
      }
      at += (size + 7) / 8 * 8;
    }
  }

  private static RawRecord event(int buffer, int offset, int pointer, byte[] record) {
    PayloadReader o = new PayloadReader(record, 4);
    int flags = o.u16();
    o.u16(); // property
    long tid = o.u32();
    long pid = o.u32();
    long time = o.u64();
    String provider = ValueReader.guid(o);
    int id = o.u16();
    int version = o.u8();
    o.u16(); // channel and level
    int opcode = o.u8();
    Blob traits = Blob.NONE;
    Blob schema = Blob.NONE;
    int at = 80;
    boolean more = (flags & 1) != 0;
    while (more) {
      PayloadReader item = new PayloadReader(record, at);
      int total = item.u16();
      int type = item.u16();
      more = (item.u16() & 1) != 0;
      int length = item.u16();
      byte[] data = item.take(length);
      if (type == 11) {
        schema = Blob.of(data);
      } else if (type == 12) {
        traits = Blob.of(data);
      }
      at += total != 0 ? total : (8 + length + 7) / 8 * 8;
    }
    Blob payload = Blob.of(Arrays.copyOfRange(record, at, record.length));
    return new RawRecord(
        false, buffer, offset, provider, id, version, opcode, flags, pid, tid, time, pointer,
        traits, schema, payload);
  }

  private static RawRecord classic(int buffer, int offset, int pointer, byte[] record) {
    PayloadReader o = new PayloadReader(record, 4);
    int opcode = o.u8();
    o.u8(); // level
    int version = o.u16();
    long tid = o.u32();
    long pid = o.u32();
    long time = o.u64();
    String provider = ValueReader.guid(o);
    Blob payload = Blob.of(Arrays.copyOfRange(record, 48, record.length));
    return new RawRecord(
        true, buffer, offset, provider, -1, version, opcode, 0, pid, tid, time, pointer, Blob.NONE,
        Blob.NONE, payload);
  }
}
