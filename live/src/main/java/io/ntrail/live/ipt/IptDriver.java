package io.ntrail.live.ipt;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pt.IptOptions;
import io.ntrail.formats.schema.StatusCodes;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.windows.WindowsVersion;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Windows' driver for Processor Trace, asked by an agent: rings of the threads of a process, which
 * have the last packets of each.
 *
 * <p>It is a service that somebody has to start; it stays then, and so does a trace until it is
 * stopped or its process ends. One process of ntrail uses it at a time.
 */
public final class IptDriver implements AutoCloseable {
  /**
   * Libraries with the calls.
   *
   * @param services those for services
   * @param devices those for devices
   */
  public record Libraries(String services, String devices) {
    /** Windows' own. */
    public static final Libraries WINDOWS = new Libraries("advapi32.dll", "kernel32.dll");
  }

  /** Most bytes that are read: eight rings of the largest size. */
  public static final long MOST_BYTES = 1L << 30;

  /** First build with the driver: Windows 10 1809. */
  private static final int FIRST_BUILD = 17763;

  /** First build with ranges of addresses: Windows 10 2004. */
  private static final int RANGES_BUILD = 19041;

  private static final int SHORT_INPUT = 0x28;
  private static final int SHORT_OUTPUT = 0x10;
  private static final int INPUT = 0x30;
  private static final int OUTPUT = 0x18;

  private static final String SERVICE = "Ipt";
  private static final String DEVICE = "\\\\.\\IPT";

  /** SC_MANAGER_CONNECT. */
  private static final int CONNECT = 1;

  /** SERVICE_START and SERVICE_QUERY_STATUS. */
  private static final int START = 0x14;

  /** GENERIC_READ and GENERIC_WRITE. */
  private static final int READ_WRITE = 0xC000_0000;

  private static final int SHARE_READ = 1;
  private static final int OPEN_EXISTING = 3;
  private static final int NO_FILE = 2;
  private static final int ACCESS_DENIED = 5;
  private static final int TOO_SMALL = 122;
  private static final int MORE_DATA = 234;
  private static final int RUNS_ALREADY = 1056;
  private static final int NO_SERVICE = 1060;

  /** MEM_COMMIT and MEM_RESERVE. */
  private static final int COMMIT = 0x3000;

  private static final int RELEASE = 0x8000;
  private static final int READ_WRITE_PAGES = 4;
  private static final int PAGE = 0x1000;

  /** IPT_TRACE_DATA without the trace. */
  private static final int HEAD = 8;

  /** Times that a trace is read anew because threads began between its size and itself. */
  private static final int TRIES = 5;

  private static final int PIECE = 0x8_0000;

  /** Places in the scratch memory: a count, a name, a request, its answer. */
  private static final int COUNT = 0;

  private static final int NAME = 0x100;
  private static final int ASKED = 0x200;
  private static final int ANSWER = 0x300;

  private static final String NO_DRIVER =
      "this Windows has no driver of Processor Trace (ipt.sys: Windows 10 1809 and later, 64-bit)";

  private final Agent agent;
  private final Libraries libraries;
  private final boolean hasRanges;
  private final long device;

  private IptDriver(Agent agent, Libraries libraries, boolean hasRanges, long device) {
    this.agent = agent;
    this.libraries = libraries;
    this.hasRanges = hasRanges;
    this.device = device;
  }

  /**
   * Starts the driver unless it runs, and opens it.
   *
   * @throws CannotGoOn if that cannot be had
   */
  public static IptDriver open(Agent agent, Libraries libraries, WindowsVersion version) {
    if (version.build() < FIRST_BUILD) {
      throw CannotGoOn.impossible(
          "%s; this is build %d".formatted(NO_DRIVER, version.build()), "ntrail pt recipe");
    }
    boolean hasRanges = version.build() >= RANGES_BUILD;
    IptDriver closed = new IptDriver(agent, libraries, hasRanges, 0);
    closed.startService();
    return new IptDriver(agent, libraries, hasRanges, closed.openDevice());
  }

  private void startService() {
    CallOutcome manager = services("OpenSCManagerW", 0, 0, CONNECT);
    if (manager.result() == 0) {
      throw refused("services cannot be asked for", "OpenSCManager", manager.error());
    }
    long service = 0;
    try {
      CallOutcome opened = services("OpenServiceW", manager.result(), text(SERVICE), START);
      service = opened.result();
      if (service == 0) {
        throw opened.error() == NO_SERVICE
            ? CannotGoOn.impossible(NO_DRIVER, "ntrail pt recipe")
            : refused("the service Ipt cannot be opened", "OpenService", opened.error());
      }
      CallOutcome started = services("StartServiceW", service, 0, 0);
      if (!started.isTrue() && started.error() != RUNS_ALREADY) {
        throw refused(
            "the service Ipt cannot be started: it needs a processor of Intel with Processor Trace,"
                + " which virtual machines often hide",
            "StartService",
            started.error());
      }
    } finally {
      if (service != 0) {
        services("CloseServiceHandle", service);
      }
      services("CloseServiceHandle", manager.result());
    }
  }

  private long openDevice() {
    CallOutcome opened =
        devices("CreateFileW", text(DEVICE), READ_WRITE, SHARE_READ, 0, OPEN_EXISTING, 0, 0);
    if (opened.asInt() == -1) {
      throw opened.error() == NO_FILE
          ? CannotGoOn.impossible(NO_DRIVER, "ntrail pt recipe")
          : refused("the driver cannot be opened", "CreateFile", opened.error());
    }
    return opened.result();
  }

  /** Returns the version of the traces that it writes. */
  public int traceVersion() {
    return ask(IptRequest.traceVersion()).u16(0);
  }

  /**
   * Has a process traced from now on.
   *
   * @throws CannotGoOn if it is traced already, or the driver refuses
   */
  public void start(long process, IptOptions options) {
    int version = traceVersion();
    if (version != IptRequest.TRACE_VERSION) {
      throw CannotGoOn.impossible(
          "the driver writes traces of version %d; ntrail reads version %d"
              .formatted(version, IptRequest.TRACE_VERSION),
          "");
    }
    ask(IptRequest.start(process, options));
  }

  /** Returns the options of the trace of a process. */
  public IptOptions options(long process) {
    return new IptOptions(ask(IptRequest.query(process)).i64(0));
  }

  /** Ends the trace of a process; what was not read is gone. */
  public void stop(long process) {
    ask(IptRequest.stop(process));
  }

  /**
   * Gives a thread a range of addresses, for a filter or a stop. Without effect for a thread that
   * has not run code of its own yet.
   *
   * @param index 0 to {@link AddressRange#MOST} - 1
   * @throws CannotGoOn if this Windows has none, or the processor not as many
   */
  public void range(long thread, int index, AddressRange range) {
    mustHaveRanges();
    ask(IptRequest.range(thread, index, range));
  }

  /** Returns a range of a thread. */
  public AddressRange range(long thread, int index) {
    mustHaveRanges();
    return AddressRange.read(ask(IptRequest.range(thread, index)));
  }

  /** Returns whether a thread's trace stopped by a range. */
  public boolean isStopped(long thread) {
    mustHaveRanges();
    return ask(IptRequest.stopRangeEntered(thread)).u8(0) != 0;
  }

  /** Refuses ranges of addresses where there are none. */
  public void mustHaveRanges() {
    if (!hasRanges) {
      throw CannotGoOn.impossible(
          "ranges of addresses need Windows 10 2004 (build " + RANGES_BUILD + ") or later", "");
    }
  }

  /**
   * Writes the trace of a process as the driver gives it: IPT_TRACE_DATA, the rings behind it.
   *
   * @return false if the driver says that it is not valid
   * @throws CannotGoOn if it cannot be had whole
   */
  public boolean read(long process, OutputStream to) throws IOException {
    for (int attempt = 1; ; attempt++) {
      long size = ask(IptRequest.traceSize(process)).i64(8);
      if (size < 0 || size > MOST_BYTES) {
        throw new CannotGoOn(
            "the trace has %s bytes; at most %d are read"
                .formatted(Long.toUnsignedString(size), MOST_BYTES),
            "a smaller --buffer");
      }
      // The size may or may not count the head, and threads begin meanwhile.
      long room = (size + HEAD + 2 * PAGE - 1) & -PAGE;
      long memory = memory(room);
      try {
        CallOutcome outcome =
            control(IptRequest.READ_TRACE, IptRequest.trace(process), memory, room);
        if (outcome.isTrue()) {
          return copied(memory, room, to);
        }
        boolean isRetried = outcome.error() == TOO_SMALL || outcome.error() == MORE_DATA;
        if (!isRetried || attempt == TRIES) {
          throw refused("the trace cannot be read", "GetProcessTrace", outcome.error());
        }
      } finally {
        release(memory);
      }
    }
  }

  private boolean copied(long memory, long room, OutputStream to) throws IOException {
    long returned = agent.peek(agent.scratch() + COUNT, Integer.BYTES).u32(0);
    Bytes head = agent.peek(memory, HEAD);
    long whole = HEAD + head.u32(4);
    if (head.u16(0) != IptRequest.TRACE_VERSION || whole > room || returned < whole) {
      throw new CannotGoOn(
          "the driver's answer is damaged: version %d, %d bytes, of which %d were returned"
              .formatted(head.u16(0), whole, returned),
          "");
    }
    for (long done = 0; done < whole; done += PIECE) {
      int piece = (int) Math.min(PIECE, whole - done);
      to.write(agent.peek(memory + done, piece).array(0, piece), 0, piece);
    }
    return head.u16(2) != 0;
  }

  private long memory(long size) {
    long memory = own("VirtualAlloc", 0, size, COMMIT, READ_WRITE_PAGES).result();
    if (memory == 0) {
      throw new CannotGoOn("Windows has no %d bytes for the trace".formatted(size), "");
    }
    return memory;
  }

  private void release(long memory) {
    own("VirtualFree", memory, 0, RELEASE);
  }

  /** Makes a request; returns the answer. */
  private Bytes ask(IptRequest request) {
    int size = hasRanges ? OUTPUT : SHORT_OUTPUT;
    long answer = put(ANSWER, new byte[size]);
    CallOutcome outcome = control(IptRequest.REQUEST, request, answer, size);
    if (!outcome.isTrue()) {
      throw refused("ipt.sys refuses", request.name(), outcome.error());
    }
    return agent.peek(answer, size);
  }

  private CallOutcome control(int code, IptRequest request, long answer, long size) {
    byte[] bytes = request.toBytes(hasRanges ? INPUT : SHORT_INPUT);
    long asked = put(ASKED, bytes);
    long count = put(COUNT, new byte[Integer.BYTES]);
    return devices("DeviceIoControl", device, code, asked, bytes.length, answer, size, count, 0);
  }

  private static CannotGoOn refused(String what, String call, int error) {
    String name = new StatusCodes().win32(error);
    String told = "%s (%s: %d%s)".formatted(what, call, error, name == null ? "" : ", " + name);
    return error == ACCESS_DENIED
        ? CannotGoOn.impossible(told, "open a terminal with \"Run as administrator\" and try again")
        : new CannotGoOn(told, "ntrail pt recipe lists what uses Processor Trace besides");
  }

  private long put(int at, byte[] bytes) {
    agent.poke(agent.scratch() + at, bytes);
    return agent.scratch() + at;
  }

  private long text(String text) {
    return put(NAME, new BytesBuilder(32).utf16z(text).toArray());
  }

  private CallOutcome services(String function, long... arguments) {
    return call(libraries.services(), function, arguments);
  }

  private CallOutcome devices(String function, long... arguments) {
    return call(libraries.devices(), function, arguments);
  }

  private CallOutcome own(String function, long... arguments) {
    return call(Libraries.WINDOWS.devices(), function, arguments);
  }

  private CallOutcome call(String library, String function, long... arguments) {
    long address = agent.resolve(library, function);
    if (address == 0) {
      throw CannotGoOn.impossible("this system has no " + function + " in " + library, "");
    }
    CallOutcome outcome = agent.call(AgentCall.of(address, arguments));
    if (outcome.kind() != CallOutcome.Kind.DONE) {
      throw new CannotGoOn(
          "%s ended with exception 0x%x".formatted(function, outcome.result() & 0xFFFF_FFFFL), "");
    }
    return outcome;
  }

  /** Closes it; traces go on. */
  @Override
  public void close() {
    devices("CloseHandle", device);
  }
}
