package io.ntrail.analysis.probe.calls;

import io.ntrail.analysis.calls.CallClock;
import io.ntrail.analysis.calls.CallCursor;
import io.ntrail.analysis.calls.CallFunction;
import io.ntrail.analysis.calls.CallModule;
import io.ntrail.analysis.calls.CallSource;
import io.ntrail.analysis.calls.CallThread;
import io.ntrail.analysis.calls.NtrClock;
import io.ntrail.analysis.model.CallerStack;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.RecordingFollower;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedModule;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Calls that are being recorded, as a source that grows: a recorder gives records, a reader takes
 * them with the times that they have in the recording.
 *
 * <p>A time is final as soon as the clock was calibrated after it. The reader gets what happened
 * before the calibration before the last one: by then all threads have handed over their records of
 * that time, but for one that did not run since it had read the clock.
 */
public final class CallFeed implements CallSource, RecordingFollower {
  /** Calibrations that are kept: times before them were read long ago. */
  private static final int CALIBRATIONS = 64;

  private final long most;
  private final Map<Long, TracedFunction> functions = new ConcurrentHashMap<>();
  private final Map<Long, CallModule> modules = new ConcurrentHashMap<>();
  private final Map<Long, TracedModule> definedModules = new ConcurrentHashMap<>();
  private final Map<Long, TracedProcess> processes = new ConcurrentHashMap<>();
  private final Map<Begin, String> names = new ConcurrentHashMap<>();
  private final FeedCallers callers = new FeedCallers();
  private final Object lock = new Object();

  /** Known to the recorder; guarded by its own lock, which is held whenever it gives something. */
  private final Map<Long, FeedThread> byNumber = new HashMap<>();

  private final List<FeedThread> handedOver = new ArrayList<>();
  private final List<ClockCalibration> calibrations = new ArrayList<>();
  private volatile @Nullable NtrHeader header;

  /** Records that the recorder gave; written by it alone. */
  private final AtomicLong given = new AtomicLong();

  /** Records that the reader took; written by it alone. */
  private final AtomicLong taken = new AtomicLong();

  private volatile boolean isClosed;
  private boolean isNews;
  private boolean hasEnded;
  private boolean isReaderIdle;

  /** State of the reader. */
  private final List<FeedThread> threads = new ArrayList<>();

  private NtrClock.@Nullable Reader clock;
  private long until;
  private long untilNanos;
  private boolean isLast;

  /** Begin of a function. */
  private record Begin(CallModule module, long rva) {}

  /**
   * Nothing was recorded yet.
   *
   * @param most records that may wait before the recorder is asked to pause
   */
  public CallFeed(long most) {
    this.most = most;
  }

  // By the recorder.

  @Override
  public void header(NtrHeader its) {
    header = its;
  }

  @Override
  public void process(TracedProcess process) {
    processes.put(process.number(), process);
  }

  @Override
  public void thread(TracedThread thread) {
    of(thread.number()).definition = thread;
  }

  @Override
  public void module(TracedModule module) {
    definedModules.put(module.number(), module);
    modules.putIfAbsent(module.number(), CallModule.of(module));
  }

  @Override
  public void function(TracedFunction function) {
    functions.put(function.number(), function);
    CallModule module = modules.get(function.module());
    if (module != null && !function.name().isEmpty()) {
      names.put(new Begin(module, function.rva()), function.name());
    }
  }

  @Override
  public void callers(TracedThread.Callers one) {
    callers.add(one);
  }

  private FeedThread of(long number) {
    return byNumber.computeIfAbsent(number, FeedThread::new);
  }

  @Override
  public void event(
      long thread,
      int kind,
      long ticks,
      long function,
      int area,
      int slot,
      long key,
      long value,
      long[] more,
      int count) {
    if (!isClosed) {
      of(thread).add(kind, ticks, function, area, slot, key, value, more, count);
      given.setRelease(given.getPlain() + 1);
    }
  }

  @Override
  public void lost(long thread, long records) {
    if (!isClosed) {
      of(thread).lost(records);
    }
  }

  @Override
  public boolean isFull() {
    return given.get() - taken.get() >= most && !isClosed;
  }

  @Override
  public void calibration(ClockCalibration calibration) {
    synchronized (lock) {
      ClockCalibration last = calibrations.isEmpty() ? null : calibrations.getLast();
      boolean isLater =
          last == null
              || Long.compareUnsigned(calibration.ticks(), last.ticks()) > 0
                  && calibration.nanos() > last.nanos();
      if (isLater) {
        calibrations.add(calibration);
      }
      handOver();
    }
  }

  /** Gives the reader what it does not have; the lock is held. */
  private void handOver() {
    for (FeedThread thread : byNumber.values()) {
      if (thread.handOver()) {
        handedOver.add(thread);
      }
    }
    isNews = true;
    lock.notifyAll();
  }

  /** Tells that nothing more is recorded. */
  public void recordingEnded() {
    synchronized (lock) {
      hasEnded = true;
      handOver();
    }
  }

  /** Returns true if the reader has all that it can have for the moment, and waits. */
  public boolean isReaderIdle() {
    synchronized (lock) {
      return isReaderIdle && !isNews;
    }
  }

  // By the reader.

  /**
   * Waits until more can be read, or nothing more will come.
   *
   * @return false if this was the last
   * @throws InterruptedException if the thread was interrupted
   */
  public boolean await() throws InterruptedException {
    synchronized (lock) {
      isReaderIdle = true;
      while (!isNews) {
        lock.wait();
      }
      isNews = false;
      isReaderIdle = false;
      for (FeedThread thread : handedOver) {
        if (!thread.isKnown) {
          thread.isKnown = true;
          threads.add(thread);
        }
        thread.take();
      }
      handedOver.clear();
      NtrClock times = NtrClock.of(header, calibrations);
      clock = times.reader();
      isLast = hasEnded;
      int last = calibrations.size() - (isLast ? 1 : 2);
      until = last < 0 ? 0 : calibrations.get(last).ticks();
      untilNanos = last < 0 ? 0 : times.reader().time(until);
      if (calibrations.size() > 2 * CALIBRATIONS) {
        calibrations.subList(0, CALIBRATIONS).clear();
      }
    }
    return !isLast;
  }

  /** Returns the time up to which everything was given. */
  public long settled() {
    return untilNanos;
  }

  /** Returns the time up to which calls were recorded, when that has ended. */
  public long ended() {
    synchronized (lock) {
      return calibrations.isEmpty()
          ? 0
          : NtrClock.of(header, calibrations).reader().time(calibrations.getLast().ticks());
    }
  }

  /** Takes no further records: nobody reads them. */
  @Override
  public void close() {
    isClosed = true;
  }

  private boolean isFinal(long ticks) {
    return isLast || Long.compareUnsigned(ticks, until) <= 0;
  }

  private long time(long ticks) {
    NtrClock.Reader its = clock;
    return its == null ? 0 : its.time(ticks);
  }

  /** Cursor that ends where the clock is not final yet, and goes on later. */
  private final class Cursor extends FeedCursor {
    Cursor(FeedThread thread) {
      super(thread);
    }

    @Override
    public boolean next() {
      while (thread.next(isLast, until)) {
        if (!thread.isLost()) {
          taken.setRelease(taken.getPlain() + 1);
        }
        if (isOfCalls()) {
          return true;
        }
      }
      return false;
    }

    @Override
    public long time() {
      return CallFeed.this.time(thread.ticks());
    }
  }

  @Override
  public CallCursor cursor(int thread) {
    return new Cursor(threads.get(thread));
  }

  @Override
  public List<CallThread> threads() {
    return threads.stream().map(this::callThread).toList();
  }

  private CallThread callThread(FeedThread thread) {
    TracedThread its = thread.definition;
    TracedProcess process = its == null ? null : processes.get(its.process());
    return new CallThread(
        process == null ? CallThread.NO_PROCESS : process.pid(),
        its == null ? thread.number : its.tid(),
        process == null ? null : WindowsPath.lastPart(process.name()),
        its == null || its.name().isEmpty() ? null : its.name(),
        0,
        time(thread.firstTicks()));
  }

  @Override
  public Optional<TracedFunction> definition(long number) {
    return Optional.ofNullable(functions.get(number));
  }

  @Override
  public int pointerBytes(long function) {
    NtrHeader its = header;
    return its == null || its.pointerBytes() != Integer.BYTES ? Long.BYTES : Integer.BYTES;
  }

  @Override
  public CallFunction function(long number) {
    return CallFunction.of(number, functions, modules);
  }

  @Override
  public List<Traced> traced() {
    return functions.values().stream()
        .sorted(Comparator.comparingLong(TracedFunction::number))
        .map(function -> new Traced(pid(function), function.number()))
        .toList();
  }

  private long pid(TracedFunction function) {
    TracedModule module = definedModules.get(function.module());
    TracedProcess process = module == null ? null : processes.get(module.process());
    return process == null ? CallThread.NO_PROCESS : process.pid();
  }

  @Override
  public boolean hasCallers() {
    return callers.any();
  }

  @Override
  public Optional<CallerStack> callers(int thread, long entry) {
    TracedThread its = threads.get(thread).definition;
    return its == null ? Optional.empty() : callers.of(its, entry, this::isFinal, this::time);
  }

  @Override
  public Optional<CallModule> moduleAt(int thread, long address) {
    TracedThread its = threads.get(thread).definition;
    return definedModules.values().stream()
        .filter(module ->
            (its == null || module.process() == its.process())
                && Long.compareUnsigned(address - module.base(), module.image().size()) < 0)
        .max(Comparator.comparingLong(TracedModule::number))
        .map(module -> modules.get(module.number()));
  }

  @Override
  public Optional<String> nameAt(CallModule module, long rva) {
    return Optional.ofNullable(names.get(new Begin(module, rva)));
  }

  @Override
  public String name() {
    return "the program";
  }

  @Override
  public String kind() {
    return "program that runs";
  }

  @Override
  public String format() {
    return "live";
  }

  @Override
  public long size() {
    return 0;
  }

  @Override
  public CallClock clock() {
    NtrHeader its = header;
    return new CallClock(true, its == null || its.oneClock());
  }

  @Override
  public OptionalLong begunAt() {
    NtrHeader its = header;
    return its == null || !FileTime.hasUnixNanos(its.beganUtc())
        ? OptionalLong.empty()
        : OptionalLong.of(FileTime.unixNanos(its.beganUtc()));
  }

  @Override
  public Matching matching() {
    return Matching.SLOT;
  }

  @Override
  public List<CallModule> modules() {
    return List.copyOf(modules.values());
  }

  @Override
  public OptionalLong lost() {
    return OptionalLong.empty();
  }

  @Override
  public List<Gap> gaps() {
    return List.of();
  }
}
