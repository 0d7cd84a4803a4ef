package io.ntrail.analysis.merge.calls;

import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallEventKind;
import io.ntrail.analysis.calls.CallSelection;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.JtrcCalls;
import io.ntrail.formats.collections.LongList;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.formats.jtrc.JtrcImage;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import java.io.IOException;
import java.io.OutputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A {@code .jtrc} on its way into a {@code .ntr}. Functions have their addresses as numbers. Slots
 * are the depth of calls, and keys follow from it.
 */
final class JtrcFileCopy implements FileCopy {
  /** Key of the outermost call, above all addresses of 32-bit code. */
  private static final long STACK = 1L << 33;

  private static final long[] NOTHING = {};

  private final JtrcCalls source;
  private final JtrcFile file;
  private final NtrWriter writer;
  private final CutTally tally;
  private final Set<Long> defined = new HashSet<>();

  /** Begins a file with everything but the records. */
  JtrcFileCopy(OutputStream out, JtrcCalls source, List<Integer> threads, int id, CutTally tally)
      throws IOException {
    this.source = source;
    this.file = source.file();
    this.tally = tally;
    boolean isShared = source.clock().shared();
    NtrHeader header =
        new NtrHeader(
            NtrHeader.BY_FUNCTION | (isShared ? NtrHeader.ONE_CLOCK : 0),
            0,
            0,
            0,
            0x14C,
            4,
            isShared ? NtrHeader.PERFORMANCE_COUNTER : NtrHeader.TIME_STAMP_COUNTER,
            "ntrail, from a file of NTrace");
    this.writer = new NtrWriter(out, header, id);
    long number = 1;
    for (JtrcImage image : file.images()) {
      String pdbName = image.pdbName();
      writer.module(
          new TracedModule(
              number++,
              0,
              image.base(),
              new ImageId(image.timestamp(), image.size()),
              0,
              0,
              image.path(),
              image.pdb(),
              pdbName == null ? "" : pdbName));
    }
    Map<Long, Long> processes = new HashMap<>();
    for (int i : threads) {
      CallThread thread = source.threads().get(i);
      Long process = processes.get(thread.pid());
      if (process == null) {
        process = processes.size() + 1L;
        processes.put(thread.pid(), process);
        writer.process(TracedProcess.running(process, thread.pid(), 0, "", ""));
      }
      writer.thread(TracedThread.running(i + 1, process, thread.tid(), 0, ""));
      writer.wholeThread(new TracedThread.Whole(i + 1L, thread.firstTime(), false));
    }
  }

  @Override
  public NtrWriter writer() {
    return writer;
  }

  @Override
  public ThreadCopy<?> thread(int thread) {
    return new Records(thread);
  }

  @Override
  public void end() {
    // Everything else was written at the begin.
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  private static long key(int slot) {
    return STACK - 8L * slot;
  }

  private void define(long address) throws IOException {
    if (defined.add(address)) {
      JtrcImage image = file.imageAt(address).orElse(null);
      long module = image == null ? 0 : file.images().indexOf(image) + 1L;
      long rva = image == null ? address : address - image.base();
      writer.function(new TracedFunction(address, module, rva, "", List.of()));
    }
  }

  /** A record. */
  private record Copy(CallEventKind kind, long ticks, long function, long value) {}

  /** Records of a thread. */
  private final class Records implements ThreadCopy<Copy> {
    private final ThreadEventWriter out;
    private final CallCursor records;

    /** Functions of the calls that are open in the copy, the outermost first. */
    private final LongList open = new LongList();

    private int depth;

    Records(int thread) {
      this.records = source.cursor(thread);
      this.out = writer.events(thread + 1L);
    }

    @Override
    public CallCursor records() {
      return records;
    }

    @Override
    public void begin(@Nullable CallSelection<Copy> by) {
      // Every record is one of calls.
    }

    @Override
    public Copy copy() {
      return new Copy(records.event(), records.time(), records.function(), records.value());
    }

    @Override
    public Copy join(Copy loss) {
      throw new IllegalStateException("there are no losses");
    }

    @Override
    public Copy join(Copy loss, Copy next) {
      throw new IllegalStateException("there are no losses");
    }

    @Override
    public void write() throws IOException {
      write(copy());
    }

    @Override
    public void write(Copy copy) throws IOException {
      tally.written++;
      define(copy.function);
      if (copy.kind == CallEventKind.ENTRY) {
        out.entry(copy.ticks, copy.function, 0, depth, key(depth), copy.value);
        open.extend(depth + 1, 0);
        open.set(depth++, copy.function);
        return;
      }
      int slot = depth;
      for (int i = depth - 1; i >= 0; i--) {
        if (open.get(i) == copy.function) {
          slot = i;
          depth = i;
          break;
        }
      }
      if (copy.kind == CallEventKind.EXIT) {
        out.exit(copy.ticks, copy.function, 0, slot, key(slot), copy.value);
      } else {
        out.unwind(copy.ticks, copy.function, 0, slot, key(slot), copy.value);
      }
    }

    @Override
    public void drop(Copy copy) {
      tally.leaveOut(copy.ticks, 1);
    }

    @Override
    public void drop() {
      tally.leaveOut(records.time(), 1);
    }

    @Override
    public long ticks() {
      return records.time();
    }

    @Override
    public void leftOut(long ticks, int area, int slot, long key, long calls) throws IOException {
      out.other(EventKind.LEFT_OUT, ticks, 0, area, slot, key(slot), calls, NOTHING, 0);
    }

    @Override
    public void end() throws IOException {
      writer.endThread(out.thread());
    }

    @Override
    public void close() {
      records.close();
    }
  }
}
