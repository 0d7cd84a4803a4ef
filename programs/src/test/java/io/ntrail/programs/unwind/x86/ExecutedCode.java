package io.ntrail.programs.unwind.x86;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.pe.ImageView;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.programs.memory.AddressSpace;
import io.ntrail.programs.memory.MemoryRegion;
import io.ntrail.programs.unwind.FrameRegisters;
import io.ntrail.programs.unwind.LoadedModule;
import io.ntrail.programs.unwind.LoadedModules;
import io.ntrail.programs.unwind.StackLimits;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.unicorn.UnicornMachine;
import io.ntrail.testkit.unicorn.UnicornRun;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * Code of a 32-bit image that Unicorn runs, function by function, and what is true of each stack on
 * the way: calls are noticed by what they write, not by reading the code. Beside the image there is
 * a caller: a few bytes that call the function. The memory is that of the instruction that is about
 * to be executed.
 */
final class ExecutedCode implements AddressSpace, LoadedModules, AutoCloseable {
  private static final long CALLER = 0x7000_0000L;

  /** Bytes of callers: each function has its own, since Unicorn keeps code that it has run. */
  private static final int CALLERS_SIZE = 0x1_0000;

  private static final int CALLER_SIZE = 16;
  private static final long STACK = 0x2000_0000L;
  private static final int STACK_SIZE = 0x1_0000;
  private static final long TEB = 0x3000_0000L;
  private static final int PAGE = 0x1000;
  private static final int LONGEST_INSTRUCTION = 15;

  /** Limits of the stack. */
  static final StackLimits LIMITS = new StackLimits(STACK, STACK + STACK_SIZE);

  /**
   * A caller: registers when it executed its call.
   *
   * @param returnAddress that the call pushed
   * @param sp the stack pointer after the return
   * @param target address of the first instruction that was called
   * @param registers general registers
   */
  record Call(long returnAddress, long sp, long target, List<Long> registers) {}

  /** Receiver of the stack at each instruction. */
  interface Observer {
    /**
     * An instruction is about to be executed.
     *
     * @param calls innermost first, the caller of the function last
     */
    void at(FrameRegisters registers, List<Call> calls);
  }

  private final UnicornMachine machine;
  private final LoadedModule image;
  private final LoadedModule caller;
  private final ImageView view;
  private final byte[] stack = new byte[STACK_SIZE];
  private final byte[] callerCode = new byte[CALLERS_SIZE];
  private int callers;

  private boolean changed = true;

  /** The stack as a window; made anew when asked for, since it changes. */
  private Bytes stackBytes = Bytes.copyOf(stack, "stack");

  ExecutedCode(UnicornMachine machine, PeImage pe, String name) throws IOException {
    this.machine = machine;
    this.view = pe.view();
    long base = pe.headers().imageBase();
    long size = pe.headers().sizeOfImage();
    this.image = new LoadedModule(name, base, size, Optional.of(pe));
    this.caller = new LoadedModule("caller", CALLER, CALLERS_SIZE, Optional.empty());
    machine.reset(32);
    machine.map(base, (size + PAGE - 1) / PAGE * PAGE);
    for (ImageView.Extent extent : view.extents()) {
      int stored = (int) extent.storedLength();
      machine.write(base + extent.rva(), extent.stored().array(0, stored));
    }
    machine.map(CALLER, CALLERS_SIZE);
    machine.map(STACK, STACK_SIZE);
    machine.map(TEB, PAGE);
    machine.write(TEB, new LittleEndian().u32(0xFFFF_FFFFL).toByteArray());
    machine.setRegister(UnicornMachine.FS_BASE, TEB);
    machine.remember();
  }

  LoadedModule image() {
    return image;
  }

  @Override
  public void close() throws IOException {
    machine.close();
  }

  /** Runs a function of the image from its first byte, with zeros as arguments. */
  void run(long rva, int most, Observer observer) throws IOException {
    long function = image.base() + rva;
    int own = CALLER_SIZE * (callers++ % (CALLERS_SIZE / CALLER_SIZE));
    long returnAddress = CALLER + own + 5;
    machine.goBack();
    byte[] code =
        new LittleEndian()
            .u8(0xE8)
            .u32(function - returnAddress & 0xFFFF_FFFFL)
            .u8(0xCC)
            .toByteArray();
    System.arraycopy(code, 0, callerCode, own, code.length);
    machine.write(CALLER + own, code);
    Arrays.fill(stack, (byte) 0);
    long top = STACK + STACK_SIZE - 0x1000;
    long[] registers = {0, 0x1111, 0x2222, 0x3333, top, STACK + STACK_SIZE - 0x800, 0x6666, 0x7777};
    machine.setRegisters(registers, new long[0]);
    changed = true;
    machine.run(
        new UnicornRun(
            CALLER + own,
            returnAddress,
            0,
            0,
            most,
            64,
            UnicornRun.ADDRESSES | UnicornRun.REGISTERS | UnicornRun.WRITES),
        new Follower(observer));
  }

  /** Follows the run: memory of the stack, and calls. */
  private final class Follower implements UnicornRun.Listener {
    private final Observer observer;
    private final List<Call> calls = new ArrayList<>();
    private long before;
    private long[] registersBefore = new long[8];
    private long writtenAt;
    private long written;

    Follower(Observer observer) {
      this.observer = observer;
    }

    /** Returns true if an instruction begins like a call. */
    private boolean isCall(long address) {
      Bytes code =
          caller.contains(address) ? readUpTo(address, 1) : view.bytes(address - image.base(), 1);
      return code.u8(0) == 0xE8 || code.u8(0) == 0xFF;
    }

    /**
     * Returns false while a function keeps its return address elsewhere: helpers of prologues do.
     */
    private boolean isInPlace(Call call) {
      int at = (int) (call.sp - 4 - STACK);
      long word = 0;
      for (int i = 3; i >= 0; i--) {
        word = word << 8 | stack[at + i] & 0xFF;
      }
      return word == call.returnAddress;
    }

    @Override
    public void write(long address, int bytes, long value) {
      writtenAt = address;
      written = value;
      for (int i = 0; i < bytes; i++) {
        long at = address + i - STACK;
        if (at >= 0 && at < STACK_SIZE) {
          stack[(int) at] = (byte) (value >>> 8 * i);
        }
      }
      changed = true;
    }

    @Override
    public void instruction(long address, long[] general, long[] vectors) {
      long sp = general[FrameRegisters.SP];
      boolean pushed = writtenAt == sp && sp == registersBefore[FrameRegisters.SP] - 4;
      boolean isReturnAddress = written > before && written <= before + LONGEST_INSTRUCTION;
      if (pushed && isReturnAddress && isCall(before) && address != written) {
        calls.add(
            0, new Call(written, sp + 4, address, Arrays.stream(registersBefore).boxed().toList()));
      }
      while (!calls.isEmpty()
          && (calls.getFirst().sp <= sp || calls.getFirst().returnAddress == address)) {
        calls.removeFirst();
      }
      before = address;
      writtenAt = 0;
      registersBefore = Arrays.copyOf(general, 8);
      if (!calls.isEmpty() && isInPlace(calls.getFirst())) {
        FrameRegisters registers = FrameRegisters.x86();
        registers.setIp(address);
        for (int i = 0; i < 8; i++) {
          registers.set(i, general[i]);
        }
        observer.at(registers, calls);
      }
    }
  }

  @Override
  public String name() {
    return "executed";
  }

  @Override
  public Optional<MemoryRegion> regionAt(long address) {
    return LIMITS.holds(address, 1)
        ? Optional.of(
            new MemoryRegion(STACK, STACK_SIZE, EnumSet.noneOf(MemoryRegion.Access.class), ""))
        : Optional.empty();
  }

  @Override
  public Bytes readUpTo(long address, int most) {
    if (LIMITS.holds(address, 1)) {
      if (changed) {
        stackBytes = Bytes.copyOf(stack, "stack");
        changed = false;
      }
      int at = (int) (address - STACK);
      return stackBytes.slice(at, Math.min(most, STACK_SIZE - at));
    }
    if (caller.contains(address)) {
      int at = (int) (address - CALLER);
      return Bytes.copyOf(
          Arrays.copyOfRange(callerCode, at, Math.min(at + most, CALLERS_SIZE)), "caller");
    }
    return Bytes.copyOf(new byte[0], "nothing");
  }

  @Override
  public Optional<LoadedModule> at(long address) {
    return image.contains(address)
        ? Optional.of(image)
        : caller.contains(address) ? Optional.of(caller) : Optional.empty();
  }
}
