package io.ntrail.live.agent;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Behaviour of a real agent on requests, valid and invalid. */
final class AgentContractTest {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final int ACCESS_VIOLATION = 0xC0000005;

  /** The agents, each in the Wine that runs it. */
  enum Kind {
    /** Beside a Wine for 64-bit programs. */
    X64(MachineType.AMD64),
    /** Beside a Wine for 32-bit programs alone. */
    X86(MachineType.I386);

    private final int machine;

    Kind(int machine) {
      this.machine = machine;
    }

    AgentConnection start() {
      boolean is64Bit = this == X64;
      assumeTrue(
          is64Bit ? Wine.available() : Wine.available32(),
          is64Bit ? Wine.missing() : Wine.missing32());
      Wine wine = is64Bit ? Wine.shared() : Wine.shared32();
      return new AgentHost.Wine(wine.loader(), wine.environment()).start(machine);
    }

    Agent agent() {
      return Agent.on(start(), PATIENCE);
    }
  }

  private static long kernel(Agent agent, String function) {
    long address = agent.resolve("kernel32.dll", function);
    assertTrue(address != 0, function);
    return address;
  }

  @ParameterizedTest
  @EnumSource
  void callsAreMadeInOrderWithAllTheirArguments(Kind kind) {
    try (Agent agent = kind.agent()) {
      long multiply = kernel(agent, "MulDiv");
      List<AgentCall> calls = new ArrayList<>();
      for (int i = 0; i < 4096; i++) {
        calls.add(AgentCall.of(multiply, i, 6, 3));
      }
      List<CallOutcome> outcomes = agent.call(calls);
      for (int i = 0; i < outcomes.size(); i++) {
        assertEquals(2 * i, outcomes.get(i).asInt());
      }
      assertEquals(List.of(), agent.call(List.of()));
      assertThrows(
          IllegalArgumentException.class,
          () -> agent.call(Collections.nCopies(4097, calls.getFirst())));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAgentSaysWhichMachineItsCodeIsFor(Kind kind) {
    try (Agent agent = kind.agent()) {
      assertEquals(kind.machine, agent.machine());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aResultHas64BitsOnlyWhereCodeReturnsThem(Kind kind) {
    try (Agent agent = kind.agent()) {
      long memory =
          agent.call(AgentCall.of(kernel(agent, "VirtualAlloc"), 0, 4096, 0x3000, 0x40)).result();
      // mov eax, 7; mov edx, 9; ret
      agent.poke(
          memory, new byte[] {(byte) 0xB8, 7, 0, 0, 0, (byte) 0xBA, 9, 0, 0, 0, (byte) 0xC3});
      assertEquals(7, agent.call(AgentCall.of(memory)).result());
      long whole = kind == Kind.X86 ? 9L << 32 | 7 : 7;
      assertEquals(whole, agent.call(AgentCall.of(memory).wholeResult()).result());
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAddressBeyondTheSpaceIsThatOfNoMemory(Kind kind) {
    try (Agent agent = kind.agent()) {
      long beyond = 1L << 62 | agent.scratch();
      assertThrows(CannotGoOn.class, () -> agent.peek(beyond, 8));
      assertThrows(CannotGoOn.class, () -> agent.poke(beyond, new byte[8]));
      assertEquals(0, agent.read(-1, beyond, 8).length);
      assertTrue(agent.write(-1, beyond, new byte[8], 0, 8) != 0);
      CallOutcome outcome = agent.call(AgentCall.of(beyond));
      assertEquals(CallOutcome.Kind.FAULT, outcome.kind());
      assertEquals(ACCESS_VIOLATION, outcome.asInt());
      assertEquals(6, agent.call(AgentCall.of(kernel(agent, "MulDiv"), 2, 3, 1)).asInt());
    }
  }

  @ParameterizedTest
  @EnumSource
  void theTwelfthArgumentArrives(Kind kind) {
    try (Agent agent = kind.agent()) {
      // %d twelve times is more than fits; ten after buffer and format are twelve.
      long print = agent.resolve("ntdll.dll", "sprintf");
      long buffer = agent.scratch();
      agent.poke(buffer + 256, "%d %d %d %d %d %d %d %d %d %d\0".getBytes(US_ASCII));
      CallOutcome outcome =
          agent.call(AgentCall.of(print, buffer, buffer + 256, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
      assertEquals(20, outcome.asInt());
      assertEquals(
          "1 2 3 4 5 6 7 8 9 10", new String(agent.peek(buffer, 20).array(0, 20), US_ASCII));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anArgumentCanBeTheResultOfAnEarlierCall(Kind kind) {
    try (Agent agent = kind.agent()) {
      long multiply = kernel(agent, "MulDiv");
      List<CallOutcome> outcomes =
          agent.call(
              List.of(
                  AgentCall.of(multiply, 5, 4, 1),
                  AgentCall.of(multiply, 0, 3, 1).referring(0, 0, 2),
                  AgentCall.of(multiply, 0, 0, 1).referring(0, 1, -6).referring(1, 0, 0)));
      assertEquals(20, outcomes.get(0).asInt());
      assertEquals(66, outcomes.get(1).asInt());
      assertEquals(60 * 20, outcomes.get(2).asInt());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aReferenceToACallThatWasNotMadeIsNotUnderstood(Kind kind) {
    for (int to : new int[] {0, 1, 4095, Integer.MAX_VALUE, -1}) {
      try (Agent agent = kind.agent()) {
        long multiply = kernel(agent, "MulDiv");
        AgentCall call = AgentCall.of(multiply, 0, 1, 1).referring(0, to, 0);
        CannotGoOn e = assertThrows(CannotGoOn.class, () -> agent.call(List.of(call)));
        assertTrue(String.valueOf(e.getMessage()).contains("rejected request"), e.getMessage());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void faultingCallsAreReportedAndTheAgentContinues(Kind kind) {
    try (Agent agent = kind.agent()) {
      long multiply = kernel(agent, "MulDiv");
      long raise = kernel(agent, "RaiseException");
      for (int round = 0; round < 50; round++) {
        CallOutcome outcome = agent.call(AgentCall.of(0x10, 1, 2));
        assertEquals(CallOutcome.Kind.FAULT, outcome.kind());
        assertEquals(ACCESS_VIOLATION, outcome.asInt());
        outcome = agent.call(AgentCall.of(raise, 0xE06D7363L, 0, 0, 0));
        assertEquals(CallOutcome.Kind.FAULT, outcome.kind());
        assertEquals(0xE06D7363, outcome.asInt());
        assertEquals(6, agent.call(AgentCall.of(multiply, 2, 3, 1)).asInt());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aBatchEndsAtItsStopFlag(Kind kind) {
    try (Agent agent = kind.agent()) {
      long multiply = kernel(agent, "MulDiv");
      List<CallOutcome> outcomes =
          agent.call(
              List.of(
                  AgentCall.of(multiply, 1, 1, 1).stopAtZero(),
                  AgentCall.of(multiply, 0, 1, 1).stopAtZero(),
                  AgentCall.of(multiply, 2, 1, 1)));
      assertEquals(CallOutcome.Kind.DONE, outcomes.get(0).kind());
      assertEquals(CallOutcome.Kind.DONE, outcomes.get(1).kind());
      assertEquals(CallOutcome.Kind.SKIPPED, outcomes.get(2).kind());
      outcomes =
          agent.call(
              List.of(
                  AgentCall.of(multiply, -5, 1, 1).stopAtError(), AgentCall.of(multiply, 2, 1, 1)));
      assertEquals(CallOutcome.Kind.SKIPPED, outcomes.get(1).kind());
    }
  }

  @ParameterizedTest
  @EnumSource
  void memoryThatIsNotThereIsRefused(Kind kind) {
    try (Agent agent = kind.agent()) {
      assertThrows(CannotGoOn.class, () -> agent.peek(0x10, 100));
      assertThrows(CannotGoOn.class, () -> agent.poke(0x10, new byte[100]));
      assertEquals(0, agent.read(-1, 0x10, 100).length);
      assertTrue(agent.write(-1, 0x10, new byte[100], 0, 100) != 0);
      byte[] big = new byte[3 << 20];
      new Random(3).nextBytes(big);
      long memory =
          agent
              .call(AgentCall.of(kernel(agent, "VirtualAlloc"), 0, big.length, 0x3000, 4))
              .result();
      assertEquals(0, agent.write(-1, memory, big, 0, big.length));
      assertArrayEquals(big, agent.read(-1, memory, big.length));
      agent.poke(memory, big);
      assertEquals(0, agent.resolve("kernel32.dll", "NoSuchFunction"));
      assertEquals(0, agent.resolve("nosuchmodule.dll", "NoSuchFunction"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAgentThatHangsIsEnded(Kind kind) {
    AgentConnection connection = kind.start();
    try (Agent agent = Agent.on(connection, Duration.ofSeconds(5))) {
      long sleep = kernel(agent, "Sleep");
      // For ever: nothing but the agent's end brings an answer.
      CannotGoOn gone =
          assertThrows(CannotGoOn.class, () -> agent.call(AgentCall.of(sleep, 0xFFFF_FFFFL)));
      assertTrue(String.valueOf(gone.getMessage()).contains("timed out"), gone.getMessage());
      assertThrows(CannotGoOn.class, () -> agent.call(AgentCall.of(sleep, 0)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anAgentThatEndsIsNoticedAtOnce(Kind kind) {
    try (Agent agent = kind.agent()) {
      long exit = kernel(agent, "ExitProcess");
      assertThrows(CannotGoOn.class, () -> agent.call(AgentCall.of(exit, 7)));
      assertThrows(CannotGoOn.class, () -> agent.peek(agent.scratch(), 1));
    }
  }

  /** Checks that an agent answers a frame or exits. */
  private static void answersOrEnds(Kind kind, byte[] frame, String what) throws Exception {
    AgentConnection connection = kind.start();
    try (connection) {
      OutputStream out = connection.toAgent();
      try {
        out.write(frame);
        out.flush();
        out.close();
      } catch (IOException e) {
        // It ended before it had read everything.
      }
      Thread killer =
          Thread.ofVirtual()
              .start(() -> {
                try {
                  Thread.sleep(Duration.ofMinutes(2));
                  connection.kill();
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      byte[] answers = connection.fromAgent().readAllBytes();
      if (!killer.isAlive()) {
        fail(what + ": neither an answer nor an end");
      }
      killer.interrupt();
      Bytes read = Bytes.copyOf(answers, "answers");
      for (int at = 0; at < read.length(); ) {
        assertTrue(read.length() - at >= AgentProtocol.HEAD, what);
        long length = read.u32(at);
        assertTrue(length >= AgentProtocol.ANSWER_HEAD, what);
        assertTrue(length <= AgentProtocol.MAX_PAYLOAD + 16, what);
        at += AgentProtocol.HEAD + (int) length;
        assertTrue(at <= read.length(), what);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void invalidFramesAreAnsweredOrEndTheAgent(Kind kind) throws Exception {
    answersOrEnds(kind, new byte[0], "nothing");
    answersOrEnds(kind, new byte[] {1, 0, 0}, "a part of a head");
    for (long length : new long[] {0x7FFF_FFFF, 0xFFFF_FFFFL, 0x10_0101}) {
      answersOrEnds(
          kind,
          new BytesBuilder(8).u32((int) length).u16(AgentProtocol.HELLO).u16(1).toArray(),
          "length " + length);
    }
    answersOrEnds(
        kind,
        new BytesBuilder(16).u32(4).u16(AgentProtocol.HELLO).u16(1).u32(99).toArray(),
        "a version");
    Random random = new Random(1);
    for (int round = 0; round < (LONG ? 400 : 25); round++) {
      BytesBuilder frames = new BytesBuilder(1 << 12);
      for (int i = 0; i < 20; i++) {
        byte[] payload = new byte[random.nextInt(random.nextBoolean() ? 40 : 4000)];
        random.nextBytes(payload);
        if (random.nextBoolean() && payload.length >= 8) {
          // Small counts get further into the question.
          for (int at = 1; at < 8; at++) {
            payload[at] = 0;
          }
          payload[0] &= 7;
        }
        int operation = random.nextInt(10);
        frames.u32(payload.length).u16(operation).u16(i).bytes(payload);
      }
      answersOrEnds(kind, frames.toArray(), "round " + round);
    }
  }
}
