package io.ntrail.live.target;

import io.ntrail.formats.bytes.Bytes;
import java.util.Optional;
import java.util.Set;

/**
 * Registers that Linux saved when a signal interrupted a thread of a program under Wine.
 *
 * <p>Wine suspends a thread by SIGUSR1, whose handler runs on a stack of its own within the 64 KiB
 * that begin with the thread's environment blocks; the kernel puts an rt_sigframe at its top. The
 * layouts are those of the kernel's ABI (sigcontext.h, ucontext.h and siginfo.h of x86).
 *
 * @param instruction where the thread was
 * @param result its register rax or eax: the number or the result of a system call
 * @param first its register rdi or ebx: the first argument of a system call
 * @param fourth its register r10 or esi: the fourth argument of a system call
 * @param is64 true if the code is x64 code
 */
record SignalFrame(long instruction, long result, long first, long fourth, boolean is64) {
  /** Environment blocks and the signal stack of a thread lie in one aligned block of this size. */
  static final int BLOCK = 0x1_0000;

  private static final int SIGUSR1 = 10;
  private static final int EINTR = 4;

  /** SS_DISABLE, the highest of the flags of a signal stack. */
  private static final int FLAGS = 2;

  /**
   * System calls that wait, and that Linux begins anew after a signal: read, write, readv, writev,
   * recvfrom, sendmsg, recvmsg, wait4, futex.
   */
  private static final Set<Long> WAITS_64 = Set.of(0L, 1L, 19L, 20L, 45L, 46L, 47L, 61L, 202L);

  /** Such system calls of 32-bit code, with waitpid and socketcall. */
  private static final Set<Long> WAITS_32 =
      Set.of(3L, 4L, 7L, 102L, 114L, 145L, 146L, 240L, 370L, 371L, 372L);

  /** The highest of SIG_BLOCK, SIG_UNBLOCK and SIG_SETMASK. */
  private static final int SIG_SETMASK = 2;

  /** Bytes of a set of signals. */
  private static final int SIGNAL_SET = 8;

  /** Offsets of fields of an rt_sigframe, from the uc_stack of its ucontext. */
  private enum Layout {
    X64(8, 24 + 8 * 16, 24 + 8 * 13, 24 + 8 * 8, 24 + 8 * 2, 24 + 256 + 8),
    IA32(4, 12 + 4 * 14, 12 + 4 * 11, 12 + 4 * 8, 12 + 4 * 5, -8 - 128);

    /** Bytes of a frame that are read here, before and behind its uc_stack. */
    private static final int ROOM = 512;

    private final int pointer;
    private final int instruction;
    private final int result;
    private final int first;
    private final int fourth;
    private final int signal;

    Layout(int pointer, int instruction, int result, int first, int fourth, int signal) {
      this.pointer = pointer;
      this.instruction = instruction;
      this.result = result;
      this.first = first;
      this.fourth = fourth;
      this.signal = signal;
    }
  }

  /**
   * Finds the frame of SIGUSR1 on the signal stack of a thread.
   *
   * @param top its last bytes
   * @param address where they begin
   * @return empty if there is none: the thread was not interrupted, or the layout is another one
   */
  static Optional<SignalFrame> find(Bytes top, long address, boolean is64) {
    Layout layout = is64 ? Layout.X64 : Layout.IA32;
    // The outermost signal is the one at the highest address.
    for (int at = top.length() - Layout.ROOM & -layout.pointer;
        at >= Layout.ROOM;
        at -= layout.pointer) {
      long begin = pointer(top, at, layout);
      long end = begin + pointer(top, at + 2 * layout.pointer, layout);
      if (begin < address + at
          && end > address + at
          && end <= address + top.length()
          && end - begin <= BLOCK
          && top.u32(at + layout.pointer) <= FLAGS
          && top.u32(at + layout.signal) == SIGUSR1) {
        return Optional.of(
            new SignalFrame(
                pointer(top, at + layout.instruction, layout),
                pointer(top, at + layout.result, layout),
                pointer(top, at + layout.first, layout),
                pointer(top, at + layout.fourth, layout),
                is64));
      }
    }
    return Optional.empty();
  }

  private static long pointer(Bytes top, int at, Layout layout) {
    return layout.pointer == Long.BYTES ? top.i64(at) : top.u32(at);
  }

  /**
   * Returns true if the thread was waiting in a system call that a signal ends: then it was not in
   * the middle of the C library's allocator, whose calls are not ended that way.
   *
   * @param around code from two bytes before {@link #instruction} to two bytes behind it
   */
  boolean isWaiting(byte[] around) {
    if (around.length < 4) {
      return false;
    }
    long narrow = is64 ? result : (int) result;
    return isSystemCall(around, 0) && narrow == -EINTR
        || isSystemCall(around, 2) && (is64 ? WAITS_64 : WAITS_32).contains(result);
  }

  /**
   * Returns true if the thread had just switched signals on again: a signal that came meanwhile
   * interrupts it there. Wine switches them off around requests to its server, and where it holds
   * its own locks; the C library's allocator never does. None of the system calls of the allocator
   * has such arguments: their first one is an address, or their fourth one has MAP_ANONYMOUS.
   *
   * @param around code from two bytes before {@link #instruction} to two bytes behind it
   */
  boolean isUnblocking(byte[] around) {
    return around.length >= 4
        && isSystemCall(around, 0)
        && result == 0
        && first >= 0
        && first <= SIG_SETMASK
        && fourth == SIGNAL_SET;
  }

  /** Returns whether code is {@code syscall}, or {@code int 0x80} in 32-bit code. */
  private boolean isSystemCall(byte[] code, int at) {
    int both = code[at] & 0xFF | (code[at + 1] & 0xFF) << 8;
    return both == (is64 ? 0x050F : 0x80CD);
  }
}
