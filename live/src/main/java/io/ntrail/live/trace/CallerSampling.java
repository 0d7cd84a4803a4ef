package io.ntrail.live.trace;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.TracedThread.Callers;
import io.ntrail.formats.ntr.TracedThread.Frame;
import io.ntrail.live.capture.ProgramCode;
import io.ntrail.live.capture.SampledStack;
import io.ntrail.live.patch.TargetResources;
import io.ntrail.live.session.Recorder;
import io.ntrail.live.session.StackSamples;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThread;
import io.ntrail.programs.unwind.FrameTrust;
import io.ntrail.programs.unwind.StackFrame;
import io.ntrail.programs.unwind.StackWalk;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Writes the callers of sampled entries of one process into the recording. Stacks are walked where
 * the trace has time for it, some at a time. Does nothing where no stacks are sampled.
 */
final class CallerSampling {
  private static final int MOST_AT_ONCE = 16;

  /** Time of one look: a thread that loads a library may be waiting. */
  private static final long LOOK_NANOS = 2_000_000;

  private static final int MOST_UNWRITTEN = 1024;

  /** Interval in which callers come into the file. */
  private static final long WRITE_NANOS = 100_000_000;

  /** Interval of looks for places of threads that are gone. */
  private static final long SEARCH_NANOS = 1_000_000_000;

  /** Addresses whose modules are known to be defined. */
  private static final int MOST_DEFINED = 1 << 16;

  /** Interval of looks for code that is in no known module. */
  private static final long REFRESH_NANOS = 1_000_000_000;

  private final StackSamples samples;
  private final TargetProcess target;
  private final long process;
  private final Recorder recorder;
  private final TraceFile file;
  private final TraceDefinitions definitions;
  private final Supplier<TargetResources> resources;
  private final Set<Long> defined = new HashSet<>();
  private @Nullable ProgramCode code;
  private boolean finished;
  private long lastRefresh;
  private long lastSearch = System.nanoTime();
  private final List<Callers> done = new ArrayList<>();
  private long lastWrite = System.nanoTime();
  private long recorded;
  private long incomplete;
  private long unusable;

  /** Reads nothing yet. */
  CallerSampling(TraceSetup setup, TraceDefinitions definitions) {
    this.samples = setup.session().samples();
    this.target = setup.target().process();
    this.process = setup.process();
    this.recorder = setup.recorder();
    this.file = setup.file();
    this.definitions = definitions;
    this.resources = setup.tracer().memory()::resources;
  }

  /** Copies the code of the program, which waits meanwhile. */
  void begin() {
    if (samples.layout().exist()) {
      code =
          new ProgramCode(
              target,
              address -> resources.get().reservation().contains(address),
              definitions.code());
      lastRefresh = System.nanoTime();
    }
  }

  /** Walks some of the stacks that wait. */
  void look() {
    long end = System.nanoTime() + LOOK_NANOS;
    boolean more = !finished;
    while (more && System.nanoTime() < end) {
      more = walkSome(true);
    }
    // The recorder is busy where there is much to write.
    if (done.size() >= MOST_UNWRITTEN || System.nanoTime() - lastWrite > WRITE_NANOS) {
      write();
    }
    if (!finished && System.nanoTime() - lastSearch > SEARCH_NANOS) {
      lastSearch = System.nanoTime();
      freePlaces();
    }
  }

  /** Walks all stacks that wait now. */
  void catchUp() {
    int left = finished ? 0 : samples.waiting();
    while (left > 0 && walkSome(true)) {
      left -= MOST_AT_ONCE;
    }
    write();
  }

  /** Frees places of threads that ended while they filled them. */
  private void freePlaces() {
    if (samples.areStuck()) {
      samples.freeOthers(
          target.threads().list().stream().map(TargetThread::tid).collect(Collectors.toSet()));
    }
  }

  /** Walks all stacks that wait, and counts. */
  void finish(boolean hasEnded) {
    ProgramCode known = code;
    if (known != null && !finished) {
      finished = true;
      if (hasEnded) {
        known.end();
      }
      // Tracing has left the program, or that has ended: no table is looked for.
      while (walkSome(false)) {
        samples.collect();
      }
      write();
      count();
    }
  }

  private void count() {
    file.count(
        process,
        Map.of(
            RecorderCounter.CALLERS,
            recorded,
            RecorderCounter.CALLERS_INCOMPLETE,
            incomplete,
            RecorderCounter.CALLERS_MISSED,
            samples.missed() + samples.unfinished() + unusable));
  }

  private boolean walkSome(boolean runs) {
    ProgramCode known = code;
    if (known == null) {
      return false;
    }
    List<Bytes> places = samples.take(MOST_AT_ONCE);
    for (Bytes place : places) {
      try {
        SampledStack stack = SampledStack.of(place, target.architecture());
        StackWalk walk = walk(known, stack, runs);
        Callers callers = callers(known, stack, walk);
        if (file.hasRoom(callers)) {
          walk.frames().forEach(frame -> define(known, frame.ip()));
          recorded++;
          incomplete += walk.end() == StackWalk.End.END_OF_STACK ? 0 : 1;
          done.add(callers);
        } else {
          unusable++;
        }
      } catch (DamagedInput e) {
        unusable++;
      }
    }
    return !places.isEmpty();
  }

  private void write() {
    lastWrite = System.nanoTime();
    if (!done.isEmpty()) {
      recorder.define(to -> {
        for (Callers one : done) {
          to.callers(one);
        }
      });
      done.clear();
    }
  }

  private StackWalk walk(ProgramCode known, SampledStack stack, boolean runs) {
    long function = definitions.address(stack.function());
    StackWalk walk = known.callers(stack, function);
    long now = System.nanoTime();
    if (runs && known.isLost(walk) && now - lastRefresh > REFRESH_NANOS) {
      lastRefresh = now;
      Collection<Long> handles = resources.get().handles().values();
      known.refresh(handles);
      defined.clear();
      walk = known.callers(stack, function);
    }
    return walk;
  }

  private void define(ProgramCode known, long address) {
    if (defined.contains(address)) {
      return;
    }
    known
        .module(address)
        .ifPresent(module -> {
          known.image(module).ifPresent(image -> definitions.seen(module, image));
          if (defined.size() < MOST_DEFINED) {
            defined.add(address);
          }
        });
  }

  private Callers callers(ProgramCode known, SampledStack stack, StackWalk walk) {
    List<Frame> frames = new ArrayList<>();
    for (StackFrame frame : walk.frames()) {
      frames.add(
          new Frame(
              frame.ip(),
              frames.isEmpty() ? Frame.RETURN : trust(frame.trust()),
              known.offset(frame.ip())));
    }
    return new Callers(
        file.nextCallers(),
        process,
        stack.tid() & 0xFFFF_FFFFL,
        stack.ticks(),
        stack.key(),
        end(walk.end()),
        walk.why(),
        frames);
  }

  /** Returns the numbers of docs/ntr.md. */
  private static int end(StackWalk.End end) {
    return switch (end) {
      case END_OF_STACK -> Callers.WHOLE;
      case MEMORY_MISSING -> 1;
      case UNKNOWN_CODE -> 2;
      case DAMAGED -> 3;
      case NO_PROGRESS -> 4;
      case TOO_MANY -> 5;
      case UNSUPPORTED -> 6;
    };
  }

  private static int trust(FrameTrust trust) {
    return switch (trust) {
      case TRAP -> Frame.TRAP;
      case FRAME -> Frame.POINTER;
      case SCAN -> Frame.SCAN;
      case CONTEXT, UNWIND, PROGRAM, FPO, INLINE, RECORDED -> Frame.UNWIND;
    };
  }
}
