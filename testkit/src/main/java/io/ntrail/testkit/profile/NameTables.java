package io.ntrail.testkit.profile;

import static io.ntrail.testkit.profile.WorkedExamples.app;
import static io.ntrail.testkit.profile.WorkedExamples.kernel;
import static io.ntrail.testkit.profile.WorkedExamples.ntdll;

import io.ntrail.testkit.etl.EtlSettings;
import io.ntrail.testkit.etl.ProfilePayloads;

/** Worked examples of names of addresses: images and methods that come and go. */
final class NameTables {
  private static final ProfileQuery CPU = ProfileQuery.of("cpu");
  private static final long LIBRARY = 0x1000_0000L;
  private static final long METHOD = 0x6000_0000L;
  private static final long SIZE = 0x1_0000L;

  private NameTables() {}

  static void add(WorkedExamples to) {
    processes(to);
    replaced(to);
    spelled(to);
    images(to);
    shared(to);
    methods(to);
    recursion(to);
    narrow(to);
    meanwhile(to);
  }

  private static void processes(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).as(100, 101).process(300, "old.exe").thread(300, 301);
    a.at(6).as(300, 301).image(300, RecordingBuilder.APP, SIZE, "old.exe");
    a.at(10).sample(app(0x100), 301).stack(300, 301, app(0x100), app(0x200));
    a.at(7).image(300, LIBRARY, SIZE, "old.dll");
    a.at(11).sample(LIBRARY + 0x100, 301);
    a.at(20).threadEnd(300, 301).processEnd(300, "old.exe");
    a.at(30).as(200, 201).process(300, "new.exe").thread(300, 301);
    a.at(31).as(300, 301).image(300, RecordingBuilder.APP, SIZE, "new.exe");
    a.at(40).sample(app(0x100), 301).stack(300, 301, app(0x100), app(0x300));
    a.at(41).sample(LIBRARY + 0x100, 301);
    // Nothing was ever unloaded: the first two images end with their process.
    to.add(
        "process id reused",
        a,
        CPU,
        ProfileTable.total(4)
            .row("(unknown)", 1, 1)
            .row("old.dll+0x100", 1, 1)
            .row("old.exe+0x100", 1, 1)
            .row("old.exe+0x200", 0, 1)
            .row("new.exe+0x100", 1, 1)
            .row("new.exe+0x300", 0, 1));
    to.add(
        "process id reused",
        a,
        CPU.by("process"),
        ProfileTable.total(4).row("old.exe:300", 2, 2).row("new.exe:300", 2, 2));
  }

  private static void replaced(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    // Loaded before its process begins; another image takes its place there, and goes.
    a.at(5).image(300, LIBRARY, SIZE, "early.dll");
    a.at(20).as(200, 201).process(300, "new.exe").thread(300, 301);
    a.at(25).as(300, 301).image(300, LIBRARY, SIZE, "late.dll");
    a.at(30).sample(LIBRARY + 0x100, 301).keyOf(0x1826, 300, 300, 301, 0x66);
    a.at(35).imageUnload(300, LIBRARY, SIZE, "late.dll");
    a.at(40).sample(LIBRARY + 0x100, 301).keyOf(0x1826, 400, 300, 301, 0x66);
    a.at(45).sample(LIBRARY + 0x100, 301).stack(300, 301, LIBRARY + 0x100);
    a.at(50).define(0x1824, 0x66, LIBRARY + 0x100);
    to.add(
        "an image in the place of another",
        a,
        CPU,
        ProfileTable.total(3).row("late.dll+0x100", 1, 1).row("(unknown)", 2, 2));
  }

  private static void spelled(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).imageRundown(100, LIBRARY, SIZE, "both.dll");
    a.imageRundown(100, LIBRARY + SIZE, SIZE, "BOTH.DLL");
    a.at(10).sample(LIBRARY + 0x100, 101);
    a.at(20).sample(LIBRARY + SIZE + 0x100, 101);
    // One module, by the spelling that comes first in the order of characters.
    to.add("two spellings of a module", a, CPU, ProfileTable.total(2).row("BOTH.DLL+0x100", 2, 2));
  }

  private static void images(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    long second = LIBRARY + 0x1000_0000L;
    long third = LIBRARY + 0x2000_0000L;
    long fourth = LIBRARY + 0x3000_0000L;
    a.at(5).sample(second + 0x100, 101);
    a.at(10).as(100, 101).image(100, LIBRARY, SIZE, "a.dll");
    a.at(11).image(100, second, SIZE, "e.dll");
    a.at(12).image(100, fourth, SIZE, "big.dll");
    a.at(13).image(100, fourth + 0x4000, 0x1000, "small.dll");
    a.at(15).sample(LIBRARY + 0x100, 101);
    a.at(16).sample(second + 0x100, 101);
    a.at(17).sample(third + 0x100, 101);
    a.at(18).sample(fourth + 0x4180, 101);
    a.at(19).sample(fourth + 0x3FFF, 101);
    a.at(20).imageUnload(100, LIBRARY, SIZE, "a.dll");
    a.at(21).imageUnload(100, second, SIZE, "e.dll");
    a.at(25).sample(LIBRARY + 0x100, 101);
    a.at(26).sample(second + 0x100, 101);
    a.at(30).image(100, LIBRARY, SIZE, "b.dll");
    a.at(35).sample(LIBRARY + 0x1FF, 101);
    a.at(40).sample(LIBRARY + SIZE, 101);
    a.at(90).imageRundownAtEnd(100, LIBRARY, SIZE, "b.dll");
    a.at(91).imageRundownAtEnd(100, second, SIZE, "d.dll");
    a.at(92).imageRundownAtEnd(100, third, SIZE, "c.dll");
    // LIBRARY: a.dll at 15, nobody at 25, b.dll at 35. The second: e.dll at 16, and since it went
    // that of the rundown, d.dll, at 26; before e.dll came, at 5, nothing is known. The
    // third: always there. The fourth: small.dll was
    // loaded into the middle of big.dll. Just after b.dll is nothing.
    to.add(
        "images come and go",
        a,
        CPU,
        ProfileTable.total(10)
            .row("a.dll+0x100", 1, 1)
            .row("b.dll+0x100", 1, 1)
            .row("e.dll+0x100", 1, 1)
            .row("d.dll+0x100", 1, 1)
            .row("c.dll+0x100", 1, 1)
            .row("small.dll+0x100", 1, 1)
            .row("big.dll+0x3f00", 1, 1)
            .row("(unknown)", 3, 3));
  }

  private static void shared(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    long driver = RecordingBuilder.KERNEL + 0x1000_0000L;
    a.processRundown(4, "System").imageRundown(4, driver, SIZE, "driver.sys");
    a.at(10).sample(ntdll(0x110), 101).stack(100, 101, ntdll(0x110), app(0x100));
    a.at(20).sample(ntdll(0x190), 201).stack(200, 201, ntdll(0x190), app(0x100));
    a.at(30).sample(driver + 0x200, 101).stack(100, 101, driver + 0x200, kernel(0x100));
    a.at(40).sample(kernel(RecordingBuilder.SIZE), 101);
    // ntdll.dll is one module, wherever it is; what is listed for process 4 is everybody's.
    to.add(
        "shared images",
        a,
        CPU,
        ProfileTable.total(4)
            .row("ntdll.dll+0x100", 2, 2)
            .row("app.exe+0x100", 0, 1)
            .row("svc.exe+0x100", 0, 1)
            .row("driver.sys+0x200", 1, 1)
            .row("ntoskrnl.exe+0x100", 0, 1)
            .row("(unknown)", 1, 1));
    to.add(
        "shared images",
        a,
        CPU.by("module").process(200),
        ProfileTable.total(1).row("ntdll.dll", 1, 1).row("svc.exe", 0, 1));
  }

  private static void methods(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    long json = METHOD + 0x100_0000L;
    a.at(5).sample(METHOD + 0x50, 101);
    a.at(6).sample(json + 0x10, 101);
    a.at(10).as(100, 101).method(METHOD, 0x100, "Shop.Stock", "Match");
    a.at(15).sample(METHOD + 0xFF, 101);
    a.at(16).sample(METHOD + 0x100, 101);
    a.at(17).sample(METHOD + 0x50, 201);
    a.at(20).methodUnload(METHOD, 0x100, "Shop.Stock", "Match");
    a.at(25).sample(METHOD + 0x50, 101);
    a.at(28).method(METHOD + 0x8000, 0x200, "Shop.Stock", "Match");
    a.at(29).method(METHOD, 0x80, "Shop.Stock", "Find");
    a.at(30).sample(METHOD + 0x8150, 101);
    a.at(31).sample(METHOD + 0x50, 101);
    a.at(90).methodRundownAtEnd(json, 0x40, "Shop.Json", "Parse");
    a.at(91).methodRundownAtEnd(METHOD, 0x80, "Shop.Stock", "Find");
    // Match: at 15, and at 30 where it was compiled again. Find: at 31; it was loaded at 29, so
    // the rundown says nothing new. Parse is known from the rundown only: at 6. Nothing: before
    // the load (5), after the method (16), in another process (17), after the unload (25).
    to.add(
        "jitted methods",
        a,
        CPU,
        ProfileTable.total(8)
            .row("(jitted)!Shop.Stock.Match", 2, 2)
            .row("(jitted)!Shop.Stock.Find", 1, 1)
            .row("(jitted)!Shop.Json.Parse", 1, 1)
            .row("(unknown)", 4, 4));
    to.add(
        "jitted methods",
        a,
        CPU.by("module"),
        ProfileTable.total(8).row("(jitted)", 4, 4).row("(unknown)", 4, 4));
  }

  private static void recursion(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).as(100, 101).method(METHOD, 0x1000, "Shop.Tree", "Walk");
    a.at(10).sample(app(0x110), 101);
    a.stack(100, 101, app(0x110), METHOD + 1, app(0x120), METHOD + 0x900, METHOD + 1, app(0x2000));
    a.at(20).sample(METHOD + 7, 101, 2, 0);
    a.stack(100, 101, METHOD + 7, METHOD + 1, 0x10L, app(0x110), 0x20L);
    // Each stack counts once for a function: Walk 1 + 2, app.exe+0x100 1 + 2.
    to.add(
        "recursion",
        a,
        CPU,
        ProfileTable.total(3)
            .row("app.exe+0x100", 1, 3)
            .row("app.exe+0x2000", 0, 1)
            .row("(jitted)!Shop.Tree.Walk", 2, 3)
            .row("(unknown)", 0, 2));
    to.add(
        "recursion",
        a,
        CPU.by("module"),
        ProfileTable.total(3).row("app.exe", 1, 3).row("(jitted)", 2, 3).row("(unknown)", 0, 2));
  }

  private static void narrow(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder(EtlSettings.windows7(4).perfFreq(10_000_000), 4);
    long kernel = 0x8280_0000L;
    a.processRundown(0, "Idle").imageRundown(0, kernel, SIZE, "ntkrnlpa.exe");
    a.processRundown(100, "app.exe").threadRundown(100, 101).threadRundown(100, 102);
    a.imageRundown(100, RecordingBuilder.APP, SIZE, "app.exe");
    // One record has both parts.
    a.at(10).sample(kernel + 0x100, 101);
    a.stack(100, 101, kernel + 0x100, kernel + 0x200, app(0x100), app(0x200));
    a.at(20).sample(app(0x300), 101);
    a.at(21).keyOf(0x1826, 200, 100, 101, 0x99);
    a.at(30).define(0x1822, 0x99, app(0x300), app(0x400));
    to.add(
        "32-bit recording",
        a,
        CPU,
        ProfileTable.total(2)
            .row("ntkrnlpa.exe+0x100", 1, 1)
            .row("ntkrnlpa.exe+0x200", 0, 1)
            .row("app.exe+0x100", 0, 1)
            .row("app.exe+0x200", 0, 1)
            .row("app.exe+0x300", 1, 1)
            .row("app.exe+0x400", 0, 1)
            .counter("missing", 0));
  }

  private static void meanwhile(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(5).as(100, 101).process(300, "old.exe").thread(300, 301);
    a.at(6).as(300, 301).image(300, LIBRARY, SIZE, "a.dll");
    a.at(7).as(100, 101).image(100, LIBRARY, SIZE, "a.dll");
    a.at(10).swap(101, RecordingBuilder.WAITING, 0).stack(100, 101, LIBRARY + 0x100);
    a.at(11).as(300, 301);
    a.hook(0x0443, 3, ProfilePayloads.fileTransfer(8, 3, 0xA, 301, 10));
    a.stack(300, 301, LIBRARY + 0x200);
    a.at(15).imageUnload(100, LIBRARY, SIZE, "a.dll");
    a.at(16).threadEnd(300, 301).processEnd(300, "old.exe");
    a.at(17).as(100, 101).image(100, LIBRARY, SIZE, "b.dll");
    a.at(18).process(300, "new.exe").thread(300, 301);
    a.at(19).image(300, LIBRARY, SIZE, "b.dll");
    a.at(20).swap(0, 2, 101);
    a.at(21).as(-1, -1).perf(0x044C, 3, ProfilePayloads.fileEnd(8, 0xA));
    // Both weights become known when b.dll is where a.dll was; both stacks are older.
    to.add(
        "what changed since a stack was taken",
        a,
        ProfileQuery.of("wait"),
        ProfileTable.total(10_000).row("a.dll+0x100", 10_000, 10_000));
    ProfileQuery file = ProfileQuery.of("file");
    to.add(
        "what changed since a stack was taken",
        a,
        file,
        ProfileTable.total(10_000).row("a.dll+0x200", 10_000, 10_000));
    // The operation was the old process's.
    to.add(
        "what changed since a stack was taken",
        a,
        file.by("process"),
        ProfileTable.total(10_000).row("old.exe:300", 10_000, 10_000));
  }
}
