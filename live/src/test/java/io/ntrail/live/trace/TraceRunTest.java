package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentConnection;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.target.Streams;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A trace that cannot go on, of a program that does. */
final class TraceRunTest {
  private static final byte[] FAULT = {0x0F, 0x0B};

  @TempDir private Path folder;
  private Programs programs;
  private Path awaited;
  private Path recording;

  @BeforeEach
  void begin() {
    programs = new Programs(folder);
    awaited = folder.resolve("awaited");
    recording = folder.resolve("calls.ntr");
  }

  @AfterEach
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** What is done to the agent while the program runs. */
  @FunctionalInterface
  private interface Harm {
    void to(AgentConnection connection, Agent agent);
  }

  /**
   * Traces the program that waits for a file, until something fails; then the file is there.
   *
   * @return whether the code was put back
   */
  private boolean failing(Harm harm) throws IOException {
    Wine wine = programs.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    AgentConnection connection = host.start();
    Agent agent = Agent.on(connection, Duration.ofMinutes(1));
    Path program = Programs.build("waits.c");
    List<String> words = List.of(program.toString(), programs.tracing().name(awaited));
    long process;
    boolean restored;
    TraceSettings how = new TraceSettings(recording, 0, 64, 64, 0, 0, "test");
    TraceTarget target = TraceTarget.start(host, agent, words, _ -> Streams.NONE);
    try (TraceRun run = TraceRun.prepare(target, how)) {
      process = programs.tracing().watch(target.process().pid());
      TracePlan plan = plan(target);
      PlannedFunction waiting = plan.functions().getFirst();
      long address = waiting.module().module().base() + waiting.rva();
      String before = code(process, address);
      run.begin(plan);
      assertNotEquals(before, code(process, address));
      while (run.statistics().captured().entries() < 10) {
        assertEquals(OptionalInt.empty(), run.await(10));
      }
      harm.to(connection, agent);
      assertThrows(CannotGoOn.class, () -> run.await(10));
      restored = run.abandon();
      assertEquals(restored, before.equals(code(process, address)));
    } finally {
      agent.close();
    }
    Files.createFile(awaited);
    assertEquals(OptionalInt.of(42), programs.tracing().end(process, Duration.ofSeconds(30)));
    CallTable calls = CallTable.read(recording);
    assertEquals("[]", calls.gaps());
    CallTable.Row row = calls.byFunction().get("waiting");
    assertNotNull(row, () -> calls.byFunction().toString());
    assertTrue(row.entries >= 10, row::toString);
    return restored;
  }

  private String code(long process, long address) {
    return HexFormat.of().formatHex(programs.tracing().agent().read(process, address, 16));
  }

  private static TracePlan plan(TraceTarget target) {
    return TracePlan.of(
        target,
        new TracePlan.Choice() {
          @Override
          public boolean mayWant(TargetModule module) {
            return module.name().endsWith(".exe");
          }

          @Override
          public boolean wants(TargetModule module, String name) {
            return name.equals("waiting");
          }

          @Override
          public boolean excludes(TargetModule module, String name) {
            return false;
          }
        });
  }

  @Test
  void codeIsPutBackWhenWaitingFails() throws IOException {
    assertTrue(
        failing(
            (connection, agent) -> Tracing.replace(agent, "kernel32!WaitForSingleObject", FAULT)));
  }

  @Test
  void theFileIsWholeWhenTheAgentIsGone() throws IOException {
    assertEquals(false, failing((connection, agent) -> connection.kill()));
  }
}
