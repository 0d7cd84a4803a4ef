package io.ntrail.cli.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.cli.harness.CallBalance;
import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.SampleCalls;
import io.ntrail.cli.harness.SampleTrace;
import io.ntrail.formats.ntr.RecorderCounter;
import io.ntrail.formats.ntr.UntracedModule;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Totals of calls: every entry has one end, and all answers have the same numbers. */
class CallBalanceTest {
  @TempDir private Path folder;
  private Path ntr;
  private Path jtrc;

  @BeforeEach
  void write() throws IOException {
    ntr = Files.write(folder.resolve("shop.ntr"), SampleTrace.make());
    jtrc = Files.write(folder.resolve("shop.jtrc"), SampleCalls.make());
  }

  private static JsonReader flat(Path file) {
    return Cli.run("calls", file, "--flat", "--format", "json").json();
  }

  private static List<JsonReader> lines(Path file) {
    return Cli.run("calls", file, "--format", "jsonl").lines().stream()
        .map(JsonReader::parse)
        .toList();
  }

  @Test
  void entriesAreAsManyAsTheirEnds() {
    CallBalance.check(flat(ntr), lines(ntr));
    CallBalance.check(flat(jtrc), lines(jtrc));
  }

  @Test
  void aRealRecordingThatBeginsWithAnExitBalances() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Path ntfs = TestData.file("ntrace/ntfs.jtrc");
    JsonReader flat = flat(ntfs);
    CallBalance.check(flat, lines(ntfs));
    assertEquals(31_558, flat.get("entries").number());
    assertEquals(1, flat.get("lostEntries").number());
    JsonReader first = Cli.run("calls", ntfs, "-t", "568", "--flat", "--format", "json").json();
    assertEquals(14_779, first.get("entries").number());
    assertEquals(143, first.get("functions").array().size());
    String tree = Cli.run("calls", ntfs, "-t", "568", "-n", "1").out();
    String text = Cli.run("calls", ntfs, "-t", "568", "--flat", "-n", "1").out();
    assertTrue(tree.contains(": 14,780 calls in 1 thread"), tree);
    assertTrue(text.contains(": 14,780 calls of 143 routines"), text);
  }

  @Test
  void timesOfARoutineAreThoseOfItsProfile() {
    Map<String, Long> totals = new HashMap<>();
    for (JsonReader row : flat(ntr).get("functions").array()) {
      totals.put(row.get("function").text(), row.get("total").number());
    }
    Map<String, Long> inclusive = new HashMap<>();
    JsonReader profile = Cli.run("profile", ntr, "--format", "json").json();
    for (JsonReader row : profile.get("rows").array()) {
      JsonReader name = row.get(row.get("function").isNull() ? "rva" : "function");
      inclusive.put(row.get("module").text() + "!" + name.text(), row.get("inclusive").number());
    }
    assertEquals(totals, inclusive);
    assertEquals(14_115_000, totals.get("shopcore.dll!Key::Parse"));
    String tree = Cli.run("profile", ntr, "--tree", "-n", "0", "--min", "0.01%").out();
    assertTrue(tree.contains("shopcore.dll!Key::Parse  (open)\n"), tree);
  }

  @Test
  void routinesOfThreadsThatLostRecordsAreMarked() {
    // Hook::Called also was called in the other thread.
    assertEquals(
        Set.of(
            "shopcore.dll!Key::Parse",
            "shopcore.dll!Hook::Called",
            "shopcore.dll!Access::Create",
            "shopcore.dll!0x10b0"),
        incomplete(flat(ntr)));
    String text = Cli.run("calls", ntr, "--flat").out();
    assertTrue(text.contains("\n      1     15.28     0.50"), text);
    assertTrue(text.contains("\n     ~1     14.12"), text);
    assertTrue(text.contains("\n~ calls may be missing"), text);
    String csv = Cli.run("calls", ntr, "--flat", "--format", "csv").out();
    assertTrue(csv.lines().findFirst().orElse("").endsWith(",incomplete,min,process,pid,rva"), csv);
  }

  @Test
  void routinesOfModulesThatWereNotTracedForSomeTimeAreMarked() throws IOException {
    UntracedModule late = new UntracedModule(1, 1, 0, 0, "C:\\x\\KernelBase.dll", "it was slow");
    Path file = Files.write(folder.resolve("late.ntr"), SampleTrace.make(late));
    assertTrue(incomplete(flat(file)).contains("kernelbase.dll!RegOpenKeyExInternalW"));
    assertFalse(incomplete(flat(file)).contains("shopcore.dll!Tx::Current"));
  }

  @Test
  void lossesOfUnknownThreadsMarkAllRoutines() throws IOException {
    byte[] more = SampleTrace.make(Map.of(RecorderCounter.DROPPED, 4L));
    Path file = Files.write(folder.resolve("more.ntr"), more);
    assertEquals(6, incomplete(flat(file)).size());
  }

  @Test
  void callsWithoutARecordMarkAllRoutines() throws IOException {
    byte[] more =
        SampleTrace.make(Map.of(RecorderCounter.OVERFLOWS, 5L, RecorderCounter.NO_AREA, 2L));
    Path file = Files.write(folder.resolve("deep.ntr"), more);
    assertEquals(6, incomplete(flat(file)).size());
    assertEquals(7, flat(file).get("unrecorded").number());
    for (String command : List.of("calls", "profile", "info")) {
      String first = Cli.run(command, file).out().lines().findFirst().orElse("");
      assertTrue(first.contains(", 7 calls not recorded, "), first);
    }
    assertEquals(3, Cli.run("calls", file, "--strict").exit());
    Cli.Result probe = Cli.run("probe", "fbt:::entry { @ = count(); }", file);
    assertTrue(probe.err().contains("7 calls not recorded"), probe.err());
  }

  @Test
  void aRecordingThatEndedAtItsLargestSizeSaysSo() throws IOException {
    byte[] more = SampleTrace.make(Map.of(RecorderCounter.SIZE_REACHED, 1L));
    Path file = Files.write(folder.resolve("short.ntr"), more);
    assertEquals(6, incomplete(flat(file)).size());
    assertTrue(flat(file).get("sizeReached").isTrue());
    String text = Cli.run("calls", file).out();
    assertTrue(text.contains(", ended at its largest size, "), text);
  }

  @Test
  void aProbeOfARingSaysWhatWasDiscarded() throws IOException {
    byte[] ring = SampleTrace.make(Map.of(RecorderCounter.DISCARDED, 90L));
    Path file = Files.write(folder.resolve("ring.ntr"), ring);
    Cli.Result probe = Cli.run("probe", "fbt:::entry { @ = count(); }", file, "--strict");
    assertTrue(probe.err().contains("90 older records discarded; "), probe.err());
    assertEquals(3, probe.exit());
    JsonReader json =
        Cli.run("probe", "fbt:::entry { @ = count(); }", file, "--format", "json").json();
    assertEquals("90 older records discarded", json.get("drops").array().getFirst().text());
  }

  @Test
  void totalsAreThoseOfTheRoutinesThatAreFound() {
    JsonReader found =
        Cli.run("calls", ntr, "--flat", "--find", "*!Tx*", "--format", "json").json();
    long entries =
        found.get("functions").array().stream().mapToLong(row -> row.get("entries").number()).sum();
    assertEquals(1, found.get("functions").array().size());
    assertEquals(entries, found.get("entries").number());
    String text = Cli.run("calls", ntr, "--flat", "--find", "*!Tx*").out();
    assertTrue(text.contains(" of 1 routine, "), text);
    CallBalance.check(found);
  }

  private static Set<String> incomplete(JsonReader flat) {
    return flat.get("functions").array().stream()
        .filter(row -> row.get("incomplete").isTrue())
        .map(row -> row.get("function").text())
        .collect(Collectors.toSet());
  }
}
