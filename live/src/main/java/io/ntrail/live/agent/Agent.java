package io.ntrail.live.agent;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Controller's end of the pipes to an agent, which makes calls over there.
 *
 * <p>Used by one thread at a time. Whatever goes wrong with the agent itself (it ended, it answers
 * nonsense, it does not answer in time) is a {@link CannotGoOn}, and nothing works afterwards;
 * closing it lets the agent end, which changes nothing in a target.
 */
public final class Agent implements AutoCloseable {
  /** Number of calls that one exchange can hold. */
  public static final int MAX_CALLS = AgentProtocol.MAX_CALLS;

  /** Bytes of a request that a pipe takes whether the agent reads or not. */
  private static final int AT_ONCE = 4096;

  /** Bytes that are put into the agent's memory without waiting for its reply. */
  private static final int SMALL = 512;

  private static final Bytes NOTHING = Bytes.copyOf(new byte[0], "agent");

  private static final String DIED = "restart; -vv shows the agent output";

  private final AgentConnection connection;
  private final OutputStream out;
  private final ReplyReader replies;
  private final TimeLimiter limiter;
  private final Duration patience;
  private final BytesBuilder frame = new BytesBuilder(1 << 12);

  /** Requests that are sent with the next one, and how many these are. */
  private final BytesBuilder early = new BytesBuilder(1 << 12);

  private int earlyCount;

  /** Memory that was put last, and what it holds after the last calls; empty if that is unknown. */
  private long putAt;

  private int putLength;

  /** True if somebody may look at that: it was put anew, or looked at the last time. */
  private boolean isWanted;

  private Bytes after = NOTHING;
  private final Map<String, Long> resolved = new HashMap<>();
  private final int pid;
  private final long scratch;
  private final int scratchSize;
  private final int machine;
  private int number;
  private boolean broken;

  /** Reply to a request. */
  private record Answer(long result, int error, int status, Bytes data) {}

  private Agent(AgentConnection connection, Duration patience) {
    this.connection = connection;
    this.out = connection.toAgent();
    this.replies = new ReplyReader(connection);
    this.limiter = new TimeLimiter(connection::kill);
    this.patience = patience;
    begin();
    frame.u32(AgentProtocol.VERSION);
    Answer hello = ask(AgentProtocol.HELLO);
    Bytes data = hello.data();
    if (data.length() < 24 || data.u32(0) != AgentProtocol.VERSION) {
      broken = true;
      close();
      throw new CannotGoOn("agent protocol version mismatch", DIED);
    }
    connection.answered();
    pid = (int) data.u32(4);
    scratch = data.i64(8);
    scratchSize = (int) Math.min(data.u32(16), 1 << 20);
    machine = (int) data.u32(20);
  }

  /**
   * Connects to an agent that was started.
   *
   * @param patience how long one question may take before the agent counts as dead
   * @throws CannotGoOn if it does not answer as an agent does
   */
  public static Agent on(AgentConnection connection, Duration patience) {
    return new Agent(connection, patience);
  }

  /** Returns the agent's process id, in its own system. */
  public int pid() {
    return pid;
  }

  /** Returns the machine type of its code, x64 or x86. */
  public int machine() {
    return machine;
  }

  /** Returns how structures of its system look to its code. */
  public SystemLayout layout() {
    return SystemLayout.of(machine);
  }

  /**
   * Returns the address of memory in the agent for structures that calls read or fill; aligned to
   * 4,096 bytes.
   */
  public long scratch() {
    return scratch;
  }

  /** Returns the size of {@link #scratch}. */
  public int scratchSize() {
    return scratchSize;
  }

  /**
   * Returns the address of a function in the agent; 0 if its module or the module does not export
   * it. System modules lie at the same address in every process until the system starts again.
   */
  public long resolve(String module, String function) {
    return resolved.computeIfAbsent(
        module + '!' + function,
        _ -> {
          begin();
          for (String text : List.of(module, function)) {
            frame.bytes(text.getBytes(StandardCharsets.UTF_8));
            frame.u8(0);
          }
          return ask(AgentProtocol.RESOLVE).result();
        });
  }

  /** Makes one call. */
  public CallOutcome call(AgentCall call) {
    return call(List.of(call)).getFirst();
  }

  /**
   * Makes calls one after the other, in one exchange for up to 4,096 of them.
   *
   * @return their outcomes, as many as calls
   */
  public List<CallOutcome> call(List<AgentCall> calls) {
    return call(calls, patience);
  }

  /**
   * Makes calls one after the other, some of which wait.
   *
   * @param most how long all of them may take before the agent counts as dead
   */
  public List<CallOutcome> call(List<AgentCall> calls, Duration most) {
    if (calls.size() > AgentProtocol.MAX_CALLS) {
      throw new IllegalArgumentException("too many calls at once: " + calls.size());
    }
    begin();
    frame.u32(calls.size());
    frame.u32(0);
    for (AgentCall call : calls) {
      call.write(frame);
    }
    if (frame.size() > AgentProtocol.MAX_PAYLOAD) {
      throw new IllegalArgumentException("calls of too many bytes: " + frame.size());
    }
    Bytes data = ask(AgentProtocol.CALLS, most).data();
    if (data.length() != 16 * calls.size()) {
      broken = true;
      throw nonsense("an answer of " + data.length() + " bytes to " + calls.size() + " calls");
    }
    List<CallOutcome> outcomes = new ArrayList<>(calls.size());
    for (int i = 0; i < calls.size(); i++) {
      outcomes.add(
          new CallOutcome(
              data.i64(16 * i),
              (int) data.u32(16 * i + 8),
              CallOutcome.Kind.of((int) data.u32(16 * i + 12))));
    }
    return outcomes;
  }

  /**
   * Reads the agent's own memory.
   *
   * @throws CannotGoOn if it is not there
   */
  public Bytes peek(long address, int length) {
    long at = address - putAt;
    if (at >= 0 && at + length <= after.length()) {
      isWanted = true;
      return after.slice((int) at, length);
    }
    begin();
    frame.u64(address);
    frame.u32(length);
    Answer answer = ask(AgentProtocol.PEEK);
    if (answer.status() != AgentProtocol.DONE || answer.data().length() != length) {
      throw new CannotGoOn(
          "no access to %d bytes of agent memory at 0x%x".formatted(length, address), "");
    }
    return answer.data();
  }

  /**
   * Writes the agent's own memory.
   *
   * @throws CannotGoOn if it is not there
   */
  public void poke(long address, byte[] bytes) {
    boolean isOwn = address >= scratch && address + bytes.length <= scratch + scratchSize;
    if (isOwn && bytes.length <= SMALL && early.size() <= AT_ONCE / 2) {
      pokeEarly(address, bytes);
      return;
    }
    forget();
    for (int done = 0; done < bytes.length; done += AgentProtocol.MAX_BYTES) {
      begin();
      frame.u64(address + done);
      frame.bytes(bytes, done, Math.min(bytes.length - done, AgentProtocol.MAX_BYTES));
      if (ask(AgentProtocol.POKE).status() != AgentProtocol.DONE) {
        throw new CannotGoOn("the agent has no memory at 0x%x".formatted(address + done), "");
      }
    }
  }

  /** Puts bytes into the scratch memory with the next request. */
  private void pokeEarly(long address, byte[] bytes) {
    begin();
    frame.u64(address);
    frame.bytes(bytes);
    seal(frame, AgentProtocol.POKE);
    early.bytes(frame.array(), 0, frame.size());
    earlyCount++;
    forget();
    putAt = address;
    putLength = bytes.length;
    isWanted = true;
  }

  private void forget() {
    after = NOTHING;
    putLength = 0;
  }

  /**
   * Reads memory of a process up to the first piece that is not there.
   *
   * @param process a handle of the agent
   * @return what could be read; shorter than {@code length} where it could not
   */
  public byte[] read(long process, long address, int length) {
    byte[] bytes = new byte[length];
    int done = 0;
    while (done < length) {
      int piece = Math.min(length - done, AgentProtocol.MAX_BYTES);
      begin();
      frame.u64(process);
      frame.u64(address + done);
      frame.u32(piece);
      Bytes data = ask(AgentProtocol.READ).data();
      int got = Math.min(piece, data.length());
      data.copyTo(0, bytes, done, got);
      done += got;
      if (got < piece) {
        return Arrays.copyOf(bytes, done);
      }
    }
    return bytes;
  }

  /**
   * Writes memory of a process.
   *
   * @return the system's error, or 0
   */
  public int write(long process, long address, byte[] bytes, int from, int length) {
    for (int done = 0; done < length; done += AgentProtocol.MAX_BYTES) {
      begin();
      frame.u64(process);
      frame.u64(address + done);
      frame.bytes(bytes, from + done, Math.min(length - done, AgentProtocol.MAX_BYTES));
      Answer answer = ask(AgentProtocol.WRITE);
      if (answer.result() == 0 || answer.status() != AgentProtocol.DONE) {
        return answer.error() == 0 ? -1 : answer.error();
      }
    }
    return 0;
  }

  private void begin() {
    frame.clear();
    // The head, which is filled in when the length is known.
    frame.u64(0);
  }

  private Answer ask(int operation) {
    return ask(operation, patience);
  }

  private Answer ask(int operation, Duration most) {
    if (broken) {
      throw new CannotGoOn("lost connection to the agent", DIED);
    }
    int own = seal(frame, operation);
    boolean isCall = operation == AgentProtocol.CALLS;
    after = isCall ? NOTHING : after;
    // Who puts something into memory for a call looks at it afterwards.
    boolean looks = isCall && isWanted && putLength > 0 && frame.size() <= AT_ONCE / 4;
    isWanted &= !looks;
    boolean done = false;
    try {
      long until = System.nanoTime() + most.toNanos();
      BytesBuilder all = early.size() == 0 && !looks ? frame : early;
      if (all != frame) {
        early.bytes(frame.array(), 0, frame.size());
      }
      int looking = looks ? look() : 0;
      if (all.size() <= AT_ONCE) {
        send(all);
      } else {
        limiter.wait(
            () -> {
              send(all);
              return true;
            },
            most.toNanos());
      }
      for (int before = earlyCount; before > 0; before--) {
        if (reply(AgentProtocol.POKE, own - before & 0xFFFF, until).status()
            != AgentProtocol.DONE) {
          throw nonsense("its own memory cannot be written");
        }
      }
      Answer answer = reply(operation, own, until);
      if (looks) {
        Answer seen = reply(AgentProtocol.PEEK, looking, until);
        after =
            seen.status() == AgentProtocol.DONE && seen.data().length() == putLength
                ? seen.data()
                : NOTHING;
      }
      early.clear();
      earlyCount = 0;
      done = true;
      return answer;
    } catch (IOException e) {
      String why = e instanceof TimeLimiter.TimedOut ? "timed out" : "it exited";
      throw new CannotGoOn("lost connection to the agent: " + why + connection.epitaph(), DIED);
    } finally {
      broken = broken || !done;
    }
  }

  /** Adds a request for the memory that was put last; returns its number. */
  private int look() {
    begin();
    frame.u64(putAt);
    frame.u32(putLength);
    int its = seal(frame, AgentProtocol.PEEK);
    early.bytes(frame.array(), 0, frame.size());
    return its;
  }

  /** Fills in the head of a request; returns its number. */
  private int seal(BytesBuilder request, int operation) {
    number = number + 1 & 0xFFFF;
    request.setU32(0, request.size() - AgentProtocol.HEAD);
    request.setU32(4, operation | number << 16);
    return number;
  }

  private void send(BytesBuilder requests) throws IOException {
    out.write(requests.array(), 0, requests.size());
    out.flush();
  }

  private Answer reply(int operation, int its, long until) throws IOException {
    Bytes head = Bytes.copyOf(replies.read(AgentProtocol.HEAD, until), "agent");
    long length = head.u32(0);
    if (length < AgentProtocol.ANSWER_HEAD || length > AgentProtocol.MAX_PAYLOAD + 16) {
      throw nonsense("a reply of " + length + " bytes");
    }
    if (head.u16(4) != (operation | AgentProtocol.ANSWER) || head.u16(6) != its) {
      throw nonsense("reply to another request");
    }
    Bytes payload = Bytes.copyOf(replies.read((int) length, until), "agent");
    int status = (int) payload.u32(12);
    if (status == AgentProtocol.MISUNDERSTOOD) {
      throw new CannotGoOn("the agent rejected request " + operation, "");
    }
    Bytes data =
        payload.slice(AgentProtocol.ANSWER_HEAD, payload.length() - AgentProtocol.ANSWER_HEAD);
    return new Answer(payload.i64(0), (int) payload.u32(8), status, data);
  }

  private static CannotGoOn nonsense(String what) {
    return new CannotGoOn("invalid reply from the agent: " + what, DIED);
  }

  /** Ends the agent. */
  @Override
  public void close() {
    broken = true;
    limiter.close();
    connection.close();
  }
}
