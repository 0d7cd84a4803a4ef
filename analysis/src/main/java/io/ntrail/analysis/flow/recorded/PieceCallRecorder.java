package io.ntrail.analysis.flow.recorded;

import io.ntrail.analysis.flow.FlowError;
import io.ntrail.analysis.flow.calls.CodeModule;
import io.ntrail.analysis.flow.calls.FlowCallSink;
import io.ntrail.analysis.flow.calls.FlowFunction;
import io.ntrail.formats.identity.ImageId;
import io.ntrail.formats.ntr.EventKind;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.ThreadEventWriter;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.formats.ntr.UntracedModule;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes the calls of pieces as a recording of calls ({@code .ntr}), with their processes, threads
 * and modules. Between two pieces of a thread nothing is known of it: what is open at the end of a
 * piece is over there.
 *
 * <p>Times are counts of the instructions of all pieces so far, or nanoseconds.
 */
public final class PieceCallRecorder implements AutoCloseable {
  private static final long SECOND = 1_000_000_000L;

  /** Keys of frames are addresses in stacks: a stack that lies here and grows down. */
  private static final long STACK = 1L << 40;

  private static final int FRAME = 16;
  private static final long[] NOTHING = {};

  /** Times without flow that are told one by one; of the others the last one tells how many. */
  private static final int MOST_LOSSES = 1000;

  private record ThreadKey(int process, int thread) {}

  private record ModuleKey(int process, long base, String path) {}

  private record FunctionKey(long module, long start, String name) {}

  /** A thread that has events. */
  private static final class Writing {
    private final long process;
    private final ThreadEventWriter events;
    private long last;

    Writing(long process, ThreadEventWriter events) {
      this.process = process;
      this.events = events;
    }
  }

  private final NtrWriter writer;
  private final boolean byTime;
  private final Map<Integer, Long> processes = new HashMap<>();
  private final Map<ThreadKey, Writing> threads = new HashMap<>();
  private final Map<ModuleKey, Long> modules = new HashMap<>();
  private final Map<FunctionKey, Long> functions = new HashMap<>();
  private long instructions;
  private long losses;

  /**
   * Begins a recording.
   *
   * @param out closed with this
   * @param name of the recording that the pieces are of
   * @param byTime whether times are nanoseconds, else counts of instructions
   * @param program that writes
   */
  public PieceCallRecorder(OutputStream out, String name, boolean byTime, String program)
      throws IOException {
    this.byTime = byTime;
    NtrHeader header =
        new NtrHeader(
            NtrHeader.ONE_CLOCK | NtrHeader.NO_VALUES,
            byTime ? SECOND : 0,
            0,
            0,
            0,
            Long.BYTES,
            0,
            program);
    writer = new NtrWriter(out, header, name.hashCode());
  }

  /** Returns who takes the calls of a piece; {@link Calls#end} ends it. */
  public Calls begin(RecordedPiece piece) {
    try {
      int pid = piece.piece().processId();
      ThreadKey key = new ThreadKey(pid, piece.piece().threadId());
      Writing writing = threads.get(key);
      if (writing == null) {
        long process = process(pid, piece);
        long number = threads.size() + 1L;
        writer.thread(
            TracedThread.running(
                number, process, Integer.toUnsignedLong(piece.piece().threadId()), 0, ""));
        writing = new Writing(process, writer.events(number));
        threads.put(key, writing);
      }
      return new Calls(piece, writing);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long process(int pid, RecordedPiece piece) throws IOException {
    Long known = processes.get(pid);
    if (known != null) {
      return known;
    }
    long number = processes.size() + 1L;
    processes.put(pid, number);
    String name = piece.process() == null ? "" : piece.process();
    writer.process(TracedProcess.running(number, Integer.toUnsignedLong(pid), 0, name, ""));
    return number;
  }

  private long module(CodeModule module, int pid, long process) throws IOException {
    // Those of the kernel are in every process.
    boolean isKernel = module.base() < 0;
    ModuleKey key = new ModuleKey(isKernel ? 0 : pid, module.base(), module.path());
    Long known = modules.get(key);
    if (known != null) {
      return known;
    }
    long number = modules.size() + 1L;
    modules.put(key, number);
    ImageId image = module.image();
    writer.module(
        new TracedModule(
            number,
            isKernel ? 0 : process,
            module.base(),
            image == null ? new ImageId(0, module.size()) : image,
            0,
            0,
            module.path(),
            module.pdb(),
            module.pdbName()));
    return number;
  }

  /** Calls of one piece. */
  public final class Calls implements FlowCallSink {
    private final RecordedPiece piece;
    private final Writing writing;
    private long[] open = new long[64];
    private int depth;
    private boolean isLost;
    private long lostSince;
    private String why = "";

    private Calls(RecordedPiece piece, Writing writing) {
      this.piece = piece;
      this.writing = writing;
    }

    private long now() {
      long time =
          !byTime
              ? instructions
              : piece.times().knowsNanos() ? piece.times().nanos() : piece.piece().eventNanos();
      // Pieces of one thread may overlap: each is what ran since the thread came onto the CPU.
      writing.last = Math.max(writing.last, time);
      return writing.last;
    }

    private long number(int function) throws IOException {
      FlowFunction of = piece.functions().get(function);
      CodeModule in = of.module();
      long module = in == null ? 0 : module(in, piece.piece().processId(), writing.process);
      FunctionKey key = new FunctionKey(module, of.start(), of.name());
      Long known = functions.get(key);
      if (known != null) {
        return known;
      }
      long number = functions.size() + 1L;
      functions.put(key, number);
      writer.function(
          new TracedFunction(
              number,
              module,
              in == null ? of.start() : of.start() - in.base(),
              of.name(),
              List.of()));
      return number;
    }

    private static long key(int at) {
      return STACK - (long) at * FRAME;
    }

    @Override
    public void enter(int function, int at, long address, long returnAddress, Entry how) {
      try {
        if (at >= open.length) {
          open = Arrays.copyOf(open, 2 * at);
        }
        open[at] = number(function);
        depth = at + 1;
        writing.events.entry(now(), open[at], 0, at, key(at), returnAddress);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void executed(int at, int count) {
      if (isLost) {
        isLost = false;
        tell(Math.max(1, now()));
      }
      instructions += count;
    }

    @Override
    public void leave(int at, boolean isSeen) {
      try {
        depth = at;
        if (isSeen) {
          writing.events.exit(now(), open[at], 0, at, key(at), 0);
        } else {
          over(at);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void over(int at) throws IOException {
      writing.events.other(EventKind.OVER, now(), open[at], 0, at, key(at), 0, NOTHING, 0);
    }

    @Override
    public void lost(FlowError error, long offset, long address) {
      lose(piece.reasons().text(error, address));
    }

    @Override
    public void overflow() {
      lose("the processor dropped packets");
    }

    private void lose(String reason) {
      if (!isLost) {
        isLost = true;
        lostSince = now();
        why = reason;
      }
    }

    private void tell(long to) {
      losses++;
      if (losses > MOST_LOSSES) {
        return;
      }
      String reason =
          losses < MOST_LOSSES ? why : "the flow was lost more often than can be listed";
      String name = piece.process() == null ? "piece" : piece.process();
      try {
        writer.untraced(
            new UntracedModule(
                losses,
                writing.process,
                lostSince,
                to,
                name + ", piece " + piece.number(),
                reason));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Ends what is open. */
    public void end() {
      try {
        if (depth > 0) {
          over(0);
          depth = 0;
        }
        if (isLost) {
          tell(Math.max(1, now()));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
