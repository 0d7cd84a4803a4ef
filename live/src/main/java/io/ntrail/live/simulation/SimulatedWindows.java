package io.ntrail.live.simulation;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.SimulatedAgent;
import io.ntrail.live.code.x64.RoutineAnswers;
import io.ntrail.live.selftest.SelfTestImages;
import io.ntrail.live.selftest.SelfTestProgram;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * System that plays Wine as far as a trace needs it: one program, its loaded modules, memory,
 * threads that do nothing. No code runs: routines in the target end at once, with their answers if
 * it has those; the program ends when it is waited for.
 */
public final class SimulatedWindows
    implements SimulatedAgent.Machine, RoutineAnswers.Target, AutoCloseable {
  /** Name of the program. */
  public static final String PROGRAM = "practice.exe";

  /** Function of a system library, for a selection. */
  public static final String FUNCTION = "kernel32!CreateFileW";

  private static final int PID = 4711;
  private static final int THREAD_ID = 4715;
  private static final long SCRATCH = 0x1_0000_0000L;
  private static final int SCRATCH_SIZE = 0x4_0000;
  private static final long BLOCK = 0x2_0000_0000L;
  private static final long LOADER = BLOCK + 0x1000;
  private static final long ENTRIES = BLOCK + 0x2000;
  private static final long TEXTS = BLOCK + 0x4000;
  private static final long VIEW = 0x3_0000_0000L;
  private static final long FUNCTIONS = 0x7FFE_0000_0000L;
  private static final long ALLOCATIONS = 0x6000_0000_0000L;
  private static final int GRANULE = 0x1_0000;
  private static final int PE_HEADER_AT = 0x3C;
  private static final int SYMBOL = 22;
  private static final int CONTEXT_RSP = 0x98;
  private static final int CONTEXT_RIP = 0xF8;
  private static final int COUNTS_PER_SECOND = 10_000_000;

  /** From 1601 to 1970, in 100 nanoseconds. */
  private static final long EPOCH = 116_444_736_000_000_000L;

  private final SimulatedMemory memory = new SimulatedMemory();
  private final RoutineAnswers answers = new RoutineAnswers(this);
  private final boolean answering;
  private final Map<String, Long> addresses = new HashMap<>();
  private final Map<Long, String> names = new HashMap<>();
  private final Map<Long, Long> starts = new HashMap<>();
  private final Path folder;
  private long entryPoint;
  private long nextAllocation = ALLOCATIONS;
  private long nextHandle = 0x40;
  private int nextSlot = 1;

  /**
   * Loads the program, whose files are written.
   *
   * @param folder where its files lie
   * @param answering whether routines in the target do what they are for; else nothing happens
   * @throws IOException if they cannot be written
   */
  public SimulatedWindows(Path folder, boolean answering) throws IOException {
    this.folder = folder;
    this.answering = answering;
    memory.zeros(SCRATCH, SCRATCH_SIZE);
    memory.zeros(BLOCK, (int) (TEXTS - BLOCK));
    List<Loaded> modules =
        List.of(
            load(PROGRAM, SelfTestProgram.file()),
            load("ntdll.dll", SelfTestImages.systemLibrary("ntdll.dll", 0x1_7000_0000L)),
            load("kernel32.dll", SelfTestImages.systemLibrary("kernel32.dll", 0x1_6000_0000L)));
    link(modules);
  }

  /**
   * Loads the program, with its files in a temporary folder.
   *
   * @throws IOException if they cannot be written
   */
  public static SimulatedWindows temporary() throws IOException {
    return new SimulatedWindows(Files.createTempDirectory("ntrail-simulated-"), true);
  }

  /** Returns the folder with the files. */
  public Path folder() {
    return folder;
  }

  /** Deletes the folder and all files in it. */
  @Override
  public void close() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  /** Returns a host whose programs run here. */
  public AgentHost host() {
    return new AgentHost.Simulated(this);
  }

  /** A module that lies in memory. */
  private record Loaded(String name, long base, long size, long entry) {}

  private Loaded load(String name, byte[] linked) throws IOException {
    byte[] file = withSymbol(linked, name);
    Files.write(folder.resolve(name), file);
    PeImage image = PeImage.ofFile(InputFile.of(file, name));
    long base = image.headers().imageBase();
    memory.zeros(base, (int) image.headers().sizeOfImage());
    Bytes stored = Bytes.copyOf(file, name);
    memory.write(base, stored.array(0, (int) image.headers().sizeOfHeaders()));
    for (Section section : image.sections()) {
      memory.write(
          base + section.rva(), stored.array((int) section.rawOffset(), (int) section.rawSize()));
    }
    long entry = base + image.headers().entryPoint();
    if (name.equals(PROGRAM)) {
      entryPoint = entry;
    }
    return new Loaded(name, base, image.headers().sizeOfImage(), entry);
  }

  /** Appends a table with one symbol: a function at the begin of the first section. */
  private static byte[] withSymbol(byte[] file, String name) {
    BytesBuilder all =
        new BytesBuilder(file.length + SYMBOL)
            .bytes(file)
            .bytes("function".getBytes(StandardCharsets.US_ASCII));
    // Value, section, type (a function), storage class (external), auxiliary symbols; no strings.
    all.u32(0).u16(1).u16(0x20).u8(2).u8(0).u32(4);
    int fileHeader = (int) Bytes.copyOf(file, name).u32(PE_HEADER_AT) + 4;
    all.setU32(fileHeader + 8, file.length);
    all.setU32(fileHeader + 12, 1);
    return all.toArray();
  }

  /** Writes the process environment block and the loader's list. */
  private void link(List<Loaded> modules) {
    memory.words(BLOCK + 0x10, modules.getFirst().base, LOADER);
    long head = LOADER + 0x10;
    long text = TEXTS;
    long before = head;
    for (int i = 0; i < modules.size(); i++) {
      Loaded module = modules.get(i);
      long at = ENTRIES + 0x100L * i;
      memory.words(before, at);
      memory.words(at, head, before);
      memory.words(at + 0x30, module.base, module.entry, module.size);
      text = name(at + 0x48, text, folder.resolve(module.name).toString());
      text = name(at + 0x58, text, module.name);
      before = at;
    }
  }

  /** Writes a UNICODE_STRING and its text; returns the place behind the text. */
  private long name(long at, long text, String letters) {
    byte[] bytes = letters.getBytes(StandardCharsets.UTF_16LE);
    memory.write(text, bytes);
    memory.write(at, new BytesBuilder(8).u16(bytes.length).u16(bytes.length).u32(0).toArray());
    memory.words(at + 8, text);
    return text + bytes.length;
  }

  @Override
  public int pid() {
    return PID - 1;
  }

  @Override
  public long scratch() {
    return SCRATCH;
  }

  @Override
  public int scratchSize() {
    return SCRATCH_SIZE;
  }

  @Override
  public long resolve(String module, String function) {
    return addresses.computeIfAbsent(
        function,
        _ -> {
          long address = FUNCTIONS + 16L * addresses.size();
          names.put(address, function);
          return address;
        });
  }

  @Override
  public byte[] read(long address, int length) {
    return memory.read(address, length);
  }

  @Override
  public void write(long address, byte[] bytes) {
    memory.write(address, bytes);
  }

  @Override
  public long function(String name) {
    return resolve("ntdll", name);
  }

  @Override
  public long call(long address, long[] a) {
    String name = names.get(address);
    return name == null
        // Code of our own: one of the routines reads the time stamp counter, others are like it.
        ? System.nanoTime()
        : name.startsWith("Nt") || name.startsWith("Rtl") ? system(name, a) : windows(name, a);
  }

  private long system(String name, long[] a) {
    switch (name) {
      case "NtQueryInformationProcess" -> memory.words(a[2], 0, BLOCK, 0, 0, PID, 0);
      case "NtQueryInformationThread" -> memory.words(a[2], 0, BLOCK);
      case "NtGetContextThread" -> {
        memory.words(a[1] + CONTEXT_RSP, SCRATCH);
        memory.words(a[1] + CONTEXT_RIP, entryPoint);
      }
      case "NtCreateThreadEx" -> {
        starts.put(nextHandle, a[4]);
        memory.words(a[0], nextHandle++);
        if (answering) {
          answers.run(a[4], a[5]);
        }
      }
      case "NtMapViewOfSection" -> memory.words(a[2], allocate(0, GRANULE));
      case "NtQuerySystemInformation" -> processes(a[1], a[3]);
      case "RtlCompareMemory" -> {
        return a[2];
      }
      default -> {}
    }
    return 0;
  }

  private long windows(String name, long[] a) {
    switch (name) {
      case "CreateProcessW" -> {
        memory.words(a[9], nextHandle, nextHandle + 1);
        nextHandle += 2;
        memory.write(a[9] + 16, new BytesBuilder(8).u32(PID).u32(THREAD_ID).toArray());
      }
      case "MapViewOfFile" -> {
        memory.write(VIEW, new BytesBuilder(8).u32(1).u32(PID).toArray());
        memory.words(VIEW + 8, 1, 2, 3);
        return VIEW;
      }
      case "DuplicateHandle" -> memory.words(a[3], nextHandle++);
      case "VirtualAlloc" -> {
        long at = allocate(a[0], a[1]);
        memory.zeros(at, (int) a[1]);
        return at;
      }
      case "VirtualAllocEx" -> {
        return allocate(a[1], a[2]);
      }
      case "VirtualProtectEx" -> memory.write(a[4], new BytesBuilder(4).u32(0x20).toArray());
      case "VirtualQueryEx" -> {
        long page = a[1] & -0x1000L;
        memory.words(a[2], page, page, 0x20, 0x1000, 0x20L << 32 | 0x1000, 0x100_0000);
        return a[3];
      }
      case "ReadProcessMemory" -> memory.write(a[2], memory.read(a[1], (int) a[3]));
      case "WriteProcessMemory" -> memory.write(a[1], memory.read(a[2], (int) a[3]));
      case "GetExitCodeThread" -> {
        boolean isSlot = "TlsAlloc".equals(names.get(starts.getOrDefault(a[0], 0L)));
        memory.words(a[1], isSlot ? nextSlot++ : 0);
      }
      case "GetExitCodeProcess" -> memory.words(a[1], 0);
      case "QueryPerformanceFrequency" -> memory.words(a[0], COUNTS_PER_SECOND);
      case "QueryPerformanceCounter" -> memory.words(a[0], System.nanoTime() / 100);
      case "GetSystemTimeAsFileTime" ->
          memory.words(a[0], EPOCH + System.currentTimeMillis() * 10_000);
      case "wine_get_dos_file_name" -> {
        return kept((memory.text(a[0]) + "\0").getBytes(StandardCharsets.UTF_16LE));
      }
      case "wine_get_unix_file_name" -> {
        return kept((memory.wideText(a[0]) + "\0").getBytes(StandardCharsets.UTF_8));
      }
      case "WaitForSingleObject", "AttachConsole" -> {
        return 0;
      }
      default -> {}
    }
    return 1;
  }

  private long allocate(long wanted, long size) {
    if (wanted != 0) {
      return wanted;
    }
    long at = nextAllocation;
    nextAllocation += size + 2L * GRANULE - 1 & -GRANULE;
    return at;
  }

  private long kept(byte[] text) {
    long at = allocate(0, text.length);
    memory.zeros(at, GRANULE);
    memory.write(at, text);
    return at;
  }

  /** Writes SYSTEM_PROCESS_INFORMATION of the one process, with its one thread. */
  private void processes(long at, long lengthAt) {
    int head = 0x100;
    int thread = 0x50;
    memory.zeros(at, head + thread);
    memory.write(at + 4, new BytesBuilder(4).u32(1).toArray());
    memory.words(at + 0x50, PID);
    memory.words(at + head + 0x30, THREAD_ID);
    memory.words(lengthAt, head + thread);
  }
}
