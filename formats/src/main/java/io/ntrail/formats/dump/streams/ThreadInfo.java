package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.DumpReader.Rows;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.HashMap;
import java.util.Map;

/**
 * More about a thread (MINIDUMP_THREAD_INFO).
 *
 * @param id of the thread
 * @param flags 1: an error, 2: it wrote the dump, 4: it had ended, 8, 10h, 20h: no information, no
 *     context, no TEB
 * @param error HRESULT of reading it
 * @param exitStatus 103h while it runs
 * @param createTime FILETIME
 * @param exitTime FILETIME; 0 while it runs
 * @param kernelTime in 100 ns
 * @param userTime in 100 ns
 * @param startAddress of its first function
 * @param affinity mask of processors
 */
public record ThreadInfo(
    long id,
    int flags,
    int error,
    int exitStatus,
    long createTime,
    long exitTime,
    long kernelTime,
    long userTime,
    long startAddress,
    long affinity) {
  private static final int LEAST = 64;
  private static final int MOST = 1 << 17;
  private static final int WRITING_THREAD = 2;

  /** Returns true if the dump was written by this thread. */
  public boolean isWriter() {
    return (flags & WRITING_THREAD) != 0;
  }

  /** Returns what a dump has, by the ids of the threads. */
  public static Map<Long, ThreadInfo> of(Minidump dump) {
    Map<Long, ThreadInfo> infos = new HashMap<>();
    dump.read(
        StreamType.THREAD_INFO_LIST,
        0,
        bytes -> {
          Rows rows =
              dump.reader().table(bytes, StreamType.THREAD_INFO_LIST, LEAST, bytes.u32(8), MOST);
          for (int row = 0; row < rows.count(); row++) {
            ThreadInfo info = read(bytes, rows.at(row));
            infos.putIfAbsent(info.id, info);
          }
          return rows.count();
        });
    return infos;
  }

  private static ThreadInfo read(Bytes bytes, int at) {
    return new ThreadInfo(
        bytes.u32(at),
        bytes.i32(at + 4),
        bytes.i32(at + 8),
        bytes.i32(at + 12),
        bytes.i64(at + 16),
        bytes.i64(at + 24),
        bytes.i64(at + 32),
        bytes.i64(at + 40),
        bytes.i64(at + 48),
        bytes.i64(at + 56));
  }
}
