package io.ntrail.analysis.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Gaps;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.jtrc.JtrcFile;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The recording of ntfs.sys has the calls that were computed from it by something else. */
class NtfsCallsTest {
  private final Map<String, List<String[]>> expected = new LinkedHashMap<>();
  private @Nullable CallRecording opened;

  @BeforeEach
  void open() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    String section = "";
    for (String line : Files.readAllLines(TestData.file("ntrace/ntfs.expected.tsv"))) {
      if (line.startsWith("#section")) {
        section = line.substring("#section\t".length());
      } else {
        expected.computeIfAbsent(section, _ -> new ArrayList<>()).add(line.split("\t", -1));
      }
    }
    opened = recording(TestData.file("ntrace/ntfs.jtrc"));
  }

  private static CallRecording recording(Path path) throws IOException {
    Gaps gaps = new Gaps();
    return new CallRecording(
        new JtrcCalls(JtrcFile.open(InputFile.map(path, "t.jtrc"), gaps), gaps));
  }

  @AfterEach
  void close() {
    if (opened != null) {
      opened.close();
    }
  }

  private CallRecording recording() {
    return Objects.requireNonNull(opened);
  }

  private List<String[]> rows(String section) {
    return Objects.requireNonNull(expected.get(section));
  }

  private List<Integer> threads() {
    return IntStream.range(0, recording().source().threads().size()).boxed().toList();
  }

  private static long number(String text) {
    return text.startsWith("0x") ? Long.parseLong(text.substring(2), 16) : Long.parseLong(text);
  }

  @Test
  void everyClientHasItsCalls() {
    List<String[]> rows = rows("clients");
    assertEquals(18, rows.size() - 1);
    assertEquals(18, threads().size());
    for (String[] row : rows.subList(1, rows.size())) {
      int thread =
          threads().stream()
              .filter(i -> recording().source().threads().get(i).pid() == number(row[0]))
              .filter(i -> recording().source().threads().get(i).tid() == number(row[1]))
              .findFirst()
              .orElseThrow();
      CallCounts counts = recording().counts(thread);
      assertEquals(number(row[3]), recording().source().threads().get(thread).records());
      assertEquals(number(row[4]), counts.entries());
      assertEquals(number(row[5]), counts.exits() + counts.lostEntries());
      assertEquals(number(row[6]), counts.unwinds());
      assertEquals(number(row[7]), counts.roots());
      assertEquals(number(row[8]), counts.deepest());
      assertEquals(number(row[9]), recording().source().threads().get(thread).firstTime());
      assertEquals(number(row[11]), counts.lostEntries());
      assertEquals(number(row[12]), counts.open());
      assertEquals(0, counts.lostExits());
      long last = 0;
      for (CallWalk walk = recording().walk(thread); walk.next(); ) {
        last = Math.max(last, walk.exit().orElseThrow());
      }
      assertEquals(number(row[10]), last);
    }
  }

  @Test
  void exactlyOneRepairIsMade() {
    CallCounts counts = recording().counts(threads());
    assertEquals(1, counts.repaired());
    assertEquals(1, counts.lostEntries());
    CallWalk walk = recording().walk(0);
    assertTrue(walk.next());
    assertTrue(walk.lostEntry());
    assertEquals(0, walk.duration());
    assertEquals(CallEnd.RETURN, walk.end());
  }

  @Test
  void sumsByRoutineAreThoseExpected() {
    FlatCallProfile flat = flat(recording());
    Map<String, Long> totals = new HashMap<>();
    rows("totals").forEach(row -> totals.put(row[0], number(row[1])));
    assertEquals(
        Map.of(
            "clients", 18L, "transitions", 63_117L, "calls", 31_558L, "distinct_procedures", 188L),
        totals);
    assertEquals(31_558, flat.counts().entries());
    assertEquals(188, flat.functions().size());
    assertEquals(31_558, flat.counts().exits());
    assertEquals(1, flat.counts().lostEntries());
    assertEquals(31_559, flat.functions().stream().mapToLong(FunctionTimes::calls).sum());
    List<FunctionTimes> most = flat.functions();
    most.sort(
        Comparator.comparingLong(FunctionTimes::calls)
            .reversed()
            .thenComparingLong(FunctionTimes::function));
    List<String[]> rows = rows("top20_procedures_by_calls");
    assertEquals(21, rows.size());
    for (int i = 1; i < rows.size(); i++) {
      FunctionTimes times = most.get(i - 1);
      assertEquals(number(rows.get(i)[0]), times.function());
      assertEquals(number(rows.get(i)[1]), recording().source().function(times.function()).rva());
      assertEquals(number(rows.get(i)[2]), times.calls());
      assertEquals(number(rows.get(i)[3]), times.total());
      assertTrue(times.percentile(99) <= times.max() && times.self() <= times.total());
    }
  }

  private FlatCallProfile flat(CallRecording from) {
    return FlatCallProfile.of(from, threads(), Long.MIN_VALUE, Long.MAX_VALUE, 2);
  }

  @Test
  void twoWholeTreesAreThoseExpected() {
    int trees = 0;
    for (Map.Entry<String, List<String[]>> section : expected.entrySet()) {
      if (!section.getKey().startsWith("call_tree")) {
        continue;
      }
      trees++;
      String[] names = section.getKey().split("\t", -1);
      long pid = number(names[1].substring(4));
      long tid = number(names[2].substring(4));
      int thread =
          threads().stream()
              .filter(i -> recording().source().threads().get(i).pid() == pid)
              .filter(i -> recording().source().threads().get(i).tid() == tid)
              .findFirst()
              .orElseThrow();
      try (CallWalk walk = recording().walk(thread)) {
        for (String[] row : section.getValue().subList(1, section.getValue().size())) {
          assertTrue(walk.next());
          List<Long> told =
              List.of(
                  (long) walk.depth(),
                  walk.function(),
                  recording().source().function(walk.function()).rva(),
                  walk.entry(),
                  walk.exit().orElseThrow(),
                  walk.duration(),
                  walk.caller(),
                  walk.value(),
                  walk.children());
          List<Long> wanted = new ArrayList<>();
          for (String cell : row) {
            wanted.add(number(cell));
          }
          assertEquals(wanted, told);
          assertFalse(walk.repaired());
        }
        assertFalse(walk.next());
      }
    }
    assertEquals(2, trees);
  }

  @Test
  void namesAreThoseOfTheModuleAndTheAddressInIt() {
    CallNames names = new CallNames(recording().source(), CallImageSymbols.NONE);
    assertEquals("Ntfs.sys!0x60f9", names.text(0xF9A720F9L));
    assertEquals("(unknown)!0x1000", names.text(0x1000));
    assertEquals("ticks", recording().source().clock().unit());
    assertFalse(recording().source().clock().shared());
  }
}
