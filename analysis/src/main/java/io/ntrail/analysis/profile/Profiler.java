package io.ntrail.analysis.profile;

import io.ntrail.analysis.etw.events.EventType;
import io.ntrail.analysis.etw.events.PatternSet;
import io.ntrail.analysis.etw.events.SchemaIndex;
import io.ntrail.analysis.etw.events.UnmatchedTerm;
import io.ntrail.analysis.etw.machine.CodeMap;
import io.ntrail.analysis.etw.machine.ProcessInstance;
import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.etw.recording.OrderedCursor;
import io.ntrail.analysis.etw.stacks.StackAssembler;
import io.ntrail.analysis.etw.stacks.StackRecords;
import io.ntrail.analysis.naming.RecordingSymbols;
import io.ntrail.formats.etl.RecordCursor;
import io.ntrail.formats.etl.RecordKind;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Makes one profile: walks over a recording in time order and adds up what a source yields. */
public final class Profiler implements WeightSink {
  private static final int MOST_TYPES = 1 << 14;

  /**
   * What is to be profiled.
   *
   * @param metric the source
   * @param unit one of the metric's
   * @param source which profile source of {@link Metric#PMC}, by number
   * @param allocations which kind of {@link Metric#ALLOC}
   * @param scope which part of the recording
   */
  public record Request(
      Metric metric, WeightUnit unit, int source, String allocations, ProfileScope scope) {}

  /**
   * A process that was asked for and has weights.
   *
   * @param name of its image; null if nobody tells it
   * @param id process id
   */
  public record Owner(@Nullable String name, int id) {}

  private final ProfileInput input;
  private final Request request;
  private final ProfileScope scope;
  private final PatternSet processes;
  private final PatternSet threads;
  private final PatternSet events;
  private final FrameLookup frames;
  private final ProfileDiagnostics remarks = new ProfileDiagnostics();
  private final Map<Long, Boolean> wantedProcesses = new HashMap<>();
  private final Map<EventType, Boolean> wantedTypes = new HashMap<>();
  private ProfileAggregator shape = _ -> {};
  private long total;
  private long idle;
  private long stacks;
  private long withStack;
  private long references;
  private long unmatched;
  private long undefined;
  private long leftOut;

  /**
   * Nothing is summed yet.
   *
   * @param symbols names functions of images; null: nobody does
   */
  public Profiler(ProfileInput input, Request request, @Nullable RecordingSymbols symbols) {
    this(input, request, symbols, FrameRules.USUAL);
  }

  /**
   * Nothing is summed yet.
   *
   * @param symbols names functions of images; null: nobody does
   * @param rules what frames are shown as
   */
  public Profiler(
      ProfileInput input, Request request, @Nullable RecordingSymbols symbols, FrameRules rules) {
    this.input = input;
    this.request = request;
    this.scope = request.scope();
    this.processes = new PatternSet(scope.processes());
    this.threads = new PatternSet(scope.threads());
    this.events = new PatternSet(scope.events());
    CodeMap spaces = new CodeMap(input.machine(), input.recording());
    this.frames = new FrameLookup(spaces, symbols, rules);
  }

  /** What the numbers of functions mean. */
  public FunctionIndex functions() {
    return frames.functions();
  }

  private WeightSource weightSource() {
    boolean count = request.unit == WeightUnit.COUNT;
    return switch (request.metric) {
      case CPU ->
          CpuSamples.ofTimer(
              input.inventory(), remarks, scope.idle(), request.unit == WeightUnit.SAMPLES);
      case PMC ->
          CpuSamples.ofCounter(input.inventory(), remarks, scope.idle(), request.source, count);
      case WAIT -> new ThreadWaits(false, count, remarks);
      case READY -> new ThreadWaits(true, count, remarks);
      case DISK -> new DiskTransfers(request.unit);
      case FILE -> new FileOperations(request.unit, remarks);
      case FAULT ->
          new PageFaults(
              request.unit == WeightUnit.BYTES,
              input.inventory().count(PageFaults.HARD_PAGE_FAULT) == 0);
      case ALLOC -> new Allocations(request.allocations, request.unit == WeightUnit.BYTES);
      case EVENT -> new EventOccurrences();
    };
  }

  /** Walks over the recording and adds all weights to a shape. */
  public void run(ProfileAggregator into) {
    shape = into;
    WeightSource source = weightSource();
    boolean followsThreads = source.followsThreads();
    boolean history = request.metric != Metric.CPU && request.metric != Metric.PMC;
    long from = history ? Long.MIN_VALUE : scope.fromNanos();
    EtwRecording recording = input.recording();
    try (OrderedCursor cursor = recording.inOrder(from, scope.toNanos());
        StackAssembler stacks =
            new StackAssembler(input.stacks(), () -> recording.inOrder(from, Long.MAX_VALUE))) {
      StackRecords.Walk records = stacks.records();
      if (cursor.next()) {
        EventContext moment =
            new EventContext(input, stacks, cursor, frames, cursor.record(), this);
        do {
          stacks.moveTo(cursor);
          RecordCursor record = cursor.record();
          moment.moveTo(record, hook(record));
          source.visit(moment);
          if (followsThreads) {
            moment.passed();
          }
        } while (cursor.next());
        boolean whole = from == Long.MIN_VALUE && scope.toNanos() == Long.MAX_VALUE;
        if (whole) {
          records.finish();
        }
        references = records.references();
        unmatched = whole ? records.unmatched() : 0;
        undefined = records.undefined();
        leftOut = records.leftOut() + stacks.givenUp();
      }
    }
    source.finish(remarks);
  }

  private int hook(RecordCursor record) {
    RecordKind kind = record.kind();
    if (kind.isHook()) {
      return record.hookId();
    }
    return kind.isClassic() ? input.kernel().hookId(record.provider(), record.opcode()) : -1;
  }

  @Override
  public boolean wants(EventContext moment, long since, int process, int thread) {
    return scope.inRange(moment.nanos())
        && threads.fitThread(thread)
        && (processes.isEmpty() || wantsProcess(process, since));
  }

  private boolean wantsProcess(int process, long key) {
    long number = input.machine().processNumber(process, key);
    long identity = number << 32 | process & 0xFFFF_FFFFL;
    Boolean known = wantedProcesses.get(identity);
    if (known == null) {
      ProcessInstance life = input.machine().process(process, key);
      known = processes.fitProcess(process, life == null ? null : life.image());
      wantedProcesses.put(identity, known);
    }
    return known;
  }

  @Override
  public boolean wantsEvent(RecordCursor record) {
    SchemaIndex schemas = input.schemas();
    if (schemas == null || events.isEmpty()) {
      return true;
    }
    EventType type = schemas.type(record);
    Boolean known = wantedTypes.get(type);
    if (known == null) {
      if (wantedTypes.size() >= MOST_TYPES) {
        wantedTypes.clear();
      }
      known = events.fitEvent(type);
      wantedTypes.put(type, known);
    }
    return known;
  }

  @Override
  public void put(WeightedStack stack) {
    switch (scope.mode()) {
      case KERNEL -> {
        if (stack.isEmpty() || !stack.kernel) {
          return;
        }
      }
      case USER -> {
        if (stack.isEmpty() || stack.kernel) {
          return;
        }
      }
      case ALL -> {}
    }
    stacks++;
    if (stack.hasStack) {
      withStack++;
    }
    if (stack.process == RecordCursor.NO_ID) {
      remarks.unattributed += stack.weight;
    }
    total += stack.weight;
    shape.add(stack);
  }

  @Override
  public void idle(EventContext moment, long weight) {
    if (scope.inRange(moment.nanos()) && threads.fitThread(0) && wantsIdleProcess(moment)) {
      idle += weight;
    }
  }

  private boolean wantsIdleProcess(EventContext moment) {
    return processes.isEmpty() || wantsProcess(0, moment.key());
  }

  /** Sum of all weights. */
  public long total() {
    return total;
  }

  /** Weight of what was idle, and is not in the total unless that was asked for. */
  public long idle() {
    return idle;
  }

  /** Which profile source of {@link Metric#PMC}. */
  public int source() {
    return request.source;
  }

  /** Which kind of {@link Metric#ALLOC}. */
  public String allocations() {
    return request.allocations;
  }

  /** Number of weights. */
  public long weights() {
    return stacks;
  }

  /** Number of weights whose event has a recorded stack. */
  public long withFrames() {
    return withStack;
  }

  /** The processes that were asked for by name or id and have weights, by id. */
  public List<Owner> owners() {
    Map<Long, Owner> owners = new TreeMap<>();
    wantedProcesses.forEach((identity, wanted) -> {
      if (wanted) {
        int id = identity.intValue();
        String name = OwnerProfile.name(input.machine(), (int) (identity >> 32), id);
        owners.put((long) id << 32 | identity >>> 32, new Owner(name, id));
      }
    });
    return new ArrayList<>(owners.values());
  }

  /** What was asked for and nothing has that is added up. */
  public List<UnmatchedTerm> unmatchedWords() {
    List<UnmatchedTerm> words = new ArrayList<>(events.unmatchedEvents());
    words.addAll(processes.unmatchedProcesses(input.machine()));
    words.addAll(threads.unmatchedThreads());
    words.addAll(frames.ruled().unmatched());
    return words;
  }

  /** What was not summed, and why. */
  public ProfileDiagnostics remarks() {
    return remarks;
  }

  /** Stack records that were looked at. */
  public long references() {
    return references;
  }

  /** Stack records whose event was not there; only known for the whole recording. */
  public long unmatched() {
    return unmatched;
  }

  /** References to stack keys that nothing in the recording defines. */
  public long undefined() {
    return undefined;
  }

  /** Stack records that were left out for want of memory. */
  public long leftOut() {
    return leftOut + input.stacks().leftOut();
  }
}
