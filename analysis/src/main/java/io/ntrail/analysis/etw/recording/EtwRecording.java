package io.ntrail.analysis.etw.recording;

import io.ntrail.analysis.model.ReadingListener;
import io.ntrail.analysis.model.RecordedEvents;
import io.ntrail.analysis.model.RecorderLosses;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.analysis.parallel.ParallelTasks;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.Omission;
import io.ntrail.formats.collections.RowSort;
import io.ntrail.formats.etl.EtlClock;
import io.ntrail.formats.etl.EtlFile;
import io.ntrail.formats.etl.LogFileHeader;
import io.ntrail.formats.etl.RecordCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One recording, made of one or several {@code .etl} files.
 *
 * <p>Time is nanoseconds since the first file's header record. Files of one machine and one boot
 * share the performance counter and are put in order by it, exactly; others by UTC.
 *
 * <p>Opening reads buffer headers only. Safe for use by several threads.
 */
public final class EtwRecording implements Recording, RecordedEvents {
  private static final long UNMAPPED_BESIDE = 128L << 20;

  static final String UNMAPPING = "unmapping";

  private final List<EtlFile> files;
  private final Gaps gaps;

  private final Optional<String> copies;

  private final ShortEvents shortEvents = new ShortEvents();

  private final boolean oneClock;
  private final boolean narrow;
  private final long[] nanosOffsets;
  private final AtomicLong bytesVisited = new AtomicLong();
  private final long size;
  private final ReadingState reading = new ReadingState();

  /** Buffers that a survey left out because reading was stopped, by number over all files. */
  private final Set<Integer> leftOut = ConcurrentHashMap.newKeySet();

  private volatile ReadingListener listener = ReadingListener.NONE;
  private @Nullable Survey survey;

  private EtwRecording(List<EtlFile> files, Gaps gaps) {
    this.files = List.copyOf(files);
    this.size = files.stream().mapToLong(EtlFile::size).sum();
    this.gaps = gaps;
    this.copies = RecordingContradictions.copies(files);
    this.oneClock = files.stream().allMatch(f -> sameClock(files.getFirst(), f));
    this.narrow = files.getFirst().header().map(LogFileHeader::pointerBytes).orElse(8) == 4;
    this.nanosOffsets = new long[files.size()];
    EtlClock first = files.getFirst().clock();
    for (int i = 1; i < nanosOffsets.length; i++) {
      EtlClock clock = files.get(i).clock();
      nanosOffsets[i] =
          oneClock
              ? first.nanos(clock.headerTicks())
              : saturated100(clock.fileTime(clock.headerTicks()), first);
    }
  }

  private static long saturated100(long fileTime, EtlClock first) {
    long difference = fileTime - first.fileTime(first.headerTicks());
    long limit = Long.MAX_VALUE / 200;
    return Math.clamp(difference, -limit, limit) * 100;
  }

  private static boolean sameClock(EtlFile a, EtlFile b) {
    if (a == b) {
      return true;
    }
    if (a.clock().kind() != b.clock().kind()
        || a.clock().ticksPerSecond() != b.clock().ticksPerSecond()) {
      return false;
    }
    return switch (a.clock().kind()) {
      case SYSTEM_TIME -> true;
      case QPC, CPU_CYCLES -> bootTime(a) == bootTime(b);
      case UNKNOWN -> false;
    };
  }

  private static long bootTime(EtlFile file) {
    return file.header().map(LogFileHeader::bootTime).orElse(0L);
  }

  /**
   * Makes a recording of files that are open already.
   *
   * @param files one or several, closed with the recording
   * @param gaps what could not be read of them so far; receives what their records leave
   */
  public static EtwRecording ofFiles(List<EtlFile> files, Gaps gaps) {
    if (files.isEmpty()) {
      throw new IllegalArgumentException("no files");
    }
    return new EtwRecording(files, gaps);
  }

  /**
   * Opens a recording from inputs that are open already.
   *
   * @param inputs closed with the recording, or by this method if it fails
   */
  public static EtwRecording of(List<InputFile> inputs) {
    Gaps gaps = new Gaps();
    List<EtlFile> files = new ArrayList<>();
    try {
      openAll(inputs, files, gaps);
      return ofFiles(files, gaps);
    } catch (RuntimeException e) {
      files.forEach(EtlFile::close);
      throw e;
    }
  }

  private static void openAll(List<InputFile> inputs, List<EtlFile> files, Gaps gaps) {
    int opened = 0;
    try {
      for (InputFile input : inputs) {
        opened++;
        files.add(EtlFile.open(input, gaps));
      }
    } catch (RuntimeException e) {
      inputs.subList(opened, inputs.size()).forEach(InputFile::close);
      throw e;
    }
  }

  @Override
  public List<Omission> omissions() {
    return files.stream().flatMap(file -> file.omissions().stream()).toList();
  }

  /** The files, in the order in which they were given. */
  public List<EtlFile> files() {
    return files;
  }

  @Override
  public RecordingKind kind() {
    return RecordingKind.ETW;
  }

  @Override
  public List<String> fileNames() {
    return files.stream().map(EtlFile::name).toList();
  }

  @Override
  public RecorderLosses losses() {
    return new RecorderLosses(
        OptionalLong.of(sum(LogFileHeader::eventsLost)),
        OptionalLong.of(sum(LogFileHeader::buffersLost)),
        0,
        (int) files.stream().filter(EtwRecording::isNeverFinalised).count(),
        0,
        files.stream().mapToInt(file -> file.buffers().afterLoss()).sum(),
        0,
        false);
  }

  /** Returns true if a file's header says that its session did not end in an orderly way. */
  static boolean isNeverFinalised(EtlFile file) {
    return file.header().filter(header -> !header.finalised()).isPresent();
  }

  private long sum(ToLongFunction<LogFileHeader> count) {
    return files.stream().mapToLong(f -> f.header().map(count::applyAsLong).orElse(0L)).sum();
  }

  @Override
  public List<Gap> gaps() {
    List<Gap> all = new ArrayList<>(gaps.list());
    stopped().ifPresent(stop -> all.addAll(stop.gaps()));
    return all;
  }

  /**
   * Returns the state of reading. Who calls {@link ReadingState#stop} gets an answer of what was
   * read.
   */
  public ReadingState reading() {
    return reading;
  }

  /** Returns what was read if reading was stopped on request; empty if it was not. */
  public Optional<StoppedReading> stopped() {
    return reading.end() == Long.MAX_VALUE
        ? Optional.empty()
        : Optional.of(StoppedParts.of(this, reading.end(), leftOut));
  }

  /** Returns true if an address is in the kernel's half of the address space. */
  public boolean isKernel(long address) {
    return address < 0 || narrow && address >= 0x8000_0000L;
  }

  /** Returns true if raw time stamps of all files are comparable. */
  public boolean oneClock() {
    return oneClock;
  }

  /** Nanoseconds since the first file's header record. */
  public long nanos(EtlFile file, long ticks) {
    if (oneClock) {
      return files.getFirst().clock().nanos(ticks);
    }
    long nanos = file.clock().nanos(ticks);
    long offset = nanosOffsets[files.indexOf(file)];
    long sum = nanos + offset;
    // Wild time stamps stay at the end that they are at.
    return ((nanos ^ sum) & (offset ^ sum)) < 0 ? nanos < 0 ? Long.MIN_VALUE : Long.MAX_VALUE : sum;
  }

  /**
   * Returns the key that orders records: raw ticks if all files share a clock, else nanoseconds.
   */
  public long key(EtlFile file, long ticks) {
    return oneClock || ticks == Long.MAX_VALUE ? ticks : nanos(file, ticks);
  }

  /** Returns the nanoseconds of a {@link #key}. */
  public long nanosOf(long key) {
    return oneClock ? files.getFirst().clock().nanos(key) : key;
  }

  /** The records of all files in time order. */
  public OrderedCursor inOrder() {
    return inOrder(Long.MIN_VALUE, Long.MAX_VALUE);
  }

  @Override
  public OrderedCursor inOrder(long fromNanos, long toNanos) {
    return new OrderedCursor(this, survey, keyAt(fromNanos), keyAt(toNanos), true);
  }

  /**
   * Returns the records from a time on for who looks ahead of another cursor, to whose pass this
   * belongs.
   */
  public OrderedCursor ahead(long fromNanos) {
    return new OrderedCursor(this, survey, keyAt(fromNanos), Long.MAX_VALUE, false);
  }

  /**
   * Returns the records of a stretch of time for one of several threads that go over the recording
   * at once.
   *
   * @param from key of the first time
   * @param to key before which it ends; {@link Long#MAX_VALUE} for the end of the recording
   */
  public OrderedCursor stretch(long from, long to) {
    return new OrderedCursor(this, survey, from, to, false);
  }

  /** Returns true if records of a time are read: no pass was stopped before it. */
  public boolean isRead(long key) {
    return key < reading.end() || reading.end() == Long.MAX_VALUE;
  }

  /**
   * Returns which of the files has events that another one has, too, as a clause; empty if none is
   * known to have any.
   */
  public Optional<String> copies() {
    return copies;
  }

  /** Returns the events that end before their last field, as far as it was asked for. */
  public ShortEvents shortEvents() {
    return shortEvents;
  }

  private long keyAt(long nanos) {
    boolean isEndless = nanos == Long.MIN_VALUE || nanos == Long.MAX_VALUE;
    return oneClock && !isEndless ? files.getFirst().clock().ticksAt(nanos) : nanos;
  }

  /**
   * Learns the exact earliest and latest time of every buffer in one pass over the record headers,
   * once. After it {@link #inOrder()} is exact even where a recorder wrote a buffer whose first
   * record is not its earliest.
   */
  public synchronized Survey survey(int cores) {
    Survey known = survey;
    if (known == null) {
      known = Survey.of(this, cores);
      survey = known;
      SessionTimes.check(files, known, gaps);
    }
    return known;
  }

  /**
   * Learns something from all records in one pass, and the survey with it.
   *
   * @param parts makes an empty one for each thread
   * @return what was learned from all records
   */
  public synchronized <P extends SurveyRows<P>> P survey(int cores, Supplier<P> parts) {
    Survey.With<P> learned = Survey.of(this, cores, parts);
    survey = learned.survey();
    SessionTimes.check(files, learned.survey(), gaps);
    return learned.part();
  }

  /**
   * Returns the nanoseconds of a time range that the recording covers, from its first record to its
   * last.
   *
   * @param fromNanos the first time
   * @param toNanos the time before which it ends
   */
  public long covered(int cores, long fromNanos, long toNanos) {
    Survey known = survey(cores);
    long first = Long.MAX_VALUE;
    long last = Long.MIN_VALUE;
    for (int f = 0; f < files.size(); f++) {
      EtlFile file = files.get(f);
      for (int b = 0; b < file.buffers().count(); b++) {
        if (known.earliest(f, b) <= known.latest(f, b)) {
          first = Math.min(first, nanos(file, known.earliest(f, b)));
          last = Math.max(last, nanos(file, known.latest(f, b)));
        }
      }
    }
    first = Math.max(first, fromNanos);
    last = Math.min(last, toNanos);
    if (reading.end() != Long.MAX_VALUE) {
      last = Math.min(last, nanosOf(reading.end()));
    }
    // The difference of wild time stamps does not fit.
    return first >= last ? 0 : last - first < 0 ? Long.MAX_VALUE : last - first;
  }

  /**
   * Visits all buffers in no particular order, on several cores.
   *
   * @param cores number of threads
   * @param make makes what a thread collects into
   * @param visit called for each buffer with a cursor before its first record
   * @param merge adds the second collection to the first; called in a fixed order, but which buffer
   *     went into which collection differs from run to run
   */
  public <A> A scan(
      int cores, Supplier<A> make, BiConsumer<A, RecordCursor> visit, BinaryOperator<A> merge) {
    int[] starts = new int[files.size() + 1];
    for (int i = 0; i < files.size(); i++) {
      starts[i + 1] = Math.addExact(starts[i], files.get(i).buffers().count());
    }
    int[] order = order(starts[files.size()]);
    reading.begin(ReadingState.Pass.SURVEY, size);
    Queue<RecordCursor> opened = new ConcurrentLinkedQueue<>();
    try {
      return ParallelTasks.run(
              cores,
              starts[files.size()],
              () -> new Scan<>(make.get(), opened),
              (scan, i) -> scan.visit(order[i], starts, visit),
              (a, b) -> {
                a.collected = merge.apply(a.collected, b.collected);
                return a;
              })
          .collected;
    } finally {
      opened.forEach(RecordCursor::close);
      if (!leftOut.isEmpty()) {
        reading.stopped();
      }
    }
  }

  /** Returns the buffers by their first records, so that a stopped pass has read a first part. */
  private int[] order(int count) {
    long[] firsts = new long[count];
    int i = 0;
    for (EtlFile file : files) {
      for (int b = 0; b < file.buffers().count(); b++) {
        firsts[i++] = key(file, file.buffers().firstTicks(b));
      }
    }
    return RowSort.ascending(firsts, count);
  }

  /** One thread of a scan: what it collects, and the cursors that it reads the files with. */
  private final class Scan<A> {
    private final Queue<RecordCursor> opened;
    A collected;
    private final @Nullable RecordCursor[] cursors = new RecordCursor[files.size()];

    Scan(A collected, Queue<RecordCursor> opened) {
      this.collected = collected;
      this.opened = opened;
    }

    void visit(int i, int[] starts, BiConsumer<A, RecordCursor> visit) {
      int file = 0;
      while (i >= starts[file + 1]) {
        file++;
      }
      int buffer = i - starts[file];
      EtlFile read = files.get(file);
      if (leftOut.contains(i) || reading.isStopping()) {
        leftOut.add(i);
        reading.leaveOut(key(read, read.buffers().firstTicks(buffer)));
        return;
      }
      RecordCursor reader = cursors[file];
      if (reader == null) {
        reader = readingCursor(read);
        opened.add(reader);
        cursors[file] = reader;
      }
      reader.open(buffer);
      visit.accept(collected, reader);
      reading.done(read.buffers().fileBytes(buffer));
      visited(reader);
    }
  }

  /** Notes for the progress that a buffer was read. */
  public void visited(RecordCursor cursor) {
    listener.read(bytesVisited.addAndGet(cursor.file().buffers().fileBytes(cursor.buffer())), size);
  }

  /** Tells a listener of each buffer that is read from now on. */
  public void onRead(ReadingListener newListener) {
    listener = newListener;
  }

  /** Bytes of buffers that all passes so far have visited, for showing progress. */
  public long bytesVisited() {
    return bytesVisited.get();
  }

  @Override
  public long size() {
    return size;
  }

  /** A cursor over the records of one of the files, which reports gaps to this recording. */
  public RecordCursor cursor(EtlFile file) {
    return file.cursor(gaps);
  }

  /** Returns a cursor for a pass over all buffers, which reports gaps to this recording. */
  RecordCursor readingCursor(EtlFile file) {
    return file.readingCursor(gaps);
  }

  /**
   * Ends reading, for who has learned all that it needs: files may not be read any more, what is
   * known of them stays. Large ones are unmapped beside what the caller does next, since that takes
   * the system as long as it takes to write an answer.
   */
  public void endReading() {
    if (size >= UNMAPPED_BESIDE && Runtime.getRuntime().availableProcessors() > 1) {
      Thread.ofPlatform().name(UNMAPPING).start(this::close);
    } else {
      close();
    }
  }

  @Override
  public void close() {
    files.forEach(EtlFile::close);
  }
}
