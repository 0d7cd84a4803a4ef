package io.ntrail.analysis.dumps;

import io.ntrail.formats.dump.DumpException;
import io.ntrail.formats.dump.Minidump;
import io.ntrail.formats.dump.context.ContextKind;
import io.ntrail.formats.dump.context.ProcessorContext;
import io.ntrail.formats.dump.context.ShadowStack;
import io.ntrail.programs.unwind.FrameRegisters;
import java.util.Optional;

/**
 * One side of a process: its registers and its modules. A process has one; of a 32-bit process that
 * was saved from the 64-bit side (WOW64) there are two, and the memory is the same.
 */
public final class DumpView {
  private final Minidump dump;
  private final DumpMemory memory;
  private final DumpModules modules;
  private final boolean isWow64;
  private final boolean is64Bit;
  private final ProcessBlocks blocks;
  private final ProcessBlocks nativeBlocks;

  private DumpView(
      Minidump dump, DumpMemory memory, DumpModules modules, boolean isWow64, boolean is64Bit) {
    this.dump = dump;
    this.memory = memory;
    this.modules = modules;
    this.isWow64 = isWow64;
    this.is64Bit = is64Bit;
    this.blocks = new ProcessBlocks(memory, is64Bit);
    this.nativeBlocks = isWow64 ? new ProcessBlocks(memory, true) : blocks;
  }

  /** Returns the side that the dump describes. */
  static DumpView of(Minidump dump, DumpMemory memory, DumpModules modules) {
    boolean is64Bit =
        switch (dump.architecture()) {
          case X64, ARM64, IA64, ALPHA64, OLD_ARM64, POWERPC64, MIPS64, RISCV64 -> true;
          default -> false;
        };
    return new DumpView(dump, memory, modules, false, is64Bit);
  }

  /** Returns the 32-bit side of a process that the dump describes as a 64-bit one. */
  static DumpView wow64(Minidump dump, DumpMemory memory, DumpModules modules) {
    return new DumpView(dump, memory, modules, true, false);
  }

  /** Returns true for the 32-bit side of a process that was saved from the 64-bit side. */
  public boolean isWow64() {
    return isWow64;
  }

  /** Returns true if addresses have 64 bits. */
  public boolean is64Bit() {
    return is64Bit;
  }

  /** Returns the word for its architecture: {@code x64}, {@code x86}, {@code arm64}. */
  public String machine() {
    return isWow64 ? "x86" : dump.architecture().word();
  }

  /** Returns its modules. */
  public DumpModules modules() {
    return modules;
  }

  /** Returns the memory. */
  public DumpMemory memory() {
    return memory;
  }

  ProcessBlocks blocks() {
    return blocks;
  }

  /** Returns the address of a thread's environment block on this side; 0 if unknown. */
  public long teb(DumpedThread thread) {
    return isWow64 ? nativeBlocks.wow64Teb(thread.teb()) : thread.teb();
  }

  /**
   * Returns the registers of a thread when the dump was written: those in the code of the writer,
   * if it is the faulting one.
   */
  public Optional<ProcessorContext> context(DumpedThread thread) {
    return isWow64
        ? nativeBlocks.wow64Context(thread.teb())
        : dump.context(thread.thread().context());
  }

  /** Returns the registers at the exception; empty if there was none, or it has no registers. */
  public Optional<ProcessorContext> exceptionContext() {
    return isWow64
        ? Optional.empty()
        : dump.exception().map(DumpException::context).flatMap(dump::context);
  }

  /**
   * Returns the registers with which the stack of a thread begins: of the faulting thread those at
   * the exception.
   */
  public Optional<ProcessorContext> start(DumpedThread thread) {
    Optional<ProcessorContext> fault = thread.isFaulting() ? exceptionContext() : Optional.empty();
    return fault.isPresent() ? fault : context(thread);
  }

  /** Returns {@link #start} for unwinders; empty if there is none or it is not x86 or x64. */
  public Optional<FrameRegisters> registers(DumpedThread thread) {
    return start(thread).flatMap(ContextRegisters::of);
  }

  /** Returns why there are no registers for a walk, as a clause; empty if there are some. */
  public String noRegisters(DumpedThread thread) {
    Optional<ProcessorContext> start = start(thread);
    if (start.isEmpty()) {
      return thread.thread().context().isEmpty() || isWow64
          ? "its registers are not in the dump"
          : "its registers are in a form that is not known";
    }
    if (start.get().kind() == ContextKind.ARM64) {
      return "frames of arm64 are not walked";
    }
    return ContextRegisters.of(start.get()).isPresent()
        ? ""
        : "instruction pointer and stack pointer were not saved";
  }

  /** Returns the limits of a thread's stack; empty if neither TEB nor stack was saved. */
  public Optional<StackBounds> stack(DumpedThread thread) {
    Optional<StackBounds> bounds = blocks.stack(teb(thread));
    if (bounds.isPresent() || isWow64 || thread.thread().stack().size() == 0) {
      return bounds;
    }
    long low = thread.thread().stackStart();
    return Optional.of(new StackBounds(low, low + thread.thread().stack().size(), low));
  }

  /** Returns the state of a thread's shadow stack; empty if the dump does not have it. */
  public Optional<ShadowStack> shadowStack(DumpedThread thread) {
    return start(thread).flatMap(context -> context.shadowStack(dump.xstate()));
  }

  /** Returns the last Windows error of a thread; empty if its TEB was not saved. */
  public Optional<Integer> lastError(DumpedThread thread) {
    return blocks.lastError(teb(thread));
  }
}
