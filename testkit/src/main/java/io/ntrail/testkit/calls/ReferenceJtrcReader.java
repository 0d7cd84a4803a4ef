package io.ntrail.testkit.calls;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads whole call recordings of NTrace into lists: slow and plain, for undamaged files. */
public final class ReferenceJtrcReader {
  /** A record. */
  public record Entry(int kind, long time, long routine, long value) {}

  /** A thread. */
  public record Thread(long pid, long tid) {}

  private ReferenceJtrcReader() {}

  /** The records of each thread, its buffers sorted by the time of their first record. */
  public static Map<Thread, List<Entry>> read(byte[] file) {
    ByteBuffer in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    Map<Thread, List<List<Entry>>> buffers = new LinkedHashMap<>();
    int at = 16;
    while (at < file.length) {
      int size = in.getInt(at + 4);
      if (in.getShort(at) == 2) {
        List<Entry> buffer = new ArrayList<>();
        for (int i = at + 16; i + 16 <= at + size; i += 16) {
          long word = in.getLong(i);
          long routine = in.getInt(i + 8) & 0xFFFFFFFFL;
          long value = in.getInt(i + 12) & 0xFFFFFFFFL;
          buffer.add(new Entry((int) (word % 4), word >>> 4, routine, value));
        }
        long pid = in.getInt(at + 8) & 0xFFFFFFFFL;
        long tid = in.getInt(at + 12) & 0xFFFFFFFFL;
        buffers.computeIfAbsent(new Thread(pid, tid), _ -> new ArrayList<>()).add(buffer);
      }
      at += size;
    }
    Map<Thread, List<Entry>> threads = new LinkedHashMap<>();
    buffers.forEach((thread, parts) -> {
      parts.sort(Comparator.comparingLong(part -> part.getFirst().time()));
      threads.put(thread, parts.stream().flatMap(List::stream).toList());
    });
    return threads;
  }
}
