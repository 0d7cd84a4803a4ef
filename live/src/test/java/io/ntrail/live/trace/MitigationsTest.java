package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.windows.ProcessMitigations;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Label;
import io.ntrail.programs.x86.asm.operands.Mem;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.programs.x86.asm.operands.Reg64;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs that were told to forbid themselves what tracing does. Wine knows no such thing: the
 * function that reports it answers otherwise here, in the memory of the agent that asks it.
 */
final class MitigationsTest {
  private static final int DYNAMIC_CODE = 2;
  private static final int SHADOW_STACK = 15;

  /** An agent whose system says that a policy has its first bit, if that is the one requested. */
  private static Agent agent(AgentHost host, int policy) {
    Agent agent = Agent.on(host.start(), Duration.ofMinutes(1));
    Assembler a = Assembler.x64();
    Label other = a.label("another policy");
    a.mov(Mem.ptr(Reg64.R8).as32(), 0).cmp(Reg32.EDX, policy).jne(other);
    a.mov(Mem.ptr(Reg64.R8).as32(), 1).bind(other).mov(Reg32.EAX, 1).ret();
    Tracing.replace(agent, "kernel32!GetProcessMitigationPolicy", a.assemble().bytes());
    return agent;
  }

  private static TraceTarget start(Programs programs, int policy, Path program) {
    Wine wine = programs.wine();
    AgentHost host = new AgentHost.Wine(wine.loader(), wine.environment());
    List<String> words = List.of(program.toString());
    return TraceTarget.start(host, agent(host, policy), words, _ -> StandardHandles.NONE);
  }

  @Test
  void theSystemsPoliciesAreRead(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      String line = programs.line(Programs.build("counts.c"));
      programs
          .tracing()
          .start(
              line,
              (target, session, name) -> {
                assertEquals(new ProcessMitigations(false, false, false), target.mitigations());
                target.kill(0);
              });
    }
  }

  @Test
  void aProgramThatForbidsNewCodeIsNotTouched(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path program = Programs.build("counts.c");
      CannotGoOn refused =
          assertThrows(CannotGoOn.class, () -> start(programs, DYNAMIC_CODE, program));
      assertTrue(
          String.valueOf(refused.getMessage()).contains("forbids dynamic code"),
          refused.getMessage());
    }
  }

  @Test
  void ofAProgramWithAShadowStackOnlyEntriesAreRecorded(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path file = folder.resolve("entries.ntr");
      TraceSettings how =
          new TraceSettings(file, 0, BufferSettings.fixed(64, false), 64, 0, 0, "test");
      try (TraceTarget target = start(programs, SHADOW_STACK, Programs.build("counts.c"));
          TraceRun run = TraceRun.prepare(target, how)) {
        assertFalse(run.selfTest().passed());
        assertTrue(run.selfTest().why().contains("shadow stack"), run.selfTest().why());
        assertEquals(List.of(), run.begin(plan(target, List.of("leaf", "fib"))));
        OptionalInt exit = OptionalInt.empty();
        while (exit.isEmpty()) {
          exit = run.await(20);
        }
        assertEquals(OptionalInt.of(7), exit);
        run.finish(exit);
      }
      CallTable calls = CallTable.read(file);
      CallTable.Row leaf = calls.byFunction().get("leaf");
      assertNotNull(leaf, () -> calls.byFunction().toString());
      assertEquals(1010, leaf.entriesOnly);
      assertEquals(0, leaf.entries);
    }
  }

  /** Functions of the program itself, by their names. */
  static TracePlan plan(TraceTarget target, List<String> names) {
    return target.plan(
        new TracePlan.Selection() {
          @Override
          public boolean mayWant(TargetModule module) {
            return module.name().endsWith(".exe");
          }

          @Override
          public boolean wants(TargetModule module, String name) {
            return names.contains(name);
          }

          @Override
          public boolean excludes(TargetModule module, String name) {
            return false;
          }
        });
  }
}
