package io.ntrail.live.agent;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Requests to an agent that are sent together. */
final class AgentExchangesTest {
  private static final long SCRATCH = 0x10000;

  /** A machine whose functions add their second argument to what lies at the first. */
  private static final class Adder implements SimulatedAgent.Machine {
    private final byte[] memory = new byte[0x1000];

    @Override
    public int pid() {
      return 1;
    }

    @Override
    public long scratch() {
      return SCRATCH;
    }

    @Override
    public int scratchSize() {
      return memory.length;
    }

    @Override
    public long resolve(String module, String function) {
      return 0x20000;
    }

    @Override
    public long call(long address, long[] arguments) {
      return memory[(int) (arguments[0] - SCRATCH)] += (byte) arguments[1];
    }

    @Override
    public byte[] read(long address, int length) {
      return Arrays.copyOfRange(
          memory, (int) (address - SCRATCH), (int) (address - SCRATCH) + length);
    }

    @Override
    public void write(long address, byte[] bytes) {
      System.arraycopy(bytes, 0, memory, (int) (address - SCRATCH), bytes.length);
    }
  }

  /** A connection that counts how often something is sent. */
  private static final class Counted implements AgentConnection {
    private final AgentConnection other = new SimulatedAgent(new Adder());
    private int sent;

    @Override
    public OutputStream toAgent() {
      return new FilterOutputStream(other.toAgent()) {
        @Override
        public void flush() throws IOException {
          sent++;
          super.flush();
        }
      };
    }

    @Override
    public InputStream fromAgent() {
      return other.fromAgent();
    }

    @Override
    public boolean hasEnded() {
      return other.hasEnded();
    }

    @Override
    public void kill() {
      other.kill();
    }

    @Override
    public String epitaph() {
      return "";
    }

    @Override
    public void close() {
      other.close();
    }
  }

  private final Counted connection = new Counted();
  private final Agent agent = Agent.on(connection, Duration.ofSeconds(5));
  private final AgentCall addFive = AgentCall.of(0x20000, SCRATCH + 8, 5);

  private byte[] peek(long address, int length) {
    return agent.peek(address, length).array(0, length);
  }

  @Test
  void whatIsPutForACallAndLookedAtAfterwardsIsOneExchange() {
    int before = connection.sent;
    agent.poke(SCRATCH, new byte[] {9, 9});
    agent.poke(SCRATCH + 8, new byte[] {1, 2, 3});
    agent.call(addFive);
    assertArrayEquals(new byte[] {6, 2}, peek(SCRATCH + 8, 2));
    assertArrayEquals(new byte[] {3}, peek(SCRATCH + 10, 1));
    assertEquals(before + 1, connection.sent);
    assertArrayEquals(new byte[] {9, 9}, peek(SCRATCH, 2));
    assertEquals(before + 2, connection.sent);
  }

  @Test
  void whatAFurtherCallChangesIsSeen() {
    agent.poke(SCRATCH + 8, new byte[] {1});
    for (int i = 1; i <= 4; i++) {
      agent.call(addFive);
      assertArrayEquals(new byte[] {(byte) (1 + 5 * i)}, peek(SCRATCH + 8, 1));
    }
    agent.call(addFive);
    agent.call(addFive);
    assertArrayEquals(new byte[] {31}, peek(SCRATCH + 8, 1));
  }

  @Test
  void whatIsPutIsThereWithoutACall() {
    agent.poke(SCRATCH + 8, new byte[] {1, 2});
    agent.call(addFive);
    agent.poke(SCRATCH + 9, new byte[] {7});
    assertArrayEquals(new byte[] {6, 7}, peek(SCRATCH + 8, 2));
    agent.poke(SCRATCH + 8, new byte[0x200 + 1]);
    assertArrayEquals(new byte[] {0, 0}, peek(SCRATCH + 8, 2));
  }

  @Test
  void manySmallPiecesDoNotFillThePipe() {
    for (int i = 0; i < 0x400; i++) {
      agent.poke(SCRATCH + i, new byte[] {(byte) i});
    }
    assertEquals((byte) 0x3FF, peek(SCRATCH + 0x3FF, 1)[0]);
    assertEquals((byte) 0x102, peek(SCRATCH + 0x102, 1)[0]);
  }
}
