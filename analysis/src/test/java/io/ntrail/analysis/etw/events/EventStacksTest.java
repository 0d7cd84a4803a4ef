package io.ntrail.analysis.etw.events;

import static io.ntrail.testkit.profile.RecordingBuilder.APP;
import static io.ntrail.testkit.profile.RecordingBuilder.KERNEL;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.analysis.stacks.NamedFrame;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.etl.ProfilePayloads;
import io.ntrail.testkit.profile.RecordingBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Stacks that come with events, after them, and of several threads, in recordings by hand. */
class EventStacksTest {
  private static final SchemaSources SOURCES = new SchemaSources(UserSchemas.NONE);
  private static final UUID OTHER = UUID.fromString("5afe0000-0000-4000-8000-000000000002");

  /** Each event that has a stack: microseconds since the start, thread, frames. */
  private static List<String> stacks(RecordingBuilder activity, EventFilter filter) {
    List<String> told = new ArrayList<>();
    try (EtwRecording recording =
        EtwRecording.of(List.of(InputFile.of(activity.writer().toByteArray(), "written")))) {
      Events events = Events.of(recording, SOURCES, 2, Events.Learn.ADDRESSES);
      try (Events.Walk walk = events.walkWithStacks(filter, Long.MIN_VALUE, Long.MAX_VALUE)) {
        while (walk.next()) {
          List<String> frames = walk.stack().stream().map(NamedFrame::text).toList();
          if (!frames.isEmpty()) {
            EventReader event = walk.event();
            told.add(event.nanos() / 1_000 + " " + event.threadId() + " " + frames);
          }
        }
      }
    }
    return told;
  }

  private static List<String> stacks(RecordingBuilder activity) {
    return stacks(activity, new EventFilter.Builder().build());
  }

  @Test
  void halvesAreOneStackOfTheFirstEvent() {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101).eventWithStack(OTHER, 1, 0, clr(), 7, KERNEL + 0x100);
    // Another stack in two parts begins before the first one is whole.
    a.at(11).eventWithStack(OTHER, 1, 0, clr(), 8, APP + 0x900);
    a.at(12).as(100, 102).eventWithStack(OTHER, 1, 0, clr(), 7, APP + 0x500);
    a.at(13).as(100, 101).eventWithStack(OTHER, 2, 0, clr(), 7, APP + 0x200);
    a.at(14).eventWithStack(OTHER, 2, 0, clr(), 8, KERNEL + 0x300);
    a.at(15).eventWithStack(OTHER, 3, 0, clr(), 0, APP + 0x400);
    assertEquals(
        List.of(
            "10 101 [ntoskrnl.exe+0x100, app.exe+0x200]",
            "11 101 [ntoskrnl.exe+0x300, app.exe+0x900]",
            "12 102 [app.exe+0x500]",
            "15 101 [app.exe+0x400]"),
        stacks(a));
  }

  @Test
  void stacksOfTheClrComeAfterTheirEvents() {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101).allocationTick(1);
    a.at(11).as(100, 102).allocationTick(1);
    a.at(12).as(100, 101).event(ProfilePayloads.CLR, 82, 0, clr(APP + 0x100, APP + 0x200));
    a.at(13).as(100, 102).event(ProfilePayloads.CLR, 82, 0, clr(APP + 0x300));
    // Unmatched: its event has a stack already.
    a.at(14).event(ProfilePayloads.CLR, 82, 0, clr(APP + 0x400));
    a.at(15).allocationTick(1);
    a.at(16).event(OTHER, 5, 0, clr());
    a.at(17).event(ProfilePayloads.CLR, 82, 0, clr(APP + 0x500));
    a.at(18).allocationTick(1);
    List<String> expected =
        List.of(
            "10 101 [app.exe+0x100, app.exe+0x200]",
            "11 102 [app.exe+0x300]",
            "15 102 [app.exe+0x500]");
    assertEquals(expected, stacks(a));
    assertEquals(
        expected.subList(1, 3), stacks(a, new EventFilter.Builder().thread("102").build()));
  }

  @Test
  void aSwitchHasTheStackOfWhoComes() {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).swap(101, RecordingBuilder.WAITING, 102);
    a.stack(100, 101, APP + 0x100).stack(100, 102, APP + 0x200);
    a.at(20).swap(102, RecordingBuilder.WAITING, 201);
    // The addresses are those of the process of the stack's thread.
    a.stack(200, 201, APP + 0x300);
    a.at(30).swap(201, RecordingBuilder.WAITING, 101).stack(200, 201, APP + 0x400);
    assertEquals(
        List.of("10 102 [app.exe+0x200]", "20 201 [svc.exe+0x300]", "30 101 [svc.exe+0x400]"),
        stacks(a));
  }

  @Test
  void unknownCodeKeepsItsAddress() {
    RecordingBuilder a = new RecordingBuilder().world();
    a.at(10).as(100, 101).method(0x5000_0000L, 0x100, "Shop.Cart", "Add");
    a.at(20).sample(0x5000_0010L, 101).stack(100, 101, 0x5000_0010L, 0x6000_0000L);
    assertEquals(List.of("20 101 [(jitted)!Shop.Cart.Add, 0x60000000 (unknown)]"), stacks(a));
  }

  private static LittleEndian clr(long... frames) {
    return ProfilePayloads.clrStack(8, frames);
  }
}
