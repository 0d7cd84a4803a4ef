package io.ntrail.live.agent;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.pe.MachineType;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Agent without a process: it speaks the protocol, and its calls go to a simulated machine. */
public final class SimulatedAgent implements AgentConnection {
  private final Machine machine;
  private final Requests requests = new Requests();
  private final Replies replies = new Replies();
  private volatile boolean ended;

  /** A machine that plays Windows; its memory is that of the agent and of all targets. */
  public interface Machine {
    /** Returns the process id of the agent. */
    int pid();

    /** Returns the address of the agent's scratch memory. */
    long scratch();

    /** Returns the size of the scratch memory. */
    int scratchSize();

    /** Returns the address of a function; 0 if there is none. */
    long resolve(String module, String function);

    /** Calls a function; returns its result. */
    long call(long address, long[] arguments);

    /** Reads memory up to the first byte that is not there. */
    byte[] read(long address, int length);

    /** Writes memory, which is there afterwards. */
    void write(long address, byte[] bytes);
  }

  /** Begins with a machine. */
  public SimulatedAgent(Machine machine) {
    this.machine = machine;
  }

  @Override
  public OutputStream toAgent() {
    return requests;
  }

  @Override
  public InputStream fromAgent() {
    return replies;
  }

  @Override
  public boolean hasEnded() {
    return ended;
  }

  @Override
  public void kill() {
    ended = true;
  }

  @Override
  public String epitaph() {
    return "";
  }

  @Override
  public void close() {
    ended = true;
  }

  /** Requests, answered when they are whole. */
  private final class Requests extends OutputStream {
    private BytesBuilder pending = new BytesBuilder(1 << 12);

    @Override
    public void write(int b) {
      pending.u8(b);
    }

    @Override
    public void write(byte[] bytes, int from, int length) {
      pending.bytes(bytes, from, length);
    }

    @Override
    public void flush() {
      Bytes all = Bytes.copyOf(pending.toArray(), "requests");
      int at = 0;
      while (all.length() - at >= AgentProtocol.HEAD
          && all.length() - at - AgentProtocol.HEAD >= all.u32(at)) {
        int length = (int) all.u32(at);
        answer(all.u16(at + 4), all.u16(at + 6), all.slice(at + AgentProtocol.HEAD, length));
        at += AgentProtocol.HEAD + length;
      }
      pending = new BytesBuilder(1 << 12).bytes(all.array(at, all.length() - at));
    }
  }

  /** Replies that were not read yet. */
  private static final class Replies extends InputStream {
    private ByteArrayInputStream bytes = new ByteArrayInputStream(new byte[0]);

    synchronized void add(byte[] more) {
      byte[] rest = bytes.readAllBytes();
      byte[] all = Arrays.copyOf(rest, rest.length + more.length);
      System.arraycopy(more, 0, all, rest.length, more.length);
      bytes = new ByteArrayInputStream(all);
    }

    @Override
    public synchronized int read() {
      return bytes.read();
    }

    @Override
    public synchronized int read(byte[] to, int from, int length) {
      return bytes.read(to, from, length);
    }

    @Override
    public synchronized int available() {
      return bytes.available();
    }
  }

  private void answer(int operation, int number, Bytes request) {
    BytesBuilder data = new BytesBuilder(1 << 10);
    long result = 1;
    switch (operation) {
      case AgentProtocol.HELLO ->
          data.u32(AgentProtocol.VERSION)
              .u32(machine.pid())
              .u64(machine.scratch())
              .u32(machine.scratchSize())
              .u32(MachineType.AMD64);
      case AgentProtocol.RESOLVE -> {
        String[] names = text(request).split("\0", -1);
        result = machine.resolve(names[0], names[1]);
      }
      case AgentProtocol.CALLS -> calls(request, data);
      case AgentProtocol.PEEK -> {
        int length = (int) request.u32(8);
        data.bytes(Arrays.copyOf(machine.read(request.i64(0), length), length));
      }
      case AgentProtocol.POKE ->
          machine.write(request.i64(0), request.array(8, request.length() - 8));
      case AgentProtocol.READ -> data.bytes(machine.read(request.i64(8), (int) request.u32(16)));
      case AgentProtocol.WRITE ->
          machine.write(request.i64(8), request.array(16, request.length() - 16));
      default -> ended = true;
    }
    replies.add(
        new BytesBuilder(AgentProtocol.HEAD + AgentProtocol.ANSWER_HEAD + data.size())
            .u32(AgentProtocol.ANSWER_HEAD + data.size())
            .u16(operation | AgentProtocol.ANSWER)
            .u16(number)
            .u64(result)
            .u32(0)
            .u32(AgentProtocol.DONE)
            .bytes(data.toArray())
            .toArray());
  }

  private static String text(Bytes bytes) {
    return new String(bytes.array(0, bytes.length()), StandardCharsets.UTF_8);
  }

  private void calls(Bytes request, BytesBuilder outcomes) {
    int count = (int) request.u32(0);
    long[] results = new long[count];
    int at = 8;
    boolean isOver = false;
    for (int i = 0; i < count; i++) {
      long[] arguments = new long[(int) request.u32(at + 8)];
      int flags = (int) request.u32(at + 12);
      for (int k = 0; k < arguments.length; k++) {
        long argument = request.i64(at + 16 + 8 * k);
        boolean refers = (flags & AgentProtocol.REFERENCE << k) != 0;
        arguments[k] = refers ? results[(int) argument] + (argument >> 32) : argument;
      }
      results[i] = isOver ? 0 : machine.call(request.i64(at), arguments);
      outcomes.u64(results[i]).u32(0).u32(isOver ? AgentProtocol.SKIPPED : AgentProtocol.DONE);
      isOver |= (flags & AgentProtocol.STOP_AT_ZERO) != 0 && results[i] == 0;
      isOver |= (flags & AgentProtocol.STOP_AT_ERROR) != 0 && (int) results[i] < 0;
      at += 16 + 8 * arguments.length;
    }
  }
}
