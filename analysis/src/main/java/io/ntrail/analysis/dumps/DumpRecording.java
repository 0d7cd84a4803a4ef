package io.ntrail.analysis.dumps;

import io.ntrail.analysis.model.RecordedThreads;
import io.ntrail.analysis.model.RecorderLosses;
import io.ntrail.analysis.model.Recording;
import io.ntrail.analysis.model.RecordingKind;
import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.dump.DumpThread;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.MiscInfo;
import io.ntrail.formats.dump.SystemInfo;
import io.ntrail.formats.dump.streams.BreakpadInfo;
import io.ntrail.formats.dump.streams.MemoryInfoList;
import io.ntrail.formats.dump.streams.ThreadInfo;
import io.ntrail.formats.dump.streams.ThreadNames;
import io.ntrail.formats.identity.WindowsPath;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Dump of a process: a recording of one instant, with threads and memory. As an address space it is
 * its {@link #memory}.
 */
public final class DumpRecording implements Recording, RecordedThreads, AddressSpace {
  private final Minidump dump;
  private final ModuleImages images;
  private final DumpModules modules;
  private final DumpMemory memory;
  private final DumpView view;
  private final Optional<DumpView> wow64;
  private final List<DumpedThread> threads;
  private final Optional<DumpedException> exception;
  private @Nullable DumpProcess process;

  private DumpRecording(Minidump dump) {
    this.dump = dump;
    this.images = new ModuleImages(dump);
    this.modules = DumpModules.of(dump.modules(), dump.unloadedModules(), images);
    this.memory = new DumpMemory(dump, MemoryInfoList.of(dump), modules);
    Optional<Wow64Modules> sides = Wow64Modules.of(dump, modules);
    this.view = DumpView.of(dump, memory, sides.map(Wow64Modules::native64).orElse(modules));
    this.wow64 = sides.map(side -> DumpView.wow64(dump, memory, side.emulated()));
    this.threads = threads(dump, programPath());
    this.exception =
        dump.exception()
            .map(raw -> DumpedException.of(dump, raw, view, faultingThread().orElse(null)));
  }

  /**
   * Opens a dump.
   *
   * @param input closed with the recording, or by this method if it fails
   * @param gaps receives what cannot be read, also later
   * @throws CannotGoOn if it is not a minidump, or nothing of it can be read
   */
  public static DumpRecording open(InputFile input, Gaps gaps) {
    return new DumpRecording(Minidump.open(input, gaps));
  }

  private static List<DumpedThread> threads(Minidump dump, String program) {
    Map<Long, String> names = ThreadNames.of(dump);
    Map<Long, ThreadInfo> infos = ThreadInfo.of(dump);
    long faulting = dump.exception().map(e -> e.thread()).orElse(-1L);
    OptionalLong writer =
        BreakpadInfo.of(dump).map(BreakpadInfo::dumpThread).orElse(OptionalLong.empty());
    DumpedThread.Owner owner =
        new DumpedThread.Owner(
            dump.miscInfo().map(MiscInfo::processId).orElse(OptionalLong.empty()).orElse(0),
            program.isEmpty() ? null : WindowsPath.lastPart(program));
    List<DumpedThread> threads = new ArrayList<>();
    for (DumpThread thread : dump.threads()) {
      Optional<ThreadInfo> info = Optional.ofNullable(infos.get(thread.id()));
      threads.add(
          new DumpedThread(
              thread,
              owner,
              names.get(thread.id()),
              info,
              thread.id() == faulting,
              writer.orElse(-1) == thread.id() || info.map(ThreadInfo::isWriter).orElse(false)));
    }
    return List.copyOf(threads);
  }

  /**
   * Looks for the files of modules, from which bytes are read that were not saved. To be called
   * before anything is asked about modules; files are closed with the recording.
   */
  public DumpRecording images(ImageSource source) {
    images.from(source);
    return this;
  }

  /** Returns the dump as it is in the file. */
  public Minidump dump() {
    return dump;
  }

  /** Returns processor and system; empty if the writer did not say. */
  public Optional<SystemInfo> system() {
    return dump.systemInfo();
  }

  /** Returns the time at which it was written, in seconds since 1970 UTC; empty if unknown. */
  public OptionalLong time() {
    long seconds = dump.header().timestamp();
    return seconds == 0 ? OptionalLong.empty() : OptionalLong.of(seconds);
  }

  /** Returns the process. */
  public synchronized DumpProcess process() {
    if (process == null) {
      // All threads have the same process block; a small dump has that of one at most.
      long teb =
          threads.stream().mapToLong(DumpedThread::teb).filter(this::isSaved).findFirst().orElse(0);
      ProcessBlocks blocks = view.blocks();
      String path = programPath();
      if (path.isEmpty()) {
        path = blocks.imagePath(teb);
      }
      process =
          new DumpProcess(
              dump.miscInfo().map(MiscInfo::processId).orElse(OptionalLong.empty()),
              WindowsPath.lastPart(path),
              path,
              blocks.commandLine(teb),
              blocks.currentDirectory(teb),
              dump.miscInfo().flatMap(MiscInfo::times));
    }
    return process;
  }

  private boolean isSaved(long teb) {
    return teb != 0 && memory.isSaved(teb);
  }

  private String programPath() {
    return modules.program().map(DumpedModule::path).orElse("");
  }

  /** Returns the threads in the order of the dump. */
  @Override
  public List<DumpedThread> threads() {
    return threads;
  }

  /** Returns the thread for whose exception the dump was written; empty if it is not in it. */
  public Optional<DumpedThread> faultingThread() {
    return threads.stream().filter(DumpedThread::isFaulting).findFirst();
  }

  /** Returns the exception for which the dump was written. */
  public Optional<DumpedException> exception() {
    return exception;
  }

  /** Returns all modules, of both sides if there are two. */
  public DumpModules modules() {
    return modules;
  }

  /** Returns the memory. */
  public DumpMemory memory() {
    return memory;
  }

  /** Returns the side that the dump describes: the 64-bit one of a 32-bit process on x64. */
  public DumpView view() {
    return view;
  }

  /** Returns the 32-bit side, if the dump describes a 32-bit process from the 64-bit side. */
  public Optional<DumpView> wow64() {
    return wow64;
  }

  /** Returns the side on which the program itself runs, if the dump has registers of that. */
  public DumpView programView() {
    return wow64
        .filter(side -> threads.stream().anyMatch(thread -> side.context(thread).isPresent()))
        .orElse(view);
  }

  /**
   * Returns true if the program runs on a 32-bit side of which the dump has no registers: the
   * stacks are those of the 64-bit side, on which the emulator runs.
   */
  public boolean lacksProgramSide() {
    return wow64.isPresent() && !threads.isEmpty() && programView() == view;
  }

  @Override
  public RecordingKind kind() {
    return RecordingKind.DUMP;
  }

  @Override
  public List<String> fileNames() {
    return List.of(dump.name());
  }

  @Override
  public long size() {
    return dump.size();
  }

  @Override
  public List<Gap> gaps() {
    return dump.gaps();
  }

  @Override
  public RecorderLosses losses() {
    return RecorderLosses.UNKNOWN;
  }

  @Override
  public String name() {
    return memory.name();
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return memory.regionAt(address);
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    return memory.readUpTo(address, most);
  }

  @Override
  public void close() {
    images.close();
    dump.close();
  }
}
