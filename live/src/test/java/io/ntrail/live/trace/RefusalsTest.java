package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.RunningProcess;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.live.windows.WindowsApi;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.wine.Wine;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Programs that run and cannot be traced: what is said, and that they go on as if nobody had asked.
 * What Wine has not is answered by other code in the place of the system's, in the agent alone.
 */
final class RefusalsTest {
  private static final long NANOS = TimeUnit.SECONDS.toNanos(60);

  @TempDir private Path folder;

  private Programs programs;

  /** Of the program, unlike those of all other tests. */
  private String name;

  private AgentHost.Wine host;
  private WindowsApi calls;

  @BeforeEach
  void begin() {
    programs = new Programs(folder);
    name = folder.getFileName() + ".exe";
    Wine wine = programs.wine();
    host = new AgentHost.Wine(wine.loader(), wine.environment());
    calls = new WindowsApi(programs.tracing().agent());
  }

  @AfterEach
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** An attempt to trace a program that runs. */
  @FunctionalInterface
  private interface Attempt {
    void on(RunningProcess running);
  }

  private Process start(String mode, String out) throws IOException {
    Path program = folder.resolve(name);
    if (!Files.exists(program)) {
      Files.copy(Programs.build("scarce.c"), program);
    }
    String go = programs.tracing().name(folder.resolve("go"));
    // So much address space can be used up soon.
    ProcessBuilder builder =
        new ProcessBuilder(
                "sh",
                "-c",
                mode.equals("space") ? "ulimit -v 16000000; exec \"$@\"" : "exec \"$@\"",
                "sh",
                host.loader().toString(),
                program.toString(),
                mode,
                go)
            .directory(folder.toFile())
            .redirectInput(Path.of("/dev/null").toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .redirectOutput(folder.resolve(out).toFile());
    builder.environment().putAll(host.environment());
    return builder.start();
  }

  private String said(String out) throws IOException {
    return Files.readString(folder.resolve(out), StandardCharsets.ISO_8859_1);
  }

  private void awaitReady(Process process, String out) throws Exception {
    Await.until(
        "the program is ready",
        () -> {
          assertTrue(process.isAlive(), "it ended");
          return said(out).contains("ready");
        });
  }

  private List<RunningProcess> running() {
    return RunningProcess.all(calls).stream().filter(one -> one.name().equals(name)).toList();
  }

  private Set<Integer> pids() {
    return running().stream().map(RunningProcess::pid).collect(Collectors.toSet());
  }

  /** The code of all modules of a process. */
  private byte[] code(RunningProcess running) throws IOException {
    ByteArrayOutputStream code = new ByteArrayOutputStream();
    try (TargetProcess process = TargetProcess.attach(calls, running)) {
      for (TargetModule module : process.modules()) {
        PeImage image = TargetImage.read(process.memory(), module);
        for (Section section : image.sections()) {
          if (image.isExecutable(section.rva())) {
            long address = module.base() + section.rva();
            code.writeBytes(process.memory().readUpTo(address, (int) section.virtualSize()));
          }
        }
      }
    }
    return code.toByteArray();
  }

  /** Tries it, and sees to it that the program does not notice. */
  private void unharmed(String mode, Attempt attempt) throws Exception {
    Set<Integer> others = pids();
    Process process = start(mode, "out");
    try {
      awaitReady(process, "out");
      RunningProcess running =
          running().stream().filter(one -> !others.contains(one.pid())).findFirst().orElseThrow();
      byte[] before = code(running);
      attempt.on(running);
      assertArrayEquals(before, code(running), "code was changed");
      Files.createFile(folder.resolve("go"));
      assertTrue(process.waitFor(NANOS, TimeUnit.NANOSECONDS), "it does not end");
      assertEquals(42, process.exitValue());
      Process untraced = start(mode, "expected");
      assertTrue(untraced.waitFor(NANOS, TimeUnit.NANOSECONDS), "it does not end");
      assertEquals(said("expected"), said("out"));
    } finally {
      process.destroyForcibly();
    }
  }

  private static void says(CannotGoOn refused, boolean impossible, String... words) {
    for (String word : words) {
      assertTrue(refused.message().contains(word), refused.message());
    }
    assertFalse(refused.nextStep().isEmpty(), refused.message());
    assertEquals(impossible, refused.reason() == CannotGoOn.Reason.NOT_POSSIBLE, refused.message());
  }

  private CannotGoOn refusedBy(Agent agent, String which) {
    return assertThrows(CannotGoOn.class, () -> TraceTarget.attach(host, agent, which).close());
  }

  private Agent agent() {
    return Agent.on(host.start(), Duration.ofMinutes(1));
  }

  /** An agent whose system says of each process what machine it is for, and what itself is. */
  private Agent machines(int process, int system) {
    // mov word [rdx], process; mov word [r8], system; mov eax, 1; ret
    String code = "66C702%s6641C700%sB801000000C3".formatted(word(process), word(system));
    Agent agent = agent();
    Tracing.replace(agent, "kernel32!IsWow64Process2", HexFormat.of().parseHex(code));
    return agent;
  }

  private static String word(int value) {
    return "%02X%02X".formatted(value & 0xFF, value >> 8);
  }

  @ParameterizedTest
  @CsvSource({"0x14C, 0x8664, x86", "0x1C4, 0xAA64, arm", "0x14C, 0xAA64, x86", "0, 0xAA64, arm64"})
  void programsForOtherMachines(int process, int system, String named) throws Exception {
    unharmed(
        "nothing",
        running -> {
          CannotGoOn refused = refusedBy(machines(process, system), name);
          says(refused, true, name + " (" + running.pid() + ")", named, "x64");
        });
  }

  @Test
  void programsThatThisUserMayNotOpen() throws Exception {
    // mov rax, gs:[30h]; mov dword [rax+68h], 5; xor eax, eax; ret: the last error is "denied".
    String code = "65488B042530000000C740680500000031C0C3";
    unharmed(
        "nothing",
        running -> {
          Agent agent = agent();
          Tracing.replace(agent, "kernel32!OpenProcess", HexFormat.of().parseHex(code));
          says(refusedBy(agent, name), true, name, "access denied");
        });
  }

  @Test
  void programsThatAreNotThere() {
    says(refusedBy(agent(), "nobody.exe"), false, "no process named nobody.exe");
    says(refusedBy(agent(), "999999"), false, "no process with id 999999");
  }

  @Test
  void severalProgramsOfOneName() throws Exception {
    Process other = start("nothing", "other");
    try {
      awaitReady(other, "other");
      unharmed(
          "nothing",
          _ -> {
            CannotGoOn refused = refusedBy(agent(), name);
            List<RunningProcess> both = running();
            assertEquals(2, both.size());
            String first = "(" + both.getFirst().pid() + ")";
            says(refused, false, "2 processes", first, "(" + both.getLast().pid() + ")");
            assertEquals("-p " + both.getFirst().pid(), refused.nextStep());
          });
    } finally {
      other.destroyForcibly();
    }
  }

  private String line() throws IOException {
    Files.createFile(folder.resolve("go"));
    return programs.line(
        Programs.build("scarce.c"), "nothing", programs.tracing().name(folder.resolve("go")));
  }

  @Test
  void programsThatHaveEnded() throws IOException {
    try (TargetProcess target = TargetProcess.start(calls, line(), StandardHandles.NONE)) {
      RunningProcess running = new RunningProcess(target.pid(), 0, 0, "gone.exe", List.of());
      target.resumeMain();
      while (target.await(1000).isEmpty()) {}
      CannotGoOn refused =
          assertThrows(CannotGoOn.class, () -> TargetProcess.attach(calls, running).close());
      says(refused, false, "gone.exe", "has exited");
    }
  }

  @Test
  void programsThatHaveNotBegunToRun() throws IOException {
    try (TargetProcess target = TargetProcess.start(calls, line(), StandardHandles.NONE)) {
      says(refusedBy(agent(), "" + target.pid()), false, "is still initializing");
      target.resumeMain();
      OptionalInt exit = OptionalInt.empty();
      while (exit.isEmpty()) {
        exit = target.await(1000);
      }
      assertEquals(OptionalInt.of(42), exit);
    }
  }

  @Test
  void programsThatEndBeforeAnythingIsPatchedLeaveNoRecording() throws Exception {
    for (int ring : new int[] {0, 1 << 20}) {
      Path file = folder.resolve("late.ntr");
      TraceSettings how =
          new TraceSettings(file, 0, BufferSettings.fixed(8, false), 64, 0, ring, "test");
      Set<Integer> others = pids();
      Process process = start("nothing", "out");
      try {
        awaitReady(process, "out");
        int pid = pids().stream().filter(one -> !others.contains(one)).findFirst().orElseThrow();
        CannotGoOn refused =
            assertThrows(
                CannotGoOn.class,
                () -> {
                  try (TraceTarget target = TraceTarget.attach(host, "" + pid);
                      TraceRun run = TraceRun.prepare(target, how)) {
                    TracePlan plan = MitigationsTest.plan(target, List.of("waiting"));
                    target.process().kill(9);
                    while (target.process().await(1000).isEmpty()) {}
                    run.begin(plan);
                  }
                });
        assertTrue(refused.getMessage() != null, "it is told");
        assertFalse(Files.exists(file), "ring " + ring);
      } finally {
        process.destroyForcibly();
      }
    }
  }

  private CannotGoOn cannotTrace(int buffers) {
    Path file = folder.resolve("refused.ntr");
    TraceSettings how =
        new TraceSettings(file, 0, BufferSettings.fixed(buffers, false), 64, 0, 0, "test");
    return assertThrows(
        CannotGoOn.class,
        () -> {
          try (TraceTarget target = TraceTarget.attach(host, name);
              TraceRun run = TraceRun.prepare(target, how)) {
            run.begin(MitigationsTest.plan(target, List.of("waiting")));
          }
        });
  }

  @Test
  void programsThatUseAllSlotsOfTheThreadBlock() throws Exception {
    unharmed("slots", _ -> says(cannotTrace(16), false, "TLS slots", "gave 64"));
  }

  @Test
  void programsWithoutFreeMemoryNearTheirCode() throws Exception {
    unharmed("near", _ -> says(cannotTrace(16), false, "no free memory within 2 GiB"));
  }

  @Test
  void programsWithoutAddressSpaceForStacks() throws Exception {
    unharmed("space", _ -> says(cannotTrace(16), false, "no free address space", "33 MiB"));
  }

  @Test
  void programsWithoutAddressSpaceForRecords() throws Exception {
    unharmed("space", _ -> says(cannotTrace(512), false, "no free address space", "session file"));
  }
}
