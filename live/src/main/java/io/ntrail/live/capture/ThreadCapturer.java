package io.ntrail.live.capture;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.capture.CapturedThread.Range;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.target.TargetThread;
import io.ntrail.live.target.TargetThreads;
import io.ntrail.live.target.WindowsApi;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Captures threads of a process one at a time. Owns memory of the agent until it is closed.
 *
 * <p>Used by one thread at a time, as the agent is.
 */
final class ThreadCapturer implements AutoCloseable {
  private static final int EXECUTE_READ_WRITE = 0x40;
  private static final int READ_WRITE = 0x04;
  private static final int COMMIT = 0x3000;
  private static final int RELEASE = 0x8000;
  private static final int PIECE = 0x8_0000;
  private static final int ACCESS_DENIED = 0xC000_0022;

  /** Tries at a thread that is about to end. */
  private static final int ENDING_TRIES = 200;

  private final TargetProcess process;
  private final TargetThreads threads;
  private final WindowsApi calls;
  private final Agent agent;
  private final CaptureLayout layout;
  private final int mostStack;
  private final int mostRanges;
  private final int registers;
  private final long code;
  private final long buffer;
  private final double nanosPerCount;

  /**
   * Range that is wanted beside the stack.
   *
   * @param address of its first byte
   * @param size bytes
   */
  record Wanted(long address, int size) {}

  /**
   * Prepares.
   *
   * @param mostStack limit for the bytes of one stack
   * @param mostRanges limit for the bytes of all further ranges of one thread
   * @param withDebugRegisters whether those are wanted, too, which takes longer
   */
  ThreadCapturer(TargetProcess process, int mostStack, int mostRanges, boolean withDebugRegisters) {
    this.layout = process.isEmulated() ? CaptureLayout.X86 : CaptureLayout.X64;
    this.process = process;
    this.threads = process.threads();
    this.calls = process.calls();
    this.agent = calls.agent();
    this.mostStack = Math.max(mostStack, CaptureRoutine.FOREIGN_STACK);
    this.mostRanges = mostRanges;
    this.registers = layout.flags(withDebugRegisters);
    byte[] routine = CaptureRoutine.code(calls, layout);
    this.code = allocate(routine.length, EXECUTE_READ_WRITE);
    agent.poke(code, routine);
    this.buffer = allocate((long) CaptureRoutine.STACK + this.mostStack + mostRanges, READ_WRITE);
    long cell = agent.scratch();
    agent.poke(cell, new byte[8]);
    calls.must("the clock", "kernel32!QueryPerformanceFrequency", cell);
    this.nanosPerCount = 1e9 / agent.peek(cell, 8).i64(0);
  }

  private long allocate(long size, int protection) {
    return calls.must(
        "no memory in the agent", "kernel32!VirtualAlloc", 0, size, COMMIT, protection);
  }

  /**
   * Captures a thread.
   *
   * @param wanted further ranges; those beyond the limits are left out
   * @return empty if it has ended or not begun yet
   * @throws CannotGoOn if the system does not allow it
   */
  Optional<CapturedThread> capture(TargetThread thread, List<Wanted> wanted) {
    long handle = threads.open(thread);
    long block = handle == 0 ? 0 : block(handle);
    if (block == 0) {
      return Optional.empty();
    }
    List<Wanted> within = within(wanted);
    for (int i = 0; i < ENDING_TRIES; i++) {
      agent.poke(buffer, request(within));
      CallOutcome outcome =
          agent.call(AgentCall.of(code, handle, process.handle(), block, buffer, mostStack));
      Bytes head = agent.peek(buffer, CaptureRoutine.CONTEXT + layout.contextBytes());
      int suspended = head.i32(CaptureRoutine.SUSPENDED);
      int registers = head.i32(CaptureRoutine.REGISTERS);
      if (outcome.kind() != CallOutcome.Kind.DONE) {
        throw new CannotGoOn(
            "a thread could not be looked at (exception 0x%x)"
                .formatted(outcome.result() & 0xFFFF_FFFFL),
            "");
      }
      if (suspended >= 0 && registers >= 0) {
        return Optional.of(captured(thread, handle, block, head, within));
      }
      // Systems differ in what they say of a thread that is about to end, or has ended.
      if (threads.awaitEnd(handle, 1)) {
        return Optional.empty();
      }
      if (suspended >= 0 && registers != ACCESS_DENIED) {
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Returns the environment block of the side that is wanted; 0 if there is none. */
  private long block(long handle) {
    long block = threads.block(handle);
    if (block == 0 || layout == CaptureLayout.X64) {
      return block;
    }
    byte[] distance =
        process.memory().readUpTo(block + CaptureLayout.TO_32_BIT_BLOCK, Integer.BYTES);
    int told = distance.length == Integer.BYTES ? Bytes.copyOf(distance, "block").i32(0) : 0;
    return block + (told == 0 ? CaptureLayout.USUAL_DISTANCE : told);
  }

  private List<Wanted> within(List<Wanted> wanted) {
    List<Wanted> within = new ArrayList<>();
    long left = mostRanges;
    for (Wanted one : wanted) {
      if (one.size <= left && within.size() < CaptureRoutine.MAX_RANGES) {
        within.add(one);
        left -= one.size;
      }
    }
    return within;
  }

  private byte[] request(List<Wanted> wanted) {
    int size = CaptureRoutine.CONTEXT + layout.contextBytes();
    BytesBuilder request = new BytesBuilder(size).zeros(size);
    request.setU64(CaptureRoutine.RANGES, wanted.size());
    request.setU32(CaptureRoutine.CONTEXT + layout.flagsAt(), registers);
    long to = ranges();
    for (int i = 0; i < wanted.size(); i++) {
      int at = CaptureRoutine.FIRST_RANGE + CaptureRoutine.RANGE * i;
      Wanted range = wanted.get(i);
      request.setU64(at, range.address).setU64(at + 8, range.size).setU64(at + 16, to);
      to += range.size;
    }
    return request.toArray();
  }

  /** Returns where further ranges are copied to in the agent. */
  private long ranges() {
    return buffer + CaptureRoutine.STACK + mostStack;
  }

  private CapturedThread captured(
      TargetThread thread, long handle, long block, Bytes head, List<Wanted> wanted) {
    Bytes context = head.slice(CaptureRoutine.CONTEXT, layout.contextBytes());
    int stackBytes = Math.clamp(head.i64(CaptureRoutine.STACK_BYTES), 0, mostStack);
    Bytes stack = copy(buffer + CaptureRoutine.STACK, stackBytes);
    List<Range> memory = new ArrayList<>();
    if (stackBytes > 0) {
      memory.add(new Range(layout.pointer(context, layout.stackPointer()), stack));
    }
    long at = ranges();
    for (int i = 0; i < wanted.size(); i++) {
      int range = CaptureRoutine.FIRST_RANGE + CaptureRoutine.RANGE * i;
      int read = Math.clamp(head.i64(range + 24), 0, wanted.get(i).size);
      if (read > 0) {
        memory.add(new Range(wanted.get(i).address, copy(at, read)));
      }
      at += wanted.get(i).size;
    }
    long counts = head.i64(CaptureRoutine.AFTER) - head.i64(CaptureRoutine.BEFORE);
    return new CapturedThread(
        thread,
        threads.description(handle),
        layout == CaptureLayout.X64,
        context,
        block,
        layout.pointer(head, CaptureRoutine.BLOCK + layout.stackLimit()),
        layout.pointer(head, CaptureRoutine.BLOCK + layout.stackBase()),
        stack,
        memory,
        head.i32(CaptureRoutine.SUSPEND_COUNT),
        Math.round(counts * nanosPerCount));
  }

  private Bytes copy(long from, int length) {
    byte[] bytes = new byte[length];
    for (int done = 0; done < length; done += PIECE) {
      int piece = Math.min(PIECE, length - done);
      agent.peek(from + done, piece).copyTo(0, bytes, done, piece);
    }
    return Bytes.copyOf(bytes, "stack");
  }

  @Override
  public void close() {
    calls.call("kernel32!VirtualFree", code, 0, RELEASE);
    calls.call("kernel32!VirtualFree", buffer, 0, RELEASE);
  }
}
