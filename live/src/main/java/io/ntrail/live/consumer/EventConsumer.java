package io.ntrail.live.consumer;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.etl.ConsumedSession;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.etw.SessionFailure;
import io.ntrail.live.windows.WindowsApi;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Consumer of a session's events as they come. Windows hands them to a function of the agent, on a
 * thread of its own, which copies them into a ring; here they are taken out of it. If the ring is
 * full, events are lost and counted: Windows never waits.
 *
 * <p>Used by the thread that uses the agent. Closing it leaves the session as it is; memory stays
 * until the agent ends.
 */
public final class EventConsumer implements AutoCloseable {
  /** Bytes of the ring: a power of two. */
  static final int RING = 1 << 24;

  /** ERROR_CANCELLED of ProcessTrace: the function for buffers has ended it. */
  private static final int CANCELLED = 1223;

  private static final String NO_MEMORY = "no memory in the agent";
  private static final String ALLOCATE = "kernel32!VirtualAlloc";
  private static final int COMMIT = 0x3000;
  private static final int READ_WRITE = 4;
  private static final int EXECUTE_READ_WRITE = 0x40;
  private static final int CODE_BYTES = 0x1000;

  /** Bytes between the begin of the block and the ring. */
  private static final int RING_AT = 0x1000;

  /** Bytes that the agent gives at once, at most. */
  private static final int AT_ONCE = 1 << 20;

  /** Milliseconds that the thread of the agent has to end. */
  private static final int WAIT_MILLIS = 5000;

  // Places in the scratch memory.
  private static final int NAME = 0x100;
  private static final int LOG_FILE = 0x1000;
  private static final int CLOCKS = 0x2000;

  // Of TRACE_LOGFILE_HEADER, from the end of its pointers on.
  private static final int PERFORMANCE_CLOCK = 1;
  private static final int SYSTEM_CLOCK = 2;

  private final WindowsApi calls;
  private final String library;
  private final long block;
  private final long handle;
  private final long thread;
  private final ConsumedSession session;
  private final boolean isRaw;
  private int read;
  private boolean isClosed;

  private EventConsumer(Agent agent, String library, String name) {
    this.calls = new WindowsApi(agent);
    this.library = library;
    long process = address("ProcessTrace");
    address("CloseTrace");
    ConsumerCode routines = ConsumerCode.of(agent.machine());
    long code = calls.must(NO_MEMORY, ALLOCATE, 0, CODE_BYTES, COMMIT, EXECUTE_READ_WRITE);
    agent.poke(code, routines.bytes());
    block = calls.must(NO_MEMORY, ALLOCATE, 0, RING_AT + RING, COMMIT, READ_WRITE);
    long text = agent.scratch() + NAME;
    agent.poke(text, new BytesBuilder(64).utf16z(name).toArray());
    LogFileRequest raw =
        new LogFileRequest(text, true, code + routines.event(), code + routines.buffer(), block);
    Opened opened = open(raw);
    isRaw = opened.clock == PERFORMANCE_CLOCK || opened.clock == SYSTEM_CLOCK;
    if (!isRaw) {
      // A clock that is not known, or one of processor cycles: Windows converts its times.
      close(opened.handle);
      opened = open(new LogFileRequest(text, false, raw.event(), raw.buffer(), raw.context()));
    }
    handle = opened.handle;
    BytesBuilder cells = new BytesBuilder(ConsumerBlock.BYTES);
    cells.u32(0).u32(0).u32(RING).u32(RING - 1).zeros(ConsumerBlock.HANDLE - cells.size());
    cells.u64(handle).u64(process).u64(block + RING_AT).zeros(ConsumerBlock.BYTES - cells.size());
    boolean isThere = false;
    try {
      agent.poke(block, cells.toArray());
      session = session(opened, name);
      thread =
          calls.must(
              "no thread in the agent",
              "kernel32!CreateThread",
              0,
              0,
              code + routines.thread(),
              block,
              0,
              0);
      isThere = true;
    } finally {
      if (!isThere) {
        close(handle);
      }
    }
  }

  /** A session that is open: what Windows said of it. */
  private record Opened(long handle, Bytes header, int clock, long frequency) {}

  /**
   * Opens a session, whose events come from now on.
   *
   * @param library with the calls
   * @param name of the session
   * @throws CannotGoOn if Windows refuses
   */
  public static EventConsumer open(Agent agent, String library, String name) {
    return new EventConsumer(agent, library, name);
  }

  /** Returns what the header of a recording says of the session. */
  public ConsumedSession session() {
    return session;
  }

  /**
   * Returns whether time stamps are those of the session's clock; else Windows has made them system
   * time, so that times in the data of events, which it does not convert, are of another clock.
   */
  public boolean isRaw() {
    return isRaw;
  }

  private long address(String function) {
    long address = calls.agent().resolve(library, function);
    if (address == 0) {
      throw CannotGoOn.impossible("this system has no " + function + " in " + library, "");
    }
    return address;
  }

  private CallOutcome call(AgentCall call, String function) {
    CallOutcome outcome = calls.agent().call(call);
    if (outcome.kind() != CallOutcome.Kind.DONE) {
      throw new CannotGoOn(
          "%s ended with exception 0x%x".formatted(function, outcome.result() & 0xFFFF_FFFFL), "");
    }
    return outcome;
  }

  private Opened open(LogFileRequest request) {
    int pointerBytes = calls.layout().pointerBytes();
    long at = calls.agent().scratch() + LOG_FILE;
    calls.agent().poke(at, request.toBytes(pointerBytes));
    CallOutcome outcome = call(AgentCall.of(address("OpenTraceW"), at).wholeResult(), "OpenTrace");
    long its = outcome.result();
    // In 32-bit code of Windows 7 and earlier only the low half says so.
    if (its == -1 || pointerBytes != Long.BYTES && its == 0xFFFF_FFFFL) {
      throw failed("OpenTrace", outcome.error());
    }
    int header = LogFileRequest.header(pointerBytes);
    Bytes filled =
        calls
            .agent()
            .peek(at, LogFileRequest.bytes(pointerBytes))
            .slice(header, ConsumedSession.headerBytes(pointerBytes));
    int end = filled.length();
    return new Opened(its, filled, filled.i32(end - 8), filled.i64(end - 24));
  }

  private static CannotGoOn failed(String call, int error) {
    SessionFailure failure = new SessionFailure(call, error);
    return failure.isOfRights()
        ? CannotGoOn.impossible(failure.message(), failure.nextStep())
        : new CannotGoOn(failure.message(), failure.nextStep());
  }

  /** Reads the clocks: when a session without a file began, OpenTrace does not tell. */
  private ConsumedSession session(Opened opened, String name) {
    Agent agent = calls.agent();
    long cells = agent.scratch() + CLOCKS;
    agent.poke(cells, new byte[24]);
    String precise = "kernel32!GetSystemTimePreciseAsFileTime";
    String time = calls.find(precise) == 0 ? "kernel32!GetSystemTimeAsFileTime" : precise;
    List<CallOutcome> outcomes =
        calls.call(
            List.of(
                calls.prepare("kernel32!QueryPerformanceFrequency", cells),
                calls.prepare("kernel32!QueryPerformanceCounter", cells + 8),
                calls.prepare(time, cells + 16)));
    Bytes clocks = agent.peek(cells, 24);
    // Wine says that all is well, too, where it has written nothing.
    boolean areRead = clocks.i64(0) > 0 && clocks.i64(8) > 0 && clocks.i64(16) > 0;
    if (!areRead
        || !outcomes.get(0).isTrue()
        || !outcomes.get(1).isTrue()
        || outcomes.get(2).kind() != CallOutcome.Kind.DONE) {
      throw new CannotGoOn("the clocks of this machine cannot be read", "");
    }
    long frequency = opened.frequency > 0 ? opened.frequency : clocks.i64(0);
    long fileTime = clocks.i64(16);
    boolean isCounter = isRaw && opened.clock == PERFORMANCE_CLOCK;
    return new ConsumedSession(
        opened.header,
        calls.layout().pointerBytes(),
        isCounter ? PERFORMANCE_CLOCK : SYSTEM_CLOCK,
        frequency,
        isCounter ? clocks.i64(8) : fileTime,
        fileTime,
        name);
  }

  /**
   * State of a consumer.
   *
   * @param lost events for which the ring had no room
   * @param told events lost, as Windows tells with each buffer
   * @param hasEnded true if no further event comes: the session was stopped
   */
  public record State(long lost, long told, boolean hasEnded) {}

  /**
   * Takes what has come.
   *
   * @param events gets each event, as {@code ConsumedEvents} has it
   * @throws CannotGoOn if Windows has refused, or the ring is damaged
   */
  public State read(Consumer<Bytes> events) {
    Bytes cells = calls.agent().peek(block, ConsumerBlock.BYTES);
    drain(cells.i32(ConsumerBlock.WRITTEN), events);
    boolean hasEnded = cells.i32(ConsumerBlock.ENDED) != 0;
    if (hasEnded) {
      // The last events may have come while the cells were read.
      drain(calls.agent().peek(block, Integer.BYTES).i32(0), events);
      int result = cells.i32(ConsumerBlock.RESULT);
      if (result != 0 && result != CANCELLED) {
        throw failed("ProcessTrace", result);
      }
    }
    return new State(cells.u32(ConsumerBlock.LOST), cells.u32(ConsumerBlock.TOLD), hasEnded);
  }

  private void drain(int written, Consumer<Bytes> events) {
    while (written != read) {
      int at = read & RING - 1;
      int length = Math.min(Math.min(written - read, AT_ONCE), RING - at);
      int taken = length <= 0 ? 0 : take(calls.agent().peek(block + RING_AT + at, length), events);
      if (taken == 0) {
        throw new CannotGoOn("the agent's ring of events is damaged", "");
      }
      read += taken;
      calls.agent().poke(block + ConsumerBlock.READ, new BytesBuilder(4).u32(read).toArray());
    }
  }

  /** Hands the whole events of a piece of the ring over; returns their bytes. */
  private static int take(Bytes piece, Consumer<Bytes> events) {
    int at = 0;
    while (at + ConsumerBlock.HEAD <= piece.length()) {
      int size = piece.i32(at);
      if (size < ConsumerBlock.HEAD || size > piece.length() - at) {
        return at;
      }
      if (piece.i32(at + 4) == ConsumerBlock.AN_EVENT) {
        events.accept(piece.slice(at + ConsumerBlock.HEAD, size - ConsumerBlock.HEAD));
      }
      at += size;
    }
    return at;
  }

  private int close(long its) {
    List<Long> arguments = new ArrayList<>(List.of(its));
    if (calls.layout().pointerBytes() != Long.BYTES) {
      arguments.add(its >>> Integer.SIZE);
    }
    long[] values = arguments.stream().mapToLong(Long::longValue).toArray();
    return call(AgentCall.of(address("CloseTrace"), values), "CloseTrace").asInt();
  }

  /** Lets go of the session, which goes on. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    calls.agent().poke(block + ConsumerBlock.STOP, new BytesBuilder(4).u32(1).toArray());
    close(handle);
    calls.call(
        List.of(
            calls.prepare("kernel32!WaitForSingleObject", thread, WAIT_MILLIS),
            calls.prepare("kernel32!CloseHandle", thread)));
  }
}
