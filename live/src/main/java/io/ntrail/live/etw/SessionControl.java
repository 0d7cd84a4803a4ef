package io.ntrail.live.etw;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls that control sessions of ETW, made by the agent. Sessions outlive the agent and are found
 * again by their names.
 *
 * <p>All methods answer with a Win32 error, 0 if there is none; {@link SessionFailure} explains it.
 */
public final class SessionControl {
  /** Library with the calls. */
  public static final String LIBRARY = "advapi32.dll";

  /** Library with the call that marks, beside {@link #LIBRARY}. */
  private static final String MARKS = "ntdll.dll";

  /** Privilege that Windows Performance Recorder enables to mark. */
  public static final String DEBUG_PRIVILEGE = "SeDebugPrivilege";

  /** Privilege that sessions of the kernel need. */
  public static final String PROFILE_PRIVILEGE = "SeSystemProfilePrivilege";

  /** Sessions that a listing can have: as many as the agent has memory for. */
  public static final int MOST_LISTED = 60;

  /**
   * Answer about one session.
   *
   * @param error Win32 error; 0 if there is none
   * @param state of the session; its handle is 0 if there is an error
   */
  public record Reply(int error, SessionState state) {}

  /**
   * Answer about all sessions.
   *
   * @param error Win32 error; 0 if there is none
   * @param sessions that run, at most {@link #MOST_LISTED}
   * @param total sessions that run, as Windows counts them
   */
  public record Listing(int error, List<SessionState> sessions, long total) {
    /** Keeps the list from changes. */
    public Listing {
      sessions = List.copyOf(sessions);
    }
  }

  /** Time that a call may take. */
  private static final Duration USUAL = Duration.ofSeconds(30);

  /** Time of a call that waits until the kernel has written buffers and its lists of processes. */
  private static final Duration WRITING = Duration.ofMinutes(10);

  private static final int QUERY = 0;
  private static final int STOP = 1;
  private static final int UPDATE = 2;
  private static final int FLUSH = 3;
  private static final int DISABLE = 0;
  private static final int ENABLE = 1;
  private static final int CAPTURE_STATE = 2;

  /** Milliseconds that providers have to tell their states. */
  private static final int CAPTURE_MILLIS = 10_000;

  /** SystemPerformanceTraceInformation, and in it EventTracePoolTagFilterInformation. */
  private static final int TRACE_INFORMATION = 31;

  private static final int POOL_TAGS = 10;
  private static final int MORE_DATA = 234;

  /** TraceGuidQueryInfo of TRACE_QUERY_INFO_CLASS; the GUID of no provider. */
  private static final int GUID_INFO = 1;

  private static final int GUID_NOT_FOUND = 4200;

  /** TraceProfileSourceListInfo. */
  private static final int SOURCES = 7;

  /** TOKEN_ADJUST_PRIVILEGES and TOKEN_QUERY. */
  private static final int ADJUST = 0x28;

  private static final int PRIVILEGE_ENABLED = 2;

  private static final EnableParameters NO_PARAMETERS =
      new EnableParameters(0, Guid.ZERO, List.of());

  /** Places in the scratch memory: a result, a name, a structure. */
  private static final int RESULT = 0;

  private static final int NAME = 0x100;
  private static final int BLOCK = 0x1000;

  private final Agent agent;
  private final String library;
  private final String providersLibrary;
  private final int pointerBytes;

  /**
   * Controls sessions through an agent.
   *
   * @param library with the calls: {@link #LIBRARY}, or one that plays all of them
   * @param providersLibrary library that lists providers: {@link RegisteredProviders#LIBRARY}, or
   *     one that plays it
   */
  public SessionControl(Agent agent, String library, String providersLibrary) {
    this.agent = agent;
    this.library = library;
    this.providersLibrary = providersLibrary;
    this.pointerBytes = agent.layout().pointerBytes();
  }

  /** Starts a session; the handle of the reply controls it. */
  public Reply start(SessionProperties properties) {
    put(RESULT, new byte[Long.BYTES]);
    long name = text(NAME, properties.name());
    byte[] bytes = properties.toBytes(pointerBytes);
    long block = put(BLOCK, bytes);
    int error = call("StartTraceW", agent.scratch() + RESULT, name, block).asInt();
    long handle = agent.peek(agent.scratch() + RESULT, Long.BYTES).i64(0);
    return new Reply(error, state(block, bytes.length).withHandle(error == 0 ? handle : 0));
  }

  /** Asks for the state of a session. */
  public Reply query(String name) {
    return control(SessionProperties.named(name), QUERY);
  }

  /** Stops a session; the reply has its last state. */
  public Reply stop(String name) {
    Reply reply = control(SessionProperties.named(name), STOP);
    // Windows has stopped it when it finds no room for its answer.
    return reply.error() == MORE_DATA ? new Reply(0, reply.state()) : reply;
  }

  /** Has the buffers of a session written to its file or its consumers. */
  public Reply flush(String name) {
    return control(SessionProperties.named(name), FLUSH);
  }

  /** Has what a session keeps in memory written to a file. */
  public Reply flush(String name, String file) {
    return control(SessionProperties.named(name, file), FLUSH);
  }

  /**
   * Writes a mark (PerfInfo/Mark) into a session of the kernel.
   *
   * <p>The call is not documented; sources: phnt, and programs that mark so.
   *
   * @param handle of the session; 0: the NT Kernel Logger
   * @param text in ASCII, as readers of marks expect single bytes
   * @return a Win32 error, 0 if there is none
   */
  public int mark(long handle, String text) {
    byte[] mark =
        new BytesBuilder(64).u32(0).bytes(text.getBytes(StandardCharsets.US_ASCII)).u8(0).toArray();
    long block = put(BLOCK, mark);
    List<Long> arguments = new ArrayList<>();
    whole(arguments, handle);
    arguments.addAll(List.of(block, (long) mark.length));
    String marks = library.equals(LIBRARY) ? MARKS : library;
    return call(marks, "EtwSetMark", arguments.stream().mapToLong(Long::longValue).toArray())
        .asInt();
  }

  /** Changes what a session logs. */
  public Reply update(SessionProperties properties) {
    return control(properties, UPDATE);
  }

  private Reply control(SessionProperties properties, int code) {
    long name = text(NAME, properties.name());
    byte[] bytes = properties.toBytes(pointerBytes);
    long block = put(BLOCK, bytes);
    List<Long> arguments = new ArrayList<>();
    whole(arguments, 0);
    arguments.addAll(List.of(name, block, (long) code));
    int error = call("ControlTraceW", arguments, code == QUERY ? USUAL : WRITING).asInt();
    return new Reply(error, state(block, bytes.length));
  }

  private SessionState state(long block, int length) {
    return SessionState.read(agent.peek(block, length), pointerBytes);
  }

  /** Asks for all sessions. */
  public Listing all() {
    byte[] block = SessionProperties.named("").toBytes(pointerBytes);
    long[] places = new long[MOST_LISTED];
    for (int i = 0; i < MOST_LISTED; i++) {
      places[i] = put(BLOCK + i * block.length, block);
    }
    long list = put(NAME, agent.layout().array(places));
    put(RESULT, new byte[Integer.BYTES]);
    int error = call("QueryAllTracesW", list, MOST_LISTED, agent.scratch() + RESULT).asInt();
    long total = agent.peek(agent.scratch() + RESULT, Integer.BYTES).u32(0);
    List<SessionState> sessions = new ArrayList<>();
    if (error == 0 || error == MORE_DATA) {
      for (int i = 0; i < Math.min(total, MOST_LISTED); i++) {
        sessions.add(state(places[i], block.length));
      }
    }
    return new Listing(error == MORE_DATA ? 0 : error, sessions, total);
  }

  /**
   * Sets what a session's properties do not say.
   *
   * @param handle of the session; 0 for settings of the machine
   */
  public int set(long handle, TraceSetting setting) {
    byte[] data = setting.data();
    long block = put(BLOCK, data);
    List<Long> arguments = new ArrayList<>();
    whole(arguments, handle);
    arguments.addAll(List.of((long) setting.infoClass(), block, (long) data.length));
    return call("TraceSetInformation", arguments).asInt();
  }

  /** Returns the providers that are registered. */
  public RegisteredProviders registered() {
    return RegisteredProviders.of(agent, providersLibrary);
  }

  /** Returns what samples can be taken by (Windows 8 and later). */
  public List<ProfileSource> sources() {
    put(RESULT, new byte[Integer.BYTES]);
    long block = agent.scratch() + BLOCK;
    List<Long> arguments = new ArrayList<>();
    whole(arguments, 0);
    int room = agent.scratchSize() - BLOCK;
    arguments.addAll(List.of((long) SOURCES, block, (long) room, agent.scratch() + RESULT));
    SessionFailure.check("TraceQueryInformation", call("TraceQueryInformation", arguments).asInt());
    long length = agent.peek(agent.scratch() + RESULT, Integer.BYTES).u32(0);
    return length == 0
        ? List.of()
        : ProfileSource.read(agent.peek(block, (int) Math.min(length, room)));
  }

  /**
   * Enables a provider.
   *
   * @param handle of the session
   * @param level of detail, 0 to 255
   * @param keywords of which an event has to have one
   */
  public int enable(
      long handle, Guid provider, int level, long keywords, EnableParameters parameters) {
    return enable(handle, provider, ENABLE, level, keywords, 0, parameters);
  }

  /** Disables a provider. */
  int disable(long handle, Guid provider) {
    return enable(handle, provider, DISABLE, 0, 0, 0, NO_PARAMETERS);
  }

  /**
   * Has a provider that is enabled log its state, and waits until all its processes have.
   *
   * @return {@link SessionFailure#TIMEOUT} if that takes too long; another error, or 0
   */
  int capture(long handle, Guid provider, int level, long keywords) {
    return enable(handle, provider, CAPTURE_STATE, level, keywords, CAPTURE_MILLIS, NO_PARAMETERS);
  }

  private int enable(
      long handle,
      Guid provider,
      int code,
      int level,
      long keywords,
      int millis,
      EnableParameters parameters) {
    long guid = put(NAME, new BytesBuilder(16).u64(provider.low()).u64(provider.high()).toArray());
    long block = agent.scratch() + BLOCK;
    put(BLOCK, parameters.toBytes(block, pointerBytes));
    List<Long> arguments = new ArrayList<>();
    whole(arguments, handle);
    arguments.addAll(List.of(guid, (long) code, (long) level));
    whole(arguments, keywords);
    whole(arguments, 0);
    arguments.addAll(List.of((long) millis, block));
    return call("EnableTraceEx2", arguments).asInt();
  }

  /**
   * Sets the tags of the pool allocations that a session of the kernel logs (Windows 8 and later;
   * before, the extension of the properties has them).
   *
   * <p>Not documented; source: EVENT_TRACE_TAG_FILTER_INFORMATION of ntexapi.h.
   *
   * @param tags four characters each
   */
  int setPoolTags(long handle, List<Integer> tags) {
    BytesBuilder bytes = new BytesBuilder(32);
    bytes.u32(POOL_TAGS).u32(0).u64(handle);
    tags.forEach(bytes::u32);
    byte[] data = bytes.toArray();
    String lower = library.equals(LIBRARY) ? MARKS : library;
    int status =
        call(lower, "NtSetSystemInformation", TRACE_INFORMATION, put(BLOCK, data), data.length)
            .asInt();
    return call(MARKS, "RtlNtStatusToDosError", status).asInt();
  }

  /**
   * Returns whether a provider is enabled in a session, in any process.
   *
   * @param handle of the session
   * @throws CannotGoOn if Windows' answer is damaged
   */
  public boolean isEnabled(long handle, Guid provider) {
    long guid = put(NAME, new BytesBuilder(16).u64(provider.low()).u64(provider.high()).toArray());
    put(RESULT, new byte[Integer.BYTES]);
    long block = agent.scratch() + BLOCK;
    int room = agent.scratchSize() - BLOCK;
    int error =
        call("EnumerateTraceGuidsEx", GUID_INFO, guid, 16, block, room, agent.scratch() + RESULT)
            .asInt();
    if (error == GUID_NOT_FOUND) {
      return false;
    }
    SessionFailure.check("EnumerateTraceGuidsEx", error);
    long length = agent.peek(agent.scratch() + RESULT, Integer.BYTES).u32(0);
    return EnabledSessions.of(agent.peek(block, (int) Math.min(length, room)))
        .contains((int) handle & 0xFFFF);
  }

  /**
   * Enables a privilege of the agent.
   *
   * @return 0; 1300 if the user does not have it; another Win32 error
   */
  public int enablePrivilege(String privilege) {
    put(RESULT, new byte[Long.BYTES]);
    long cell = agent.scratch() + RESULT;
    CallOutcome opened = call("OpenProcessToken", -1, ADJUST, cell);
    if (!opened.isTrue()) {
      return opened.error();
    }
    long token = agent.layout().pointer(agent.peek(cell, pointerBytes), 0);
    try {
      put(RESULT, new byte[Long.BYTES]);
      CallOutcome found = call("LookupPrivilegeValueW", 0, text(NAME, privilege), cell);
      if (!found.isTrue()) {
        return found.error();
      }
      Bytes luid = agent.peek(cell, Long.BYTES);
      long state =
          put(BLOCK, new BytesBuilder(16).u32(1).u64(luid.i64(0)).u32(PRIVILEGE_ENABLED).toArray());
      // It succeeds without the privilege, too; only the last error tells.
      return call("AdjustTokenPrivileges", token, 0, state, 0, 0, 0).error();
    } finally {
      agent.call(AgentCall.of(agent.resolve("kernel32.dll", "CloseHandle"), token));
    }
  }

  private long put(int at, byte[] bytes) {
    agent.poke(agent.scratch() + at, bytes);
    return agent.scratch() + at;
  }

  private long text(int at, String text) {
    return put(at, new BytesBuilder(64).utf16z(text).toArray());
  }

  /** Adds an argument of 64 bits, of which 32-bit code gets both halves. */
  private void whole(List<Long> arguments, long value) {
    arguments.add(value);
    if (pointerBytes != Long.BYTES) {
      arguments.add(value >>> Integer.SIZE);
    }
  }

  private CallOutcome call(String function, long... arguments) {
    return call(library, function, arguments);
  }

  private CallOutcome call(String module, String function, long... arguments) {
    return call(module, function, arguments, USUAL);
  }

  private CallOutcome call(String module, String function, long[] arguments, Duration most) {
    long address = agent.resolve(module, function);
    if (address == 0) {
      throw CannotGoOn.impossible("this system has no " + function + " in " + module, "");
    }
    CallOutcome outcome = agent.call(List.of(AgentCall.of(address, arguments)), most).getFirst();
    if (outcome.kind() != CallOutcome.Kind.DONE) {
      throw new CannotGoOn(
          "%s ended with exception 0x%x".formatted(function, outcome.result() & 0xFFFF_FFFFL), "");
    }
    return outcome;
  }

  private CallOutcome call(String function, List<Long> arguments) {
    return call(function, arguments, USUAL);
  }

  private CallOutcome call(String function, List<Long> arguments, Duration most) {
    return call(library, function, arguments.stream().mapToLong(Long::longValue).toArray(), most);
  }
}
