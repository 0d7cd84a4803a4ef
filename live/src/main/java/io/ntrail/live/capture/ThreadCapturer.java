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
import io.ntrail.live.target.TargetThreads.Begun;
import io.ntrail.live.windows.WindowsApi;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;

/**
 * Captures threads of a process, one after the other, in as few requests to the agent as there is
 * memory for. Owns memory of the agent until it is closed.
 *
 * <p>All that can be prepared is prepared before the first of them is suspended, and nothing is
 * read from the agent before the last of them was resumed: what the controller does in between, its
 * JVM's compiler above all, takes the processor from the agent while a thread is suspended.
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
  private static final int PAGE = 0x1000;

  /** Bytes of the agent's memory for the copies of one request, which has at least one thread. */
  private static final int MOST_MEMORY = 64 << 20;

  /**
   * Time that the agent sleeps before it suspends the first thread: the JVM's compiler ends what it
   * had to do, and the agent then has the processor as one that has waited for it.
   */
  private static final int QUIET_MILLIS = 20;

  /**
   * Priority while threads are suspended, so that no program that computes takes the processor from
   * the agent. Wine 8 does nothing with it.
   */
  private static final int TIME_CRITICAL = 15;

  private static final int NORMAL = 0;
  private static final int CURRENT_THREAD = -2;

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
  private final boolean isHeld;
  private final int headBytes;
  private final int atOnce;
  private final long code;
  private final long heads;
  private final long copies;
  private final double nanosPerCount;

  /**
   * Range that is wanted beside the stack.
   *
   * @param address of its first byte
   * @param size bytes
   */
  record Wanted(long address, int size) {}

  /**
   * Thread that is to be captured.
   *
   * @param block address of the environment block of the side that is wanted
   * @param ranges wanted ones that are within the limits
   */
  private record Request(Begun thread, long block, List<Wanted> ranges) {}

  /**
   * Result of one try.
   *
   * @param suspended status of the suspension
   * @param registers status of the registers
   * @param captured empty if one of them is an error
   */
  private record Attempt(
      Request request, int suspended, int registers, Optional<CapturedThread> captured) {}

  /**
   * Prepares.
   *
   * @param count number of threads that are to be captured, as far as it is known
   * @param mostStack limit for the bytes of one stack
   * @param mostRanges limit for the bytes of all further ranges of one thread
   * @param isHeld whether the process is suspended already: debug registers are wanted, too, which
   *     take longer, and nothing is waited for
   */
  ThreadCapturer(TargetProcess process, int count, int mostStack, int mostRanges, boolean isHeld) {
    this.layout = process.is32Bit() ? CaptureLayout.X86 : CaptureLayout.X64;
    this.process = process;
    this.threads = process.threads();
    this.calls = process.calls();
    this.agent = calls.agent();
    this.mostStack = Math.max(mostStack, CaptureRoutine.FOREIGN_STACK);
    this.mostRanges = mostRanges;
    this.registers = layout.flags(isHeld);
    this.isHeld = isHeld;
    this.headBytes = CaptureRoutine.headBytes(layout);
    byte[] routine = CaptureRoutine.code(calls, layout);
    this.code = allocate(routine.length, EXECUTE_READ_WRITE);
    agent.poke(code, routine);
    long places = Math.min(MOST_MEMORY / copyBytes(), PIECE / headBytes);
    this.atOnce = Math.clamp(places, 1, Math.max(1, count));
    long allHeads = (long) headBytes * atOnce + PAGE - 1 & -PAGE;
    this.heads = allocate(allHeads + copyBytes() * atOnce, READ_WRITE);
    this.copies = heads + allHeads;
    long cell = agent.scratch();
    agent.poke(cell, new byte[8]);
    calls.must("the clock", "kernel32!QueryPerformanceFrequency", cell);
    this.nanosPerCount = 1e9 / agent.peek(cell, 8).i64(0);
  }

  private long allocate(long size, int protection) {
    return calls.must(
        "no memory in the agent", "kernel32!VirtualAlloc", 0, size, COMMIT, protection);
  }

  /** Returns the bytes of one thread's copies: its stack, then its further ranges. */
  private long copyBytes() {
    return (long) mostStack + mostRanges;
  }

  /**
   * Captures threads.
   *
   * @param wanted tells further ranges of a thread by the address of its environment block, right
   *     before it is captured; those beyond the limits are left out
   * @return them in their order, without those that have ended or not begun yet
   * @throws CannotGoOn if the system does not allow it
   */
  List<CapturedThread> capture(List<TargetThread> all, LongFunction<List<Wanted>> wanted) {
    List<CapturedThread> captured = new ArrayList<>();
    for (int done = 0; done < all.size(); done += atOnce) {
      List<Request> requests = new ArrayList<>();
      for (Begun one : threads.begun(all.subList(done, Math.min(all.size(), done + atOnce)))) {
        long block = block(one);
        requests.add(new Request(one, block, within(wanted.apply(block))));
      }
      if (!requests.isEmpty()) {
        for (Attempt attempt : attempt(requests, isHeld)) {
          attempt.captured().or(() -> again(attempt)).ifPresent(captured::add);
        }
      }
    }
    return captured;
  }

  /** Tries again at a thread that is about to end; empty if it has ended. */
  private Optional<CapturedThread> again(Attempt first) {
    Request request = first.request();
    Attempt last = first;
    for (int i = 1; i < ENDING_TRIES && last.captured().isEmpty(); i++) {
      // Systems differ in what they say of a thread that is about to end, or has ended.
      if (threads.awaitEnd(request.thread().handle(), 1)
          || last.suspended() >= 0 && last.registers() != ACCESS_DENIED) {
        return Optional.empty();
      }
      last = attempt(List.of(request), true).getFirst();
    }
    return last.captured();
  }

  /**
   * Tries at some threads once.
   *
   * @param requests at most as many as there is memory for
   * @param isNow whether that may be disturbed by what the controller still does
   */
  private List<Attempt> attempt(List<Request> requests, boolean isNow) {
    BytesBuilder all = new BytesBuilder(headBytes * requests.size());
    List<AgentCall> batch = new ArrayList<>();
    if (!isNow) {
      batch.add(calls.prepare("kernel32!Sleep", QUIET_MILLIS));
      batch.add(priority(TIME_CRITICAL));
    }
    for (int i = 0; i < requests.size(); i++) {
      Request one = requests.get(i);
      all.bytes(head(one, copies + copyBytes() * i));
      batch.add(
          AgentCall.of(
              code,
              one.thread().handle(),
              process.handle(),
              one.block(),
              heads + (long) headBytes * i,
              mostStack));
    }
    if (!isNow) {
      batch.add(priority(NORMAL));
    }
    agent.poke(heads, all.toArray());
    for (CallOutcome outcome : agent.call(batch)) {
      if (outcome.kind() != CallOutcome.Kind.DONE) {
        throw new CannotGoOn(
            "a thread could not be looked at (exception 0x%x)"
                .formatted(outcome.result() & 0xFFFF_FFFFL),
            "");
      }
    }
    Bytes answers = agent.peek(heads, headBytes * requests.size());
    List<Attempt> attempts = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      Bytes head = answers.slice(headBytes * i, headBytes);
      int suspended = head.i32(CaptureRoutine.SUSPENDED);
      int registers = head.i32(CaptureRoutine.REGISTERS);
      Optional<CapturedThread> captured =
          suspended >= 0 && registers >= 0
              ? Optional.of(captured(requests.get(i), head, copies + copyBytes() * i))
              : Optional.empty();
      attempts.add(new Attempt(requests.get(i), suspended, registers, captured));
    }
    return attempts;
  }

  /** Returns a call that changes the priority of the agent's thread. */
  private AgentCall priority(int priority) {
    return calls.prepare("kernel32!SetThreadPriority", CURRENT_THREAD, priority);
  }

  /** Returns the environment block of the side that is wanted. */
  private long block(Begun thread) {
    if (!process.isEmulated()) {
      return thread.block();
    }
    byte[] distance =
        process.memory().readUpTo(thread.block() + CaptureLayout.TO_32_BIT_BLOCK, Integer.BYTES);
    int told = distance.length == Integer.BYTES ? Bytes.copyOf(distance, "block").i32(0) : 0;
    return thread.block() + (told == 0 ? CaptureLayout.USUAL_DISTANCE : told);
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

  /**
   * Returns the head of a thread's request.
   *
   * @param copy address of its copies
   */
  private byte[] head(Request thread, long copy) {
    BytesBuilder head = new BytesBuilder(headBytes).zeros(headBytes);
    head.setU64(CaptureRoutine.RANGES, thread.ranges().size());
    head.setU64(CaptureRoutine.STACK_AT, copy);
    head.setU32(CaptureRoutine.CONTEXT + layout.flagsAt(), registers);
    long to = copy + mostStack;
    for (int i = 0; i < thread.ranges().size(); i++) {
      int at = CaptureRoutine.FIRST_RANGE + CaptureRoutine.RANGE * i;
      Wanted range = thread.ranges().get(i);
      head.setU64(at, range.address).setU64(at + 8, range.size).setU64(at + 16, to);
      to += range.size;
    }
    return head.toArray();
  }

  private CapturedThread captured(Request request, Bytes head, long copy) {
    Bytes context = head.slice(CaptureRoutine.CONTEXT, layout.contextBytes());
    int stackBytes = Math.clamp(head.i64(CaptureRoutine.STACK_BYTES), 0, mostStack);
    Bytes stack = copy(copy, stackBytes);
    List<Range> memory = new ArrayList<>();
    if (stackBytes > 0) {
      memory.add(new Range(layout.pointer(context, layout.stackPointer()), stack));
    }
    long at = copy + mostStack;
    for (int i = 0; i < request.ranges().size(); i++) {
      Wanted wanted = request.ranges().get(i);
      int range = CaptureRoutine.FIRST_RANGE + CaptureRoutine.RANGE * i;
      int read = Math.clamp(head.i64(range + 24), 0, wanted.size);
      if (read > 0) {
        memory.add(new Range(wanted.address, copy(at, read)));
      }
      at += wanted.size;
    }
    long after = head.i64(CaptureRoutine.AFTER);
    return new CapturedThread(
        request.thread().thread(),
        threads.description(request.thread().handle()),
        layout == CaptureLayout.X64,
        context,
        request.block(),
        layout.pointer(head, CaptureRoutine.BLOCK + layout.stackLimit()),
        layout.pointer(head, CaptureRoutine.BLOCK + layout.stackBase()),
        stack,
        memory,
        head.i32(CaptureRoutine.SUSPEND_COUNT),
        nanos(after - head.i64(CaptureRoutine.BEFORE)),
        nanos(after - head.i64(CaptureRoutine.STOOD)));
  }

  private long nanos(long counts) {
    return Math.round(counts * nanosPerCount);
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
    calls.call("kernel32!VirtualFree", heads, 0, RELEASE);
  }
}
