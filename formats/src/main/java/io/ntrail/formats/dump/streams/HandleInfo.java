package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.DumpReader.Rows;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.ArrayList;
import java.util.List;

/**
 * A handle of the process (MINIDUMP_HANDLE_DESCRIPTOR, of version 2 with more about the object).
 *
 * @param handle its value
 * @param type of the object: {@code File}
 * @param object name of the object; empty if it has none
 * @param attributes OBJ_
 * @param access granted
 * @param handles to the object
 * @param pointers to the object
 * @param infos more about the object
 */
public record HandleInfo(
    long handle,
    String type,
    String object,
    long attributes,
    long access,
    long handles,
    long pointers,
    List<ObjectInfo> infos) {
  private static final int LEAST = 32;
  private static final int ROW_2 = 40;
  private static final int MOST = 1 << 20;

  /** Infos of one object that are read. */
  private static final int MOST_INFOS = 16;

  /**
   * Information about an object (MINIDUMP_HANDLE_OBJECT_INFORMATION).
   *
   * @param kind MiniThreadInformation1 (1) and so on
   * @param bytes its data, not interpreted
   */
  public record ObjectInfo(int kind, Bytes bytes) {}

  /** Returns the handles of a dump. */
  public static List<HandleInfo> of(Minidump dump) {
    List<HandleInfo> handles = new ArrayList<>();
    dump.read(
        StreamType.HANDLE_DATA,
        0,
        bytes -> {
          Rows rows = dump.reader().table(bytes, StreamType.HANDLE_DATA, LEAST, bytes.u32(8), MOST);
          // Each chain of infos is short, and they share a bound.
          int[] infosLeft = {MOST};
          for (int row = 0; row < rows.count(); row++) {
            handles.add(read(dump, bytes, rows.at(row), rows.rowBytes() >= ROW_2, infosLeft));
          }
          return rows.count();
        });
    return handles;
  }

  private static HandleInfo read(
      Minidump dump, Bytes bytes, int at, boolean isVersion2, int[] infosLeft) {
    return new HandleInfo(
        bytes.i64(at),
        dump.reader().string(bytes.u32(at + 8)),
        dump.reader().string(bytes.u32(at + 12)),
        bytes.u32(at + 16),
        bytes.u32(at + 20),
        bytes.u32(at + 24),
        bytes.u32(at + 28),
        isVersion2 ? infos(dump, bytes.u32(at + 32), infosLeft) : List.of());
  }

  private static List<ObjectInfo> infos(Minidump dump, long first, int[] left) {
    List<ObjectInfo> infos = new ArrayList<>();
    long rva = first;
    while (rva != 0 && infos.size() < MOST_INFOS && left[0]-- > 0) {
      long at = rva;
      rva =
          dump.reader()
              .reading(
                  "information about a handle",
                  0L,
                  () -> {
                    Bytes head = dump.reader().window(at, 12);
                    Bytes data = dump.reader().window(at + 12, head.u32(8));
                    infos.add(new ObjectInfo(head.i32(4), data));
                    return head.u32(0);
                  });
    }
    return List.copyOf(infos);
  }
}
