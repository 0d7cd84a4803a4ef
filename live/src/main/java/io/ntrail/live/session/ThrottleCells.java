package io.ntrail.live.session;

import io.ntrail.formats.bytes.SharedFile;
import io.ntrail.live.code.SessionLayout;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Controller's view of the cells in a session file that say of each function whether its calls are
 * recorded or counted only. Any thread may call it.
 */
public final class ThrottleCells {
  private final SharedFile file;
  private final long at;
  private int cells;

  /**
   * Creates a view.
   *
   * @param at offset of the first cell; 0 = there are none
   */
  ThrottleCells(SharedFile file, long at) {
    this.file = file;
    this.at = at;
  }

  /** Returns the offset of the first cell in the session file; 0 = there are none. */
  public long at() {
    return at;
  }

  /**
   * Adds cells for functions; without cells, as many zeros.
   *
   * @return their numbers; none if there is no room
   */
  public synchronized List<Integer> add(int functions) {
    if (at == 0) {
      return Collections.nCopies(functions, 0);
    }
    if (cells + functions > SessionLayout.MOST_CELLS) {
      return List.of();
    }
    try {
      file.reserve(cell(cells), (long) functions * SessionLayout.CELL_BYTES);
    } catch (IOException e) {
      return List.of();
    }
    int first = cells;
    cells += functions;
    return IntStream.range(first, cells).boxed().toList();
  }

  private long cell(int number) {
    return at + (long) number * SessionLayout.CELL_BYTES;
  }

  /** Counts the calls of a function from now on. */
  void throttle(int number) {
    file.setU64Release(cell(number), 1);
  }

  /** Returns how many calls of a throttled function were counted. */
  long calls(int number) {
    return file.u64Acquire(cell(number)) - 1;
  }
}
