package io.ntrail.testkit.profile;

import static io.ntrail.testkit.profile.RecordingBuilder.READY;
import static io.ntrail.testkit.profile.RecordingBuilder.TERMINATED;
import static io.ntrail.testkit.profile.RecordingBuilder.WAITING;
import static io.ntrail.testkit.profile.WorkedExamples.app;
import static io.ntrail.testkit.profile.WorkedExamples.kernel;

import io.ntrail.testkit.etl.EtlSettings;

/** Waits and ready times; all times in the comments are microseconds. */
final class WaitTables {
  private static final ProfileQuery WAIT = ProfileQuery.of("wait");
  private static final ProfileQuery READIED = ProfileQuery.of("ready");
  private static final int RUNNING = 2;

  private WaitTables() {}

  static void add(WorkedExamples to) {
    nested(to);
    readyChain(to);
    preemption(to);
    deaths(to);
    migration(to);
    lost(to);
    borders(to);
    states(to);
    ownStacks(to);
    roundedOnce(to);
  }

  private static void nested(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).swap(0, RUNNING, 101);
    a.at(20).swap(101, WAITING, 102);
    a.at(30).swap(102, WAITING, 103);
    a.at(40).swap(103, WAITING, 0);
    a.at(50).swap(0, RUNNING, 103).stack(100, 103, kernel(0x100), app(0x3000));
    a.at(55).swap(103, WAITING, 102).stack(100, 102, kernel(0x100), app(0x2000));
    a.at(70).swap(102, WAITING, 101).stack(100, 101, kernel(0x100), app(0x1000));
    // 103 waits from 40 to 50, 102 from 30 to 55, 101 from 20 to 70: 10 + 25 + 50 = 85.
    // 103 left again at 55 and 102 at 70: two that nothing ends.
    to.add(
        "nested waits",
        a,
        WAIT,
        ProfileTable.total(85_000)
            .row("ntoskrnl.exe+0x100", 85_000, 85_000)
            .row("app.exe+0x1000", 0, 50_000)
            .row("app.exe+0x2000", 0, 25_000)
            .row("app.exe+0x3000", 0, 10_000)
            .counter("unfinished", 2)
            .counter("broken", 0)
            .counter("breaks", 0)
            .counter("unmatched", 0));
    to.add(
        "nested waits",
        a,
        WAIT.by("module"),
        ProfileTable.total(85_000).row("ntoskrnl.exe", 85_000, 85_000).row("app.exe", 0, 85_000));
    to.add(
        "nested waits",
        a,
        WAIT.by("thread"),
        ProfileTable.total(85_000)
            .row("100/101", 50_000, 50_000)
            .row("100/102", 25_000, 25_000)
            .row("100/103", 10_000, 10_000));
    // No thread was ever readied.
    to.add("nested waits", a, READIED, ProfileTable.total(0));
  }

  private static void readyChain(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).on(0).swap(101, WAITING, 0);
    a.at(12).on(1).swap(102, WAITING, 0);
    a.at(13).on(2).swap(201, WAITING, 0);
    // An interrupt on idle CPU 1 readies 101.
    a.at(20).on(1).ready(101).stack(0, 0, kernel(0x500));
    a.at(25).on(0).swap(0, RUNNING, 101);
    // 101 readies 102, twice: the first counts.
    a.at(30).on(0).ready(102).stack(100, 101, kernel(0x600), app(0x1100));
    a.at(31).on(0).ready(102).stack(100, 101, kernel(0x700));
    a.at(40).on(1).swap(0, RUNNING, 102);
    // 102 of app.exe readies 201 of svc.exe.
    a.at(42).on(1).ready(201).stack(100, 102, kernel(0x600), app(0x1200));
    a.at(50).on(2).swap(0, RUNNING, 201);
    // Ready: 101 from 20 to 25, 102 from 30 to 40, 201 from 42 to 50: 5 + 10 + 8 = 23.
    // The stacks are those of the readying threads, so their addresses are in app.exe.
    to.add(
        "ready chain",
        a,
        READIED,
        ProfileTable.total(23_000)
            .row("ntoskrnl.exe+0x500", 5_000, 5_000)
            .row("ntoskrnl.exe+0x600", 18_000, 18_000)
            .row("app.exe+0x1100", 0, 10_000)
            .row("app.exe+0x1200", 0, 8_000)
            .counter("unmatched", 0));
    to.add(
        "ready chain",
        a,
        READIED.by("process"),
        ProfileTable.total(23_000)
            .row("app.exe:100", 15_000, 15_000)
            .row("svc.exe:200", 8_000, 8_000));
    to.add(
        "ready chain",
        a,
        READIED.by("cpu"),
        ProfileTable.total(23_000)
            .row("0", 5_000, 5_000)
            .row("1", 10_000, 10_000)
            .row("2", 8_000, 8_000));
    // The waits contain these: 10 to 25, 12 to 40, 13 to 50: 15 + 28 + 37 = 80.
    to.add(
        "ready chain",
        a,
        WAIT.by("thread"),
        ProfileTable.total(80_000)
            .row("100/101", 15_000, 15_000)
            .row("100/102", 28_000, 28_000)
            .row("200/201", 37_000, 37_000));
    to.add(
        "ready chain",
        a,
        WAIT.by("process").process(200),
        ProfileTable.total(37_000).row("svc.exe:200", 37_000, 37_000));
  }

  private static void preemption(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).swap(0, RUNNING, 101);
    a.at(20).swap(101, READY, 102).stack(100, 101, kernel(0x800), app(0x1000));
    a.at(50).swap(102, WAITING, 101).stack(100, 101, kernel(0xA00));
    a.at(60).swap(101, 7, 103);
    a.at(65).swap(103, 3, 101).stack(100, 101, kernel(0x900));
    // 101 could run from 20 to 50 (stack of its leaving) and from 60 to 65 (stack of its return).
    to.add(
        "preemption",
        a,
        READIED,
        ProfileTable.total(35_000)
            .row("ntoskrnl.exe+0x800", 30_000, 30_000)
            .row("app.exe+0x1000", 0, 30_000)
            .row("ntoskrnl.exe+0x900", 5_000, 5_000));
    // Only 102 waits, from 50 on, and does not come back; 103 is merely preempted.
    to.add("preemption", a, WAIT, ProfileTable.total(0).counter("unfinished", 1));
  }

  private static void deaths(WorkedExamples to) {
    RecordingBuilder dies = new RecordingBuilder().world();
    dies.at(10).swap(101, WAITING, 102);
    dies.at(20).as(100, 102).threadEnd(100, 101);
    dies.at(30).swap(102, WAITING, 0);
    dies.at(40).swap(0, RUNNING, 102);
    dies.at(50).swap(102, TERMINATED, 0);
    // 101 waited when it was ended; 102 waited from 30 to 40 and is gone at 50.
    to.add(
        "death while waiting",
        dies,
        WAIT.by("thread"),
        ProfileTable.total(10_000).row("100/102", 10_000, 10_000).counter("unfinished", 1));
    RecordingBuilder reused = new RecordingBuilder().world();
    reused.at(10).swap(101, WAITING, 102);
    reused.at(20).as(100, 102).threadEnd(100, 101);
    reused.at(30).as(200, 201).thread(200, 101);
    reused.at(40).swap(102, WAITING, 101);
    reused.at(50).swap(101, WAITING, 102);
    reused.at(60).swap(102, TERMINATED, 101);
    // 101 of svc.exe has not waited when it comes at 40: that wait was of 101 of app.exe.
    // 102 waits from 40 to 50, the new 101 from 50 to 60.
    to.add(
        "thread id reused",
        reused,
        WAIT.by("thread"),
        ProfileTable.total(20_000)
            .row("100/102", 10_000, 10_000)
            .row("200/101", 10_000, 10_000)
            .counter("unfinished", 1)
            .counter("broken", 0));
    to.add(
        "thread id reused",
        reused,
        WAIT.by("process"),
        ProfileTable.total(20_000)
            .row("app.exe:100", 10_000, 10_000)
            .row("svc.exe:200", 10_000, 10_000));
  }

  private static void migration(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).on(0).swap(101, WAITING, 0);
    a.at(25).on(3).swap(0, RUNNING, 101);
    a.at(30).on(3).swap(101, READY, 0);
    a.at(34).on(2).swap(0, RUNNING, 101);
    // Off CPU 0 at 10, on CPU 3 at 25: 15, of CPU 3. Preempted on 3 at 30, on 2 at 34: 4, of 2.
    to.add("migration", a, WAIT.by("cpu"), ProfileTable.total(15_000).row("3", 15_000, 15_000));
    to.add(
        "migration",
        a,
        READIED.by("cpu"),
        ProfileTable.total(4_000).row("2", 4_000, 4_000).counter("breaks", 0));
  }

  private static void lost(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder(EtlSettings.windows11().lost(0, 2), 8).world();
    a.at(10).swap(101, WAITING, 102);
    // Lost: 102 leaves, 103 comes.
    a.at(30).swap(103, WAITING, 101);
    a.at(40).swap(101, WAITING, 103);
    a.at(50).swap(103, WAITING, 102);
    a.at(60).swap(102, WAITING, 0);
    // Lost: 101 comes.
    a.at(70).swap(101, WAITING, 0);
    a.at(80).swap(0, RUNNING, 101);
    // 101: 10 to 30 = 20; 103: 30 to 40 = 10; 102 at 50: last seen on the CPU at 10, no wait.
    // 101 left at 40 and again at 70: the first is broken, the second lasts to 80 = 10.
    // The chain breaks at 30 (103 instead of 102) and at 70 (101 instead of 0).
    // 103 left at 50, 102 at 60: unfinished.
    to.add(
        "lost switches",
        a,
        WAIT.by("thread"),
        ProfileTable.total(40_000)
            .row("100/101", 30_000, 30_000)
            .row("100/103", 10_000, 10_000)
            .counter("breaks", 2)
            .counter("broken", 1)
            .counter("unfinished", 2));
  }

  private static void borders(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).on(0).swap(0, RUNNING, 101);
    a.at(6).on(1).swap(0, RUNNING, 102);
    a.at(10).on(0).swap(101, WAITING, 0);
    a.at(20).on(1).swap(102, WAITING, 0);
    a.at(30).on(0).swap(0, RUNNING, 101);
    a.at(40).on(1).swap(0, RUNNING, 102);
    // 101 waits from 10 to 30, 102 from 20 to 40; each counts whole when it ends.
    ProfileQuery by = WAIT.by("thread");
    to.add("borders", a, by.time(null, 30_000L), ProfileTable.total(0));
    ProfileTable first = ProfileTable.total(20_000).row("100/101", 20_000, 20_000);
    to.add("borders", a, by.time(null, 30_001L), first);
    to.add("borders", a, by.time(30_000L, 40_000L), first);
    to.add("borders", a, by.time(29_999L, 30_001L), first);
    ProfileTable second = ProfileTable.total(20_000).row("100/102", 20_000, 20_000);
    to.add("borders", a, by.time(30_001L, 40_001L), second);
    to.add("borders", a, by.time(35_000L, null), second);
    ProfileTable both =
        ProfileTable.total(40_000).row("100/101", 20_000, 20_000).row("100/102", 20_000, 20_000);
    to.add("borders", a, by, both);
    to.add("borders", a, by.time(0L, 1_000_000L), both);
  }

  private static void states(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    int[] states = {0, 2, 6, 8, 9};
    for (int i = 0; i < states.length; i++) {
      a.at(10).on(i).swap(101 + i, states[i], 0);
      a.at(20 + i).on(i).swap(0, RUNNING, 101 + i);
    }
    // All are taken as waiting: 10 + 11 + 12 + 13 + 14 = 60.
    to.add(
        "states that wait",
        a,
        WAIT.by("cpu"),
        ProfileTable.total(60_000)
            .row("0", 10_000, 10_000)
            .row("1", 11_000, 11_000)
            .row("2", 12_000, 12_000)
            .row("3", 13_000, 13_000)
            .row("4", 14_000, 14_000));
    to.add("states that wait", a, READIED.by("cpu"), ProfileTable.total(0));
  }

  private static void ownStacks(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).swap(101, WAITING, 102).stack(100, 101, kernel(0x1000));
    a.at(30).swap(102, WAITING, 101);
    a.stack(100, 101, kernel(0x2000)).stack(100, 102, kernel(0x3000));
    a.at(50).swap(101, WAITING, 102).stack(100, 102, kernel(0x4000));
    a.at(60).swap(102, WAITING, 101).stack(100, 102, kernel(0x5000));
    // 101 from 10 to 30: the stack of its leaving, 0x1000, not that of its return, 0x2000.
    // 102 from 30 to 50: the same, 0x3000. 101 from 50 to 60: the only stack there is of 102.
    to.add(
        "a switch is of both its threads",
        a,
        WAIT,
        ProfileTable.total(50_000)
            .row("ntoskrnl.exe+0x1000", 20_000, 20_000)
            .row("ntoskrnl.exe+0x3000", 20_000, 20_000)
            .counter("unmatched", 0));
  }

  private static void roundedOnce(WorkedExamples to) {
    RecordingBuilder a =
        new RecordingBuilder(EtlSettings.windows11().perfFreq(3_000_000), 8).world();
    for (int i = 0; i < 3; i++) {
      a.on(i).atTicks(100).swap(101 + i, WAITING, 0);
      a.atTicks(101).swap(0, RUNNING, 101 + i);
    }
    // A tick is 333 1/3 ns: each of the three waits is 333.
    to.add(
        "each weight is whole nanoseconds",
        a,
        WAIT.by("thread"),
        ProfileTable.total(999)
            .row("100/101", 333, 333)
            .row("100/102", 333, 333)
            .row("100/103", 333, 333));
    to.add(
        "each weight is whole nanoseconds",
        a,
        WAIT.by("process"),
        ProfileTable.total(999).row("app.exe:100", 999, 999));
  }
}
