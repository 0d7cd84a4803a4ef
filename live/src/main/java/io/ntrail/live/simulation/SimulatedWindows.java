package io.ntrail.live.simulation;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.SimulatedAgent;
import io.ntrail.live.code.x64.RoutineAnswers;
import io.ntrail.live.selftest.SelfTestImages;
import io.ntrail.live.selftest.SelfTestProgram;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * System that plays Wine as far as a trace needs it: one program, its loaded modules, memory,
 * threads that do nothing. No code runs: routines in the target end at once, with their answers if
 * it has those. The program ends when it is waited for; if routines are answered, it loads two
 * libraries first.
 */
public final class SimulatedWindows
    implements SimulatedAgent.Machine, RoutineAnswers.Target, AutoCloseable {
  /** Name of the program. */
  public static final String PROGRAM = "practice.exe";

  /** Function of a system library, for a selection. */
  public static final String FUNCTION = "kernel32!CreateFileW";

  /** A function of each library that the program loads, for a selection. */
  public static final String LATER = "later-*!Other1";

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
  private static final int STILL_ACTIVE = 259;
  private static final int WAIT_TIMEOUT = 0x102;
  private static final int COUNTS_PER_SECOND = 10_000_000;

  /** From 1601 to 1970, in 100 nanoseconds. */
  private static final long EPOCH = 116_444_736_000_000_000L;

  /** Bytes of code by which the library that is not found ahead is one that the agent searches. */
  private static final int MUCH_CODE = 33 << 20;

  private static final int ALIGNMENT = 0x1000;
  private static final int SECTION_HEADER = 40;
  private static final int OPTIONAL_HEADER = 24;
  private static final int SIZE_OF_IMAGE = OPTIONAL_HEADER + 56;

  // What the agent makes to search it.
  private static final long SEARCHED_FILE = 0x1001;
  private static final long SEARCHED_MAPPING = 0x1002;
  private static final long SEARCHED_VIEW = 0x4_0000_0000L;
  private static final int SEARCHED_HEADERS = 0x400;

  private final SimulatedMemory memory = new SimulatedMemory();
  private final RoutineAnswers answers = new RoutineAnswers(this);
  private final boolean answering;
  private final Map<String, Long> addresses = new HashMap<>();
  private final Map<Long, String> names = new HashMap<>();
  private final Map<Long, Long> starts = new HashMap<>();
  private final Path folder;
  private final List<SimulatedLoader.Library> libraries;
  private long nextText = TEXTS;
  private long process;
  private long mainThread;
  private Optional<SimulatedLoader> loader = Optional.empty();
  private long entryPoint;
  private long nextAllocation = ALLOCATIONS;
  private long nextHandle = 0x40;
  private int nextSlot = 1;
  private long searchedSize;

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
    Path system = Files.createDirectories(folder.resolve("system"));
    Path own = Files.createDirectories(program().getParent());
    link(
        List.of(
            load(program(), SelfTestProgram.file()),
            load(
                system.resolve("ntdll.dll"), SelfTestImages.systemLibrary(0x1_7000_0000L, "ntdll")),
            load(
                system.resolve("kernel32.dll"),
                SelfTestImages.systemLibrary(0x1_6000_0000L, "kernel32"))));
    Path elsewhere = Files.createDirectories(folder.resolve("elsewhere"));
    // One is found before it is loaded, the other one is not.
    this.libraries =
        !answering
            ? List.of()
            : List.of(
                later(own.resolve("later-here.dll"), 0x1_5000_0000L),
                large(elsewhere.resolve("later-there.dll"), 0x1_2000_0000L));
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

  /** Returns the file of the program. */
  public Path program() {
    return folder.resolve("program").resolve(PROGRAM);
  }

  /** Deletes the folder and all files in it. */
  @Override
  public void close() throws IOException {
    loader.filter(its -> !its.isStarted()).ifPresent(SimulatedLoader::close);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** Returns a host whose programs run here. */
  public AgentHost host() {
    return new AgentHost.Simulated(this);
  }

  /** A module that lies in memory. */
  private record Loaded(Path path, long base, long size, long entry) {
    String name() {
      return path.getFileName().toString();
    }
  }

  /** Puts a library into memory that the program loads later. */
  private SimulatedLoader.Library later(Path path, long base) throws IOException {
    String name = path.getFileName().toString();
    Loaded loaded = load(path, SelfTestImages.usualLibrary(base, name.replace(".dll", "")));
    long at = nextText;
    nextText = text(at, at + 16, path.toString());
    return new SimulatedLoader.Library(base, loaded.size(), at);
  }

  /** Puts a library into memory that has much code, all of it zeros. */
  private SimulatedLoader.Library large(Path path, long base) throws IOException {
    SimulatedLoader.Library small = later(path, base);
    Bytes file = Bytes.copyOf(Files.readAllBytes(path), "library");
    int header = (int) file.u32(PE_HEADER_AT);
    int sections = file.u16(header + 6);
    int rva = (int) small.size() + ALIGNMENT - 1 & -ALIGNMENT;
    int offset = file.length() + ALIGNMENT - 1 & -ALIGNMENT;
    BytesBuilder all = new BytesBuilder(offset).bytes(file.array(0, file.length()));
    all.setU32(header + 4, file.u16(header + 4) | sections + 1 << 16);
    all.setU32(header + SIZE_OF_IMAGE, rva + MUCH_CODE);
    int at = header + OPTIONAL_HEADER + file.u16(header + 20) + SECTION_HEADER * sections;
    // Its name stays zero, and so do its relocations and line numbers.
    int[] fields = {MUCH_CODE, rva, MUCH_CODE, offset};
    for (int i = 0; i < fields.length; i++) {
      all.setU32(at + 8 + 4 * i, fields[i]);
    }
    all.setU32(at + SECTION_HEADER - 4, Section.EXECUTE | Section.READ | Section.CODE);
    byte[] bytes = all.toArray();
    memory.write(base, Arrays.copyOf(bytes, SEARCHED_HEADERS));
    memory.write(SEARCHED_VIEW, Arrays.copyOf(bytes, SEARCHED_HEADERS));
    searchedSize = offset + (long) MUCH_CODE;
    try (RandomAccessFile written = new RandomAccessFile(path.toFile(), "rw")) {
      written.write(bytes);
      written.setLength(searchedSize);
    }
    return new SimulatedLoader.Library(base, rva + (long) MUCH_CODE, small.name());
  }

  private Loaded load(Path path, byte[] linked) throws IOException {
    String name = path.getFileName().toString();
    byte[] file = withSymbol(linked, name);
    Files.write(path, file);
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
    return new Loaded(path, base, image.headers().sizeOfImage(), entry);
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
    long before = head;
    for (int i = 0; i < modules.size(); i++) {
      Loaded module = modules.get(i);
      long at = ENTRIES + 0x100L * i;
      memory.words(before, at);
      memory.words(at, head, before);
      memory.words(at + 0x30, module.base, module.entry, module.size);
      nextText = text(at + 0x48, nextText, module.path.toString());
      nextText = text(at + 0x58, nextText, module.name());
      before = at;
    }
  }

  /** Writes a UNICODE_STRING and its text; returns the place behind the text. */
  private long text(long at, long text, String letters) {
    byte[] bytes = letters.getBytes(StandardCharsets.UTF_16LE);
    memory.write(text, bytes);
    memory.write(at, new BytesBuilder(8).u16(bytes.length).u16(bytes.length).u32(0).toArray());
    memory.words(at + 8, text);
    return text + bytes.length + 7 & -8;
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
      case "NtResumeThread" -> {
        if (a[0] == mainThread) {
          loader.ifPresent(SimulatedLoader::start);
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
        process = nextHandle++;
        mainThread = nextHandle++;
        memory.words(a[9], process, mainThread);
        memory.write(a[9] + 16, new BytesBuilder(8).u32(PID).u32(THREAD_ID).toArray());
      }
      case "MapViewOfFile" -> {
        if (a[0] == SEARCHED_MAPPING) {
          return SEARCHED_VIEW;
        }
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
      case "GetExitCodeProcess" -> memory.words(a[1], isRunning() ? STILL_ACTIVE : 0);
      case "CreateFileW" -> {
        String path = memory.wideText(a[0]);
        if (path.endsWith(".dll")) {
          return SEARCHED_FILE;
        }
        loader = Optional.of(loader(Path.of(path)));
      }
      case "CreateFileMappingW" -> {
        return a[0] == SEARCHED_FILE ? SEARCHED_MAPPING : 1;
      }
      case "GetFileSizeEx" -> memory.words(a[1], searchedSize);
      case "IsWow64Process2" -> {
        memory.words(a[1], 0);
        memory.words(a[2], MachineType.AMD64);
      }
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
      case "WaitForSingleObject" -> {
        return a[0] == process && isRunning() ? WAIT_TIMEOUT : 0;
      }
      case "AttachConsole" -> {
        return 0;
      }
      default -> {}
    }
    return 1;
  }

  private SimulatedLoader loader(Path session) {
    try {
      return new SimulatedLoader(session, libraries);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private boolean isRunning() {
    return answering && !loader.map(SimulatedLoader::isFinished).orElse(false);
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
