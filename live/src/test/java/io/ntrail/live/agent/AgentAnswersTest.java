package io.ntrail.live.agent;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Behaviour of the controller on invalid answers. */
final class AgentAnswersTest {
  /** An agent that gives scripted answers to any request. */
  private static final class Parrot implements AgentConnection {
    private final InputStream in;
    private volatile boolean killed;

    Parrot(byte[] answers) {
      this(new ByteArrayInputStream(answers));
    }

    Parrot(InputStream in) {
      this.in = in;
    }

    @Override
    public OutputStream toAgent() {
      return OutputStream.nullOutputStream();
    }

    @Override
    public InputStream fromAgent() {
      return in;
    }

    @Override
    public boolean hasEnded() {
      return in instanceof ByteArrayInputStream;
    }

    @Override
    public void kill() {
      killed = true;
    }

    @Override
    public String epitaph() {
      return "";
    }

    @Override
    public void close() {}
  }

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private static BytesBuilder hello(int version) {
    BytesBuilder out = new BytesBuilder(64);
    head(out, 16 + 24, AgentProtocol.HELLO, 1);
    return out.u64(0).u32(0).u32(0).u32(version).u32(1).u64(0x10000).u32(4096).u32(0x8664);
  }

  private static void head(BytesBuilder out, long length, int operation, int number) {
    out.u32((int) length).u16(operation | AgentProtocol.ANSWER).u16(number);
  }

  @Test
  void anotherVersionIsRefused() {
    CannotGoOn e =
        assertThrows(CannotGoOn.class, () -> Agent.on(new Parrot(hello(2).toArray()), PATIENCE));
    assertTrue(String.valueOf(e.getMessage()).contains("version"), e.getMessage());
  }

  @Test
  void anEndInTheMiddleIsAnEnd() {
    byte[] whole = hello(AgentProtocol.VERSION).toArray();
    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThrows(CannotGoOn.class, () -> Agent.on(new Parrot(part), PATIENCE));
    }
  }

  @Test
  void hugeLengthsAreNonsense() {
    for (long length : new long[] {0, 15, 0x10_0200, 0x7FFF_FFFF, 0xFFFF_FFFFL}) {
      BytesBuilder out = new BytesBuilder(8);
      head(out, length, AgentProtocol.HELLO, 1);
      assertThrows(CannotGoOn.class, () -> Agent.on(new Parrot(out.toArray()), PATIENCE));
    }
  }

  @Test
  void anAnswerToAnotherQuestionIsNonsense() {
    BytesBuilder out = hello(AgentProtocol.VERSION);
    head(out, 16, AgentProtocol.RESOLVE, 3);
    out.u64(1).u32(0).u32(0);
    try (Agent agent = Agent.on(new Parrot(out.toArray()), PATIENCE)) {
      assertThrows(CannotGoOn.class, () -> agent.resolve("a", "b"));
      // And nothing works afterwards.
      assertThrows(CannotGoOn.class, () -> agent.resolve("c", "d"));
    }
  }

  @Test
  void fewerOutcomesThanCallsAreNonsense() {
    BytesBuilder out = hello(AgentProtocol.VERSION);
    head(out, 16 + 16, AgentProtocol.CALLS, 2);
    out.u64(1).u32(0).u32(0).u64(0).u64(0);
    try (Agent agent = Agent.on(new Parrot(out.toArray()), PATIENCE)) {
      assertThrows(CannotGoOn.class, () -> agent.call(List.of(AgentCall.of(1), AgentCall.of(2))));
      assertThrows(CannotGoOn.class, () -> agent.call(List.of()));
    }
  }

  @Test
  void aSilentAgentIsKilled() {
    Parrot[] parrot = new Parrot[1];
    InputStream silent =
        new InputStream() {
          @Override
          public int read(byte[] bytes, int from, int length) throws IOException {
            return read();
          }

          @Override
          public int read() throws IOException {
            long end = System.nanoTime() + 20_000_000_000L;
            while (System.nanoTime() < end) {
              if (parrot[0].killed) {
                return -1;
              }
              Thread.onSpinWait();
            }
            throw new IOException("nobody killed it");
          }
        };
    parrot[0] = new Parrot(silent);
    CannotGoOn e =
        assertThrows(CannotGoOn.class, () -> Agent.on(parrot[0], Duration.ofMillis(300)));
    assertTrue(String.valueOf(e.getMessage()).contains("timed out"), e.getMessage());
  }

  @Test
  void aPipeThatStaysOpenAfterTheAgentWasKilledBlocksNothing() throws IOException {
    try (PipedInputStream silent = new PipedInputStream();
        PipedOutputStream other = new PipedOutputStream(silent)) {
      Parrot parrot = new Parrot(silent);
      CannotGoOn e = assertThrows(CannotGoOn.class, () -> Agent.on(parrot, Duration.ofMillis(300)));
      assertTrue(String.valueOf(e.getMessage()).contains("timed out"), e.getMessage());
      assertTrue(parrot.killed);
      other.write(0);
    }
  }

  @Test
  void randomAnswersEndInOneWay() {
    Random random = new Random(5);
    for (int round = 0; round < 20_000; round++) {
      BytesBuilder out = hello(AgentProtocol.VERSION);
      for (int i = 0; i < 3; i++) {
        byte[] data = new byte[random.nextInt(64)];
        random.nextBytes(data);
        int[] operations = {AgentProtocol.CALLS, AgentProtocol.PEEK, AgentProtocol.READ};
        boolean wild = random.nextInt(4) == 0;
        head(
            out,
            wild ? random.nextInt() & 0xFFFF_FFFFL : 16 + data.length,
            operations[i],
            random.nextInt(16) == 0 ? random.nextInt(9) : 2 + i);
        out.u64(random.nextLong()).u32(random.nextInt()).u32(random.nextInt(4)).bytes(data);
      }
      try (Agent agent = Agent.on(new Parrot(out.toArray()), PATIENCE)) {
        agent.call(AgentCall.of(1));
        agent.peek(1, 10);
        assertTrue(agent.read(1, 2, 30).length <= 30);
      } catch (CannotGoOn e) {
        // The one way.
      }
    }
  }
}
