package io.ntrail.formats.dump;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.CannotGoOn.Reason;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputBuilder;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.context.ProcessorArchitecture;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.formats.dump.context.XStateLayout;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * One minidump: its header, its directory, and the streams that every question needs. Opening reads
 * lists, not memory: a dump of any size opens at once.
 *
 * <p>Immutable after opening but for its gaps; {@link #reader} is for one thread.
 */
public final class Minidump implements AutoCloseable {
  /** Bytes of a CONTEXT with its extended state that are read. */
  private static final int LARGEST_CONTEXT = 1 << 16;

  /** Bytes that are copied at once. */
  private static final long COPIED = 1 << 20;

  private final InputFile input;
  private final Gaps gaps;
  private final MinidumpHeader header;
  private final List<DumpStream> streams;
  private final DumpReader reader;
  private final List<DumpThread> threads;
  private final List<DumpModule> modules;
  private final List<UnloadedModule> unloadedModules;
  private final Optional<DumpException> exception;
  private final Optional<SystemInfo> systemInfo;
  private final ProcessorArchitecture architecture;
  private final Optional<MiscInfo> miscInfo;
  private final MemoryRanges memory;

  private Minidump(InputFile input, Gaps gaps) {
    this.input = input;
    this.gaps = gaps;
    this.header = header(input);
    this.reader = new DumpReader(input, gaps);
    DumpDirectory directory = new DumpDirectory(input, header, reader);
    this.streams = directory.read();
    CoreStreams core = new CoreStreams(this, reader);
    this.systemInfo = reader.reading("SystemInfoStream", Optional.empty(), core::systemInfo);
    this.miscInfo = reader.reading("MiscInfoStream", Optional.empty(), core::miscInfo);
    this.threads = reader.reading("ThreadListStream", List.of(), core::threads);
    this.modules = reader.reading("ModuleListStream", List.of(), core::modules);
    this.unloadedModules =
        reader.reading("UnloadedModuleListStream", List.of(), core::unloadedModules);
    this.exception = reader.reading("ExceptionStream", Optional.empty(), core::exception);
    this.memory = new MemoryStreams(this, input, reader).read();
    directory.checkEnd(streams, memory);
    this.architecture = findArchitecture();
    checkContexts();
    checkFaultingThread();
  }

  /**
   * Opens a minidump.
   *
   * @param input closed with the returned dump, or by this method if it fails
   * @param gaps receives what cannot be read, also later
   * @throws CannotGoOn if it is not a minidump, or nothing of it can be read
   */
  public static Minidump open(InputFile input, Gaps gaps) {
    try {
      gaps.register(input.name());
      return new Minidump(input, gaps);
    } catch (RuntimeException e) {
      input.close();
      throw e;
    }
  }

  /**
   * Returns the architecture that the dump names; where it does not say, that of its registers, of
   * which a dump without them needs none.
   */
  private ProcessorArchitecture findArchitecture() {
    ProcessorArchitecture named =
        systemInfo.map(SystemInfo::architecture).orElse(ProcessorArchitecture.UNKNOWN);
    if (named != ProcessorArchitecture.UNKNOWN) {
      return named;
    }
    ProcessorArchitecture found =
        Stream.concat(
                threads.stream().map(DumpThread::context),
                exception.stream().map(DumpException::context))
            .filter(range -> !range.isEmpty())
            .flatMap(range -> ProcessorContext.read(contextBytes(range), named).stream())
            .map(context -> context.kind().architecture())
            .findFirst()
            .orElse(named);
    boolean isLost = systemInfo.isEmpty() && !threads.isEmpty();
    if (isLost && stream(StreamType.SYSTEM_INFO).isEmpty()) {
      reader.gap(
          header.directory(),
          -1,
          StreamType.SYSTEM_INFO.title(),
          "the dump does not name its processor"
              + (found == named ? "" : ", whose registers are those of " + found.word()));
    }
    return found;
  }

  /**
   * Reports registers that cannot be read: without them a stack begins elsewhere, or not at all.
   */
  private void checkContexts() {
    for (DumpThread thread : threads) {
      checkContext("registers of thread " + thread.id(), thread.context());
    }
    exception.ifPresent(of -> checkContext("registers at the exception", of.context()));
  }

  private void checkContext(String what, FileRange range) {
    if (range.isEmpty()) {
      return;
    }
    String why = ProcessorContext.damage(contextBytes(range), architecture());
    if (!why.isEmpty()) {
      reader.gap(range.offset(), range.size(), what, why);
    }
  }

  /** Reports an exception of a thread that the list of threads does not have. */
  private void checkFaultingThread() {
    if (exception.isEmpty() || threads.isEmpty()) {
      return;
    }
    long faulting = exception.get().thread();
    if (threads.stream().noneMatch(thread -> thread.id() == faulting)) {
      long offset = stream(StreamType.EXCEPTION).map(DumpStream::offset).orElse(0L);
      reader.gap(
          offset,
          -1,
          "thread of the exception",
          "thread " + faulting + " is not in the list of threads");
    }
  }

  private Bytes contextBytes(FileRange range) {
    return reader.bytes(range, LARGEST_CONTEXT);
  }

  private static MinidumpHeader header(InputFile input) {
    DumpKind kind = DumpKind.of(input);
    if (kind != DumpKind.MINIDUMP) {
      throw kind.refusal(input);
    }
    if (input.size() < MinidumpHeader.BYTES) {
      throw refusal(input, "is a minidump that ends inside its header");
    }
    MinidumpHeader header = MinidumpHeader.read(input.window(0, MinidumpHeader.BYTES));
    if (header.version() != MinidumpHeader.VERSION) {
      throw refusal(
          input,
          "is a minidump of version 0x%x; 0x%x is read"
              .formatted(header.version(), MinidumpHeader.VERSION));
    }
    if (header.streams() > 0 && header.directory() > input.size() - DumpDirectory.ENTRY) {
      throw refusal(
          input,
          "is a minidump whose directory is missing: it is at offset %d of %d bytes"
              .formatted(header.directory(), input.size()));
    }
    return header;
  }

  private static CannotGoOn refusal(InputFile input, String predicate) {
    return CannotGoOn.of(Reason.OTHER, input.name(), input.name() + " " + predicate, "");
  }

  /** Name of the file, for messages. */
  public String name() {
    return input.name();
  }

  /** Bytes of the file. */
  public long size() {
    return input.size();
  }

  /** Returns the header. */
  public MinidumpHeader header() {
    return header;
  }

  /** Returns the directory without unused entries, in its order. */
  public List<DumpStream> streams() {
    return streams;
  }

  /** Returns the first stream of a kind that has bytes. */
  public Optional<DumpStream> stream(StreamType type) {
    return streams.stream().filter(stream -> stream.is(type) && stream.size() > 0).findFirst();
  }

  /**
   * Reads the first stream of a kind.
   *
   * @param nothing the answer if there is none, or it cannot be read: then there is a gap as well
   */
  public <T> T read(StreamType type, T nothing, Function<Bytes, T> answer) {
    Optional<DumpStream> stream = stream(type);
    return stream.isEmpty()
        ? nothing
        : reader.reading(type.title(), nothing, () -> answer.apply(reader.bytes(stream.get())));
  }

  /**
   * Copies the first stream of a kind out of the file, for readers that take a whole file.
   *
   * @return named after file and stream; empty if there is none
   */
  public Optional<InputFile> copy(StreamType type) {
    return stream(type).map(stream -> copy(type, stream));
  }

  private InputFile copy(StreamType type, DumpStream stream) {
    try (InputBuilder copy = new InputBuilder(name() + " (" + type.title() + ")")) {
      for (long done = 0; done < stream.size(); ) {
        int length = (int) Math.min(COPIED, stream.size() - done);
        byte[] bytes = input.window(stream.offset() + done, length).array(0, length);
        copy.append(bytes, 0, length);
        done += length;
      }
      return copy.finish();
    }
  }

  /** Returns the access to parts of the file. */
  public DumpReader reader() {
    return reader;
  }

  /** Returns the threads in the order of the dump. */
  public List<DumpThread> threads() {
    return threads;
  }

  /** Returns the modules in the order of the dump: the program first. */
  public List<DumpModule> modules() {
    return modules;
  }

  /** Returns the modules that had been unloaded, as far as Windows remembered them. */
  public List<UnloadedModule> unloadedModules() {
    return unloadedModules;
  }

  /** Returns the exception for which the dump was written; empty if there was none. */
  public Optional<DumpException> exception() {
    return exception;
  }

  /** Returns processor and system; empty if the writer did not say. */
  public Optional<SystemInfo> systemInfo() {
    return systemInfo;
  }

  /** Returns what is known about the process. */
  public Optional<MiscInfo> miscInfo() {
    return miscInfo;
  }

  /** Returns the memory that was saved. */
  public MemoryRanges memory() {
    return memory;
  }

  /** Returns the architecture that the dump names, or its registers show. */
  public ProcessorArchitecture architecture() {
    return architecture;
  }

  /** Returns where contexts have the components of extended state. */
  public XStateLayout xstate() {
    return miscInfo.flatMap(MiscInfo::xstate).orElse(XStateLayout.STANDARD);
  }

  /**
   * Returns the registers of a thread or of the exception; empty if they were not saved or have no
   * known layout.
   */
  public Optional<ProcessorContext> context(FileRange range) {
    return range.isEmpty()
        ? Optional.empty()
        : ProcessorContext.read(contextBytes(range), architecture());
  }

  /** Returns what could not be read so far. */
  public List<Gap> gaps() {
    return gaps.list();
  }

  @Override
  public void close() {
    input.close();
  }
}
