package io.ntrail.cli.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Remarks on events that a filter left out without knowing whether they are meant. */
class UndecidedEventsTest {
  private static final Path BUSY = TestData.projectRoot().resolve("samples/busy.etl");
  private static final Path SHOP = TestData.projectRoot().resolve("samples/shop.etl");
  private static final String NOT_ASKED =
      "4,160 of 22,526 records have no schema and could not be asked (try: --manifest FILE)\n";
  private static final String UNATTRIBUTED = " of unknown processes may belong to search.exe\n";
  private static final int THREAD_RUNDOWN = 0x503;
  private static final int PROCESS_RUNDOWN = 0x303;
  private static final int NO_EVENT = 0xFE;

  @TempDir private static Path folder;

  /** Returns the sample without some of the records of a type. */
  private static Path without(int hook, int every) throws IOException {
    Path file = folder.resolve(hook + "-" + every + ".etl");
    if (!Files.exists(file)) {
      Files.write(file, Damage.hookId(Files.readAllBytes(BUSY), every, hook, NO_EVENT));
    }
    return file;
  }

  private static JsonReader remarks(String schema, Object... words) throws IOException {
    JsonReader answer = Cli.run(words).json();
    assertEquals(List.of(), JsonSchema.named(schema).findings(answer));
    return answer.get("remarks");
  }

  @Test
  void aConditionSaysWhichEventsHaveNoKnownFields() throws IOException {
    String[] asked = {"--where", "TransferSize > 0"};
    Cli.Result count = Cli.run("events", BUSY, "--count", asked[0], asked[1]);
    assertTrue(count.out().endsWith(NOT_ASKED), count::out);
    assertEquals("", count.err());
    Cli.Result list = Cli.run("events", BUSY, "-n", "1", asked[0], asked[1]);
    assertTrue(list.out().endsWith(NOT_ASKED), list::out);
    for (String format : List.of("csv", "jsonl")) {
      Cli.Result rows = Cli.run("events", BUSY, "--format", format, asked[0], asked[1]);
      assertEquals("warning: " + NOT_ASKED, rows.err());
    }
    assertEquals(
        4160,
        remarks("events", "events", BUSY, "--format", "json", asked[0], asked[1])
            .get("notAsked")
            .number());
    assertEquals(
        4160,
        remarks(
                "event-groups",
                "events",
                BUSY,
                "--count",
                "--by",
                "cpu",
                "--format",
                "json",
                asked[0],
                asked[1])
            .get("notAsked")
            .number());
  }

  @ParameterizedTest
  @ValueSource(strings = {"pid == 4", "event == Thread/CSwitch and TransferSize > 0"})
  void nothingIsSaidWhereEveryEventAnswers(String condition) {
    Cli.Result result = Cli.run("events", BUSY, "--count", "-e", "DiskIo/*", "--where", condition);
    assertFalse(result.out().contains("could not be asked"), result::out);
  }

  @Test
  void aFieldOfNoDescribedEventMayBeInTheOthers() {
    String lacking = "warning: no event with a schema has a field RequestObj\n";
    assertEquals(lacking, Cli.run("events", BUSY, "--count", "--where", "RequestObj > 0").err());
    assertEquals(lacking, Cli.run("events", BUSY, "--count", "--by", "RequestObj").err());
    assertEquals(
        "warning: " + NOT_ASKED + lacking,
        Cli.run("events", BUSY, "--count", "--sum", "RequestObj", "--format", "csv").err());
    assertEquals(
        "warning: no event has a field RequestObj\n",
        Cli.run("events", SHOP, "--count", "--where", "RequestObj > 0").err());
  }

  @Test
  void eventsOfUnknownProcessesMayBelongToTheOneAskedFor() throws IOException {
    Path half = without(THREAD_RUNDOWN, 2);
    Object[] asked = {"events", half, "-e", "Thread/CSwitch", "-p", "search.exe"};
    Cli.Result list = Cli.run(asked);
    assertTrue(list.out().endsWith(" events" + UNATTRIBUTED), list::out);
    long known =
        Cli.run("events", BUSY, "-e", "Thread/CSwitch", "--format", "jsonl").lines().size();
    long unattributed =
        remarks(
                "event-counts",
                "events",
                half,
                "--count",
                "-e",
                "Thread/CSwitch",
                "-p",
                "search.exe",
                "--format",
                "json")
            .get("unattributed")
            .number();
    assertTrue(unattributed > 0 && unattributed < known, () -> "" + unattributed);
    Cli.Result none = Cli.run("events", half, "-e", "Thread/CSwitch", "-p", "nosuch");
    assertTrue(
        none.err()
            .startsWith(
                "warning: none of the selected events is known to belong to a process nosuch\n"),
        none::err);
  }

  @Test
  void aPredicateOfAProbeMayMeanEventsOfUnknownProcesses() throws IOException {
    Path half = without(THREAD_RUNDOWN, 2);
    String program = "kernel::PerfInfo:SampleProf /execname == \"search.exe\"/ { @ = count(); }";
    Cli.Result text = Cli.run("probe", program, half);
    JsonReader json = Cli.run("probe", program, half, "--format", "json").json();
    assertEquals(List.of(), JsonSchema.named("probe").strictFindings(json));
    long unattributed = undecided(program, half);
    assertEquals(unattributed, json.get("unattributed").number());
    assertTrue(unattributed > 1000, () -> "" + unattributed);
    assertTrue(
        text.err()
            .contains(
                "warning: %,d firings by unknown processes or on unknown files may be meant by a condition\n"
                    .formatted(unattributed)),
        text::err);
    String shown = "kernel::PerfInfo:SampleProf { @[execname] = count(); }";
    assertEquals(
        0,
        Cli.run("probe", shown, half, "--format", "json").json().get("unattributed").number(),
        "what is shown as unknown is no secret");
    String others =
        "kernel::: /execname == \"search.exe\"/ { @ = count(); } tick-1s /pid == 4/ { @ = count(); }";
    assertEquals(
        0, Cli.run("probe", others, BUSY, "--format", "json").json().get("unattributed").number());
  }

  private static long undecided(String program, Path file) throws IOException {
    return Cli.run("probe", program, file, "--format", "json").json().get("unattributed").number();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ if (execname == \"search.exe\") { @ = count(); } }",
        "{ if (execname == \"search.exe\") { @ = count(); } else { @b = count(); } }",
        "{ @[execname == \"search.exe\" ? 1 : 0] = count(); }",
        "/execname == \"search.exe\" ? 1 : 0/ { @ = count(); }",
        "/1/ { if (cpu >= 0) { if (execname == \"search.exe\") { @ = count(); } } }"
      })
  void anyConditionOfAProbeMayMeanEventsOfUnknownProcesses(String clause) throws IOException {
    Path half = without(THREAD_RUNDOWN, 2);
    String probe = "kernel::PerfInfo:SampleProf ";
    long predicate = undecided(probe + "/execname == \"search.exe\"/ { @ = count(); }", half);
    assertTrue(predicate > 1000, () -> "" + predicate);
    assertEquals(predicate, undecided(probe + clause, half));
    assertEquals(0, undecided(probe + clause, BUSY));
  }

  @Test
  void aConditionMayMeanProcessesOfArgumentsAndFilesThatAreNotKnown() throws IOException {
    Path half = without(THREAD_RUNDOWN, 2);
    String next = "sched:::off-cpu /args[1]->pr_fname == \"search.exe\"/ { @ = count(); }";
    long switches = undecided(next, half);
    assertTrue(switches > 100, () -> "" + switches);
    assertEquals(
        switches, undecided("sched:::off-cpu /args[1]->pr_ppid == 4/ { @ = count(); }", half));
    assertEquals(0, undecided(next, BUSY));
    // None of its files has a name.
    assertEquals(
        220, undecided("io:::done /args[2]->fi_name == \"a.txt\"/ { @ = count(); }", BUSY));
  }

  @Test
  void stacksAtATimeOfUnknownProcessesMayBelongToTheOneAskedFor() throws IOException {
    Path half = without(THREAD_RUNDOWN, 2);
    Object[] asked = {"stacks", half, "--at", "0.04", "-p", "search.exe", "-q"};
    Object[] json = {"stacks", half, "--at", "0.04", "-p", "search.exe", "--format", "json"};
    Object[] rows = {"stacks", half, "--at", "0.04", "-p", "search.exe", "--format", "csv"};
    long unattributed = remarks("stacks", json).get("unattributed").number();
    assertTrue(unattributed > 100, () -> "" + unattributed);
    String remark = "%,d events".formatted(unattributed) + UNATTRIBUTED;
    assertTrue(Cli.run(asked).out().contains("\n" + remark));
    assertEquals("warning: " + remark, Cli.run(rows).err());
    Cli.Result none =
        Cli.run("stacks", without(PROCESS_RUNDOWN, 1), "--at", "0.04", "-p", "search.exe");
    assertEquals(1, none.exit());
    assertTrue(none.err().contains(UNATTRIBUTED), none::err);
    asked[1] = BUSY;
    assertFalse(Cli.run(asked).out().contains("may belong"));
  }

  @Test
  void samplesOfUnknownProcessesMayBelongToTheOneAskedFor() throws IOException {
    Path half = without(THREAD_RUNDOWN, 2);
    Cli.Result text = Cli.run("profile", half, "-p", "search.exe", "-n", "1");
    long unattributed =
        remarks("profile", "profile", half, "-p", "search.exe", "--format", "json")
            .get("unattributed")
            .number();
    assertTrue(unattributed > 1000, () -> "" + unattributed);
    assertTrue(
        text.out().endsWith("%,d samples".formatted(unattributed) + UNATTRIBUTED), text::out);
    assertEquals(
        unattributed,
        remarks("profile", "profile", half, "-p", "nosuch", "--format", "json")
            .get("unattributed")
            .number());
    Cli.Result none = Cli.run("profile", without(PROCESS_RUNDOWN, 1), "-p", "search.exe");
    assertTrue(none.out().endsWith(UNATTRIBUTED), none::out);
    assertTrue(
        none.err().contains("none of the CPU samples is known to belong to a process search.exe"),
        none::err);
  }

  @Test
  void theTimeAndTheThreadLimitWhatMayBelongToAProcess() throws IOException {
    Path half = without(THREAD_RUNDOWN, 2);
    Object[] asked = {"profile", half, "-p", "search.exe", "--format", "json"};
    long all = remarks("profile", asked).get("unattributed").number();
    long early =
        remarks(
                "profile",
                "profile",
                half,
                "-p",
                "search.exe",
                "--time",
                "0..0.02",
                "--format",
                "json")
            .get("unattributed")
            .number();
    assertTrue(early > 0 && early < all, () -> early + " of " + all);
    assertEquals(
        0,
        remarks("profile", "profile", half, "-p", "search.exe", "-t", "1", "--format", "json")
            .get("unattributed")
            .number());
  }

  @Test
  void aProcessByItsIdIsKnownWithoutItsName() throws IOException {
    Path file = without(PROCESS_RUNDOWN, 1);
    Cli.Result result = Cli.run("events", file, "--count", "-p", "468");
    assertFalse(result.out().contains("unknown processes"), result::out);
  }

  @Test
  void cuttingWarnsOfWhatMayBeMissing() throws IOException {
    Cli.Result cut =
        Cli.run(
            "cut", without(THREAD_RUNDOWN, 2), "-p", "search.exe", "-o", folder.resolve("c.etl"));
    assertTrue(cut.err().endsWith(UNATTRIBUTED), cut::err);
    assertTrue(cut.err().startsWith("warning: "), cut::err);
  }

  @Test
  void nothingIsSaidOfRecordingsWithAllProcesses() {
    for (Path file : List.of(BUSY, SHOP)) {
      for (String process : List.of("search.exe", "shopd.exe", "System")) {
        Cli.Result events = Cli.run("events", file, "--count", "-p", process);
        Cli.Result profile = Cli.run("profile", file, "-p", process);
        assertFalse((events.out() + profile.out()).contains("unknown processes"), events::out);
      }
    }
  }
}
