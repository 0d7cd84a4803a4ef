package io.ntrail.testkit.profile;

import static io.ntrail.testkit.profile.WorkedExamples.app;
import static io.ntrail.testkit.profile.WorkedExamples.kernel;

import io.ntrail.testkit.etl.ProfilePayloads;

/** Transfers of disks and operations on files; a tick is 100 ns. */
final class TransferTables {
  private static final int P = 8;
  private static final ProfileQuery DISK = ProfileQuery.of("disk");
  private static final ProfileQuery FILE = ProfileQuery.of("file");

  private TransferTables() {}

  static void add(WorkedExamples to) {
    disk(to);
    file(to);
    oldDisk(to);
  }

  private static RecordingBuilder diskInit(
      RecordingBuilder a, int hook, int version, long irp, int tid) {
    return a.hook(hook, version, ProfilePayloads.diskInit(P, version, irp, tid));
  }

  private static RecordingBuilder transfer(
      RecordingBuilder a, int hook, int version, int size, long irp, long response, int tid) {
    return a.perf(hook, version, ProfilePayloads.disk(P, version, size, irp, response, tid));
  }

  private static void disk(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    diskInit(a.at(10).as(100, 101), 0x010C, 3, 0xA, 101).stack(100, 101, kernel(0x100), app(0x100));
    transfer(a.at(30), 0x010A, 3, 4096, 0xA, 200, 101);
    // No init: the completion's own stack, whichever thread ran when it came.
    transfer(a.at(40), 0x010B, 3, 512, 0xB, 50, 201).stack(0, 0, kernel(0x200));
    diskInit(a.at(50).as(200, 202), 0x010D, 2, 0xC, 0).stack(200, 202, kernel(0x100), app(0x200));
    transfer(a.at(60), 0x010B, 2, 1024, 0xC, 100, 0);
    // No init and no thread in the completion: unknown owner.
    transfer(a.at(70), 0x010A, 2, 100, 0xD, 10, 0);
    // An Irp that begins twice has ended in between: the second completion has no init.
    diskInit(a.at(80).as(100, 101), 0x010C, 2, 0xA, 0).stack(100, 101, kernel(0x300));
    diskInit(a.at(82).as(100, 102), 0x010C, 2, 0xA, 0).stack(100, 102, kernel(0x400));
    transfer(a.at(90), 0x010A, 2, 1, 0xA, 80, 0);
    transfer(a.at(95), 0x010A, 2, 2, 0xA, 130, 0);
    diskInit(a.at(100).as(100, 103), 0x010F, 3, 0xE, 103).stack(100, 103, kernel(0x500));
    a.at(110).perf(0x010E, 3, ProfilePayloads.diskFlush(P, 3, 0xE, 40, 103));
    transfer(a.at(120), 0x0137, 3, 2048, 0xF, 5, 101);
    // Ticks: 200 + 50 + 100 + 10 + 80 + 130 + 40 + 5 = 615 = 61,500 ns. The optical read and the
    // two without an owner have no stack.
    to.add(
        "disk",
        a,
        DISK,
        ProfileTable.total(61_500)
            .row("ntoskrnl.exe+0x100", 30_000, 30_000)
            .row("app.exe+0x100", 0, 20_000)
            .row("svc.exe+0x200", 0, 10_000)
            .row("ntoskrnl.exe+0x200", 5_000, 5_000)
            .row("ntoskrnl.exe+0x400", 8_000, 8_000)
            .row("ntoskrnl.exe+0x500", 4_000, 4_000)
            .counter("unmatched", 0));
    // 101: 200 + 5; nobody: 10 + 130.
    to.add(
        "disk",
        a,
        DISK.by("thread"),
        ProfileTable.total(61_500)
            .row("100/101", 20_500, 20_500)
            .row("100/102", 8_000, 8_000)
            .row("100/103", 4_000, 4_000)
            .row("200/201", 5_000, 5_000)
            .row("200/202", 10_000, 10_000)
            .row("?/?", 14_000, 14_000));
    // 4096 + 512 + 1024 + 100 + 1 + 2 + 0 + 2048 = 7,783; app.exe has 4096 + 1 + 2048.
    to.add(
        "disk",
        a,
        DISK.unit("bytes").by("process"),
        ProfileTable.total(7_783)
            .row("app.exe:100", 6_145, 6_145)
            .row("svc.exe:200", 1_536, 1_536)
            .row("?:?", 102, 102));
    to.add(
        "disk",
        a,
        DISK.unit("count").by("process"),
        ProfileTable.total(8).row("app.exe:100", 4, 4).row("svc.exe:200", 2, 2).row("?:?", 2, 2));
    // From 60 on and before 90: 1024 and 100 bytes.
    to.add(
        "disk",
        a,
        DISK.unit("bytes").by("cpu").time(60_000L, 90_000L),
        ProfileTable.total(1_124).row("0", 1_124, 1_124));
  }

  private static void oldDisk(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    // Whoever runs when a completion comes has nothing to do with it.
    a.at(5).swap(0, 2, 103);
    // The Irp of an init that was used does not come back.
    diskInit(a.at(10).as(100, 101), 0x010C, 3, 0xA, 102).stack(100, 101, kernel(0x100));
    transfer(a.at(20), 0x010A, 2, 10, 0xA, 30, 0);
    transfer(a.at(30), 0x010A, 2, 20, 0xA, 40, 0).stack(0, 0, kernel(0x200));
    // The first is 102's, says the init's payload; the second nobody's, with its own stack.
    to.add(
        "an init is used once",
        a,
        DISK,
        ProfileTable.total(7_000)
            .row("ntoskrnl.exe+0x100", 3_000, 3_000)
            .row("ntoskrnl.exe+0x200", 4_000, 4_000));
    to.add(
        "an init is used once",
        a,
        DISK.by("thread"),
        ProfileTable.total(7_000).row("100/102", 3_000, 3_000).row("?/?", 4_000, 4_000));
  }

  private static RecordingBuilder end(RecordingBuilder a, long irp) {
    return a.as(-1, -1).perf(0x044C, 3, ProfilePayloads.fileEnd(P, irp));
  }

  private static void file(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    // A read within a create.
    a.at(10).as(100, 101).hook(0x0440, 3, ProfilePayloads.fileCreate(P, 0xA, 101, "C:\\x"));
    a.stack(100, 101, kernel(0x100), app(0x100));
    a.at(12).hook(0x0443, 3, ProfilePayloads.fileTransfer(P, 3, 0xB, 101, 4096));
    a.stack(100, 101, kernel(0x200), app(0x100));
    end(a.at(20), 0xB);
    end(a.at(25), 0xA);
    // An Irp that begins again.
    a.at(30).as(100, 102).hook(0x0443, 3, ProfilePayloads.fileTransfer(P, 3, 0xA, 102, 100));
    a.at(32).hook(0x0444, 3, ProfilePayloads.fileTransfer(P, 3, 0xA, 102, 200));
    end(a.at(40), 0xA);
    end(a.at(45), 0x99);
    // Version 2 names its thread with a pointer; the header is of another.
    a.at(50).as(200, 201).hook(0x0444, 2, ProfilePayloads.fileTransfer(P, 2, 0xC, 202, 300));
    end(a.at(55), 0xC);
    a.at(60).as(100, 103).hook(0x0451, 3, ProfilePayloads.fileInfo(P, 0xD, 103, "C:\\y"));
    end(a.at(61), 0xD);
    a.at(62).as(100, 103).hook(0x044D, 3, ProfilePayloads.fileDirectory(P, 0xE, 103, "*"));
    end(a.at(64), 0xE);
    a.at(70).as(100, 103).hook(0x0445, 3, ProfilePayloads.fileInfo(P, 0xF, 103, ""));
    end(a.at(73), 0xF);
    a.at(74).as(100, 103).hook(0x0449, 2, ProfilePayloads.fileSimple(P, 2, 0x10, 101));
    end(a.at(75), 0x10);
    a.at(80).as(100, 101).hook(0x0441, 3, ProfilePayloads.fileSimple(P, 3, 0x11, 101));
    // B 12 to 20 = 8, A 10 to 25 = 15, A again 32 to 40 = 8, C 5, D 1, E 2, F 3, 10 1: 43.
    // Unfinished: the read at 30, the cleanup at 80. Broken: the end at 45.
    to.add(
        "file",
        a,
        FILE,
        ProfileTable.total(43_000)
            .row("ntoskrnl.exe+0x100", 15_000, 15_000)
            .row("ntoskrnl.exe+0x200", 8_000, 8_000)
            .row("app.exe+0x100", 0, 23_000)
            .counter("unfinished", 2)
            .counter("broken", 1)
            .counter("unmatched", 0));
    // 101: 15 + 8 + 1; 103: 1 + 2 + 3.
    to.add(
        "file",
        a,
        FILE.by("thread"),
        ProfileTable.total(43_000)
            .row("100/101", 24_000, 24_000)
            .row("100/102", 8_000, 8_000)
            .row("100/103", 6_000, 6_000)
            .row("200/202", 5_000, 5_000));
    // 4096 + 200 + 300.
    to.add(
        "file",
        a,
        FILE.unit("bytes").by("process"),
        ProfileTable.total(4_596).row("app.exe:100", 4_296, 4_296).row("svc.exe:200", 300, 300));
    to.add(
        "file",
        a,
        FILE.unit("count").by("process"),
        ProfileTable.total(8).row("app.exe:100", 7, 7).row("svc.exe:200", 1, 1));
    // The create begins before 20 and ends after: it counts where it ends.
    to.add(
        "file",
        a,
        FILE.by("process").time(20_000L, 25_000L),
        ProfileTable.total(8_000).row("app.exe:100", 8_000, 8_000));
    to.add(
        "file",
        a,
        FILE.by("process").time(25_000L, 26_000L),
        ProfileTable.total(15_000).row("app.exe:100", 15_000, 15_000));
  }
}
