package io.ntrail.testkit.dump;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Threads, modules, memory and exception of a minidump.
 *
 * @param architecture processor of SystemInfo: 0 x86, 9 AMD64
 * @param threads in the order of the file
 * @param modules in the order of the file
 * @param memory captured ranges, those that win first
 * @param exception empty if the dump has none
 */
public record ReferenceMinidump(
    int architecture,
    List<Thread> threads,
    List<Module> modules,
    List<Memory> memory,
    Optional<Fault> exception) {

  /**
   * A thread.
   *
   * @param id its number
   * @param teb address of its environment block
   * @param stack address of the lowest byte that was captured of its stack
   * @param stackBytes bytes that were captured of its stack
   * @param registers x86: by name, such as {@code eip}; empty for other machines
   */
  public record Thread(
      long id, long teb, long stack, long stackBytes, Map<String, Long> registers) {}

  /**
   * A module.
   *
   * @param name its path
   * @param base its first address
   * @param size in bytes
   */
  public record Module(String name, long base, long size) {
    /** Returns the name without folders. */
    public String baseName() {
      return name.substring(Math.max(name.lastIndexOf('\\'), name.lastIndexOf('/')) + 1);
    }

    /** Returns true if an address is in it. */
    public boolean contains(long address) {
      return address >= base && address < base + size;
    }
  }

  /**
   * Captured memory.
   *
   * @param address of its first byte
   * @param bytes read-only
   */
  public record Memory(long address, ByteBuffer bytes) {
    /** Returns a copy of the bytes. */
    public byte[] copy() {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(bytes.position(), copy);
      return copy;
    }
  }

  /**
   * The exception.
   *
   * @param thread its number
   * @param code of the exception
   * @param address where it happened
   * @param parameters of its record
   * @param registers as those of threads
   */
  public record Fault(
      long thread, long code, long address, List<Long> parameters, Map<String, Long> registers) {
    /** Keeps what it is given. */
    public Fault {
      parameters = List.copyOf(parameters);
    }
  }

  private static final int THREADS = 3;
  private static final int MODULES = 4;
  private static final int MEMORY = 5;
  private static final int EXCEPTION = 6;
  private static final int SYSTEM = 7;
  private static final int MEMORY64 = 9;
  private static final int X86_CONTEXT = 716;

  /** Keeps what it is given. */
  public ReferenceMinidump {
    threads = List.copyOf(threads);
    modules = List.copyOf(modules);
    memory = List.copyOf(memory);
  }

  /** Reads a shared dump, for example {@code breakpad/minidump2.dmp}. */
  public static ReferenceMinidump shared(String name) throws IOException {
    return of(TestData.unpacked(TestData.file("dumps/" + name + ".gz")));
  }

  /** Reads the bytes of a dump. */
  public static ReferenceMinidump of(byte[] file) {
    return new Reader(file).read();
  }

  private static final class Reader {
    private final ByteBuffer in;
    private final byte[] file;

    Reader(byte[] file) {
      this.file = file;
      this.in = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    }

    ReferenceMinidump read() {
      List<Thread> threads = new ArrayList<>();
      List<Module> modules = new ArrayList<>();
      List<Memory> memory = new ArrayList<>();
      List<Memory> memory64 = new ArrayList<>();
      Optional<Fault> exception = Optional.empty();
      int architecture = -1;
      for (int i = 0; i < in.getInt(8); i++) {
        int entry = in.getInt(12) + 12 * i;
        int size = in.getInt(entry + 4);
        int at = in.getInt(entry + 8);
        switch (in.getInt(entry)) {
          case THREADS -> threads(at, size, threads, memory);
          case MODULES -> modules(at, size, modules);
          case MEMORY -> memory(at, size, memory);
          case EXCEPTION -> exception = Optional.of(fault(at));
          case SYSTEM -> architecture = in.getShort(at);
          case MEMORY64 -> memory64(at, memory64);
          default -> {}
        }
      }
      memory64.addAll(memory);
      return new ReferenceMinidump(architecture, threads, modules, memory64, exception);
    }

    private int u32(int at) {
      return in.getInt(at);
    }

    private long wide(int at) {
      return in.getInt(at) & 0xFFFF_FFFFL;
    }

    /** Returns the offset of the first entry of a list: some writers pad the count to 8 bytes. */
    private int first(int at, int size, int entry) {
      return size == 8 + entry * u32(at) ? at + 8 : at + 4;
    }

    private void threads(int at, int size, List<Thread> threads, List<Memory> memory) {
      int start = first(at, size, 48);
      for (int i = 0; i < u32(at); i++) {
        int t = start + 48 * i;
        int bytes = u32(t + 32);
        if (bytes > 0) {
          memory.add(piece(in.getLong(t + 24), u32(t + 36), bytes));
        }
        threads.add(
            new Thread(
                wide(t),
                in.getLong(t + 16),
                in.getLong(t + 24),
                bytes,
                registers(u32(t + 44), u32(t + 40))));
      }
    }

    private Memory piece(long address, int at, int bytes) {
      return new Memory(address, in.slice(at, bytes).asReadOnlyBuffer());
    }

    private Map<String, Long> registers(int at, int size) {
      Map<String, Long> registers = new LinkedHashMap<>();
      if (size >= X86_CONTEXT && (u32(at) & 0xFFFF_0000) == 0x1_0000) {
        String[] names = {"edi", "esi", "ebx", "edx", "ecx", "eax", "ebp", "eip"};
        for (int i = 0; i < names.length; i++) {
          registers.put(names[i], wide(at + 0x9C + 4 * i));
        }
        registers.put("esp", wide(at + 0xC4));
      }
      return registers;
    }

    private void modules(int at, int size, List<Module> modules) {
      int start = first(at, size, 108);
      for (int i = 0; i < u32(at); i++) {
        int m = start + 108 * i;
        int name = u32(m + 20);
        modules.add(
            new Module(
                new String(file, name + 4, u32(name), StandardCharsets.UTF_16LE),
                in.getLong(m),
                wide(m + 8)));
      }
    }

    private void memory(int at, int size, List<Memory> memory) {
      int start = first(at, size, 16);
      for (int i = 0; i < u32(at); i++) {
        int m = start + 16 * i;
        memory.add(piece(in.getLong(m), u32(m + 12), u32(m + 8)));
      }
    }

    private void memory64(int at, List<Memory> memory) {
      int data = (int) in.getLong(at + 8);
      for (int i = 0; i < in.getLong(at); i++) {
        int m = at + 16 + 16 * i;
        int bytes = (int) in.getLong(m + 8);
        memory.add(piece(in.getLong(m), data, bytes));
        data += bytes;
      }
    }

    private Fault fault(int at) {
      List<Long> parameters = new ArrayList<>();
      for (int i = 0; i < Math.min(15, u32(at + 32)); i++) {
        parameters.add(in.getLong(at + 40 + 8 * i));
      }
      return new Fault(
          wide(at),
          wide(at + 8),
          in.getLong(at + 24),
          parameters,
          registers(u32(at + 164), u32(at + 160)));
    }
  }
}
