package io.ntrail.live.target;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.SimulatedAgent;
import io.ntrail.live.windows.WindowsApi;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The list of the system's processes. */
final class SystemProcessesTest {
  private static final int ENTRY = 0x100;
  private static final long STARTED = 134_402_119_720_782_680L;

  /** A machine whose system lists processes; other functions return an address. */
  private static final class Lister implements SimulatedAgent.Machine {
    private static final long MEMORY = 0x10_0000;
    private static final long LIST = 0x20_0000;

    private final byte[] memory = new byte[0x40_0000];
    private final byte[] list;

    Lister(byte[] list) {
      this.list = list;
    }

    @Override
    public int pid() {
      return 1;
    }

    @Override
    public long scratch() {
      return MEMORY;
    }

    @Override
    public int scratchSize() {
      return 0x1000;
    }

    @Override
    public long resolve(String module, String function) {
      return switch (function) {
        case "VirtualAlloc" -> 1;
        case "NtQuerySystemInformation" -> 2;
        default -> 3;
      };
    }

    @Override
    public long call(long address, long[] arguments) {
      if (address != 2) {
        return LIST;
      }
      write(arguments[1], list);
      write(arguments[3], new BytesBuilder(4).u32(list.length).toArray());
      return 0;
    }

    @Override
    public byte[] read(long address, int length) {
      int from = (int) (address - MEMORY);
      return Arrays.copyOfRange(memory, from, from + length);
    }

    @Override
    public void write(long address, byte[] bytes) {
      System.arraycopy(bytes, 0, memory, (int) (address - MEMORY), bytes.length);
    }
  }

  /** Makes SYSTEM_PROCESS_INFORMATION without threads, one after the other. */
  private static byte[] list(long... created) {
    BytesBuilder list = new BytesBuilder(ENTRY * created.length).zeros(ENTRY * created.length);
    for (int i = 0; i < created.length; i++) {
      list.setU32(ENTRY * i, i + 1 < created.length ? ENTRY : 0);
      list.setU64(ENTRY * i + 0x20, created[i]);
      list.setU64(ENTRY * i + 0x50, 100 + i);
    }
    return list.toArray();
  }

  private static List<Integer> pids(long... created) {
    AgentHost host = new AgentHost.Simulated(new Lister(list(created)));
    try (Agent agent = Agent.on(host.start(), Duration.ofSeconds(5));
        SystemProcesses processes = new SystemProcesses(new WindowsApi(agent))) {
      return processes.list().stream().map(RunningProcess::pid).toList();
    }
  }

  @Test
  void processesAreListedInOrder() {
    assertEquals(List.of(100, 101, 102), pids(0, STARTED, STARTED + 1));
  }

  @Test
  void aProcessWhoseTimeOfCreationIsNotSetYetIsLeftOut() {
    // As Wine 8.0 reports a process that is being created.
    assertEquals(List.of(100, 102), pids(STARTED, 0x5555_5555_5555_5555L, STARTED));
    assertEquals(List.of(100, 102), pids(STARTED, 0xAAAA_AAAA_AAAA_AAAAL, STARTED));
  }
}
