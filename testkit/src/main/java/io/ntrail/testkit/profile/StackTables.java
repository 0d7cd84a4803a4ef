package io.ntrail.testkit.profile;

import static io.ntrail.testkit.profile.WorkedExamples.app;
import static io.ntrail.testkit.profile.WorkedExamples.kernel;

import io.ntrail.testkit.etl.ProfilePayloads;

/** Stack records: whole, in parts, by keys, and whose they are. */
final class StackTables {
  private static final int P = 8;
  private static final ProfileQuery CPU = ProfileQuery.of("cpu");

  private StackTables() {}

  static void add(WorkedExamples to) {
    parts(to);
    keys(to);
    keyBehindFrames(to);
    keysOfLayouts(to);
    keysOfBothHalves(to);
    neighbours(to);
    switches(to);
    unmatched(to);
    classRecords(to);
  }

  private static void parts(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).sample(kernel(0x100), 101).stack(100, 101, kernel(0x100), kernel(0x200));
    a.at(20).sample(kernel(0x100), 101).stack(100, 101, kernel(0x100));
    // The user part comes when the thread is back in user mode, here on another CPU.
    a.at(30).on(1).stackOf(100, 100, 101, app(0x100), app(0x200));
    a.at(40).sample(app(0x300), 102);
    // One whole stack, one of the kernel's part alone, one sample without a stack.
    to.add(
        "a stack in two parts",
        a,
        CPU,
        ProfileTable.total(3)
            .row("ntoskrnl.exe+0x100", 2, 2)
            .row("ntoskrnl.exe+0x200", 0, 1)
            .row("app.exe+0x100", 0, 1)
            .row("app.exe+0x200", 0, 1)
            .row("app.exe+0x300", 1, 1)
            .counter("unmatched", 0));
  }

  private static void keys(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).sample(kernel(0x100), 101);
    a.at(11).keyOf(0x1825, 100, 100, 101, 0x55);
    a.at(12).keyOf(0x1826, 100, 100, 101, 0x66);
    a.at(20).sample(kernel(0x100), 102);
    a.at(21).keyOf(0x1825, 200, 100, 102, 0x55);
    a.at(40).define(0x1823, 0x55, kernel(0x100), kernel(0x200));
    a.at(41).define(0x1822, 0x66, app(0x300));
    // Both keys are free again and mean something else.
    a.at(50).sample(kernel(0x100), 101);
    a.at(51).keyOf(0x1825, 500, 100, 101, 0x55);
    a.at(55).sample(app(0x100), 102);
    a.at(56).keyOf(0x1826, 550, 100, 102, 0x66);
    a.at(60).define(0x1824, 0x55, kernel(0x100), kernel(0x900));
    a.at(61).define(0x1824, 0x66, app(0x100), app(0x800));
    // No definition follows this one; its kernel part is complete.
    a.at(70).sample(kernel(0x100), 103).stack(100, 103, kernel(0x100), kernel(0x200));
    a.at(71).keyOf(0x1826, 700, 100, 103, 0x66);
    // kernel+0x200: at 10, 20 and 70.
    to.add(
        "stacks by keys",
        a,
        CPU,
        ProfileTable.total(5)
            .row("ntoskrnl.exe+0x100", 4, 4)
            .row("ntoskrnl.exe+0x200", 0, 3)
            .row("ntoskrnl.exe+0x900", 0, 1)
            .row("app.exe+0x100", 1, 1)
            .row("app.exe+0x300", 0, 1)
            .row("app.exe+0x800", 0, 1)
            .counter("unmatched", 0)
            .counter("missing", 1));
  }

  private static void keyBehindFrames(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    // The first frame that any key defines is where the sample was, but its stack is not by a key.
    a.at(5).define(0x1822, 0x55, kernel(0x900), kernel(0x200));
    a.at(10).sample(kernel(0x900), 101).stack(100, 101, kernel(0x100), kernel(0x400));
    a.at(11).keyOf(0x1826, 100, 100, 101, 0x66);
    a.at(20).define(0x1824, 0x66, app(0x300));
    to.add(
        "a key behind frames",
        a,
        CPU,
        ProfileTable.total(1)
            .row("ntoskrnl.exe+0x900", 1, 1)
            .row("ntoskrnl.exe+0x100", 0, 1)
            .row("ntoskrnl.exe+0x400", 0, 1)
            .row("app.exe+0x300", 0, 1));
  }

  private static void keysOfLayouts(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    // One key, two processes in which other images lie there, many times in turn.
    for (int i = 0; i < 50; i++) {
      int thread = i % 2 == 0 ? 101 : 201;
      a.at(10 + i).sample(app(0x300), thread);
      a.keyOf(0x1826, 100 + 10L * i, thread / 100 * 100, thread, 0x66);
    }
    a.at(70).as(100, 101).imageUnload(100, RecordingBuilder.APP, RecordingBuilder.SIZE, "app.exe");
    a.at(71).sample(app(0x300), 101).keyOf(0x1826, 710, 100, 101, 0x66);
    a.at(72).as(100, 101).image(100, RecordingBuilder.APP, RecordingBuilder.SIZE, "plugin.exe");
    a.at(73).sample(app(0x300), 101).keyOf(0x1826, 730, 100, 101, 0x66);
    a.at(80).define(0x1824, 0x66, app(0x300), app(0x800));
    to.add(
        "a key where other images lie",
        a,
        CPU,
        ProfileTable.total(52)
            .row("app.exe+0x300", 25, 25)
            .row("app.exe+0x800", 0, 25)
            .row("svc.exe+0x300", 25, 25)
            .row("svc.exe+0x800", 0, 25)
            .row("plugin.exe+0x300", 1, 1)
            .row("plugin.exe+0x800", 0, 1)
            .row("(unknown)", 1, 1));
  }

  private static void keysOfBothHalves(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    long above = RecordingBuilder.KERNEL + 0x1000_0000L;
    long below = 0x2000_0000L;
    a.at(5).as(100, 101).imageRundown(0, above, RecordingBuilder.SIZE, "both.dll");
    a.imageRundown(100, below, RecordingBuilder.SIZE, "both.dll");
    // At 10 both parts know one address less than they go through, at 20 only one does.
    a.at(10).sample(kernel(0x100), 101).keyOf(0x1825, 100, 100, 101, 0x55);
    a.at(11).keyOf(0x1826, 100, 100, 101, 0x66);
    a.at(20).sample(kernel(0x100), 101).keyOf(0x1825, 200, 100, 101, 0x55);
    a.at(21).keyOf(0x1826, 200, 100, 101, 0x77);
    // At 30 both go through images of one name, which are one module, at the same place.
    a.at(30).sample(above + 0x100, 101).keyOf(0x1825, 300, 100, 101, 0x88);
    a.at(31).keyOf(0x1826, 300, 100, 101, 0x77);
    // At 40 the user part is alone.
    a.at(40).sample(below + 0x100, 101).keyOf(0x1826, 400, 100, 101, 0x77);
    a.at(50).define(0x1824, 0x55, kernel(0x100), RecordingBuilder.KERNEL + 0x7000_0000L);
    a.at(51).define(0x1824, 0x66, app(0x300), 0x7000_0000L);
    a.at(52).define(0x1824, 0x77, below + 0x100, app(0x300));
    a.at(53).define(0x1824, 0x88, above + 0x100, kernel(0x200));
    to.add(
        "keys of both halves that mean the same",
        a,
        CPU,
        ProfileTable.total(4)
            .row("ntoskrnl.exe+0x100", 2, 2)
            .row("ntoskrnl.exe+0x200", 0, 1)
            .row("(unknown)", 0, 2)
            .row("app.exe+0x300", 0, 4)
            .row("both.dll+0x100", 2, 3));
    to.add(
        "keys of both halves that mean the same",
        a,
        CPU.by("module"),
        ProfileTable.total(4)
            .row("ntoskrnl.exe", 2, 3)
            .row("(unknown)", 0, 2)
            .row("app.exe", 0, 4)
            .row("both.dll", 2, 3));
  }

  private static void neighbours(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    // One time stamp, two CPUs, two threads; the stacks come in the other order.
    a.at(10).on(0).sample(app(0x100), 101);
    a.on(1).sample(app(0x200), 102);
    a.on(1).stack(100, 102, app(0x200), app(0x2000));
    a.on(0).stack(100, 101, app(0x100), app(0x1000));
    // One time stamp and one thread: the CPU of the stack record decides.
    a.at(20).on(0).sample(app(0x300), 103);
    a.on(1).as(100, 103).hook(0x020A, 2, ProfilePayloads.fault(P, 0x7000, app(0x400)));
    a.stack(100, 103, app(0x400), app(0x3000));
    // Thread and CPU agree for a sample, but another thread's event comes first in the file.
    a.at(30).on(0).hook(0x020A, 2, ProfilePayloads.fault(P, 0x7000, app(0x500)));
    a.sample(app(0x600), 102).stack(100, 102, app(0x600), app(0x4000));
    // One thread, one CPU: the kernel's event comes before the provider's, wherever it stands.
    a.at(40).on(0).as(100, 104).allocationTick(7);
    a.sample(app(0x700), 104).stack(100, 104, app(0x700), app(0x5000));
    to.add(
        "events of one time stamp",
        a,
        CPU,
        ProfileTable.total(5)
            .row("app.exe+0x100", 1, 1)
            .row("app.exe+0x200", 1, 1)
            .row("app.exe+0x300", 1, 1)
            .row("app.exe+0x600", 1, 1)
            .row("app.exe+0x700", 1, 1)
            .row("app.exe+0x5000", 0, 1)
            .row("app.exe+0x1000", 0, 1)
            .row("app.exe+0x2000", 0, 1)
            .row("app.exe+0x4000", 0, 1)
            .counter("unmatched", 0));
    to.add(
        "events of one time stamp",
        a,
        ProfileQuery.of("fault"),
        ProfileTable.total(2)
            .row("app.exe+0x400", 1, 1)
            .row("app.exe+0x500", 1, 1)
            .row("app.exe+0x3000", 0, 1));
  }

  private static void switches(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).on(0).swap(101, RecordingBuilder.WAITING, 0);
    a.on(1).swap(102, RecordingBuilder.WAITING, 0);
    a.on(0).stack(100, 101, kernel(0x100), app(0x100));
    a.on(1).stack(100, 102, kernel(0x100), app(0x200));
    a.at(20).on(0).swap(0, 2, 101);
    a.at(25).on(1).swap(0, 2, 102);
    // Two switches of one time stamp, each with its own stack: 10 and 15.
    to.add(
        "switches of one time stamp",
        a,
        ProfileQuery.of("wait"),
        ProfileTable.total(25_000)
            .row("ntoskrnl.exe+0x100", 25_000, 25_000)
            .row("app.exe+0x100", 0, 10_000)
            .row("app.exe+0x200", 0, 15_000)
            .counter("unmatched", 0));
  }

  private static void unmatched(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).sample(app(0x100), 101);
    a.at(20).stackOf(150, 100, 101, app(0x200), app(0x300));
    a.at(30).stackOf(100, 100, 101, app(0x100), app(0x400));
    // A rundown event has no stack.
    a.at(40).threadRundownAtEnd(100, 101).stack(100, 101, app(0x500));
    to.add(
        "stacks of nothing",
        a,
        CPU,
        ProfileTable.total(1)
            .row("app.exe+0x100", 1, 1)
            .row("app.exe+0x400", 0, 1)
            .counter("unmatched", 2));
  }

  private static void classRecords(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    // The same events in records that name the class: samples (PerfInfo) and stacks (StackWalk).
    a.at(10).as(100, 101);
    a.classRecord(0x0F2E, 2, ProfilePayloads.sample(P, app(0x100), 102, 1, 0));
    a.classRecord(0x1820, 2, ProfilePayloads.stack(P, a.raw(), 100, 102, app(0x100), app(0x200)));
    // The thread is the one that the payload names.
    to.add(
        "class records",
        a,
        CPU,
        ProfileTable.total(1).row("app.exe+0x100", 1, 1).row("app.exe+0x200", 0, 1));
    to.add("class records", a, CPU.by("thread"), ProfileTable.total(1).row("100/102", 1, 1));
    a.at(20).as(100, 101);
    a.classRecord(0x0F2F, 2, ProfilePayloads.pmc(P, app(0x300), 103, 7));
    to.add(
        "class records of a counter",
        a,
        ProfileQuery.of("pmc"),
        ProfileTable.total(1).row("app.exe+0x300", 1, 1));
  }
}
