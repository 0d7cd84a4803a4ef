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
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.StandardHandles;
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

  /** Harm done to the agent while the program runs. */
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
    return failing(harm, (host, pid) -> {});
  }

  /** Action before the file exists. */
  @FunctionalInterface
  private interface Afterwards {
    void with(AgentHost host, int pid) throws IOException;
  }

  private boolean failing(Harm harm, Afterwards afterwards) throws IOException {
    Wine wine = programs.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    AgentConnection connection = host.start();
    Agent agent = Agent.on(connection, Duration.ofMinutes(1));
    Path program = Programs.build("waits.c");
    List<String> words = List.of(program.toString(), programs.tracing().name(awaited));
    long process;
    int pid;
    boolean restored;
    TraceSettings how =
        new TraceSettings(recording, 0, BufferSettings.fixed(64, false), 64, 0, 0, "test");
    TraceTarget target = TraceTarget.start(host, agent, words, _ -> StandardHandles.NONE);
    try (TraceRun run = TraceRun.prepare(target, how)) {
      pid = target.process().pid();
      process = programs.tracing().watch(pid);
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
    afterwards.with(host, pid);
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
    return target.plan(
        new TracePlan.Selection() {
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

  @Test
  void aProgramWhoseControllerDiedIsTracedByAnother() throws IOException {
    Path second = folder.resolve("second.ntr");
    TraceSettings how =
        new TraceSettings(second, 0, BufferSettings.fixed(64, false), 64, 0, 0, "test");
    failing(
        (connection, agent) -> connection.kill(),
        (host, pid) -> {
          try (TraceTarget target = TraceTarget.attach(host, "" + pid)) {
            TracePlan plan = plan(target);
            assertEquals(1, plan.patched(), plan::toString);
            try (TraceRun run = TraceRun.prepare(target, how)) {
              run.begin(plan);
              while (run.statistics().captured().entries() < 10) {
                assertEquals(OptionalInt.empty(), run.await(10));
              }
              assertEquals(OptionalInt.empty(), run.disarm());
              run.finish(OptionalInt.empty());
            }
          }
        });
    CallTable.Row row = CallTable.read(second).byFunction().get("waiting");
    assertNotNull(row);
    assertTrue(row.entries >= 10, row::toString);
    assertEquals(row.entries, row.exits + row.open, row::toString);
  }
}
