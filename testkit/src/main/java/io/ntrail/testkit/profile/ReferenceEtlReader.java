package io.ntrail.testkit.profile;

import io.ntrail.testkit.compress.ReferenceDecoders;
import io.ntrail.testkit.etl.ClassGuids;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All records of an undamaged recording in the order of docs/profile.md, and its clock. */
final class ReferenceEtlReader {
  /** The classes of records that mergers add. */
  static final Set<String> MERGED =
      Set.of(
          "b3e675d7-2554-4f18-830b-2762732560de",
          "9b79ee91-b5fd-41c0-a243-4248e266e9d0",
          "bbccf6c1-6cd1-48c4-80ff-839482e37671",
          "ed54dff8-c409-4cf6-bf83-05e1e61a09c4",
          "bf6ef1cb-89b5-490a-80ac-b180cfbcff0f");

  private static final int BUFFER_HEADER = 72;
  private static final int IMAGE_GROUP = 0x14;
  private static final BigInteger BILLION = BigInteger.valueOf(1_000_000_000);

  final List<OrderedRecord> records = new ArrayList<>();

  /** Bytes of a pointer of the logger. */
  final int pointer;

  private final Map<String, Integer> groups = new HashMap<>();
  private final long start;
  private final long frequency;

  ReferenceEtlReader(byte[] file) {
    for (int group = 0; group <= 0x1E; group++) {
      groups.put(String.valueOf(ClassGuids.ofHook(group << 8)), group);
    }
    int at = 0;
    for (int buffer = 0; at + BUFFER_HEADER <= file.length; buffer++) {
      int size = (int) new LittleEndianReader(file, at, 8).u32();
      if (size < BUFFER_HEADER) {
        break;
      }
      long sequence = new LittleEndianReader(file, at + 0x18, 8).u64();
      int cpu = new LittleEndianReader(file, at + 0x28, 8).u16();
      int end = (int) new LittleEndianReader(file, at + 0x30, 8).u32();
      int flags = new LittleEndianReader(file, at + 0x34, 8).u16();
      cpu = (flags & 0x20) != 0 ? cpu & 0x7FF : cpu & 0xFF;
      byte[] area = Arrays.copyOfRange(file, at + BUFFER_HEADER, at + end);
      if ((flags & 0x40) != 0) {
        int inflated = (int) new LittleEndianReader(file, at + 4, 8).u32() - BUFFER_HEADER;
        byte[] packed = Arrays.copyOfRange(file, at + BUFFER_HEADER, at + size);
        area = ReferenceDecoders.xpress(packed, inflated);
      }
      walk(area, cpu, sequence, buffer);
      at += size;
    }
    OrderedRecord header = records.getFirst();
    LittleEndianReader in = header.payload().skip(44);
    pointer = (int) in.u32();
    start = header.time;
    frequency = header.payload().skip(pointer == 8 ? 256 : 248).u64();
    order();
  }

  private void order() {
    records.sort(
        Comparator.comparingLong((OrderedRecord r) -> r.time)
            .thenComparingInt(r -> r.cpu)
            .thenComparingLong(r -> r.sequence)
            .thenComparingInt(r -> r.buffer)
            .thenComparingInt(r -> r.offset));
    Map<Integer, Long> running = new HashMap<>();
    for (int i = 0; i < records.size(); i++) {
      OrderedRecord rec = records.get(i);
      rec.ordinal = i;
      rec.running = running.getOrDefault(rec.cpu, OrderedRecord.NONE);
      if (rec.hook == 0x0524) {
        running.put(rec.cpu, rec.payload().u32());
      }
    }
  }

  /** A duration in nanoseconds, rounded down. */
  long nanos(BigInteger ticks) {
    return ticks.multiply(BILLION).divide(BigInteger.valueOf(frequency)).longValueExact();
  }

  /** The time since the start of the recording in nanoseconds, rounded down. */
  long sinceStart(OrderedRecord rec) {
    BigInteger scaled = BigInteger.valueOf(rec.time - start).multiply(BILLION);
    BigInteger[] parts = scaled.divideAndRemainder(BigInteger.valueOf(frequency));
    return parts[0].longValueExact() - (parts[1].signum() < 0 ? 1 : 0);
  }

  private void walk(byte[] area, int cpu, long sequence, int buffer) {
    int at = 0;
    while (at + 8 <= area.length) {
      long marker = new LittleEndianReader(area, at, 8).u32();
      if (marker >>> 24 != 0xC0) {
        return;
      }
      int type = (int) (marker >>> 16 & 0xFF);
      boolean hooked = type <= 4 || type == 16 || type == 17;
      int size = hooked ? new LittleEndianReader(area, at + 4, 8).u16() : (int) (marker & 0xFFFF);
      OrderedRecord rec =
          record(type, Arrays.copyOfRange(area, at, at + size), cpu, sequence, buffer, at);
      if (rec != null) {
        records.add(rec);
      }
      at += (size + 7) / 8 * 8;
    }
  }

  private @Nullable OrderedRecord record(
      int type, byte[] record, int cpu, long sequence, int buffer, int offset) {
    LittleEndianReader in = new LittleEndianReader(record, 0, 8);
    int version = in.u16();
    in.skip(4);
    boolean plain = type == 16 || type == 17;
    long time = new LittleEndianReader(record, plain ? 8 : 16, 8).u64();
    OrderedRecord.Head head = new OrderedRecord.Head(cpu, sequence, buffer, offset, time);
    return switch (type) {
      case 1, 2, 3, 4 -> {
        int hook = in.u16();
        long tid = in.u32();
        long pid = in.u32();
        byte[] payload = Arrays.copyOfRange(record, type <= 2 ? 32 : 24, record.length);
        int bytes = type % 2 == 1 ? 4 : 8;
        yield new OrderedRecord(head, hook, null, 0, version, bytes, pid, tid, List.of(), payload);
      }
      case 16, 17 -> {
        int hook = in.u16();
        int words = (version >> 15 & 1) + (version >> 8 & 7);
        byte[] payload = Arrays.copyOfRange(record, 16 + 8 * words, record.length);
        int bytes = type == 16 ? 4 : 8;
        yield new OrderedRecord(
            head,
            hook,
            null,
            0,
            version & 0xFF,
            bytes,
            OrderedRecord.NONE,
            OrderedRecord.NONE,
            List.of(),
            payload);
      }
      case 10, 20 -> {
        LittleEndianReader full = new LittleEndianReader(record, 4, 8);
        int opcode = full.u8();
        full.u8();
        int number = full.u16();
        long tid = full.u32();
        long pid = full.u32();
        String provider = full.skip(8).guid();
        byte[] payload = Arrays.copyOfRange(record, 48, record.length);
        int bytes = type == 10 ? 4 : 8;
        Integer group = groups.get(provider);
        int hook = group == null ? -1 : group << 8 | opcode;
        if (hook == (IMAGE_GROUP << 8 | 0x0A)) {
          hook = 0x030A;
        }
        String name = group == null ? provider : null;
        yield new OrderedRecord(
            head, hook, name, opcode, number, bytes, pid, tid, List.of(), payload);
      }
      case 18, 19 -> event(head, type == 18 ? 4 : 8, record);
      default -> null;
    };
  }

  private static OrderedRecord event(OrderedRecord.Head head, int bytes, byte[] record) {
    LittleEndianReader in = new LittleEndianReader(record, 4, bytes);
    boolean more = (in.u16() & 1) != 0;
    long tid = in.skip(2).u32();
    long pid = in.u32();
    String provider = in.skip(8).guid();
    int id = in.u16();
    int version = in.u8();
    List<OrderedRecord.Item> items = new ArrayList<>();
    int at = 80;
    while (more) {
      LittleEndianReader item = new LittleEndianReader(record, at, bytes);
      int total = item.u16();
      int type = item.u16();
      more = (item.u16() & 1) != 0;
      int length = item.u16();
      int size = type == 5 || type == 17 ? 4 : 8;
      byte[] data = Arrays.copyOfRange(record, at + 8, at + 8 + length);
      items.add(new OrderedRecord.Item(type, new LittleEndianReader(data, 0, size)));
      at += total;
    }
    byte[] payload = Arrays.copyOfRange(record, at, record.length);
    return new OrderedRecord(head, -1, provider, id, version, bytes, pid, tid, items, payload);
  }
}
