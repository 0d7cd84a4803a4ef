package io.ntrail.live.trace;

import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.ntr.NtrHeader;
import io.ntrail.formats.ntr.NtrRing;
import io.ntrail.formats.ntr.NtrWriter;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.TracedProcess;
import io.ntrail.formats.ntr.TracedThread;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.live.session.Recorder;
import io.ntrail.live.session.RecorderSettings;
import io.ntrail.live.session.SessionFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Recording of one or several processes: unique numbers for its definitions, and the sums of their
 * counters. Used by one thread.
 */
final class TraceFile implements AutoCloseable {
  /** The number of the process that the recording begins with. */
  static final long FIRST_PROCESS = 1;

  /** Number of times in which a process is held that are kept one by one. */
  private static final int MOST_HELD = 100_000;

  /** Number of times without tracing that are kept one by one; further ones are one a process. */
  static final int MOST_UNTRACED = 1_000;

  /** Bytes of callers that are kept: readers limit the bytes of all definitions. */
  private static final long MOST_CALLERS_BYTES = 40L << 20;

  /** Bytes that the callers of an entry take at most, without frames. */
  private static final long CALLERS_BYTES = 128;

  /** Bytes that a frame takes at most. */
  private static final long FRAME_BYTES = 8;

  private final Recorder recorder;
  private final Optional<OutputFile> output;
  private final Optional<NtrRing> ring;
  private final Map<Long, Map<RecorderCounter, Long>> counters = new HashMap<>();
  private final Map<UntracedKey, UntracedModule> untraced = new LinkedHashMap<>();
  private LoadHolds holds = LoadHolds.NONE;
  private int heldTimes;
  private final Map<Long, Long> firstOfMany = new HashMap<>();
  private long processes = FIRST_PROCESS;
  private long modules;
  private long functions;
  private long callers;
  private long callersBytes;

  private record UntracedKey(long process, String path, long from) {}

  private TraceFile(Recorder recorder, Optional<OutputFile> output, Optional<NtrRing> ring) {
    this.recorder = recorder;
    this.output = output;
    this.ring = ring;
  }

  /**
   * Creates the file, which gets its place when it is {@link #settle settled}.
   *
   * @param session of the first process
   * @throws IOException if it cannot be written
   */
  static TraceFile create(SessionFile session, TraceSettings settings, NtrHeader header)
      throws IOException {
    int id = new SecureRandom().nextInt();
    RecorderSettings how =
        new RecorderSettings(
            FIRST_PROCESS,
            header.began(),
            settings.maxBytes(),
            settings.arguments(),
            settings.buffers().throttle(),
            header.ticksPerSecond());
    Path file = settings.file().orElse(null);
    if (file == null) {
      NtrWriter writer = writer(OutputStream.nullOutputStream(), settings, header, id);
      return new TraceFile(
          Recorder.appending(session, writer, how), Optional.empty(), Optional.empty());
    }
    OutputFile output = OutputFile.reserve(file, "-o");
    try {
      if (settings.ringBytes() == 0) {
        NtrWriter writer = writer(output.open(), settings, header, id);
        return new TraceFile(
            Recorder.appending(session, writer, how), Optional.of(output), Optional.empty());
      }
      NtrRing ring = new NtrRing(file, settings.ringBytes(), header, id);
      ring.keep(false);
      return new TraceFile(
          Recorder.keepingLast(session, ring, how), Optional.of(output), Optional.of(ring));
    } catch (IOException | RuntimeException e) {
      output.close();
      throw e;
    }
  }

  private static NtrWriter writer(
      OutputStream out, TraceSettings settings, NtrHeader header, int id) throws IOException {
    NtrWriter writer = new NtrWriter(out, header, id);
    settings.follower().ifPresent(writer::follow);
    return writer;
  }

  /**
   * Gives the recording its place, while it goes on: from now on it is kept, however the trace
   * ends.
   */
  void settle() {
    output.ifPresent(OutputFile::settle);
    ring.ifPresent(its -> its.keep(true));
  }

  /** Deletes a recording that was not settled; the recorder has ended it. */
  @Override
  public void close() {
    output.ifPresent(OutputFile::close);
  }

  /** The recorder of the first process, which has the file. */
  Recorder recorder() {
    return recorder;
  }

  long nextProcess() {
    processes++;
    return processes;
  }

  long nextModule() {
    modules++;
    return modules;
  }

  long nextFunction() {
    functions++;
    return functions;
  }

  long nextCallers() {
    callers++;
    return callers;
  }

  /** Returns whether callers of an entry can be kept, and takes the room for them. */
  boolean hasRoom(TracedThread.Callers more) {
    long bytes = CALLERS_BYTES + FRAME_BYTES * more.frames().size();
    boolean room = callersBytes + bytes <= MOST_CALLERS_BYTES;
    callersBytes += room ? bytes : 0;
    return room;
  }

  /**
   * Defines a time in which a module was not traced; it replaces one that began at the same moment.
   *
   * @param to 0: until the end
   */
  void untraced(long process, String path, long from, long to, String why) {
    UntracedKey key = new UntracedKey(process, path, from);
    UntracedModule known = untraced.get(key);
    if (known == null && untraced.size() >= MOST_UNTRACED) {
      UntracedKey others = new UntracedKey(process, "other modules", 0);
      UntracedModule first = untraced.get(others);
      define(
          others,
          new UntracedModule(
              first == null ? untraced.size() + 1L : first.number(),
              process,
              first == null ? from : Math.min(first.from(), from),
              first == null ? to : later(first.to(), to),
              others.path(),
              "there were more than %,d such times".formatted(MOST_UNTRACED)));
    } else {
      long number = known == null ? untraced.size() + 1L : known.number();
      define(key, new UntracedModule(number, process, from, to, path, why));
    }
  }

  private static long later(long one, long other) {
    return one == 0 || other == 0 ? 0 : Math.max(one, other);
  }

  private void define(UntracedKey key, UntracedModule now) {
    untraced.put(key, now);
    recorder.define(writer -> writer.untraced(now));
  }

  /** Defines a time in which a thread waited until a library was patched. */
  void loaded(long process, String library, long from, long to) {
    holds = holds.and(library, to - from);
    hold(process, from, to, library + " was loaded");
  }

  /** Defines a time in which a process was held. Of very many, the last ones are one long time. */
  void hold(long process, long from, long to, String why) {
    TracedProcess.Hold hold;
    if (heldTimes < MOST_HELD) {
      heldTimes++;
      hold = new TracedProcess.Hold(heldTimes, process, from, to, why);
    } else {
      long first = firstOfMany.computeIfAbsent(process, _ -> from);
      hold =
          new TracedProcess.Hold(heldTimes + process, process, first, to, "it was held very often");
    }
    recorder.define(writer -> writer.hold(hold));
  }

  /** Returns how long threads of any process waited until libraries were patched. */
  LoadHolds holds() {
    return holds;
  }

  /** Returns the times in which modules of any process were not traced. */
  List<UntracedModule> untraced() {
    return List.copyOf(untraced.values());
  }

  /** Returns how many calls of any process have callers. */
  CallerCounts callers() {
    return new CallerCounts(
        sum(RecorderCounter.CALLERS),
        sum(RecorderCounter.CALLERS_INCOMPLETE),
        sum(RecorderCounter.CALLERS_MISSED));
  }

  private long sum(RecorderCounter counter) {
    return counters.values().stream().mapToLong(one -> one.getOrDefault(counter, 0L)).sum();
  }

  /** Writes what one process counted, added to what the others did. */
  void count(long process, Map<RecorderCounter, Long> more) {
    counters.computeIfAbsent(process, _ -> new EnumMap<>(RecorderCounter.class)).putAll(more);
    Map<RecorderCounter, Long> sums = new EnumMap<>(RecorderCounter.class);
    counters
        .values()
        .forEach(one -> one.forEach((name, count) -> sums.merge(name, count, Long::sum)));
    recorder.define(to -> to.statistics(sums));
  }
}
