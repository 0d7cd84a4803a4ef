package io.ntrail.analysis.calls;

import io.ntrail.analysis.model.CallerStack;
import io.ntrail.analysis.model.HeldTimes;
import io.ntrail.analysis.model.StoppableWork;
import io.ntrail.analysis.model.ThrottledFunction;
import io.ntrail.analysis.model.UntracedTime;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.formats.ntr.CallTotals;
import io.ntrail.formats.ntr.ClockCalibration;
import io.ntrail.formats.ntr.EventChunk;
import io.ntrail.formats.ntr.NtrFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.ThreadEventCursor;
import io.ntrail.formats.ntr.TracedFunction;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The calls in a recording of ntrail itself (docs/ntr.md). */
public final class NtrCalls implements CallSource {
  private final NtrFile file;
  private final Gaps gaps;
  private final NtrClock clock;
  private final boolean shared;

  /** Entries and exits belong together by their functions alone. */
  private final boolean isByFunction;

  private final List<Long> numbers;
  private final long[] lost;
  private final Map<Long, List<CallTotals>> totals = new LinkedHashMap<>();
  private final List<CallThread> threads;
  private final Map<Long, CallModule> modules = new LinkedHashMap<>();
  private final Map<Long, HeldTimes> held = new HashMap<>();

  /** Callers by process and id of the thread, then by time of the entry. */
  private final Map<ThreadId, Map<Long, TracedThread.Callers>> callers = new HashMap<>();

  /** Names by module and RVA; empty until somebody asks for one. */
  private final Map<CallModule, Map<Long, String>> functionNames = new HashMap<>();

  private record ThreadId(long process, long tid) {}

  /**
   * The calls in a file.
   *
   * @param file closed with this
   * @param gaps those of the file; receives what its events leave
   */
  public NtrCalls(NtrFile file, Gaps gaps) {
    this.file = file;
    this.gaps = gaps;
    this.clock = NtrClock.of(file.header().orElse(null), file.calibrations());
    if (clock.leftOut() > 0) {
      gaps.add(clock.contradiction(file));
    }
    this.shared = file.header().map(NtrHeader::oneClock).orElse(false);
    // As they began: in the file they are in the order in which their first chunks were full.
    file.totals()
        .values()
        .forEach(one -> totals.computeIfAbsent(one.thread(), _ -> new ArrayList<>()).add(one));
    this.isByFunction = file.header().map(NtrHeader::isByFunction).orElse(false);
    Stream<Long> all =
        Stream.of(file.wholeThreads().keySet(), file.threadsWithEvents(), totals.keySet())
            .flatMap(Collection::stream)
            .distinct();
    // Ticks of different threads mean nothing to each other there.
    this.numbers =
        (isByFunction ? all : all.sorted((a, b) -> Long.compare(began(a), began(b)))).toList();
    this.threads = numbers.stream().map(this::thread).toList();
    this.lost = numbers.stream().mapToLong(this::lostOf).toArray();
    file.modules().forEach((number, module) -> modules.put(number, CallModule.of(module)));
    NtrClock.Reader reader = clock.reader();
    file.holds().values().stream()
        .collect(
            Collectors.groupingBy(
                TracedProcess.Hold::process,
                Collectors.mapping(
                    hold -> new HeldTimes.Held(reader.time(hold.from()), reader.time(hold.to())),
                    Collectors.toList())))
        .forEach((process, times) -> held.put(process, HeldTimes.of(times)));
    file.callers()
        .values()
        .forEach(one ->
            callers
                .computeIfAbsent(new ThreadId(one.process(), one.tid()), _ -> new HashMap<>())
                .put(reader.time(one.ticks()), one));
  }

  /** Returns what stands for the threads whose calls are in one sum, with the first's process. */
  private CallThread severalThreads() {
    CallTotals first = totals.getOrDefault(0L, List.of()).getFirst();
    Optional<CallingProcess> process = process(first.function());
    return new CallThread(
        process.map(CallingProcess::pid).orElse(CallThread.NO_PROCESS),
        0,
        process.map(CallingProcess::name).orElse(null),
        "several threads",
        0,
        clock.reader().time(first.from()));
  }

  /** Returns ticks of the first event or call of a thread. */
  private long began(long thread) {
    TracedThread.Whole whole = file.wholeThreads().get(thread);
    if (whole != null) {
      return whole.firstTicks();
    }
    List<EventChunk> chunks = file.chunks(thread);
    List<CallTotals> added = totals.getOrDefault(thread, List.of());
    return chunks.isEmpty() ? added.getFirst().from() : chunks.getFirst().earliest();
  }

  private CallThread thread(long number) {
    if (number == 0 && totals.containsKey(0L)) {
      return severalThreads();
    }
    return CallThread.of(file, number, clock.reader().time(began(number)));
  }

  @Override
  public String name() {
    return file.name();
  }

  @Override
  public String kind() {
    return isByFunction ? "call recording of NTrace" : "call recording of ntrail";
  }

  @Override
  public String format() {
    return "ntr";
  }

  @Override
  public boolean neverFinalised() {
    return !file.complete() || file.header().map(NtrHeader::isNeverFinalised).orElse(false);
  }

  /** Counters of later versions are left out. */
  @Override
  public Map<RecorderCounter, Long> statistics() {
    Map<RecorderCounter, Long> known = new EnumMap<>(RecorderCounter.class);
    file.statistics()
        .forEach((number, value) -> {
          RecorderCounter counter = RecorderCounter.of(number);
          if (counter != null) {
            known.put(counter, value);
          }
        });
    return known;
  }

  @Override
  public long size() {
    return file.size();
  }

  @Override
  public CallClock clock() {
    return new CallClock(clock.isNanos(), shared);
  }

  @Override
  public Matching matching() {
    return isByFunction ? Matching.ROUTINE : Matching.SLOT;
  }

  @Override
  public List<CallThread> threads() {
    return threads;
  }

  @Override
  public CallCursor cursor(int thread) {
    long number = numbers.get(thread);
    return new NtrCursor(file.cursor(number, gaps), file.chunks(number), clock.reader(), _ -> {});
  }

  @Override
  public boolean check(int thread, StoppableWork<?> work) {
    return file.check(
        numbers.get(thread),
        gaps,
        events -> {
          work.done(events);
          return !work.isStopping();
        });
  }

  /**
   * Records of a thread, and the events that they are, for those who copy them. Of missing events
   * the position of the records is odd.
   *
   * @param events on the event of the record, or on the one before which events are missing
   */
  public record Copied(CallCursor records, ThreadEventCursor events) {}

  /**
   * Returns the records of a thread with their events.
   *
   * @param others is given the events that are no records, as they are passed
   */
  public Copied copied(int thread, Consumer<ThreadEventCursor> others) {
    long number = numbers.get(thread);
    ThreadEventCursor events = file.cursor(number, gaps);
    return new Copied(new NtrCursor(events, file.chunks(number), clock.reader(), others), events);
  }

  /** Returns the number that a thread has in the file. */
  public long number(int thread) {
    return numbers.get(thread);
  }

  /** Returns the file that the calls are in. */
  public NtrFile file() {
    return file;
  }

  /** Returns ticks of the first event of a thread, in the file that this one was cut out of. */
  public long firstTicks(int thread) {
    return began(numbers.get(thread));
  }

  @Override
  public List<CallModule> modules() {
    return List.copyOf(modules.values());
  }

  @Override
  public CallFunction function(long function) {
    return CallFunction.of(function, file.functions(), modules);
  }

  @Override
  public Optional<TracedFunction> definition(long function) {
    return Optional.ofNullable(file.functions().get(function));
  }

  @Override
  public int pointerBytes(long function) {
    return file.pointerBytes(function);
  }

  @Override
  public List<Traced> traced() {
    if (isByFunction) {
      return List.of();
    }
    return file.functions().values().stream()
        .sorted(Comparator.comparingLong(TracedFunction::number))
        .map(function -> new Traced(pid(function), function.number()))
        .toList();
  }

  private long pid(TracedFunction function) {
    return process(function.number()).map(CallingProcess::pid).orElse(0L);
  }

  @Override
  public Optional<CallingProcess> process(long function) {
    return Optional.ofNullable(file.functions().get(function))
        .map(its -> file.modules().get(its.module()))
        .map(module -> file.processes().get(module.process()))
        .map(CallingProcess::of);
  }

  @Override
  public OptionalLong end() {
    List<ClockCalibration> all = file.calibrations();
    return all.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(clock.reader().time(all.getLast().ticks()));
  }

  @Override
  public OptionalLong begunAt() {
    return clock.begunAt(file);
  }

  @Override
  public Optional<Span> span() {
    return clock.span(file);
  }

  @Override
  public boolean hasReturnedValues() {
    return file.header().map(NtrHeader::hasValues).orElse(true);
  }

  /**
   * Returns the counters at the end of the recording; without an end, the last ones between the
   * events.
   */
  @Override
  public OptionalLong lost() {
    if (isByFunction) {
      return OptionalLong.empty();
    }
    long said = limited(file.statistic(RecorderCounter.DROPPED).orElse(0L));
    long seen = lostElsewhere();
    for (long number : numbers) {
      for (EventChunk chunk : file.chunks(number)) {
        seen = limited(seen + limited(chunk.lost()));
      }
    }
    // Threads of a ring begin with what was discarded.
    return OptionalLong.of(Math.max(said, seen - Math.min(seen, discarded())));
  }

  @Override
  public long unrecorded() {
    long slots = file.statistic(RecorderCounter.OVERFLOWS).orElse(0L);
    return limited(slots + file.statistic(RecorderCounter.NO_AREA).orElse(0L));
  }

  @Override
  public boolean isSizeReached() {
    return file.statistic(RecorderCounter.SIZE_REACHED).orElse(0L) != 0;
  }

  @Override
  public boolean hasStacks(int thread) {
    TracedThread.Whole whole = file.wholeThreads().get(numbers.get(thread));
    return whole != null && whole.hasStacks();
  }

  @Override
  public long lostElsewhere() {
    return limited(file.lostElsewhere());
  }

  @Override
  public long lost(int thread) {
    return lost[thread];
  }

  /** Returns the lost records of a thread. In a ring, what it begins with was discarded. */
  private long lostOf(long number) {
    return file.chunks(number).stream()
        .skip(discarded() > 0 ? 1 : 0)
        .mapToLong(chunk -> limited(chunk.lost()))
        .reduce(0, (a, b) -> limited(a + b));
  }

  @Override
  public List<FunctionTimes> totals(int thread) {
    NtrClock.Reader reader = clock.reader();
    return totals.getOrDefault(numbers.get(thread), List.of()).stream()
        .map(one -> FunctionTimes.of(one, ticks -> reader.duration(one.from(), ticks)))
        .toList();
  }

  @Override
  public List<ThrottledFunction> throttled() {
    NtrClock.Reader reader = clock.reader();
    return file.totals().values().stream()
        .filter(one -> one.why() == CallTotals.THROTTLED)
        .map(one ->
            new ThrottledFunction(
                title(one.function()), reader.time(one.from()), limited(one.calls())))
        .toList();
  }

  private String title(long function) {
    CallFunction known = function(function);
    String module = known.module() == null ? "" : known.module().name() + "!";
    return module
        + (known.name() == null ? "0x" + Long.toHexString(known.address()) : known.name());
  }

  @Override
  public long discarded() {
    return limited(file.statistic(RecorderCounter.DISCARDED).orElse(0L));
  }

  @Override
  public List<Omission> omissions() {
    return file.omissions();
  }

  @Override
  public List<UntracedTime> untraced() {
    NtrClock.Reader reader = clock.reader();
    return file.untraced().values().stream()
        .map(one ->
            new UntracedTime(
                WindowsPath.lastPart(one.module()),
                one.from() == 0 ? 0 : reader.time(one.from()),
                one.to() == 0 ? UntracedTime.OPEN : reader.time(one.to()),
                one.why()))
        .sorted(Comparator.comparingLong(UntracedTime::from))
        .toList();
  }

  @Override
  public HeldTimes held(int thread) {
    TracedThread its = file.threads().get(numbers.get(thread));
    return its == null ? HeldTimes.NONE : held.getOrDefault(its.process(), HeldTimes.NONE);
  }

  private void name(TracedFunction function) {
    CallModule module = modules.get(function.module());
    if (module != null && !function.name().isEmpty()) {
      functionNames
          .computeIfAbsent(module, _ -> new HashMap<>())
          .put(function.rva(), function.name());
    }
  }

  @Override
  public boolean hasCallers() {
    return !callers.isEmpty();
  }

  @Override
  public Optional<CallerStack> callers(int thread, long entry) {
    TracedThread its = file.threads().get(numbers.get(thread));
    return its == null
        ? Optional.empty()
        : Optional.ofNullable(
                callers.getOrDefault(new ThreadId(its.process(), its.tid()), Map.of()).get(entry))
            .map(NtrCalls::callerStack);
  }

  /** Returns recorded callers as those of a call. */
  public static CallerStack callerStack(TracedThread.Callers callers) {
    return new CallerStack(
        callers.frames().stream()
            .map(frame ->
                new CallerStack.Frame(frame.address(), trust(frame.trust()), frame.offset()))
            .toList(),
        callers.end() == TracedThread.Callers.WHOLE,
        callers.why());
  }

  private static String trust(int trust) {
    return switch (trust) {
      case TracedThread.Frame.RETURN -> "recorded";
      case TracedThread.Frame.UNWIND -> "unwind";
      case TracedThread.Frame.TRAP -> "trap";
      case TracedThread.Frame.POINTER -> "frame";
      default -> "scan";
    };
  }

  @Override
  public Optional<CallModule> moduleAt(int thread, long address) {
    TracedThread its = file.threads().get(numbers.get(thread));
    return file.modules().values().stream()
        .filter(module ->
            (its == null || module.process() == its.process())
                && Long.compareUnsigned(address - module.base(), module.image().size()) < 0)
        .reduce((_, last) -> last)
        .map(module -> modules.get(module.number()));
  }

  @Override
  public synchronized Optional<String> nameAt(CallModule module, long rva) {
    if (functionNames.isEmpty()) {
      file.functions().values().forEach(this::name);
    }
    return Optional.ofNullable(functionNames.getOrDefault(module, Map.of()).get(rva));
  }

  /** Limits counts: those of a hostile file may exceed the range. */
  private static long limited(long count) {
    return count < 0 ? Long.MAX_VALUE : count;
  }

  @Override
  public List<Gap> gaps() {
    return gaps.list();
  }

  @Override
  public void close() {
    file.close();
  }
}
