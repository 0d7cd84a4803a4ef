package io.ntrail.live.branches;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.formats.pe.unwind.FunctionTable;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.programs.image.CodeRanges.Range;
import io.ntrail.programs.patchability.BranchFinder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Search for branches in the file of a library by the agent, whose machine code is several times as
 * fast as ours: a thread of the program may wait for it. Two threads of the agent share the work.
 *
 * <p>The agent maps the file for itself, and one of its threads begins to touch it before it is
 * known what has to be found. Small libraries, and whatever the agent cannot do, are searched here.
 * Used by the thread that uses the agent; memory of the agent stays until it ends.
 */
public final class AgentBranches {
  /** Bytes of code from which on it is worth the exchanges. */
  private static final long LEAST = 4 << 20;

  /** Bytes of code from which on a second thread is worth its start. */
  private static final long MANY = 32 << 20;

  /** Bytes of code that the agent searches at most, in some tenths of a second. */
  private static final long MOST = 1 << 30;

  /** Bytes that a thread takes at a time; more of them for more code. */
  private static final long PIECE = 1 << 19;

  /** Most pieces. */
  private static final int MOST_PIECES = 2048;

  /** Bytes of the file that are compared: its headers. */
  private static final int HEADERS = 1024;

  private static final int WAIT_MILLIS = 10_000;
  private static final int PATHS = 32_768;
  private static final long GENERIC_READ = 0x8000_0000L;
  private static final int SHARE_ALL = 7;
  private static final int OPEN_EXISTING = 3;
  private static final int READ_ONLY = 2;
  private static final int MAP_READ = 4;
  private static final int READ_WRITE = 4;
  private static final int EXECUTE_READ_WRITE = 0x40;
  private static final int COMMIT = 0x3000;
  private static final int NO_FILE = -1;
  private static final String NO_MEMORY = "no memory in the agent";

  /** Bytes for the routine. */
  private static final int CODE = 0x1000;

  /** Bytes for what is touched, before the block. */
  private static final int TOUCHING = 64;

  /** Bytes for all that, and for the places. */
  private static final int BLOCK = 2 << 20;

  private static final String OPEN = "kernel32!CreateFileW";
  private static final String SIZE = "kernel32!GetFileSizeEx";
  private static final String MAPPING = "kernel32!CreateFileMappingW";
  private static final String MAP = "kernel32!MapViewOfFile";
  private static final String UNMAP = "kernel32!UnmapViewOfFile";
  private static final String CLOSE = "kernel32!CloseHandle";
  private static final String ALLOCATE = "kernel32!VirtualAlloc";
  private static final String HANDLE = "kernel32!AddVectoredExceptionHandler";
  private static final String THREAD = "kernel32!CreateThread";
  private static final String SET = "kernel32!SetEvent";
  private static final String RESET = "kernel32!ResetEvent";
  private static final String WAIT = "kernel32!WaitForSingleObject";

  private final WindowsApi calls;
  private final long least;
  private final long many;

  /** The file that is mapped; null: none. */
  private @Nullable Mapped mapped;

  /** Handle of the event that the other thread waits for. */
  private long event;

  /** Offset of the routine that touches pages. */
  private int touch;

  /** Address of the routine; 0 if it is not there yet. */
  private long code;

  /** Address of memory for what is touched, the routine's block and its places. */
  private long block;

  /** Set if it cannot search, or a search has not ended: another one would use the same memory. */
  private boolean isOut;

  /** Number of the file that is mapped. */
  private int files;

  /** Prepares nothing yet. */
  public AgentBranches(WindowsApi calls) {
    this(calls, LEAST, MANY);
  }

  /**
   * Prepares nothing yet.
   *
   * @param least bytes of code from which on the agent searches
   * @param many bytes of code from which on it does so with two threads
   */
  AgentBranches(WindowsApi calls, long least, long many) {
    this.calls = calls;
    this.many = many;
    this.least = least;
  }

  /**
   * A file that the agent has mapped; 0 stands for what it could not make.
   *
   * @param thread handle of the thread that touches its pages
   * @param headers its first bytes
   */
  private record Mapped(
      String path, long file, long mapping, long view, long size, long thread, Bytes headers) {}

  /** Does what can be done before a library is there; so it is done when nobody waits. */
  public void prepare() {
    try {
      makeReady();
    } catch (CannotGoOn e) {
      // Searches are made here then; an agent that is gone is noticed by others.
      isOut = true;
    }
  }

  private void makeReady() {
    if (code != 0) {
      return;
    }
    for (String name :
        List.of(OPEN, SIZE, MAPPING, MAP, UNMAP, CLOSE, HANDLE, WAIT, THREAD, SET, RESET)) {
      calls.address(name);
    }
    BranchRoutine.Code routine = BranchRoutine.code();
    long memory = calls.must(NO_MEMORY, ALLOCATE, 0, CODE, COMMIT, EXECUTE_READ_WRITE);
    calls.agent().poke(memory, routine.bytes());
    block = calls.must(NO_MEMORY, ALLOCATE, 0, BLOCK, COMMIT, READ_WRITE);
    touch = routine.touch();
    event = calls.must("no event in the agent", "kernel32!CreateEventW", 0, 0, 0, 0);
    calls.call(HANDLE, 1, memory + routine.handler());
    code = memory;
  }

  /** Lets go of a file. Until then nobody waits for that. */
  public void release() {
    Mapped old = mapped;
    mapped = null;
    files++;
    if (old == null || isOut) {
      return;
    }
    List<AgentCall> end = new ArrayList<>();
    if (old.thread != 0) {
      go(RoutineBlock.STOP);
      end.add(calls.prepare(SET, event));
      end.add(calls.prepare(WAIT, old.thread, WAIT_MILLIS));
      end.add(calls.prepare(CLOSE, old.thread));
    }
    if (old.view != 0) {
      end.add(calls.prepare(UNMAP, old.view));
    }
    if (old.mapping != 0) {
      end.add(calls.prepare(CLOSE, old.mapping));
    }
    if (old.file != NO_FILE) {
      end.add(calls.prepare(CLOSE, old.file));
    }
    calls.call(end);
  }

  /**
   * Returns the search in a file. If that is large, the agent maps it now, and a thread of it
   * begins to touch its pages, so that they are there when they are searched.
   *
   * @param path of the file, on the agent's system
   * @param headers as they are in memory
   */
  public ImageSearch in(String path, PeImage headers) {
    long bytes = 0;
    long begin = Long.MAX_VALUE;
    long end = 0;
    for (Section section : headers.sections()) {
      if (section.is(Section.EXECUTE)) {
        bytes += section.rawSize();
        begin = Math.min(begin, section.rawOffset());
        end = Math.max(end, section.rawOffset() + section.rawSize());
      }
    }
    if (bytes >= least && bytes <= MOST && path.length() < PATHS && !isOut) {
      try {
        map(path, begin, bytes < many ? begin : end);
      } catch (CannotGoOn e) {
        isOut = true;
      }
    }
    return mapped == null ? ImageSearch.here() : new Search(mapped);
  }

  /** Search in a file that is mapped. */
  private final class Search implements ImageSearch {
    private final Mapped file;
    private final int number = files;

    /** Takes what the agent finds in the table; null: that is not wanted. */
    private @Nullable CompletableFuture<Optional<int[]>> entries;

    Search(Mapped file) {
      this.file = file;
    }

    @Override
    public CompletableFuture<Optional<int[]>> continuing(FunctionTable table) {
      if (file.thread == 0) {
        return ImageSearch.here().continuing(table);
      }
      CompletableFuture<Optional<int[]>> found = new CompletableFuture<>();
      entries = found;
      return found.thenApplyAsync(known -> known.isPresent() ? known : table.continuing());
    }

    @Override
    public long[] find(PeImage image, List<Range> code, long[] starts) {
      CompletableFuture<Optional<int[]>> wanted = entries;
      entries = null;
      try {
        if (number == files && !isOut) {
          return AgentBranches.this.find(file, image, code, starts, wanted);
        }
      } catch (CannotGoOn e) {
        // Whoever needs the agent for more than speed reports that it is gone.
      } finally {
        if (wanted != null) {
          // If it is not known yet.
          wanted.complete(Optional.empty());
        }
      }
      return HERE.find(image, code, starts);
    }
  }

  /**
   * Maps a file.
   *
   * @param begin offset from which on another thread touches it
   * @param end offset up to which it does; no other thread if that is the begin
   */
  private void map(String path, long begin, long end) {
    makeReady();
    release();
    long name = calls.agent().scratch();
    calls.agent().poke(name, new BytesBuilder(2 * path.length() + 2).utf16z(path).toArray());
    List<CallOutcome> made =
        calls.call(
            List.of(
                calls.prepare(OPEN, name, GENERIC_READ, SHARE_ALL, 0, OPEN_EXISTING, 0, 0),
                calls.prepare(MAPPING, 0, 0, READ_ONLY, 0, 0, 0).referring(0, 0, 0),
                calls.prepare(MAP, 0, MAP_READ, 0, 0, 0).referring(0, 1, 0),
                calls.prepare(SIZE, 0, name).referring(0, 0, 0),
                calls.prepare(RESET, event)));
    long view = made.get(2).result();
    long size = made.get(3).isTrue() ? calls.agent().peek(name, Long.BYTES).i64(0) : 0;
    // Before there is a thread that takes its time.
    Bytes headers =
        size < HEADERS || view == 0
            ? Bytes.copyOf(new byte[0], "no file")
            : calls.agent().peek(view, HEADERS);
    long thread = 0;
    if (view != 0 && begin < end && end <= size) {
      BytesBuilder stretch = new BytesBuilder(TOUCHING).u64(view + begin).u64(view + end).u64(0);
      stretch.u64(event).u64(calls.address(WAIT));
      calls.agent().poke(block, stretch.toArray());
      thread = calls.call(THREAD, 0, 0, code + touch, block, 0, 0).result();
    }
    long file = made.get(0).result();
    mapped = new Mapped(path, file, made.get(1).result(), view, size, thread, headers);
  }

  /**
   * Searches.
   *
   * @param entries is completed if the function table was looked at; null: that is not wanted
   */
  private long[] find(
      Mapped file,
      PeImage image,
      List<Range> ranges,
      long[] starts,
      @Nullable CompletableFuture<Optional<int[]>> entries) {
    List<Range> stored = BranchFinder.stored(image, ranges);
    long bytes = 0;
    for (Range range : stored) {
      bytes += range.end() - range.begin();
    }
    if (bytes > MOST || file.view == 0 || !isIn(image, file)) {
      throw failed();
    }
    List<RoutineInput.Piece> pieces = new ArrayList<>();
    List<Range> rest = new ArrayList<>();
    long most = Math.max(PIECE, bytes / MOST_PIECES * 2 & -RoutineBlock.STEP);
    for (Range range : stored) {
      long last = range.end() - RoutineBlock.BEHIND;
      long at = range.begin();
      while (last - at >= RoutineBlock.STEP) {
        long length = Math.min(most, last - at & -RoutineBlock.STEP);
        pieces.add(new RoutineInput.Piece(image.view().offset(at), at, length));
        at += length;
      }
      rest.add(new Range(at, range.end()));
    }
    LongList found = search(file, image, pieces, starts, entries);
    long[] more = BranchFinder.HERE.find(image, rest, starts);
    found.addAll(more, 0, more.length);
    return found.toArray();
  }

  private LongList search(
      Mapped file,
      PeImage image,
      List<RoutineInput.Piece> pieces,
      long[] starts,
      @Nullable CompletableFuture<Optional<int[]>> entries) {
    long at = block + TOUCHING;
    RoutineInput.UnwindPlace unwind =
        entries == null ? RoutineInput.UnwindPlace.NONE : RoutineInput.UnwindPlace.of(image);
    byte[] input =
        RoutineInput.of(pieces, starts, image.headers().sizeOfImage(), file.view, at, unwind);
    if (input.length
        > BLOCK - TOUCHING - (RoutineInput.ROOM + RoutineInput.MOST_CONTINUING) * Integer.BYTES) {
      throw failed();
    }
    calls.agent().poke(at, input);
    go(at);
    List<CallOutcome> done =
        calls.call(
            List.of(
                calls.prepare(SET, event),
                AgentCall.of(code, at),
                calls.prepare(WAIT, file.thread, WAIT_MILLIS)));
    if (file.thread != 0 && done.get(2).result() != 0) {
      // The other thread still runs: what it uses has to stay.
      isOut = true;
      throw failed();
    }
    Bytes head = calls.agent().peek(at, RoutineBlock.FIRST_PIECE);
    if (done.get(1).kind() != CallOutcome.Kind.DONE || head.i64(RoutineBlock.FAILED) != 0) {
      throw failed();
    }
    if (entries != null
        && unwind.entries() > 0
        && head.i64(RoutineBlock.UNUSUAL) == 0
        && head.i64(RoutineBlock.CONTINUING) <= RoutineInput.MOST_CONTINUING) {
      long from = at + input.length + (long) RoutineInput.ROOM * Integer.BYTES;
      long[] some = numbers(from, head.i64(RoutineBlock.CONTINUING)).toArray();
      Arrays.sort(some);
      int[] rows = new int[some.length];
      for (int i = 0; i < rows.length; i++) {
        rows[i] = (int) some[i];
      }
      entries.complete(Optional.of(rows));
    }
    if (head.i64(RoutineBlock.FOUND) > RoutineInput.ROOM) {
      throw failed();
    }
    return numbers(at + input.length, head.i64(RoutineBlock.FOUND));
  }

  /** Gives the other thread its block. */
  private void go(long address) {
    calls.agent().poke(block + RoutineBlock.GO, new BytesBuilder(8).u64(address).toArray());
  }

  private LongList numbers(long at, long count) {
    Bytes all = calls.agent().peek(at, (int) count * Integer.BYTES);
    LongList numbers = new LongList((int) count);
    for (int i = 0; i < count; i++) {
      numbers.add(all.u32(i * Integer.BYTES));
    }
    return numbers;
  }

  private static CannotGoOn failed() {
    return new CannotGoOn("the agent could not search", "");
  }

  /** Returns whether a file that the agent has mapped is that of an image. */
  private boolean isIn(PeImage image, Mapped its) {
    return image.file().isPresent()
        && its.headers.length() == HEADERS
        && its.size == image.file().get().size()
        && Arrays.equals(
            its.headers.array(0, HEADERS), image.view().bytes(0, HEADERS).array(0, HEADERS));
  }
}
