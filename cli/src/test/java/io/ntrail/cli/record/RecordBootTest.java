package io.ntrail.cli.record;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code ntrail record boot}: files for the registry, imported by Wine's tools. */
class RecordBootTest {
  private static final String WMI = "HKLM\\SYSTEM\\CurrentControlSet\\Control\\WMI";

  @TempDir private Path folder;

  private Cli.Result boot(Object... options) throws IOException {
    List<Object> words =
        new ArrayList<>(List.of("record", "boot", "--reg", folder.resolve("b.reg")));
    words.addAll(List.of(options));
    return Cli.run(words.toArray());
  }

  private void write(Object... options) throws IOException {
    Cli.Result result = boot(options);
    assertEquals(0, result.exit(), result.err());
  }

  private Wine.Outcome reg(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("reg"));
    command.addAll(List.of(words));
    return Wine.shared()
        .run(folder, new byte[0], Duration.ofMinutes(2), command.toArray(String[]::new));
  }

  /** Lines of {@code reg query}, without what is between the words. */
  private List<String> query() throws IOException {
    return reg("query", WMI, "/s")
        .text()
        .lines()
        .map(line -> line.strip().replaceAll(" +", " "))
        .filter(line -> !line.isEmpty())
        .toList();
  }

  private void load(String file) throws IOException {
    Wine.Outcome outcome = reg("import", file);
    assertEquals(0, outcome.exitCode(), outcome.text() + outcome.errors());
  }

  @Test
  void wineReadsTheValuesOfTheGlobalLoggerAndTheUndoRemovesThem() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    write(
        "--kernel",
        "PROC_THREAD+LOADER+DISK_IO+DISK_IO_INIT+DPC+CSWITCH+DISPATCHER+PROFILE",
        "--stacks",
        "Profile+CSwitch+ReadyThread",
        "--etl",
        "C:\\my test\\boot.etl");
    // A value of others, which stays.
    assertEquals(0, reg("add", WMI + "\\GlobalLogger", "/v", "Other", "/d", "x", "/f").exitCode());
    List<String> before = query();
    load("b.reg");
    List<String> values = query();
    for (String value :
        List.of(
            "Start REG_DWORD 0x1",
            "FileName REG_SZ C:\\my test\\boot.etl",
            "EnableKernelFlags REG_BINARY 0707000086020000" + "00".repeat(24),
            "StackWalkingFilter REG_BINARY 2E0F00002405000032050000",
            "BufferSize REG_DWORD 0x400",
            "ClockType REG_DWORD 0x1",
            "MaxFileSize REG_DWORD 0x400",
            "LogFileMode REG_DWORD 0x1")) {
      assertTrue(values.contains(value), value + " in " + values);
    }
    load("b.reg.undo.reg");
    assertEquals(before, query());
  }

  @Test
  void theUndoOfAnAutologgerRemovesItsKey() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    assertEquals(0, reg("add", WMI + "\\Autologger\\Other", "/f").exitCode());
    List<String> before = query();
    write("--kernel", "wait", "--logger", "autologger", "--max-size", "2G");
    load("b.reg");
    List<String> values = query();
    assertTrue(values.contains("LogFileMode REG_DWORD 0x2000001"), values.toString());
    assertTrue(values.contains("MaxFileSize REG_DWORD 0x800"), values.toString());
    assertFalse(values.toString().contains("StackWalkingFilter"), values.toString());
    load("b.reg.undo.reg");
    assertEquals(before, query());
  }

  @Test
  void theUndoOfTheGlobalLoggerDeletesAllThatIsSet() throws IOException {
    write("--kernel", "cpu", "--stacks", "Profile", "--etl", "D:\\b.etl");
    String undo = Files.readString(folder.resolve("b.reg.undo.reg"), StandardCharsets.UTF_16);
    Files.readString(folder.resolve("b.reg"), StandardCharsets.UTF_16)
        .lines()
        .filter(line -> line.startsWith("\""))
        .map(line -> line.substring(0, line.indexOf('=')))
        .forEach(name -> assertTrue(undo.contains("\r\n" + name + "=-\r\n"), name));
  }

  @ParameterizedTest
  @CsvSource({
    "--kernel, CSWICH, --kernel CSWITCH",
    "--kernel, heap, ntrail record start --heap shop.exe -o shop.etl",
    "--kernel, cpu+pmc, --kernel cpu --sample CacheMisses=65536",
    "--stacks, Profil, --stacks Profile",
    "--stacks, HeapAlloc, --stacks VirtualAlloc",
    "--max-size, 1500K, --max-size 512M",
    "--etl, boot.etl, --etl 'C:\\boot.etl'",
    "--logger, local, --logger global",
  })
  void aWrongNameIsRefusedWithWhatIsMeant(String option, String value, String meant)
      throws IOException {
    Cli.Result result =
        option.equals("--kernel") ? boot(option, value) : boot("--kernel", "cpu", option, value);
    assertEquals(2, result.exit());
    String proposal = result.messages().getLast();
    assertTrue(proposal.startsWith("try: ") && proposal.endsWith(meant), result.err());
    assertFalse(Files.exists(folder.resolve("b.reg")));
    assertFalse(Files.exists(folder.resolve("b.reg.undo.reg")));
  }

  @Test
  void moreThan256EventsAreRefused() throws IOException {
    String most =
        IntStream.range(0, 256).mapToObj("0x%04X"::formatted).collect(Collectors.joining("+"));
    write("--kernel", "cpu", "--stacks", most + "+0x0000");
    Cli.Result result = boot("--kernel", "cpu", "--stacks", most + "+Profile");
    assertEquals(2, result.exit());
    assertTrue(result.err().contains("257 events; Windows has at most 256"), result.err());
  }

  @Test
  void stacksOfWhatIsNotLoggedAreTold() throws IOException {
    Cli.Result result = boot("--kernel", "DISK_IO", "--stacks", "CSwitch");
    assertEquals(0, result.exit());
    assertTrue(result.out().contains("No stacks of CSwitch"), result.out());
    assertTrue(result.out().contains("addresses no modules"), result.out());
    Cli.Result good = boot("--kernel", "wait", "--stacks", "CSwitch");
    assertFalse(good.out().contains("No stacks of"), good.out());
  }

  @ParameterizedTest
  @CsvSource({
    "start --kernel cpu, record start needs one file: -o NAME.etl",
    "start --kernel cpu -o shop.zip, -o takes a name that ends in .etl",
    "start --kernel cpu --flight-recorder --etl C:\\a.etl, a flight recorder has no file",
    "start --kernel cpu --etl C:\\a.etl now, record start takes no now",
    "stop -n 3, record stop has no -n",
    "mark, record mark needs a text of ASCII",
    "mark gr\u00fcn, record mark needs a text of ASCII",
    "snapshot, record snapshot needs a file: -o NAME.etl",
    "watch --format json, --format takes",
    "watch --while a.exe, record watch has no --while",
    "status -o a.etl, record status has no -o",
    "boot --cancel --kernel cpu, record boot --cancel has no --kernel",
    "boot --stop --reg b.reg, record boot --stop has no --reg",
    "boot --cancel -o b.etl, record boot --cancel has no -o",
    "start --etl C:\\a.etl, record start needs what to log",
    "start --kernel cpu --etl C:\\a.etl --logger global, record start has no --logger",
    "stop --kernel cpu, record stop has no --kernel",
    "list --take-over, record list has no --take-over",
    "list ntrail, record list takes no ntrail",
    "status a b, record status takes no b",
    "boot --kernel cpu --take-over, record boot has no --take-over",
  })
  void anOptionOfAnotherWordIsRefusedByName(String line, String told) throws IOException {
    Cli.Result result = Cli.run((Object[]) ("record " + line).split(" ", -1));
    assertEquals(2, result.exit());
    assertTrue(result.err().contains(told), result.err());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "start --kernel cpu --etl C:\\a.etl",
        "start --kernel cpu -o a.etl --while a.exe",
        "status",
        "stop",
        "list",
        "mark here",
        "watch",
        "snapshot -o a.etl",
        "boot --kernel cpu",
        "boot --cancel",
        "boot --stop -o a.etl"
      })
  void sessionsNeedWindows(String line) throws IOException {
    Cli.Result result = Cli.run((Object[]) ("record " + line).split(" ", -1));
    assertEquals(4, result.exit());
    assertTrue(result.err().contains("recording ETW sessions needs Windows"), result.err());
  }

  @ParameterizedTest
  @ValueSource(strings = {"--profile", "--merge"})
  void optionsThatAreNotBuiltAreRefused(String option) throws IOException {
    assertEquals(2, boot("--kernel", "cpu", option).exit());
  }
}
