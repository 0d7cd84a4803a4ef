package io.ntrail.live.machine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.identity.FileTime;
import io.ntrail.formats.identity.RunningWindows;
import io.ntrail.formats.identity.RunningWindows.Volume;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.SimulatedAgent;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Answers of Wine about its machine, beside those that its own programs get. */
final class MachineQuestionsTest {
  private static final String KEY = "HKLM\\Software\\Microsoft\\Windows NT\\CurrentVersion";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private static Wine wine() {
    assumeTrue(Wine.available(), Wine.missing());
    return Wine.shared();
  }

  private static RunningWindows asked(Wine wine) {
    return MachineQuestions.ask(new AgentHost.Wine(wine.loader(), wine.environment()));
  }

  private static String output(Wine wine, String... command) throws IOException {
    Wine.Outcome outcome = wine.run(wine.prefix(), new byte[0], LIMIT, command);
    assertEquals(0, outcome.exitCode(), outcome.text() + outcome.errors());
    return outcome.text();
  }

  /** Returns a value of the registry as {@code reg} prints it. */
  private static String value(Wine wine, String name) throws IOException {
    String said = output(wine, "reg", "query", KEY, "/v", name);
    Matcher value = Pattern.compile(name + "\\s+REG_\\w+\\s+(.*?)\\s*\\R").matcher(said);
    assertTrue(value.find(), said);
    return value.group(1);
  }

  @Test
  void theBuildIsThatOfTheRegistry() throws IOException {
    Wine wine = wine();
    String lab = "7601.19160.amd64fre.win7sp1_gdr.160211-0600";
    output(wine, "reg", "add", KEY, "/v", "BuildLabEx", "/d", lab, "/f");
    RunningWindows machine = asked(wine);
    assertEquals(lab, value(wine, "BuildLabEx"));
    assertEquals(lab, machine.buildLab());
    assertEquals(value(wine, "ProductName"), machine.productName());
    assertEquals(Integer.parseInt(value(wine, "CurrentBuild")), machine.build());
    assertEquals(
        FileTime.ofUnixSeconds(Long.decode(value(wine, "InstallDate"))), machine.installed());
  }

  @Test
  void whatTheRegistryDoesNotHaveIsUnknown() throws IOException {
    Wine wine = wine();
    output(wine, "reg", "add", KEY, "/v", "BuildLabEx", "/t", "REG_DWORD", "/d", "7", "/f");
    assertEquals("", asked(wine).buildLab());
    output(wine, "reg", "delete", KEY, "/v", "BuildLabEx", "/f");
    assertEquals("", asked(wine).buildLab());
  }

  @Test
  void namesAndFoldersAreThoseThatProgramsHave() throws IOException {
    Wine wine = wine();
    RunningWindows machine = asked(wine);
    String windows = output(wine, "cmd", "/c", "echo", "%SystemRoot%").strip();
    String name = output(wine, "cmd", "/c", "echo", "%COMPUTERNAME%").strip();
    assertEquals(lower(windows + "\\"), lower(machine.windowsDirectory()));
    assertEquals(lower(windows + "\\system32"), lower(machine.systemDirectory()));
    assertTrue(machine.names().contains(name), machine.names() + " " + name);
  }

  private static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  @Test
  void lettersAreThoseOfTheirVolumes() {
    RunningWindows machine = asked(wine());
    // Wine numbers the drives of a prefix: that of its own files, and that of the whole system.
    assertEquals(
        List.of(
            new Volume("\\Device\\HarddiskVolume1\\", "C:\\"),
            new Volume("\\Device\\HarddiskVolume2\\", "Z:\\")),
        machine.volumes());
  }

  @Test
  void theTimeOfTheBootStaysAsItIs() {
    Wine wine = wine();
    RunningWindows machine = asked(wine);
    assertTrue(FileTime.isDate(machine.bootTime()));
    assertTrue(machine.ticksPerSecond() > 0);
    assertEquals(machine.bootTime(), asked(wine).bootTime());
  }

  /** A machine with three letters: a volume, a folder, and a share of another machine. */
  private static final class Letters implements SimulatedAgent.Machine {
    private static final long MEMORY = 0x10_0000;
    private static final int SCRATCH = 0x4_0000;
    private static final int QUERY_DOS_DEVICE = 2;
    private static final Map<String, String> TARGETS =
        Map.of(
            "C:", "\\Device\\HarddiskVolume3",
            "S:", "\\??\\C:\\shop",
            "Z:", "\\Device\\LanmanRedirector\\;Z:00000000000a1b2c\\srv\\share");

    private final byte[] memory = new byte[SCRATCH];

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
      return SCRATCH;
    }

    @Override
    public long resolve(String module, String function) {
      return switch (function) {
        case "QueryDosDeviceW" -> QUERY_DOS_DEVICE;
        case "QueryPerformanceFrequency" -> 1;
        case "wine_get_version" -> 0;
        default -> 3;
      };
    }

    @Override
    public long call(long address, long[] arguments) {
      if (address != QUERY_DOS_DEVICE) {
        return address == 1 ? 1 : 0;
      }
      int from = (int) (arguments[0] - MEMORY);
      String letter = new String(memory, from, 4, StandardCharsets.UTF_16LE);
      String target = TARGETS.getOrDefault(letter, "");
      byte[] reply = (target + "\0\0").getBytes(StandardCharsets.UTF_16LE);
      write(arguments[1], reply);
      return target.isEmpty() ? 0 : reply.length / 2;
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

  @Test
  void lettersOfFoldersAndSharesAreNoVolumes() {
    RunningWindows machine = MachineQuestions.ask(new AgentHost.Simulated(new Letters()));
    assertEquals(List.of(new Volume("\\Device\\HarddiskVolume3\\", "C:\\")), machine.volumes());
  }
}
