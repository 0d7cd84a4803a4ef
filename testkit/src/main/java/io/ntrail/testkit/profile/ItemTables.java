package io.ntrail.testkit.profile;

import static io.ntrail.testkit.profile.WorkedExamples.app;
import static io.ntrail.testkit.profile.WorkedExamples.kernel;

import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.EtlRecords;
import io.ntrail.testkit.etl.ProfilePayloads;
import java.util.UUID;

/** Stacks that events carry themselves, and those of the runtime. */
final class ItemTables {
  private static final int P = 8;
  private static final ProfileQuery ALLOC = ProfileQuery.of("alloc");
  private static final UUID OTHER = UUID.fromString("5afe0000-0000-4000-8000-000000000002");

  private ItemTables() {}

  static void add(WorkedExamples to) {
    halves(to);
    keyed(to);
    wow(to);
    clr(to);
  }

  private static void tick(RecordingBuilder a, long amount, long matchId, long... frames) {
    a.eventWithStack(
        ProfilePayloads.CLR, 10, 3, ProfilePayloads.allocationTick(P, 3, amount), matchId, frames);
  }

  private static void halves(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101);
    tick(a, 1, 7, app(0x100), app(0x200));
    a.at(11).as(100, 102);
    tick(a, 10, 7, kernel(0x300));
    a.at(12).as(100, 101);
    a.eventWithStack(OTHER, 2, 0, ProfilePayloads.clrStack(P), 7, kernel(0x100));
    a.at(13).as(100, 102);
    a.eventWithStack(OTHER, 2, 0, ProfilePayloads.clrStack(P), 7, app(0x400));
    // Both halves are of ticks: the stack is the first one's, the second has none.
    a.at(20).as(100, 103);
    tick(a, 100, 9, kernel(0x500));
    a.at(21);
    tick(a, 1000, 9, app(0x500));
    // No MatchId: a stack of its own.
    a.at(30);
    tick(a, 10_000, 0, app(0x600));
    // 101's stack is kernel+0x100 app+0x100 app+0x200, whatever came first; 102's is
    // kernel+0x300 app+0x400; 103's kernel+0x500 app+0x500 for 100, nothing for 1,000.
    to.add(
        "stacks in halves",
        a,
        ALLOC,
        ProfileTable.total(11_111)
            .row("ntoskrnl.exe+0x100", 1, 1)
            .row("app.exe+0x100", 0, 1)
            .row("app.exe+0x200", 0, 1)
            .row("ntoskrnl.exe+0x300", 10, 10)
            .row("app.exe+0x400", 0, 10)
            .row("ntoskrnl.exe+0x500", 100, 100)
            .row("app.exe+0x500", 0, 100)
            .row("app.exe+0x600", 10_000, 10_000));
  }

  private static void keyed(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101);
    EtlRecords tick =
        a.eventRecord(P, ProfilePayloads.CLR, 10, 3, ProfilePayloads.allocationTick(P, 3, 5));
    a.log(tick.item(18, ProfilePayloads.stackKeyItem(P, 0, 0x77).toByteArray()).build());
    a.at(20).define(0x1822, 0x77, app(0x100), app(0x200));
    a.at(30);
    tick = a.eventRecord(4, ProfilePayloads.CLR, 10, 3, ProfilePayloads.allocationTick(4, 3, 70));
    a.log(tick.item(17, ProfilePayloads.stackKeyItem(4, 0, 0x77).toByteArray()).build());
    a.at(40).define(0x1824, 0x77, app(0x300));
    to.add(
        "keys in items",
        a,
        ALLOC,
        ProfileTable.total(75)
            .row("app.exe+0x100", 5, 5)
            .row("app.exe+0x200", 0, 5)
            .row("app.exe+0x300", 70, 70)
            .counter("missing", 0));
  }

  private static void wow(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.processRundown(300, "wow.exe").threadRundown(300, 301);
    a.imageRundown(300, 0x8000_0000L, 0x10000, "wow.exe");
    a.imageRundown(300, 0x7000_0000L, 0x10000, "wow64cpu.dll");
    a.at(10).as(300, 301);
    EtlRecords tick =
        a.eventRecord(4, ProfilePayloads.CLR, 10, 3, ProfilePayloads.allocationTick(4, 3, 5));
    a.log(
        tick.item(5, ProfilePayloads.stackItem(4, 0, 0x8000_1000L, 0x7000_0100L).toByteArray())
            .build());
    a.at(20).sample(0x8000_1000L, 301).stack(300, 301, 0x8000_1000L, 0x7000_0100L);
    // Above 2 GB but in a 64-bit recording: the process's own.
    to.add(
        "32-bit process",
        a,
        ALLOC,
        ProfileTable.total(5).row("wow.exe+0x1000", 5, 5).row("wow64cpu.dll+0x100", 0, 5));
    to.add(
        "32-bit process",
        a,
        ProfileQuery.of("cpu"),
        ProfileTable.total(1).row("wow.exe+0x1000", 1, 1).row("wow64cpu.dll+0x100", 0, 1));
  }

  private static void clr(WorkedExamples to) {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101).allocationTick(1);
    a.at(11).as(100, 102).allocationTick(10);
    a.at(12).as(100, 101).event(ProfilePayloads.CLR, 82, 0, stack(app(0x100), app(0x200)));
    a.at(13).as(100, 102).event(ProfilePayloads.CLR, 82, 0, stack(app(0x300)));
    // This stack is that of the event of the runtime just before it, not that of the tick.
    a.at(20).as(100, 101).allocationTick(100);
    a.at(21).event(ProfilePayloads.CLR, 1, 0, ProfilePayloads.allocationTick(P, 1, 3));
    a.at(22).event(ProfilePayloads.CLR, 82, 0, stack(app(0x400)));
    // It has a stack: the runtime's own comes too late.
    a.at(30);
    tick(a, 1000, 0, app(0x500));
    a.at(31).event(ProfilePayloads.CLR, 82, 0, stack(app(0x600)));
    // An event of another provider in between does not matter.
    a.at(40).allocationTick(10_000);
    a.at(41).event(OTHER, 5, 0, ProfilePayloads.clrStack(P));
    a.at(42).event(ProfilePayloads.CLR, 82, 0, stack(app(0x700)));
    // The second tick brings half of the first one's stack, so that 82 is not its.
    a.at(50);
    tick(a, 100_000, 9, kernel(0x800));
    a.at(51);
    tick(a, 1_000_000, 9, app(0x800));
    a.at(52).event(ProfilePayloads.CLR, 82, 0, stack(app(0x900)));
    to.add(
        "stacks of the runtime",
        a,
        ALLOC,
        ProfileTable.total(1_111_111)
            .row("ntoskrnl.exe+0x800", 100_000, 100_000)
            .row("app.exe+0x800", 0, 100_000)
            .row("app.exe+0x100", 1, 1)
            .row("app.exe+0x200", 0, 1)
            .row("app.exe+0x300", 10, 10)
            .row("app.exe+0x500", 1000, 1000)
            .row("app.exe+0x700", 10_000, 10_000));
  }

  private static LittleEndian stack(long... frames) {
    return ProfilePayloads.clrStack(P, frames);
  }
}
