package io.ntrail.formats.dump.streams;

import io.ntrail.formats.dump.DumpReader.Rows;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.HashMap;
import java.util.Map;

/** Names of threads (MINIDUMP_THREAD_NAME_LIST: 12 bytes each, not aligned). */
public final class ThreadNames {
  private static final int ROW = 12;
  private static final int MOST = 1 << 17;

  private ThreadNames() {}

  /** Returns the names that are not empty, by the ids of the threads. */
  public static Map<Long, String> of(Minidump dump) {
    Map<Long, String> names = new HashMap<>();
    dump.read(
        StreamType.THREAD_NAMES,
        0,
        bytes -> {
          Rows rows =
              dump.reader()
                  .rows(bytes, StreamType.THREAD_NAMES.title(), 4, ROW, bytes.u32(0), MOST);
          for (int row = 0; row < rows.count(); row++) {
            int at = rows.at(row);
            String name = dump.reader().string(bytes.i64(at + 4));
            if (!name.isEmpty()) {
              names.putIfAbsent(bytes.u32(at), name);
            }
          }
          return rows.count();
        });
    return names;
  }
}
