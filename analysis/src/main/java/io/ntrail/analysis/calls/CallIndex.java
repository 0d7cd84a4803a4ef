package io.ntrail.analysis.calls;

import java.util.Arrays;
import java.util.function.LongConsumer;

/**
 * The calls of a thread, cut into pages of some thousand records, and what is open at each border.
 * Immutable once made; made by one pass over the records.
 */
final class CallIndex {
  /**
   * Lengths of pages.
   *
   * @param leastRecords that a page has, unless it is the last
   * @param mostFresh a page ends then as soon as no more of its calls are open
   * @param mostRecords a page ends anyway with so many; each argument counts as a record
   */
  record PageSize(int leastRecords, int mostFresh, int mostRecords) {
    /** Keeps both small: what is kept for each page, and what a page needs when it is rebuilt. */
    static final PageSize USUAL = new PageSize(8192, 64, 1 << 20);
  }

  private final CrossPageCalls longs;
  private final Pages pages;
  private final CallCounts counts;
  private final boolean hasAreas;

  private CallIndex(CrossPageCalls longs, Pages pages, CallCounts counts, boolean hasAreas) {
    this.longs = longs;
    this.pages = pages;
    this.counts = counts;
    this.hasAreas = hasAreas;
  }

  /** Where pages begin, and which calls are open there. */
  private static final class Pages {
    private long[] position = new long[16];
    private long[] time = new long[16];
    private long[] call = new long[16];
    private long[] beyond = new long[16];
    private int[] losses = new int[16];

    /** Where the tops of a page's areas begin in {@link #tops}. */
    private int[] firstTop = new int[17];

    private int[] tops = new int[16];
    private int count;

    void begin(long at, long when, long number, int lossesSeen, long beyondThen) {
      if (count == position.length) {
        int more = count + (count >> 1);
        position = Arrays.copyOf(position, more);
        time = Arrays.copyOf(time, more);
        call = Arrays.copyOf(call, more);
        beyond = Arrays.copyOf(beyond, more);
        losses = Arrays.copyOf(losses, more);
        firstTop = Arrays.copyOf(firstTop, more + 1);
      }
      position[count] = at;
      time[count] = when;
      call[count] = number;
      losses[count] = lossesSeen;
      beyond[count] = beyondThen;
      count++;
      firstTop[count] = firstTop[count - 1];
    }

    void addTop(int node) {
      int at = firstTop[count]++;
      if (at == tops.length) {
        tops = Arrays.copyOf(tops, at + (at >> 1));
      }
      tops[at] = node;
    }
  }

  /** Learns of the calls of a thread for the first time. */
  private static final class Survey implements CallBuilder.Sink {
    private final OpenCalls open = new OpenCalls();
    private final CrossPageCalls longs = new CrossPageCalls();
    private final Pages pages = new Pages();
    private final CallBuilder rebuilder;
    private long calls;
    private long exits;
    private long entries;
    private long unwinds;
    private long stillOpen;
    private long entryOnly;
    private long lostExits;
    private long lostEntries;
    private long roots;
    private long beyond;
    private int deepest;
    private int fresh;
    private int firstArea;
    private boolean hasAreas;

    Survey(CallSource.Matching matching) {
      rebuilder = CallBuilder.of(matching, open, this);
    }

    void run(CallCursor cursor, long firstTime, PageSize size, LongConsumer progress) {
      int records = 0;
      int arguments = 0;
      pages.begin(0, firstTime, 0, 0, 0);
      while (cursor.next()) {
        CallEventKind event = cursor.event();
        if (event == CallEventKind.ENTRY || event == CallEventKind.ENTRY_ONLY) {
          entries++;
          arguments += cursor.argumentCount();
          long told = calls;
          rebuilder.accept(cursor);
          beyond += calls == told ? 1 : 0;
        } else {
          exits += event == CallEventKind.EXIT ? 1 : 0;
          unwinds += event == CallEventKind.UNWIND ? 1 : 0;
          rebuilder.accept(cursor);
          markLeft(event, cursor);
        }
        if (++records >= size.leastRecords
            && (fresh <= size.mostFresh || records + arguments >= size.mostRecords)) {
          progress.accept(records);
          records = 0;
          arguments = 0;
          endPage(cursor);
        }
      }
      progress.accept(records);
      rebuilder.finish();
    }

    /** Which page it was in which an exception left calls that began in earlier ones. */
    private void markLeft(CallEventKind event, CallCursor cursor) {
      if (event != CallEventKind.UNWIND) {
        return;
      }
      int frame = open.top();
      while (frame != OpenCalls.NONE && open.slot[frame] > cursor.slot()) {
        frame = open.below[frame];
      }
      for (; frame != OpenCalls.NONE && open.left[frame]; frame = open.below[frame]) {
        int node = open.node[frame];
        if (node != OpenCalls.NONE) {
          longs.leftIn[node] = Math.min(longs.leftIn[node], pages.count - 1);
        }
      }
    }

    private void endPage(CallCursor cursor) {
      int page = pages.count - 1;
      open.tops(top -> keep(top, page));
      pages.begin(cursor.position(), cursor.time(), calls, rebuilder.losses(), rebuilder.beyond());
      open.tops(top -> pages.addTop(open.node[top]));
      fresh = 0;
    }

    /** Makes nodes for the calls of an area that began in a page: the inner ones of it. */
    private void keep(int top, int page) {
      int above = OpenCalls.NONE;
      for (int frame = top; frame != OpenCalls.NONE; frame = open.below[frame]) {
        boolean known = open.node[frame] != OpenCalls.NONE;
        if (!known) {
          int node = longs.add();
          longs.area[node] = open.area[frame];
          longs.slot[node] = open.slot[frame];
          longs.page[node] = page;
          longs.ordinal[node] = open.ordinal[frame];
          longs.losses[node] = open.losses[frame];
          longs.function[node] = open.function[frame];
          longs.key[node] = open.key[frame];
          longs.below[node] = OpenCalls.NONE;
          if (open.left[frame]) {
            longs.leftIn[node] = page;
          }
          open.node[frame] = node;
          open.ordinal[frame] = OpenCalls.BEFORE;
        }
        if (above != OpenCalls.NONE) {
          longs.below[above] = open.node[frame];
        }
        if (known) {
          return;
        }
        above = open.node[frame];
      }
    }

    @Override
    public void opened(int frame, CallCursor entry) {
      see(open.area[frame]);
      open.ordinal[frame] = (int) (calls++ - pages.call[pages.count - 1]);
      fresh++;
      int depth = open.depth[frame];
      deepest = Math.max(deepest, depth + 1);
      roots += depth == 0 ? 1 : 0;
    }

    @Override
    public void closed(int frame, long time, CallEnd end, long value) {
      stillOpen += end == CallEnd.OPEN ? 1 : 0;
      entryOnly += end == CallEnd.ENTRY_ONLY ? 1 : 0;
      lostExits += end == CallEnd.INFERRED ? 1 : 0;
      int node = open.node[frame];
      if (node == OpenCalls.NONE) {
        fresh--;
        return;
      }
      longs.end[node] = (byte) end.ordinal();
      longs.time[node] = time;
      longs.children[node] = open.children[frame];
      longs.value[node] = value;
    }

    @Override
    public void ended(long function, long time, CallEnd end, long value) {
      see(open.selected());
      calls++;
      lostEntries++;
    }

    private void see(int area) {
      firstArea = calls == 0 ? area : firstArea;
      hasAreas |= area != firstArea;
    }

    CallIndex index() {
      return new CallIndex(
          longs,
          pages,
          new CallCounts(
              entries,
              exits,
              unwinds,
              stillOpen,
              entryOnly,
              lostExits,
              lostEntries,
              beyond,
              roots,
              deepest),
          hasAreas);
    }
  }

  /**
   * Makes the index of a thread.
   *
   * @param progress is told how many records more were read
   */
  static CallIndex of(CallSource source, int thread, PageSize size, LongConsumer progress) {
    Survey survey = new Survey(source.matching());
    long firstTime = source.threads().get(thread).firstTime();
    try (CallCursor cursor = source.cursor(thread)) {
      survey.run(cursor, firstTime, size, progress);
    }
    return survey.index();
  }

  CallCounts counts() {
    return counts;
  }

  /**
   * Returns true if calls lie on more than one stack, so that those of a subtree do not follow in
   * turn.
   */
  boolean hasAreas() {
    return hasAreas;
  }

  int pages() {
    return pages.count;
  }

  /** Calls kept because they are open at a border. */
  int kept() {
    return longs.count();
  }

  /** The page in which a call lies; the last one for what lies behind. */
  int pageOf(long call) {
    return upTo(pages.call, call);
  }

  /** The page in which calls of a time begin; the first one for what lies before. */
  int pageAt(long time) {
    // A call of this very time may stand at the end of the page before.
    return Math.max(0, upTo(pages.time, time - 1));
  }

  private int upTo(long[] sorted, long value) {
    int low = 0;
    int high = pages.count - 1;
    while (low < high) {
      int middle = low + high + 1 >>> 1;
      if (sorted[middle] <= value) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  long firstCall(int page) {
    return page < pages.count ? pages.call[page] : counts.calls();
  }

  long position(int page) {
    return pages.position[page];
  }

  /** Opens again what was open at the start of a page. */
  void restore(int page, OpenCalls open, CallBuilder rebuilder) {
    open.clear();
    rebuilder.restore(pages.losses[page], pages.beyond[page]);
    for (int i = pages.firstTop[page]; i < pages.firstTop[page + 1]; i++) {
      int depth = 0;
      for (int node = pages.tops[i]; node != OpenCalls.NONE; node = longs.below[node]) {
        depth++;
      }
      int[] chain = new int[depth];
      for (int node = pages.tops[i]; node != OpenCalls.NONE; node = longs.below[node]) {
        chain[--depth] = node;
      }
      open.select(longs.area[pages.tops[i]]);
      for (int node : chain) {
        int frame = open.push(longs.function[node], 0);
        open.slot[frame] = longs.slot[node];
        open.key[frame] = longs.key[node];
        open.losses[frame] = longs.losses[node];
        open.left[frame] = longs.leftIn[node] < page;
        open.ordinal[frame] = OpenCalls.BEFORE;
        rebuilder.pushed(frame);
      }
    }
  }

  /** Ends the calls of a page that are open at its end. */
  void finish(int page, CallPage calls) {
    if (page + 1 >= pages.count) {
      return;
    }
    for (int i = pages.firstTop[page + 1]; i < pages.firstTop[page + 2]; i++) {
      int node = pages.tops[i];
      while (node != OpenCalls.NONE && longs.page[node] == page) {
        calls.end(
            longs.ordinal[node],
            longs.time[node],
            longs.children[node],
            CallEnd.at(longs.end[node]),
            longs.value[node]);
        node = longs.below[node];
      }
    }
  }
}
