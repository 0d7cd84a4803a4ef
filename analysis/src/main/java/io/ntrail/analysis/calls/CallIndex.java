package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.formats.collections.ByteColumn;
import io.ntrail.formats.collections.Columns;
import io.ntrail.formats.collections.IntColumn;
import io.ntrail.formats.collections.IntList;
import io.ntrail.formats.collections.LongColumn;
import io.ntrail.formats.collections.Search;
import java.util.HashMap;
import java.util.Map;

/**
 * The calls of a thread, cut into pages of some thousand records, and what is open at each border.
 * Immutable once made; made by one pass over the records.
 */
final class CallIndex {
  /**
   * The calls that were open at the end of the page in which they began, with their ends: what
   * cannot be seen in a page. About 80 bytes each.
   */
  private static final class CrossPageCalls {
    /** Page of a call that no exception left. */
    static final int NEVER = Integer.MAX_VALUE;

    private final Columns calls = new Columns(64);
    final IntColumn below = calls.ints();
    final IntColumn area = calls.ints();
    final IntColumn slot = calls.ints();
    final IntColumn page = calls.ints();
    final IntColumn ordinal = calls.ints();
    final IntColumn losses = calls.ints();

    /** The page in which an exception was seen to leave it. */
    final IntColumn leftIn = calls.ints();

    final ByteColumn end = calls.bytes();
    final LongColumn function = calls.longs();
    final LongColumn key = calls.longs();
    final LongColumn time = calls.longs();
    final LongColumn children = calls.longs();
    final LongColumn leftOut = calls.longs();
    final LongColumn value = calls.longs();

    int add() {
      int call = calls.add();
      leftIn.set(call, NEVER);
      return call;
    }

    int count() {
      return calls.rows();
    }
  }

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
  private final boolean isCut;

  private CallIndex(
      CrossPageCalls longs, Pages pages, CallCounts counts, boolean hasAreas, boolean isCut) {
    this.isCut = isCut;
    this.longs = longs;
    this.pages = pages;
    this.counts = counts;
    this.hasAreas = hasAreas;
  }

  /** Starts of pages, and the calls that are open there. */
  private static final class Pages {
    private final Columns pages = new Columns();
    private final LongColumn position = pages.longs();
    private final LongColumn time = pages.longs();
    private final LongColumn call = pages.longs();
    private final LongColumn beyond = pages.longs();
    private final IntColumn losses = pages.ints();

    /** Index in {@link #tops} after the last area of each page. */
    private final IntColumn topsEnd = pages.ints();

    private final IntList tops = new IntList();

    /** Index in {@link #changes} after those of each page. */
    private final IntColumn changesEnd = pages.ints();

    /** The calls that are not as they began: they were marked, or their frame was moved. */
    private final Columns changes = new Columns();

    private final IntColumn changed = changes.ints();
    private final ByteColumn marked = changes.bytes();
    private final LongColumn unwinder = changes.longs();
    private final LongColumn key = changes.longs();

    int count() {
      return pages.rows();
    }

    void begin(long at, long when, long number, int lossesSeen, long beyondThen) {
      int page = pages.add();
      position.set(page, at);
      time.set(page, when);
      call.set(page, number);
      losses.set(page, lossesSeen);
      beyond.set(page, beyondThen);
      topsEnd.set(page, tops.size());
      changesEnd.set(page, changes.rows());
    }

    void addChange(int node, OpenCalls.Call frame) {
      int change = changes.add();
      changed.set(change, node);
      marked.set(change, (byte) (frame.marked ? 1 : 0));
      unwinder.set(change, frame.unwinder);
      key.set(change, frame.key);
      changesEnd.set(count() - 1, changes.rows());
    }

    /** Returns the places in {@link #changes} of the calls that are open at the start of a page. */
    Map<Integer, Integer> changesOf(int page) {
      int from = page == 0 ? 0 : changesEnd.get(page - 1);
      if (from == changesEnd.get(page)) {
        return Map.of();
      }
      Map<Integer, Integer> of = new HashMap<>();
      for (int change = from; change < changesEnd.get(page); change++) {
        of.put(changed.get(change), change);
      }
      return of;
    }

    void change(int change, OpenCalls.Call frame) {
      frame.marked = marked.get(change) != 0;
      frame.unwinder = unwinder.get(change);
      frame.key = key.get(change);
    }

    void addTop(int node) {
      tops.add(node);
      topsEnd.set(count() - 1, tops.size());
    }

    int firstTop(int page) {
      return page == 0 ? 0 : topsEnd.get(page - 1);
    }
  }

  /** Learns of the calls of a thread for the first time. */
  private static final class Survey implements CallBuilder.Sink {
    private final OpenCalls open = new OpenCalls();
    private final CrossPageCalls longs = new CrossPageCalls();
    private final Pages pages = new Pages();
    private final CallBuilder rebuilder;
    private final CallCounts.Tally tally = new CallCounts.Tally();
    private long calls;
    private int fresh;
    private int firstArea;
    private boolean hasAreas;
    private boolean isCut;

    Survey(CallSource.Matching matching) {
      rebuilder = CallBuilder.of(matching, open, this);
    }

    void run(CallCursor cursor, long firstTime, PageSize size, StoppableWork<?> work) {
      int records = 0;
      int arguments = 0;
      pages.begin(0, firstTime, 0, 0, 0);
      isCut = work.isStopping();
      while (!isCut && cursor.next()) {
        CallEventKind event = cursor.event();
        arguments += cursor.argumentCount();
        rebuilder.accept(cursor);
        if (event == CallEventKind.UNWIND) {
          markLeft(cursor);
        }
        if (++records >= size.leastRecords
            && (fresh <= size.mostFresh || records + arguments >= size.mostRecords)) {
          work.done(records);
          records = 0;
          arguments = 0;
          endPage(cursor);
          isCut = work.isStopping();
        }
      }
      work.done(records);
      rebuilder.finish();
    }

    /** Marks the page in which an exception left calls that began in earlier pages. */
    private void markLeft(CallCursor cursor) {
      OpenCalls.Call frame = open.top();
      while (frame != null && frame.slot > cursor.slot()) {
        frame = frame.below;
      }
      for (; frame != null && frame.left; frame = frame.below) {
        int node = frame.node;
        if (node != OpenCalls.NONE) {
          longs.leftIn.set(node, Math.min(longs.leftIn.get(node), pages.count() - 1));
        }
      }
    }

    private void endPage(CallCursor cursor) {
      int page = pages.count() - 1;
      open.tops(top -> keep(top, page));
      pages.begin(cursor.position(), cursor.time(), calls, rebuilder.losses(), rebuilder.beyond());
      open.tops(this::addTop);
      fresh = 0;
    }

    private void addTop(OpenCalls.Call top) {
      pages.addTop(top.node);
      for (OpenCalls.Call frame = top; frame != null; frame = frame.below) {
        int node = frame.node;
        if (frame.marked || frame.key != longs.key.get(node)) {
          pages.addChange(node, frame);
        }
      }
    }

    /** Makes nodes for the calls of an area that began in a page: the inner ones of it. */
    private void keep(OpenCalls.Call top, int page) {
      int above = OpenCalls.NONE;
      for (OpenCalls.Call frame = top; frame != null; frame = frame.below) {
        boolean known = frame.node != OpenCalls.NONE;
        if (!known) {
          int node = longs.add();
          longs.area.set(node, frame.area);
          longs.slot.set(node, frame.slot);
          longs.page.set(node, page);
          longs.ordinal.set(node, frame.ordinal);
          longs.losses.set(node, frame.losses);
          longs.function.set(node, frame.function);
          longs.key.set(node, frame.key);
          longs.below.set(node, OpenCalls.NONE);
          if (frame.left) {
            longs.leftIn.set(node, page);
          }
          frame.node = node;
          frame.ordinal = OpenCalls.BEFORE;
        }
        if (above != OpenCalls.NONE) {
          longs.below.set(above, frame.node);
        }
        if (known) {
          return;
        }
        above = frame.node;
      }
    }

    @Override
    public void opened(OpenCalls.Call frame, CallCursor entry) {
      see(frame.area);
      frame.ordinal = (int) (calls++ - pages.call.get(pages.count() - 1));
      fresh++;
      tally.opened(frame.depth);
    }

    @Override
    public void openedBeyond(CallCursor entry) {
      tally.openedBeyond();
    }

    @Override
    public void closed(OpenCalls.Call frame, long time, CallEnd end, long value) {
      tally.closed(end);
      int node = frame.node;
      if (node == OpenCalls.NONE) {
        fresh--;
        return;
      }
      longs.end.set(node, (byte) end.ordinal());
      longs.time.set(node, time);
      longs.children.set(node, frame.children);
      longs.leftOut.set(node, frame.leftOut);
      longs.value.set(node, value);
    }

    @Override
    public void ended(long function, long time, CallEnd end, long value) {
      see(open.selected());
      calls++;
      tally.lostEntry();
    }

    private void see(int area) {
      firstArea = calls == 0 ? area : firstArea;
      hasAreas |= area != firstArea;
    }

    CallIndex index() {
      return new CallIndex(longs, pages, tally.counts(), hasAreas, isCut);
    }
  }

  /**
   * Makes the index of a thread.
   *
   * @param work is told of the records that are read, and may stop reading at the end of a page
   */
  static CallIndex of(CallSource source, int thread, PageSize size, StoppableWork<?> work) {
    Survey survey = new Survey(source.matching());
    long firstTime = source.threads().get(thread).firstTime();
    try (CallCursor cursor = source.cursor(thread)) {
      survey.run(cursor, firstTime, size, work);
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

  /** Returns true if reading was stopped: the last page is empty, and records follow it. */
  boolean isCut() {
    return isCut;
  }

  int pages() {
    return pages.count();
  }

  /** Returns about how many calls begin in a stretch of time. */
  long callsBetween(long from, long to) {
    long first = from == Long.MIN_VALUE ? 0 : firstCall(pageAt(from));
    return Math.max(0, (to == Long.MAX_VALUE ? counts.calls() : firstCall(pageAt(to) + 1)) - first);
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
    // A call of this very time may be at the end of the page before.
    return Math.max(0, upTo(pages.time, time - 1));
  }

  private int upTo(LongColumn sorted, long value) {
    return Math.max(0, Search.floor(sorted.array(), pages.count(), value));
  }

  long firstCall(int page) {
    return page < pages.count() ? pages.call.get(page) : counts.calls();
  }

  long position(int page) {
    return pages.position.get(page);
  }

  /** Opens again what was open at the start of a page. */
  void restore(int page, OpenCalls open, CallBuilder rebuilder) {
    open.clear();
    rebuilder.restore(pages.losses.get(page), pages.beyond.get(page));
    Map<Integer, Integer> changes = pages.changesOf(page);
    for (int i = pages.firstTop(page); i < pages.firstTop(page + 1); i++) {
      int depth = 0;
      for (int node = pages.tops.get(i); node != OpenCalls.NONE; node = longs.below.get(node)) {
        depth++;
      }
      int[] chain = new int[depth];
      for (int node = pages.tops.get(i); node != OpenCalls.NONE; node = longs.below.get(node)) {
        chain[--depth] = node;
      }
      open.select(longs.area.get(pages.tops.get(i)));
      for (int node : chain) {
        OpenCalls.Call frame = open.push(longs.function.get(node), 0);
        frame.slot = longs.slot.get(node);
        frame.key = longs.key.get(node);
        frame.losses = longs.losses.get(node);
        frame.left = longs.leftIn.get(node) < page;
        Integer change = changes.get(node);
        if (change != null) {
          pages.change(change, frame);
        }
        frame.ordinal = OpenCalls.BEFORE;
        rebuilder.pushed(frame);
      }
    }
  }

  /** Ends the calls of a page that are open at its end. */
  void finish(int page, CallPage calls) {
    if (page + 1 >= pages.count()) {
      return;
    }
    for (int i = pages.firstTop(page + 1); i < pages.firstTop(page + 2); i++) {
      int node = pages.tops.get(i);
      while (node != OpenCalls.NONE && longs.page.get(node) == page) {
        calls.end(
            longs.ordinal.get(node),
            longs.time.get(node),
            longs.children.get(node),
            longs.leftOut.get(node),
            CallEnd.at(longs.end.get(node)),
            longs.value.get(node));
        node = longs.below.get(node);
      }
    }
  }
}
