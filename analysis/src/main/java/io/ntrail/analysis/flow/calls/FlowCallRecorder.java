package io.ntrail.analysis.flow.calls;

import io.ntrail.analysis.flow.FlowError;
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
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Writes the calls of a flow as a recording of calls ({@code .ntr}), of one process with one
 * thread.
 *
 * <p>A stream does not tell whose it is, nor what functions return: ids are 0, and the header says
 * that returned values are not those of functions. Times are ticks of a clock, or counts of
 * instructions where the clock is not known.
 */
public final class FlowCallRecorder implements FlowCallSink, AutoCloseable {
  private static final long PROCESS = 1;
  private static final long THREAD = 1;

  /** Keys of frames are addresses in stacks: a stack that lies here and grows down. */
  private static final long STACK = 1L << 40;

  private static final int FRAME = 16;

  private static final long[] NOTHING = {};

  /** Times without flow that are told one by one; all later ones are told as one. */
  private static final int MOST_LOSSES = 1000;

  private final NtrWriter writer;
  private final String name;
  private final ThreadEventWriter events;
  private final FlowFunctions functions;
  private final LongSupplier clock;
  private final boolean countsInstructions;
  private int defined;
  private long instructions;
  private long last;
  private int[] open = new int[64];

  private boolean isAnyOpen;

  private boolean isLost;
  private long lostSince;
  private String why = "";
  private long losses;

  /** Begin of the first loss that is not told by itself. */
  private long restSince;

  /**
   * Begins a recording.
   *
   * @param out closed with this
   * @param name of the stream
   * @param ticksPerSecond of the clock; 0: not known, and instructions are counted instead
   * @param began ticks when the stream begins
   * @param clock ticks now
   */
  public FlowCallRecorder(
      OutputStream out,
      String name,
      FlowFunctions functions,
      long ticksPerSecond,
      long began,
      LongSupplier clock,
      String program)
      throws IOException {
    this.name = name;
    this.functions = functions;
    this.clock = clock;
    this.countsInstructions = ticksPerSecond == 0;
    this.last = began;
    NtrHeader header =
        new NtrHeader(
            NtrHeader.ONE_CLOCK | NtrHeader.NO_VALUES,
            ticksPerSecond,
            began,
            0,
            0,
            Long.BYTES,
            countsInstructions ? 0 : NtrHeader.TIME_STAMP_COUNTER,
            program);
    writer = new NtrWriter(out, header, name.hashCode());
    writer.process(TracedProcess.running(PROCESS, 0, 0, name, ""));
    writer.thread(TracedThread.running(THREAD, PROCESS, 0, 0, ""));
    List<CodeModule> modules = functions.modules();
    for (int i = 0; i < modules.size(); i++) {
      CodeModule module = modules.get(i);
      ImageId image = module.image();
      writer.module(
          new TracedModule(
              i + 1,
              PROCESS,
              module.base(),
              image == null ? new ImageId(0, module.size()) : image,
              0,
              0,
              module.path(),
              module.pdb(),
              module.pdbName()));
    }
    events = writer.events(THREAD);
  }

  private long now() {
    // A clock that is corrected may step back.
    last = Math.max(last, countsInstructions ? instructions : clock.getAsLong());
    return last;
  }

  private void define() throws IOException {
    List<FlowFunction> met = functions.met();
    while (defined < met.size()) {
      FlowFunction function = met.get(defined++);
      CodeModule module = function.module();
      long number = module == null ? 0 : functions.modules().indexOf(module) + 1;
      writer.function(
          new TracedFunction(
              function.number(),
              number,
              module == null ? function.start() : function.start() - module.base(),
              function.name(),
              List.of()));
    }
  }

  @Override
  public void enter(int function, int depth, long address, long returnAddress, Entry how) {
    try {
      define();
      if (depth >= open.length) {
        open = Arrays.copyOf(open, 2 * depth);
      }
      open[depth] = function;
      isAnyOpen = true;
      events.entry(now(), function, 0, depth, key(depth), returnAddress);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long key(int depth) {
    return STACK - (long) depth * FRAME;
  }

  @Override
  public void executed(int depth, int count) {
    if (isLost) {
      isLost = false;
      losses++;
      if (losses <= MOST_LOSSES) {
        tell(losses, lostSince, Math.max(1, now()), why);
      } else if (losses == MOST_LOSSES + 1) {
        restSince = lostSince;
      }
    }
    instructions += count;
  }

  private void tell(long number, long from, long to, String reason) {
    try {
      writer.untraced(new UntracedModule(number, PROCESS, from, to, name, reason));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void lose(String reason) {
    if (!isLost) {
      isLost = true;
      lostSince = now();
      why = reason;
    }
  }

  @Override
  public void leave(int depth, boolean isSeen) {
    try {
      if (isSeen) {
        events.exit(now(), open[depth], 0, depth, key(depth), 0);
      } else {
        over(depth);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void over(int depth) throws IOException {
    events.other(EventKind.OVER, now(), open[depth], 0, depth, key(depth), 0, NOTHING, 0);
  }

  @Override
  public void lost(FlowError error, long offset, long address) {
    lose(error.text() + " at 0x" + Long.toHexString(offset));
  }

  @Override
  public void overflow() {
    lose("the processor dropped packets");
  }

  @Override
  public void close() throws IOException {
    if (isAnyOpen) {
      // What is open ran until here: the flow ends, and with it what can be told of them.
      over(0);
    }
    if (losses > MOST_LOSSES) {
      String reason = "the flow was lost " + (losses - MOST_LOSSES) + " more times";
      tell(MOST_LOSSES + 1L, restSince, isLost ? 0 : Math.max(1, now()), reason);
    } else if (isLost) {
      tell(losses + 1, lostSince, 0, why);
    }
    writer.close();
  }
}
