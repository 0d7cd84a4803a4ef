package io.ntrail.formats.dump.streams;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.dump.DumpReader.Rows;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.StreamType;
import java.util.ArrayList;
import java.util.List;

/**
 * An opening or closing of a handle that Application Verifier noted (AVRF_HANDLE_OPERATION).
 *
 * @param handle its value
 * @param process id
 * @param thread id
 * @param operation 1 opened, 2 closed, 3 bad reference
 * @param frames return addresses, the innermost first
 */
public record HandleOperation(
    long handle, long process, long thread, int operation, List<Long> frames) {
  private static final int LEAST = 40;
  private static final int MOST = 1 << 20;
  private static final int MOST_FRAMES = 16;

  /** Copies the list. */
  public HandleOperation {
    frames = List.copyOf(frames);
  }

  /** Returns what a dump has, in its order. */
  public static List<HandleOperation> of(Minidump dump) {
    List<HandleOperation> operations = new ArrayList<>();
    dump.read(
        StreamType.HANDLE_OPERATION_LIST,
        0,
        bytes -> {
          Rows rows =
              dump.reader()
                  .table(bytes, StreamType.HANDLE_OPERATION_LIST, LEAST, bytes.u32(8), MOST);
          for (int row = 0; row < rows.count(); row++) {
            operations.add(read(bytes, rows.at(row), rows.rowBytes()));
          }
          return rows.count();
        });
    return operations;
  }

  private static HandleOperation read(Bytes bytes, int at, int rowBytes) {
    List<Long> frames = new ArrayList<>();
    for (int i = 0; i < MOST_FRAMES && 32 + 8 * i + 8 <= rowBytes; i++) {
      long frame = bytes.i64(at + 32 + 8 * i);
      if (frame == 0) {
        break;
      }
      frames.add(frame);
    }
    return new HandleOperation(
        bytes.i64(at), bytes.u32(at + 8), bytes.u32(at + 12), bytes.i32(at + 16), frames);
  }
}
