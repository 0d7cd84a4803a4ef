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

  private static final String DIED = "restart; -vv shows the agent output";

  private final AgentConnection connection;
  private final OutputStream out;
  private final ReplyReader replies;
  private final TimeLimiter limiter;
  private final Duration patience;
  private final BytesBuilder frame = new BytesBuilder(1 << 12);
  private final Map<String, Long> resolved = new HashMap<>();
  private final int pid;
  private final long scratch;
  private final int scratchSize;
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
    for (int done = 0; done < bytes.length; done += AgentProtocol.MAX_BYTES) {
      begin();
      frame.u64(address + done);
      frame.bytes(bytes, done, Math.min(bytes.length - done, AgentProtocol.MAX_BYTES));
      if (ask(AgentProtocol.POKE).status() != AgentProtocol.DONE) {
        throw new CannotGoOn("the agent has no memory at 0x%x".formatted(address + done), "");
      }
    }
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
    number = number + 1 & 0xFFFF;
    frame.setU32(0, frame.size() - AgentProtocol.HEAD);
    frame.setU32(4, operation | number << 16);
    boolean done = false;
    try {
      long until = System.nanoTime() + most.toNanos();
      if (frame.size() <= AT_ONCE) {
        send();
      } else {
        limiter.wait(
            () -> {
              send();
              return true;
            },
            most.toNanos());
      }
      Answer answer = reply(operation, until);
      done = true;
      return answer;
    } catch (IOException e) {
      String why = e instanceof TimeLimiter.TimedOut ? "timed out" : "it exited";
      throw new CannotGoOn("lost connection to the agent: " + why + connection.epitaph(), DIED);
    } finally {
      broken = broken || !done;
    }
  }

  private void send() throws IOException {
    out.write(frame.array(), 0, frame.size());
    out.flush();
  }

  private Answer reply(int operation, long until) throws IOException {
    Bytes head = Bytes.copyOf(replies.read(AgentProtocol.HEAD, until), "agent");
    long length = head.u32(0);
    if (length < AgentProtocol.ANSWER_HEAD || length > AgentProtocol.MAX_PAYLOAD + 16) {
      throw nonsense("a reply of " + length + " bytes");
    }
    if (head.u16(4) != (operation | AgentProtocol.ANSWER) || head.u16(6) != number) {
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
