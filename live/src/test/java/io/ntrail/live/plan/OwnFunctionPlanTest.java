package io.ntrail.live.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.live.agent.Agent;
import io.ntrail.live.simulation.SimulatedWindows;
import io.ntrail.live.target.TargetImage;
import io.ntrail.live.target.TargetModule;
import io.ntrail.live.target.TargetProcess;
import io.ntrail.live.windows.StandardHandles;
import io.ntrail.live.windows.WindowsApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Plans of functions that tracing itself patches, made from files. */
final class OwnFunctionPlanTest {
  private static final String FUNCTION = "LdrFindEntryForAddress";

  @TempDir private Path folder;
  private Agent agent;
  private TargetProcess target;

  @BeforeEach
  void start() throws IOException {
    agent = Agent.on(new SimulatedWindows(folder, true).host().start(), Duration.ofSeconds(10));
    target =
        TargetProcess.start(new WindowsApi(agent), SimulatedWindows.PROGRAM, StandardHandles.NONE);
    target.runToEntry(10_000);
  }

  @AfterEach
  void end() {
    target.close();
    agent.close();
  }

  private TargetModule library() {
    return target.modules().stream()
        .filter(module -> module.stem().equals("ntdll"))
        .findFirst()
        .orElseThrow();
  }

  private Optional<PlannedFunction> fromMemory() {
    return Planner.planOwn(library(), TargetImage.read(target.memory(), library()), FUNCTION);
  }

  private Optional<PlannedFunction> ahead() {
    return OwnFunctionPlan.begin(target, "ntdll", FUNCTION)
        .of(target.memory(), library(), FUNCTION);
  }

  private static void assertSame(PlannedFunction expected, PlannedFunction planned) {
    assertEquals(expected.title(), planned.title());
    assertEquals(expected.patch(), planned.patch());
    assertEquals(expected.code().orElseThrow().address(), planned.code().orElseThrow().address());
    assertArrayEquals(expected.code().orElseThrow().unit(), planned.code().orElseThrow().unit());
  }

  @Test
  void thePlanFromTheFileIsThatFromMemory() {
    assertSame(fromMemory().orElseThrow(), ahead().orElseThrow());
  }

  @Test
  void whereMemoryDiffersFromTheFileItIsReadFromMemory() {
    // mov ecx, ecx in place of mov eax, ecx: another tool was there.
    long at = fromMemory().orElseThrow().code().orElseThrow().address();
    target.memory().write(at, new byte[] {(byte) 0x89, (byte) 0xC9});
    PlannedFunction planned = ahead().orElseThrow();
    assertSame(fromMemory().orElseThrow(), planned);
    assertEquals((byte) 0xC9, planned.code().orElseThrow().unit()[1]);
  }

  @Test
  void withoutTheFileItIsReadFromMemory() throws IOException {
    Files.delete(folder.resolve("system").resolve("ntdll.dll"));
    assertSame(fromMemory().orElseThrow(), ahead().orElseThrow());
  }

  @Test
  void anotherFunctionIsReadFromMemory() {
    OwnFunctionPlan plan = OwnFunctionPlan.begin(target, "ntdll", FUNCTION);
    PlannedFunction other = plan.of(target.memory(), library(), "CreateFileW").orElseThrow();
    assertEquals("ntdll!CreateFileW", other.title());
  }
}
