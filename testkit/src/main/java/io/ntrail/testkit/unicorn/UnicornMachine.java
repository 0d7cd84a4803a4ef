package io.ntrail.testkit.unicorn;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.code.Oracle;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A processor with memory, through {@code unicorn.c}. It belongs to one thread; closing it ends the
 * program behind it.
 *
 * {@snippet :
 * try (UnicornMachine machine = UnicornMachine.in(folder, 64).orElseThrow()) {
 *   machine.map(0x1000, 0x1000);
 *   machine.write(0x1000, code);
 *   machine.setRegister(UnicornMachine.SP, 0x1800);
 *   UnicornRun.End end = machine.run(run, listener);
 * }
 * }
 */
public final class UnicornMachine implements AutoCloseable {
  /** Reason to skip a test without it. */
  public static final String MISSING = "Unicorn not found: needs gcc, libunicorn-dev";

  /** Number of the stack pointer; general registers have those by which they are encoded. */
  public static final int SP = 4;

  /** Number of the instruction pointer. */
  public static final int IP = 16;

  /** Number of the flags. */
  public static final int FLAGS = 17;

  /** Number of the base of fs. */
  public static final int FS_BASE = 18;

  /** Number of the base of gs. */
  public static final int GS_BASE = 19;

  /** Number of XMM0; the others follow. */
  public static final int XMM = 32;

  private static final int GENERAL = 16;
  private static final int VECTORS = 16;
  private static final int VALUE = 16;

  private final Process process;
  private final OutputStream requests;
  private final DataInputStream answers;
  private final long[] general = new long[GENERAL];
  private final long[] vectors = new long[2 * VECTORS];
  private final byte[] buffer = new byte[8 * GENERAL + VALUE * VECTORS];

  private UnicornMachine(Process process) {
    this.process = process;
    this.requests = process.getOutputStream();
    this.answers = new DataInputStream(new BufferedInputStream(process.getInputStream(), 1 << 16));
  }

  /**
   * Compiles the program into a folder, and starts it.
   *
   * @param bits 16, 32 or 64
   * @return empty if that cannot be done on this machine
   * @throws IllegalStateException if it cannot and {@code NTRAIL_REQUIRE} demands {@code unicorn}
   */
  public static Optional<UnicornMachine> in(Path folder, int bits) throws IOException {
    Optional<Path> program =
        Oracle.available("gcc", "unicorn")
            ? Oracle.compile(UnicornMachine.class, folder, "unicorn.c", "unicorn")
            : Optional.empty();
    if (program.isEmpty()) {
      if (TestData.required("unicorn")) {
        throw new IllegalStateException("NTRAIL_REQUIRE demands unicorn: " + MISSING);
      }
      return Optional.empty();
    }
    Process process =
        new ProcessBuilder(program.get().toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    UnicornMachine machine = new UnicornMachine(process);
    machine.reset(bits);
    return Optional.of(machine);
  }

  /** Begins anew, without memory. */
  public void reset(int bits) throws IOException {
    ask(new LittleEndian().u8('O').u32(bits));
  }

  /** Maps zeros that can be read, written and executed; multiples of 4096. */
  public void map(long address, long size) throws IOException {
    ask(new LittleEndian().u8('M').u64(address).u64(size));
  }

  /** Unmaps; multiples of 4096. */
  public void unmap(long address, long size) throws IOException {
    ask(new LittleEndian().u8('U').u64(address).u64(size));
  }

  /** Writes memory. */
  public void write(long address, byte[] bytes) throws IOException {
    ask(new LittleEndian(bytes.length + VALUE).u8('W').u64(address).u32(bytes.length).bytes(bytes));
  }

  /** Reads memory. */
  public byte[] read(long address, int length) throws IOException {
    ask(new LittleEndian().u8('R').u64(address).u32(length));
    return take(new byte[length], length);
  }

  /** Sets the low 64 bits of a register; the rest of an XMM register becomes 0. */
  public void setRegister(int number, long value) throws IOException {
    ask(new LittleEndian().u8('S').u32(1).u32(number).u64(value).u64(0));
  }

  /**
   * Sets all general registers, and the XMM registers.
   *
   * @param values of 8 or 16 general registers
   * @param xmms low and high half of each XMM register, from the first on
   */
  public void setRegisters(long[] values, long[] xmms) throws IOException {
    LittleEndian request = new LittleEndian(1024).u8('S').u32(values.length + xmms.length / 2);
    for (int i = 0; i < values.length; i++) {
      request.u32(i).u64(values[i]).u64(0);
    }
    for (int i = 0; i < xmms.length / 2; i++) {
      request.u32(XMM + i).u64(xmms[2 * i]).u64(xmms[2 * i + 1]);
    }
    ask(request);
  }

  /** Returns the low 64 bits of a register. */
  public long register(int number) throws IOException {
    ask(new LittleEndian().u8('G').u32(1).u32(number));
    return LittleEndian.getU64(take(buffer, VALUE), 0);
  }

  /** Remembers registers and memory, on top of what is remembered: up to 8 times. */
  public void remember() throws IOException {
    ask(new LittleEndian().u8('P'));
  }

  /** Goes back to what was remembered last. */
  public void goBack() throws IOException {
    ask(new LittleEndian().u8('B'));
  }

  /** Forgets what was remembered last, without going back to it. */
  public void forget() throws IOException {
    ask(new LittleEndian().u8('F'));
  }

  /** Runs code. */
  public UnicornRun.End run(UnicornRun run, UnicornRun.Listener listener) throws IOException {
    long high = run.high() == 0 ? -1 : run.high();
    send(
        new LittleEndian()
            .u8('X')
            .u64(run.begin())
            .u64(run.until())
            .u64(run.low())
            .u64(high)
            .u64(run.most())
            .u32(run.pages())
            .u32(run.options()));
    while (true) {
      int kind = answers.readUnsignedByte();
      switch (kind) {
        case 'I' -> instruction(run.options(), listener);
        case 'W' -> {
          take(buffer, 20);
          listener.write(
              LittleEndian.getU64(buffer, 0),
              (int) LittleEndian.getU32(buffer, 8),
              LittleEndian.getU64(buffer, 12));
        }
        case 'E' -> {
          take(buffer, 24);
          return new UnicornRun.End(
              UnicornRun.Reason.values()[(int) LittleEndian.getU32(buffer, 0)],
              (int) LittleEndian.getU32(buffer, 4),
              LittleEndian.getU64(buffer, 8),
              LittleEndian.getU64(buffer, 16));
        }
        default -> throw new IOException("no record of a run: " + kind);
      }
    }
  }

  private void instruction(int options, UnicornRun.Listener listener) throws IOException {
    long address = LittleEndian.getU64(take(buffer, 8), 0);
    if ((options & UnicornRun.REGISTERS) != 0) {
      words(general);
    }
    if ((options & UnicornRun.VECTORS) != 0) {
      words(vectors);
    }
    listener.instruction(address, general, vectors);
  }

  private void words(long[] to) throws IOException {
    take(buffer, 8 * to.length);
    for (int i = 0; i < to.length; i++) {
      to[i] = LittleEndian.getU64(buffer, 8 * i);
    }
  }

  private void ask(LittleEndian request) throws IOException {
    send(request);
    long status = LittleEndian.getU32(take(buffer, 4), 0);
    if (status != 0) {
      throw new IOException(
          "Unicorn answers " + (char) request.toByteArray()[0] + " with error " + status);
    }
  }

  private void send(LittleEndian request) throws IOException {
    requests.write(request.toByteArray());
    requests.flush();
  }

  private byte[] take(byte[] to, int length) throws IOException {
    if (answers.readNBytes(to, 0, length) < length) {
      throw new EOFException("Unicorn ended");
    }
    return to;
  }

  @Override
  public void close() throws IOException {
    requests.close();
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      process.destroyForcibly();
    }
  }
}
