package io.ntrail.live.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.testkit.wine.Wine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Choice of the agent by the programs that a system can run. */
final class AgentStartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @TempDir private Path folder;

  private static int machineOn(Wine wine) {
    try (Agent agent =
        AgentStart.fitting(new AgentHost.Wine(wine.loader(), wine.environment()), PATIENCE)) {
      return agent.machine();
    }
  }

  /** Returns a program of this machine that runs a script of its shell. */
  private Path shell(String script) throws Exception {
    Path file = Files.writeString(folder.resolve("loader"), "#!/bin/sh\n" + script + "\n");
    assertTrue(file.toFile().setExecutable(true));
    return file;
  }

  @Test
  void whereProgramsOf64BitsRunTheAgentIsOne() {
    assumeTrue(Wine.available(), Wine.missing());
    assertEquals(MachineType.AMD64, machineOn(Wine.shared()));
  }

  @Test
  void whereProgramsOf32BitsRunAloneTheAgentIsOne() {
    assumeTrue(Wine.available32(), Wine.missing32());
    assertEquals(MachineType.I386, machineOn(Wine.shared32()));
  }

  @Test
  void whereNoneStartsTheErrorTellsOfBoth() throws Exception {
    AgentHost host = new AgentHost.Wine(shell("exit 3"), Map.of());
    CannotGoOn e = assertThrows(CannotGoOn.class, () -> AgentStart.fitting(host, PATIENCE));
    String text = String.valueOf(e.getMessage());
    assertTrue(text.contains("neither ntrail's 64-bit agent nor its 32-bit agent starts"), text);
    assertTrue(text.contains("exit code 3"), text);
  }

  @Test
  void programsUnderWineHaveNoHeapThatIsPlacedAtRandom() throws Exception {
    assumeTrue(!AddressRandomization.off().isEmpty(), "setarch -R does not work here");
    AgentHost.Wine host = new AgentHost.Wine(shell("cat /proc/self/personality"), Map.of());
    // ADDR_NO_RANDOMIZE of linux/personality.h.
    assertEquals(0x40000, Integer.parseInt(host.version().orElseThrow(), 16) & 0x40000);
  }

  @Test
  void anAgentOf32BitsIsNotUsedOnASystemOf64Bits() throws Exception {
    assumeTrue(Wine.availableWow64(), Wine.missingWow64());
    Wine wine = Wine.sharedWow64();
    Path loader =
        shell("case \"$1\" in *agent32*) exec " + wine.loader() + " \"$@\";; *) exit 3;; esac");
    AgentHost host = new AgentHost.Wine(loader, wine.environment());
    try (Agent agent = Agent.on(host.start(MachineType.I386), PATIENCE)) {
      assertEquals(MachineType.I386, agent.machine());
    }
    CannotGoOn e = assertThrows(CannotGoOn.class, () -> AgentStart.fitting(host, PATIENCE));
    assertTrue(String.valueOf(e.getMessage()).contains("exit code 3"), e.getMessage());
  }
}
