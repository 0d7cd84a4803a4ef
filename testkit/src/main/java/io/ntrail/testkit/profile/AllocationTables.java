package io.ntrail.testkit.profile;

import static io.ntrail.testkit.profile.WorkedExamples.app;
import static io.ntrail.testkit.profile.WorkedExamples.kernel;

import io.ntrail.testkit.etl.ProfilePayloads;

/** The four kinds of allocations, which are never added together. */
final class AllocationTables {
  private static final int P = 8;
  private static final ProfileQuery ALLOC = ProfileQuery.of("alloc");

  private AllocationTables() {}

  static void add(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    systemKinds(a);
    to.add("allocations without a runtime", a, ALLOC, heap());
    a.at(100).as(100, 101);
    a.eventWithStack(
        ProfilePayloads.CLR,
        10,
        3,
        ProfilePayloads.allocationTick(P, 3, 100_000),
        0,
        app(0x100),
        app(0x200));
    a.at(110).as(200, 201);
    a.event(ProfilePayloads.CLR, 10, 1, ProfilePayloads.allocationTick(P, 1, 5_000));
    a.at(120).as(100, 102);
    a.event(ProfilePayloads.CLR, 10, 4, ProfilePayloads.allocationTick(P, 4, 6_000_000_000L));
    a.at(130).event(ProfilePayloads.CLR, 1, 0, ProfilePayloads.allocationTick(P, 1, 9));
    // 100,000 + 5,000 + 6,000,000,000: more than the old field of 32 bits holds.
    to.add(
        "allocations",
        a,
        ALLOC.by("thread"),
        ProfileTable.total(6_000_105_000L)
            .row("100/101", 100_000, 100_000)
            .row("100/102", 6_000_000_000L, 6_000_000_000L)
            .row("200/201", 5_000, 5_000));
    to.add(
        "allocations",
        a,
        ALLOC.source("gc"),
        ProfileTable.total(6_000_105_000L)
            .row("app.exe+0x100", 100_000, 100_000)
            .row("app.exe+0x200", 0, 100_000));
    to.add(
        "allocations",
        a,
        ALLOC.unit("count").by("process"),
        ProfileTable.total(3).row("app.exe:100", 2, 2).row("svc.exe:200", 1, 1));
    to.add("allocations", a, ALLOC.source("heap"), heap());
    to.add(
        "allocations",
        a,
        ALLOC.source("heap").unit("count"),
        ProfileTable.total(3)
            .row("app.exe+0x1100", 2, 2)
            .row("app.exe+0x1200", 0, 2)
            .row("svc.exe+0x1100", 1, 1));
    // Only what is committed: 4,096 and 8,192.
    to.add(
        "allocations",
        a,
        ALLOC.source("virtual").by("process"),
        ProfileTable.total(12_288)
            .row("app.exe:100", 4_096, 4_096)
            .row("svc.exe:200", 8_192, 8_192));
    to.add(
        "allocations",
        a,
        ALLOC.source("pool"),
        ProfileTable.total(288)
            .row("ntoskrnl.exe+0x100", 256, 256)
            .row("ntoskrnl.exe+0x200", 32, 32));
    to.add(
        "allocations",
        a,
        ALLOC.source("pool").by("thread"),
        ProfileTable.total(288).row("100/101", 256, 256).row("200/201", 32, 32));
    onlyReserved(to);
  }

  /** Addresses that are only reserved are not allocations: the pool is the first kind. */
  private static void onlyReserved(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101).hook(0x0262, 2, ProfilePayloads.virtual(P, 0x9000, 4096, 100, 0x2000));
    a.at(20).hook(0x0E20, 2, ProfilePayloads.pool(P, 256, false));
    a.stack(100, 101, kernel(0x100));
    to.add(
        "addresses kept free",
        a,
        ALLOC,
        ProfileTable.total(256).row("ntoskrnl.exe+0x100", 256, 256));
  }

  /**
   * 64 and the new size 128 of app.exe, 16 of svc.exe; heaps that are made or freed are nothing.
   */
  private static ProfileTable heap() {
    return ProfileTable.total(208)
        .row("app.exe+0x1100", 192, 192)
        .row("app.exe+0x1200", 0, 192)
        .row("svc.exe+0x1100", 16, 16);
  }

  private static void systemKinds(RecordingBuilder a) {
    a.at(10).as(100, 101).hook(0x1020, 2, ProfilePayloads.heapCreate(P, 0xAA));
    a.at(20).hook(0x1021, 2, ProfilePayloads.heapAlloc(P, 0xAA, 64, 0x5000));
    a.stack(100, 101, app(0x1100), app(0x1200));
    a.at(30).hook(0x1022, 2, ProfilePayloads.heapRealloc(P, 0xAA, 0x6000, 128, 64));
    a.stack(100, 101, app(0x1100), app(0x1200));
    a.at(35).hook(0x1024, 2, ProfilePayloads.heapFree(P, 0xAA, 0x6000));
    a.at(40).as(200, 201).hook(0x1021, 2, ProfilePayloads.heapAlloc(P, 0xBB, 16, 0x5000));
    a.stack(200, 201, app(0x1100));
    a.at(50).as(100, 101).hook(0x0262, 2, ProfilePayloads.virtual(P, 0x9000, 4096, 100, 0x3000));
    a.at(51).hook(0x0262, 2, ProfilePayloads.virtual(P, 0x9000, 1 << 20, 100, 0x2000));
    a.at(52).hook(0x0263, 2, ProfilePayloads.virtual(P, 0x9000, 4096, 100, 0x4000));
    a.at(53).as(200, 201).hook(0x0262, 2, ProfilePayloads.virtual(P, 0x9000, 8192, 200, 0x1000));
    a.at(60).as(100, 101).hook(0x0E20, 2, ProfilePayloads.pool(P, 256, false));
    a.stack(100, 101, kernel(0x100));
    a.at(61).as(200, 201).hook(0x0E21, 2, ProfilePayloads.pool(P, 32, true));
    a.stack(200, 201, kernel(0x200));
    a.as(-1, -1);
  }
}
