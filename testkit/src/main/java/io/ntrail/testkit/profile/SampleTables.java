package io.ntrail.testkit.profile;

import static io.ntrail.testkit.profile.WorkedExamples.app;
import static io.ntrail.testkit.profile.WorkedExamples.kernel;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.KernelPayloads;
import io.ntrail.testkit.etl.ProfilePayloads;

/** Samples of the timer and of counters, page faults. */
final class SampleTables {
  private static final int P = 8;
  private static final ProfileQuery CPU = ProfileQuery.of("cpu");
  private static final ProfileQuery PMC = ProfileQuery.of("pmc");
  private static final ProfileQuery FAULT = ProfileQuery.of("fault");

  private SampleTables() {}

  static void add(WorkedExamples to) {
    counts(to);
    intervals(to);
    batches(to);
    counters(to);
    faults(to);
    hardFaults(to);
  }

  private static void counts(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).sample(app(0x100), 101).stack(100, 101, app(0x100), app(0x500));
    a.at(20).on(1).sample(kernel(0x100), 101, 3, 0).stack(100, 101, kernel(0x200), app(0x500));
    a.at(30).on(0).sample(kernel(0x300), 0);
    a.at(40).sample(kernel(0x300), 0, 1, 1);
    a.at(50).sample(kernel(0x300), 0, 2, 2);
    a.at(60).perf(0x0F2E, 1, ProfilePayloads.sampleV1(P, kernel(0x300), 0, 1));
    a.at(70).perf(0x0F2E, 1, ProfilePayloads.sampleV1(P, app(0x100), 102, 0));
    a.at(80).sample(kernel(0x300), 0, 5, 8);
    // Counted: 1 + 3 + 1 (DPC) + 2 (interrupt) + 1 (0 counts as 1) = 8.
    // Idle: 1 (no flag) + 1 (v1 has none) + 5 (flag 8 is a priority) = 7.
    // The first stack begins with the sample's address, the second does not: that goes before it.
    to.add(
        "counts and idle",
        a,
        CPU,
        new ProfileTable(8, 7)
            .row("app.exe+0x100", 2, 2)
            .row("app.exe+0x500", 0, 4)
            .row("ntoskrnl.exe+0x100", 3, 3)
            .row("ntoskrnl.exe+0x200", 0, 3)
            .row("ntoskrnl.exe+0x300", 3, 3)
            .counter("unmatched", 0));
    to.add(
        "counts and idle",
        a,
        CPU.by("module"),
        new ProfileTable(8, 7).row("app.exe", 2, 5).row("ntoskrnl.exe", 6, 6));
    to.add(
        "counts and idle",
        a,
        CPU.by("process"),
        new ProfileTable(8, 7).row("app.exe:100", 5, 5).row("Idle:0", 3, 3));
    to.add(
        "counts and idle",
        a,
        CPU.by("thread"),
        new ProfileTable(8, 7).row("100/101", 4, 4).row("100/102", 1, 1).row("0/0", 3, 3));
    to.add(
        "counts and idle", a, CPU.by("cpu"), new ProfileTable(8, 7).row("0", 5, 5).row("1", 3, 3));
    // At 30 an idle one, at 40 one, at 50 two: the end is not in the range.
    to.add(
        "counts and idle",
        a,
        CPU.by("process").time(30_000L, 50_000L),
        new ProfileTable(1, 1).row("Idle:0", 1, 1));
    to.add(
        "counts and idle",
        a,
        CPU.by("module").process(100),
        new ProfileTable(5, 0).row("app.exe", 2, 5).row("ntoskrnl.exe", 3, 3));
    // The interval is not recorded: 1 ms.
    to.add(
        "counts and idle",
        a,
        CPU.unit("ns").by("process"),
        new ProfileTable(8_000_000, 7_000_000)
            .row("app.exe:100", 5_000_000, 5_000_000)
            .row("Idle:0", 3_000_000, 3_000_000));
  }

  private static void intervals(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).sample(app(0x100), 101);
    a.at(10).interval(0x0F49, 0, 1000);
    a.at(15).sample(app(0x200), 101);
    a.at(20).interval(0x0F48, 0, 500);
    a.at(21).interval(0x0F48, 2, 77);
    a.at(25).sample(app(0x300), 101, 2, 0);
    a.at(30).interval(0x0F4A, 0, 2000);
    a.at(35).sample(app(0x400), 101);
    // In units of 100 ns: 1000 (the first one recorded after it), 1000, 2 x 500, 2000: 5000.
    to.add(
        "intervals that change",
        a,
        CPU.unit("ns"),
        ProfileTable.total(500_000)
            .row("app.exe+0x100", 100_000, 100_000)
            .row("app.exe+0x200", 100_000, 100_000)
            .row("app.exe+0x300", 100_000, 100_000)
            .row("app.exe+0x400", 200_000, 200_000));
    to.add(
        "intervals that change",
        a,
        CPU.by("process"),
        ProfileTable.total(5).row("app.exe:100", 5, 5));
  }

  private static void batches(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    LittleEndian batch =
        ProfilePayloads.batch(
            P,
            ProfilePayloads.sample(P, app(0x100), 101, 1, 0),
            ProfilePayloads.sample(P, kernel(0x300), 0, 2, 0),
            ProfilePayloads.sample(P, kernel(0x400), 201, 4, 0));
    a.at(10).on(1).perf(0x0F37, 2, batch);
    a.at(20).on(0).sample(app(0x100), 101);
    // 1 + 4 from the batch and one more; 2 of the batch are idle.
    to.add(
        "batched samples",
        a,
        CPU,
        new ProfileTable(6, 2).row("app.exe+0x100", 2, 2).row("ntoskrnl.exe+0x400", 4, 4));
    to.add(
        "batched samples",
        a,
        CPU.by("process"),
        new ProfileTable(6, 2).row("app.exe:100", 2, 2).row("svc.exe:200", 4, 4));
    to.add(
        "batched samples", a, CPU.by("cpu"), new ProfileTable(6, 2).row("0", 1, 1).row("1", 5, 5));
  }

  private static void counters(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).interval(0x0F49, 2, 65_536);
    a.at(10).pmc(app(0x100), 101, 2).stack(100, 101, app(0x100), app(0x500));
    a.at(15).pmc(app(0x100), 101, 10);
    a.at(20).pmc(app(0x200), 102, 2).stack(100, 102, app(0x500));
    a.at(25).interval(0x0F48, 2, 1000);
    a.at(30).pmc(app(0x100), 101, 2);
    a.at(35).pmc(app(0x300), 201, 10);
    a.at(40).pmc(kernel(0x100), 0, 2);
    // Source 2 has four records, source 10 two. Source 2: 65,536 + 65,536 + 1,000 = 132,072, and
    // 1,000 idle.
    to.add(
        "counters",
        a,
        PMC,
        new ProfileTable(132_072, 1_000)
            .row("app.exe+0x100", 66_536, 66_536)
            .row("app.exe+0x200", 65_536, 65_536)
            .row("app.exe+0x500", 0, 131_072));
    to.add(
        "counters",
        a,
        PMC.unit("count").by("thread"),
        new ProfileTable(3, 1).row("100/101", 2, 2).row("100/102", 1, 1));
    // The interval of source 10 is not recorded: each record is 1.
    to.add(
        "counters",
        a,
        PMC.source("10"),
        ProfileTable.total(2).row("app.exe+0x100", 1, 1).row("svc.exe+0x300", 1, 1));
    countersOfClass(to);
  }

  /** Counters in class events: 2 x 300. */
  private static void countersOfClass(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101);
    a.classRecord(0x0F49, 3, KernelPayloads.interval(2, 300, "source 2"));
    a.classRecord(0x0F2F, 2, ProfilePayloads.pmc(P, app(0x100), 101, 2));
    a.at(20).classRecord(0x0F2F, 2, ProfilePayloads.pmc(P, app(0x100), 101, 2));
    to.add(
        "counters in class records",
        a,
        PMC,
        ProfileTable.total(600).row("app.exe+0x100", 600, 600));
  }

  private static RecordingBuilder fault(
      RecordingBuilder a, int hook, int pid, int tid, long counter) {
    return a.as(pid, tid).hook(hook, 2, ProfilePayloads.fault(P, 0x7000, counter));
  }

  private static void faults(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    fault(a.at(10), 0x020A, 100, 101, app(0x100)).stack(100, 101, app(0x100), app(0x500));
    fault(a.at(20), 0x020B, 100, 101, app(0x100)).stack(100, 101, kernel(0x100), app(0x500));
    fault(a.at(30), 0x020C, 200, 201, app(0x200));
    fault(a.at(40), 0x020D, 100, 102, app(0x200));
    fault(a.at(50), 0x020E, 100, 102, app(0x300));
    fault(a.at(60), 0x020F, 100, 102, kernel(0x300));
    // A record without a thread is of the thread that the last switch put on its CPU.
    a.at(65).on(1).swap(0, 2, 202);
    a.at(70).as(-1, -1).hook(0x020A, 2, ProfilePayloads.fault(P, 0x7000, app(0x200)));
    a.at(80).on(0).as(200, 201).hook(0x0220, 2, ProfilePayloads.hardFault(P, 0, 103, 65_536));
    a.stack(100, 103, kernel(0x400));
    // Seven faults; the HardFault repeats a HardPageFault and has only bytes.
    to.add(
        "page faults",
        a,
        FAULT,
        ProfileTable.total(7)
            .row("app.exe+0x100", 2, 2)
            .row("app.exe+0x200", 1, 1)
            .row("app.exe+0x300", 1, 1)
            .row("app.exe+0x500", 0, 2)
            .row("svc.exe+0x200", 2, 2)
            .row("ntoskrnl.exe+0x100", 0, 1)
            .row("ntoskrnl.exe+0x300", 1, 1)
            .counter("unmatched", 0));
    to.add(
        "page faults",
        a,
        FAULT.by("thread"),
        ProfileTable.total(7)
            .row("100/101", 2, 2)
            .row("100/102", 3, 3)
            .row("200/201", 1, 1)
            .row("200/202", 1, 1));
    to.add(
        "page faults",
        a,
        FAULT.unit("bytes"),
        ProfileTable.total(65_536).row("ntoskrnl.exe+0x400", 65_536, 65_536));
    to.add(
        "page faults",
        a,
        FAULT.unit("bytes").by("thread"),
        ProfileTable.total(65_536).row("100/103", 65_536, 65_536));
  }

  private static void hardFaults(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    fault(a.at(10), 0x020A, 100, 101, app(0x100));
    a.at(20).as(100, 102).hook(0x0220, 2, ProfilePayloads.hardFault(P, 0, 102, 4096));
    a.stack(100, 102, kernel(0x100), app(0x200));
    a.at(30).as(200, 201).hook(0x0220, 2, ProfilePayloads.hardFault(P, 0, 201, 8192));
    // Without HardPageFault each HardFault counts; the second has no stack.
    to.add(
        "hard faults alone",
        a,
        FAULT,
        ProfileTable.total(3)
            .row("app.exe+0x100", 1, 1)
            .row("ntoskrnl.exe+0x100", 1, 1)
            .row("app.exe+0x200", 0, 1));
    to.add(
        "hard faults alone",
        a,
        FAULT.unit("bytes").by("process"),
        ProfileTable.total(12_288).row("app.exe:100", 4096, 4096).row("svc.exe:200", 8192, 8192));
  }
}
