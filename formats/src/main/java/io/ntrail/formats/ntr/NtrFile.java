package io.ntrail.formats.ntr;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.DamagedInput;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.bytes.Omission;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * One {@code .ntr} file: what was recorded, its definitions and statistics, and where the events of
 * each thread are. Opening reads the index if there is one, else the header of every chunk; events
 * are read by {@link ThreadEventCursor}.
 *
 * <p>Immutable after opening; any number of cursors may walk it at once.
 */
public final class NtrFile implements AutoCloseable {
  /** Machine type of processes with 32-bit pointers, among those that can be traced. */
  private static final int IA_32 = 0x14C;

  private final InputFile input;
  private final int recording;
  private final DefinitionTable definitions = new DefinitionTable();
  private final Map<Long, Long> statistics = new LinkedHashMap<>();
  private final Map<Long, List<EventChunk>> chunks = new LinkedHashMap<>();
  private @Nullable NtrHeader header;
  private List<ClockCalibration> calibrations = List.of();
  private boolean complete;
  private int unknownChunks;

  private NtrFile(InputFile input, int recording) {
    this.input = input;
    this.recording = recording;
  }

  /** Returns true if a valid chunk is near the start of the input. */
  public static boolean looksLikeRecording(InputFile input) {
    return ChunkScanner.first(input, new NtrChunkReader(input)) != null;
  }

  /**
   * Opens a recording.
   *
   * @param input closed with the returned file, or by this method if it fails
   * @param gaps receives what cannot be read
   * @throws CannotGoOn if it is not a recording, or of an unknown version
   */
  public static NtrFile open(InputFile input, Gaps gaps) {
    try {
      gaps.register(input.name());
      NtrChunkReader reader = new NtrChunkReader(input);
      NtrChunkReader.Header first = ChunkScanner.first(input, reader);
      if (first == null) {
        throw CannotGoOn.of(
            CannotGoOn.Reason.OTHER_KIND,
            input.name(),
            input.name() + " is not a .ntr recording",
            "");
      }
      NtrFile file = new NtrFile(input, first.recording());
      file.read(reader, gaps);
      return file;
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  private void read(NtrChunkReader reader, Gaps gaps) {
    ChunkScanner list = new ChunkScanner(input, new NtrChunkReader(input), recording, gaps);
    Collector collector = new Collector(reader, gaps);
    if (list.byIndex(collector)) {
      complete = true;
    } else {
      list.scan(collector);
    }
    calibrations = definitions.calibrations();
    definitions.gaps.values().forEach(gaps::add);
    chunks.replaceAll((thread, of) -> Collections.unmodifiableList(of));
  }

  private final class Collector implements ChunkScanner.Visitor {
    private final NtrChunkReader reader;
    private final Gaps gaps;
    private final ColumnReader in = new ColumnReader("the definitions");
    private final ColumnReader counters = new ColumnReader("the statistics");

    Collector(NtrChunkReader reader, Gaps gaps) {
      this.reader = reader;
      this.gaps = gaps;
    }

    @Override
    public void events(EventChunk head) {
      chunks.computeIfAbsent(head.thread(), n -> new ArrayList<>()).add(head);
    }

    @Override
    public void chunk(NtrChunkReader.Header chunk) {
      boolean known = chunk.kind() >= NtrLayout.RECORDING && chunk.kind() <= NtrLayout.END;
      if (!known) {
        unknownChunks++;
        if (chunk.essential()) {
          gap(chunk, "chunk of a newer version", "its kind is " + chunk.kind());
        }
      } else if ((chunk.flags() & ~NtrLayout.ESSENTIAL) != 0) {
        unknownChunks++;
        gap(chunk, "chunk of a newer version", "its flags are " + chunk.flags());
      } else {
        try {
          content(chunk, reader.payload(chunk));
        } catch (DamagedInput e) {
          gap(chunk, name(chunk.kind()), e.what());
        }
      }
    }

    private void content(NtrChunkReader.Header chunk, byte[] payload) {
      switch (chunk.kind()) {
        case NtrLayout.RECORDING -> header = header(chunk, payload);
        case NtrLayout.DEFINITIONS -> definitions.read(on(in, chunk, payload));
        case NtrLayout.STATISTICS -> {
          on(counters, chunk, payload);
          while (!counters.atEnd()) {
            long counter = counters.var();
            statistics.put(counter, counters.var());
          }
        }
        case NtrLayout.END -> complete = chunk.end() == input.size();
        default -> {
          // An index that was not needed.
        }
      }
    }

    private NtrHeader header(NtrChunkReader.Header chunk, byte[] payload) {
      ColumnReader bytes = on(new ColumnReader("the recording"), chunk, payload);
      int major = bytes.u16();
      bytes.u16();
      int flags = bytes.u32();
      if (major != NtrLayout.MAJOR || (flags & 0xFFFC) != 0) {
        throw new CannotGoOn(
            "%s is a recording of a newer version (%d, flags 0x%x)"
                .formatted(input.name(), major, flags),
            "use a newer ntrail");
      }
      return new NtrHeader(
          flags,
          bytes.u64(),
          bytes.u64(),
          bytes.u64(),
          bytes.u16(),
          bytes.u16(),
          bytes.u32(),
          bytes.text());
    }

    private ColumnReader on(ColumnReader column, NtrChunkReader.Header chunk, byte[] payload) {
      return column.on(payload, 0, chunk.payload(), input.name(), chunk.offset());
    }

    private void gap(NtrChunkReader.Header chunk, String what, String why) {
      gaps.add(new Gap(input.name(), chunk.offset(), chunk.size(), what, why));
    }
  }

  private static String name(int kind) {
    return switch (kind) {
      case NtrLayout.RECORDING -> "recording header";
      case NtrLayout.DEFINITIONS -> "definitions";
      case NtrLayout.STATISTICS -> "statistics";
      case NtrLayout.INDEX -> "index";
      default -> "end";
    };
  }

  /** The name of the input. */
  public String name() {
    return input.name();
  }

  /** Bytes of the file. */
  public long size() {
    return input.size();
  }

  /** Returns the header, with the clock; empty if every chunk that has it is damaged. */
  public Optional<NtrHeader> header() {
    return Optional.ofNullable(header);
  }

  /** Returns true if the writer closed the file: it ends in a valid end chunk. */
  public boolean complete() {
    return complete;
  }

  /** Returns the number of chunks of unknown kinds. */
  public int unknownChunks() {
    return unknownChunks;
  }

  /** Processes by number, in the order of their definition. */
  public Map<Long, TracedProcess> processes() {
    return Collections.unmodifiableMap(definitions.processes);
  }

  /**
   * Returns the bytes of a pointer, 4 or 8, of the process that a function was traced in: by its
   * machine type, else by the header; 8 if neither tells.
   */
  public int pointerBytes(long function) {
    TracedFunction its = definitions.functions.get(function);
    TracedModule module = its == null ? null : definitions.modules.get(its.module());
    TracedProcess process = module == null ? null : definitions.processes.get(module.process());
    if (process == null || process.machine() == 0) {
      return header().map(NtrHeader::pointerBytes).filter(bytes -> bytes == 4).orElse(8);
    }
    return process.machine() == IA_32 ? Integer.BYTES : Long.BYTES;
  }

  /** Threads by number, in the order of their definition; others may have events. */
  public Map<Long, TracedThread> threads() {
    return Collections.unmodifiableMap(definitions.threads);
  }

  /** Modules by number, in the order of their definition. */
  public Map<Long, TracedModule> modules() {
    return Collections.unmodifiableMap(definitions.modules);
  }

  /** Functions by number, in the order of their definition; events may name others. */
  public Map<Long, TracedFunction> functions() {
    return Collections.unmodifiableMap(definitions.functions);
  }

  /** Times in which modules were not traced, by number, in the order of their definition. */
  public Map<Long, UntracedModule> untraced() {
    return Collections.unmodifiableMap(definitions.untraced);
  }

  /** Times in which the tracer held processes, by number, in the order of their definition. */
  public Map<Long, TracedProcess.Hold> holds() {
    return Collections.unmodifiableMap(definitions.holds);
  }

  /** Callers of entries, by number, in the order of their definition. */
  public Map<Long, TracedThread.Callers> callers() {
    return Collections.unmodifiableMap(definitions.callers);
  }

  /** Calls that were added up, by number, in the order of their definition. */
  public Map<Long, CallTotals> totals() {
    return Collections.unmodifiableMap(definitions.totals);
  }

  /** Returns the records that the file leaves out, as it is a part of another one. */
  public List<Omission> omissions() {
    return List.copyOf(definitions.omissions.values());
  }

  /** The threads as they are in the file that this one is a part of, by number; else none. */
  public Map<Long, TracedThread.Whole> wholeThreads() {
    return Collections.unmodifiableMap(definitions.wholeThreads);
  }

  /** Returns how many records were lost of threads of that file that are not in this one. */
  public long lostElsewhere() {
    return definitions.lostElsewhere;
  }

  /** Returns simultaneous readings of several clocks, in order of ticks. */
  public List<ClockCalibration> calibrations() {
    return calibrations;
  }

  /** The last value of each counter, by number (see {@link RecorderCounter}). */
  public Map<Long, Long> statistics() {
    return Collections.unmodifiableMap(statistics);
  }

  /** Returns the last value of a counter; empty if it was not recorded. */
  public Optional<Long> statistic(RecorderCounter counter) {
    return Optional.ofNullable(statistics.get((long) counter.number()));
  }

  /** The numbers of the threads that have events, in the order of their first chunk. */
  public List<Long> threadsWithEvents() {
    return List.copyOf(chunks.keySet());
  }

  /** The chunks of a thread's events, in the order of the file. */
  public List<EventChunk> chunks(long thread) {
    return chunks.getOrDefault(thread, List.of());
  }

  /** Events of a thread as its heads count them, those in damaged chunks included. */
  public long events(long thread) {
    long sum = 0;
    for (EventChunk chunk : chunks(thread)) {
      sum += chunk.events();
    }
    return sum;
  }

  /**
   * Compares the chunks of a thread's events with their checksums, without decoding them.
   *
   * @param gaps receives the chunks that cannot be read; the same place is kept once
   * @param goesOn is told the events of each chunk, and may end it
   * @return false if it was ended
   */
  public boolean check(long thread, Gaps gaps, LongPredicate goesOn) {
    try (EventColumns columns = new EventColumns(input, recording)) {
      for (EventChunk chunk : chunks(thread)) {
        try {
          columns.payload(chunk);
        } catch (DamagedInput e) {
          gaps.add(columns.gap(chunk, e));
        }
        if (!goesOn.test(chunk.events())) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * Walks the events of a thread in their order.
   *
   * @param gaps receives the chunks that cannot be read; the same place is kept once
   */
  public ThreadEventCursor cursor(long thread, Gaps gaps) {
    return new ThreadEventCursor(input, recording, chunks(thread), gaps);
  }

  @Override
  public void close() {
    input.close();
  }
}
