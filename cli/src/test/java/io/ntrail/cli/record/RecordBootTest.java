package io.ntrail.cli.record;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
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
  void aPathThatIsLongerThanWindowsTakesIsRefused() throws IOException {
    Cli.Result longest = boot("--kernel", "cpu", "--etl", "C:\\" + "a".repeat(1020));
    assertEquals(0, longest.exit(), longest.err());
    Cli.Result longer = boot("--kernel", "cpu", "--etl", "C:\\" + "a".repeat(1021));
    assertEquals(2, longer.exit());
    assertTrue(longer.err().contains("at most 1,023 characters"), longer.err());
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

  private static final String PROFILE =
      """
      <WindowsPerformanceRecorder Version="1.0"><Profiles>
      <SystemCollector Id="S" Name="NT Kernel Logger"/><EventCollector Id="E" Name="Events"/>
      <Profile Id="B.Verbose.File" Name="B" LoggingMode="File" DetailLevel="Verbose"><Collectors>
        <SystemCollectorId Value="S"><SystemProvider Id="P"><Keywords>
          <Keyword Value="ProcessThread"/><Keyword Value="Loader"/><Keyword Value="CSwitch"/>
          </Keywords><Stacks><Stack Value="CSwitch"/></Stacks></SystemProvider></SystemCollectorId>
        <EventCollectorId Value="E"><EventProviders>
          <EventProvider Id="C" Name="e13c0d23-ccbc-4e12-931b-d9cc2eee27e4" Level="4" Stack="true">
            <Keywords><Keyword Value="0x8000000000000011"/></Keywords>
            <CaptureStateOnSave><Keyword Value="0x1"/></CaptureStateOnSave></EventProvider>
          <EventProvider Id="S1" Name="*Microsoft-Windows-Store"/>
        </EventProviders></EventCollectorId></Collectors></Profile>
      <Profile Id="K.Verbose.File" Name="K" LoggingMode="File" DetailLevel="Verbose"><Collectors>
        <SystemCollectorId Value="S"><SystemProviderId Value="P"/></SystemCollectorId></Collectors>
      </Profile>
      <Profile Id="N.Verbose.File" Name="N" LoggingMode="File" DetailLevel="Verbose"><Collectors>
        <SystemCollectorId Value="S"><SystemProviderId Value="P"/></SystemCollectorId>
        <EventCollectorId Value="E"><EventProviders>
          <EventProvider Id="D" Name="Microsoft-Windows-DNS-Client"/></EventProviders>
        </EventCollectorId></Collectors></Profile>
      <Profile Id="U.Verbose.File" Name="U" LoggingMode="File" DetailLevel="Verbose"><Collectors>
        <EventCollectorId Value="E"><EventProviders><EventProviderId Value="S1"/></EventProviders>
        </EventCollectorId></Collectors></Profile>
      </Profiles></WindowsPerformanceRecorder>
      """;

  private Cli.Result profile(String name, Object... options) throws IOException {
    Path file = folder.resolve("b.wprp");
    Files.writeString(file, PROFILE);
    List<Object> words =
        new ArrayList<>(
            List.of(
                "record",
                "boot",
                "--reg",
                folder.resolve("b.reg"),
                "--profile",
                file + "!" + name));
    words.addAll(List.of(options));
    return Cli.run(words.toArray());
  }

  @Test
  void aProfileOfWprBecomesKeysOfTwoSessionsAndTheUndoRemovesThem() throws IOException {
    assumeTrue(Wine.available(), Wine.missing());
    assertEquals(0, reg("add", WMI + "\\Autologger\\Other", "/f").exitCode());
    List<String> before = query();
    Cli.Result written =
        profile("B", "--logger", "autologger", "--etl", "C:\\b.etl", "--max-size", "64M");
    assertEquals(0, written.exit(), written.err());
    for (String told :
        List.of(
            "kernel     PROC_THREAD+LOADER+CSWITCH",
            "providers  e13c0d23-ccbc-4e12-931b-d9cc2eee27e4+*Microsoft-Windows-Store, to"
                + " C:\\b.user.etl",
            "logman stop \"ntrail-boot-user\" -ets",
            "Not done at a boot: capture of the state of e13c0d23")) {
      assertTrue(written.out().contains(told), written.out());
    }
    load("b.reg");
    List<String> all = query();
    int user = all.indexOf(key("ntrail-boot-user"));
    int clr = all.indexOf(key("ntrail-boot-user\\{e13c0d23-ccbc-4e12-931b-d9cc2eee27e4}"));
    int store = all.indexOf(key("ntrail-boot-user\\{9c2a37f3-e5fd-5cae-bcd1-43dafeee1ff0}"));
    int kernel = all.indexOf(key("ntrail-boot"));
    assertValues(
        all.subList(kernel + 1, user),
        "FileName REG_SZ C:\\b.kernel.etl",
        "LogFileMode REG_DWORD 0x2000001",
        "EnableKernelFlags REG_BINARY 0700000004" + "00".repeat(27),
        "StackWalkingFilter REG_BINARY 24050000");
    assertValues(
        all.subList(user + 1, store < clr ? store : clr),
        "Start REG_DWORD 0x1",
        "GUID REG_SZ {5c3d1f0e-7a42-4b6e-9a0d-6e7472617501}",
        "FileName REG_SZ C:\\b.user.etl",
        "MaxFileSize REG_DWORD 0x40",
        "LogFileMode REG_DWORD 0x1");
    assertValues(
        all.subList(clr + 1, clr + 5),
        "Enabled REG_DWORD 0x1",
        "EnableLevel REG_DWORD 0x4",
        "EnableProperty REG_DWORD 0x4");
    // reg query of Wine 8 cannot write numbers of 64 bits.
    assertEquals(
        0, reg("export", WMI + "\\Autologger\\ntrail-boot-user", "e.reg", "/y").exitCode());
    String export = Files.readString(folder.resolve("e.reg"), StandardCharsets.UTF_16);
    assertTrue(export.contains("\"MatchAnyKeyword\"=hex(b):11,00,00,00,00,00,00,80\r\n"), export);
    assertTrue(export.contains("\"MatchAnyKeyword\"=hex(b):ff,ff,ff,ff,ff,ff,ff,ff\r\n"), export);
    load("b.reg.undo.reg");
    assertEquals(before, query());
    JsonReader json =
        JsonReader.parse(profile("B", "--etl", "C:\\b.etl", "--format", "json").out());
    assertEquals(List.of(), JsonSchema.named("record").strictFindings(json));
  }

  private static String key(String name) {
    return "HKEY_LOCAL_MACHINE\\SYSTEM\\CurrentControlSet\\Control\\WMI\\Autologger\\" + name;
  }

  private static void assertValues(List<String> lines, String... values) {
    for (String value : values) {
      assertTrue(lines.contains(value), value + " in " + lines);
    }
  }

  @Test
  void aProfileOfTheKernelAloneIsTheSameAsItsOptions() throws IOException {
    assertEquals(0, profile("K").exit());
    byte[] byProfile = Files.readAllBytes(folder.resolve("b.reg"));
    byte[] undo = Files.readAllBytes(folder.resolve("b.reg.undo.reg"));
    write("--kernel", "CSWITCH+PROC_THREAD+LOADER", "--stacks", "CSwitch");
    assertArrayEquals(Files.readAllBytes(folder.resolve("b.reg")), byProfile);
    assertArrayEquals(Files.readAllBytes(folder.resolve("b.reg.undo.reg")), undo);
  }

  @Test
  void aProfileOfProvidersAloneHasTheirSessionAlone() throws IOException {
    assertEquals(0, profile("U", "--max-size", "64M").exit());
    String set = Files.readString(folder.resolve("b.reg"), StandardCharsets.UTF_16);
    assertEquals(
        List.of(
            "[" + key("ntrail-boot-user") + "]",
            "[" + key("ntrail-boot-user\\{9c2a37f3-e5fd-5cae-bcd1-43dafeee1ff0}") + "]"),
        set.lines().filter(line -> line.startsWith("[")).toList());
    assertFalse(set.contains("FileName"), set);
    assertTrue(set.contains("\"MatchAnyKeyword\"=hex(b):ff,ff,ff,ff,ff,ff,ff,ff\r\n"), set);
    assertEquals(
        "[-" + key("ntrail-boot-user") + "]",
        Files.readString(folder.resolve("b.reg.undo.reg"), StandardCharsets.UTF_16)
            .lines()
            .filter(line -> line.startsWith("["))
            .findFirst()
            .orElse(""));
    JsonReader json = JsonReader.parse(profile("U", "--format", "json").out());
    assertEquals(List.of(), JsonSchema.named("record").strictFindings(json));
    assertEquals(1, json.get("sessions").array().size());
  }

  @ParameterizedTest
  @CsvSource({
    "B, 1, 'the profile has providers, whose session has a file of its own'",
    "N, 1, the GUID of provider Microsoft-Windows-DNS-Client is known to the machine",
    "Z, 1, has no profile Z",
  })
  void aProfileThatABootCannotRecordIsRefused(String name, int exit, String told)
      throws IOException {
    Cli.Result result = profile(name);
    assertEquals(exit, result.exit());
    assertTrue(result.err().contains(told), result.err());
    assertFalse(Files.exists(folder.resolve("b.reg")));
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
        "start",
        "start --kernel cpu+pmc --sample CacheMisses=65536 --etl C:\\a.etl",
        "start --kernel heap --heap shop.exe --etl C:\\a.etl",
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
  @ValueSource(strings = {"--merge", "--provider", "--heap"})
  void optionsThatAreNotBuiltAreRefused(String option) throws IOException {
    assertEquals(2, boot("--kernel", "cpu", option).exit());
  }
}
