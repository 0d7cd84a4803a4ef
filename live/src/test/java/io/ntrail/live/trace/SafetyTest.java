package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.live.patch.TracingMemory;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.TargetMemory;
import io.ntrail.programs.x86.asm.Assembler;
import io.ntrail.programs.x86.asm.operands.Reg32;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Behaviour when something around a target fails. */
final class SafetyTest {
  /** The unwind data of a return point, up to what depends on the slot. */
  private static final byte[] SLOT_INFO = {0x11, 0, 7, 0x14, 0, 3, 0, 0x44, 1, 0, 0, 0x11};

  private static long find(TargetProcess target, long area) {
    long begin = area + target.architecture().areas().table();
    byte[] table = target.memory().readUpTo(begin, 0x8000);
    for (int at = 0; at + SLOT_INFO.length <= table.length; at++) {
      if (Arrays.equals(table, at, at + SLOT_INFO.length, SLOT_INFO, 0, SLOT_INFO.length)) {
        return begin + at;
      }
    }
    throw new AssertionError("no unwind data of a slot");
  }

  private static UnwindSelfTest with(
      TargetProcess target, TracingMemory tracing, long address, byte... bytes) {
    TargetMemory memory = target.memory();
    byte[] before = memory.read(address, bytes.length).array(0, bytes.length);
    memory.write(address, bytes);
    UnwindSelfTest result = UnwindSelfTest.run(target, tracing);
    memory.write(address, before);
    return result;
  }

  @Test
  void theSelfTestNoticesUnwindDataThatIsWrong(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      programs
          .tracing()
          .start(
              programs.line(Programs.build("counts.c")),
              (target, session, name) -> {
                TracingMemory tracing = new TracingMemory(target, session, name, 64);
                tracing.addAreas(1);
                assertTrue(UnwindSelfTest.run(target, tracing).passed());
                long info = find(target, tracing.areas().getFirst());
                target.memory().protect(info, SLOT_INFO.length + 8, TargetMemory.READ_WRITE);
                // Another frame; no frame; another place of the machine frame; no handler; a
                // handler when searching; a push instead of the frame register.
                assertFalse(with(target, tracing, info + 3, (byte) 0x24).passed());
                assertFalse(with(target, tracing, info + 3, (byte) 0x04).passed());
                int distance = (int) target.memory().read(info + 12, 4).u32(0);
                for (int by : new int[] {-16, -8, 8, 16}) {
                  byte[] moved = new BytesBuilder(4).u32(distance + by).toArray();
                  assertFalse(with(target, tracing, info + 12, moved).passed(), "by " + by);
                }
                assertFalse(with(target, tracing, info, (byte) 0x01).passed());
                assertFalse(with(target, tracing, info, (byte) 0x19).passed());
                assertFalse(with(target, tracing, info + 5, (byte) 0x02).passed());
                UnwindSelfTest again = UnwindSelfTest.run(target, tracing);
                assertTrue(again.passed(), again.why());
                target.kill(0);
              });
    }
  }

  @Test
  void aProgramContinuesWhenItsControllerIsGone(@TempDir Path folder) throws Exception {
    try (Programs programs = new Programs(folder)) {
      Path program = Programs.build("births.c");
      Wine.Outcome expected = programs.untraced(program, "");
      Path[] out = new Path[1];
      try (Tracing tracing = Tracing.in(programs.wine(), folder)) {
        out[0] =
            tracing.start(
                programs.line(program),
                (target, session, name) -> {
                  Tracer tracer = new Tracer(target, session, name, 4096);
                  List<PlannedFunction> plan =
                      tracing.plan(target, (module, function) -> module.name().endsWith(".exe"));
                  tracer.prepare(plan, true);
                  tracer.arm();
                  target.resumeMain();
                });
        // From here on nobody reads records, makes room for threads, or holds a handle.
      }
      Await.until(
          "the program prints all that it prints untraced",
          () -> Files.readString(out[0], StandardCharsets.ISO_8859_1).equals(expected.text()));
    }
  }

  /** Starts the program that waits for a file, does something with it, and kills the agent. */
  private static long abandoned(
      Programs programs, Path folder, Path awaited, boolean hard, Tracing.Work work)
      throws IOException {
    Path program = Programs.build("waits.c");
    long[] process = new long[1];
    Tracing tracing = Tracing.in(programs.wine(), folder);
    String line = programs.line(program, programs.tracing().name(awaited));
    Tracing.Work all =
        (target, session, name) -> {
          process[0] = programs.tracing().watch(target.pid());
          work.on(target, session, name);
          if (hard) {
            tracing.kill();
          } else {
            tracing.close();
          }
        };
    assertThrows(CannotGoOn.class, () -> tracing.start(line, all));
    tracing.close();
    return process[0];
  }

  @Test
  void aProgramThatWasNotResumedEndsWithTheAgent(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path awaited = Files.createFile(folder.resolve("awaited"));
      for (boolean hard : new boolean[] {true, false}) {
        long process =
            abandoned(
                programs,
                folder,
                awaited,
                hard,
                (target, session, name) -> {
                  assertEquals(List.of(), target.remarks());
                  assertEquals(OptionalInt.empty(), target.exitCode());
                });
        OptionalInt end = programs.tracing().end(process, Duration.ofSeconds(30));
        assertTrue(end.isPresent(), hard ? "the agent was killed" : "its pipe was closed");
        assertNotEquals(42, end.getAsInt(), "it ran");
      }
    }
  }

  @Test
  void aResumedProgramContinuesWhenTheAgentIsKilled(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path awaited = folder.resolve("awaited");
      long process =
          abandoned(
              programs,
              folder,
              awaited,
              true,
              (target, session, name) -> {
                Tracer tracer = new Tracer(target, session, name, 4096);
                tracer.prepare(
                    programs
                        .tracing()
                        .plan(target, (module, function) -> function.equals("waiting")),
                    true);
                tracer.arm();
                target.resumeMain();
              });
      assertEquals(
          OptionalInt.empty(), programs.tracing().end(process, Duration.ofSeconds(1)), "it waits");
      Files.createFile(awaited);
      assertEquals(OptionalInt.of(42), programs.tracing().end(process, Duration.ofSeconds(30)));
    }
  }

  @Test
  void whereTheSystemRefusesTheJobItIsReportedAndTracingContinues(@TempDir Path folder)
      throws IOException {
    try (Programs programs = new Programs(folder)) {
      byte[] refusing = Assembler.x64().xor(Reg32.EAX, Reg32.EAX).ret().assemble().bytes();
      for (String function :
          new String[] {
            "AssignProcessToJobObject", "SetInformationJobObject", "CreateJobObjectW"
          }) {
        Tracing tracing = programs.tracing();
        Tracing.replace(tracing.agent(), "kernel32!" + function, refusing);
        tracing.start(
            programs.line(Programs.build("counts.c")),
            (target, session, name) -> {
              assertEquals(1, target.remarks().size());
              assertTrue(
                  target.remarks().getFirst().contains("JobObject"), target.remarks().getFirst());
              target.resumeMain();
              OptionalInt exit = OptionalInt.empty();
              while (exit.isEmpty()) {
                exit = target.await(1000);
              }
              assertEquals(OptionalInt.of(7), exit);
            });
      }
    }
  }

  @Test
  void nothingIsLostSilentlyWithoutAReader(@TempDir Path folder) throws IOException {
    try (Programs programs = new Programs(folder)) {
      Path program = Programs.build("counts.c");
      Wine.Outcome expected = programs.untraced(program, "");
      Tracing.Outcome traced =
          programs.traced(new Tracing.Settings().exports().chunks(2).withoutRecorder(), program);
      Programs.mustEqual(expected, traced);
      assertTrue(traced.statistics().lost() > 0, traced.statistics()::toString);
      CallTable calls = traced.calls();
      // What is there and what is lost is everything, but for one spill.
      long all = calls.all().entries() + calls.all().exits() + traced.statistics().lost();
      long pairs = 1010 + 1973 + 1 + 10 + 101 + 102 + 201 + 256 + 256;
      // What is deeper than 256 calls has no exits.
      long records = 2 * pairs + 301 + 2001 - 256 - 256;
      assertTrue(all >= records, () -> all + " of " + records);
      assertTrue(all <= records + 32, () -> all + " of " + records);
    }
  }
}
