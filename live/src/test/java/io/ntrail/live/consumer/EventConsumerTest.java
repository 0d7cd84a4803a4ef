package io.ntrail.live.consumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.Bytes;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.pe.MachineType;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentHost;
import io.ntrail.live.agent.PlayedLibrary;
import io.ntrail.live.etw.SessionControl;
import io.ntrail.live.etw.SessionMode;
import io.ntrail.live.etw.SessionProperties;
import io.ntrail.testkit.Await;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import io.ntrail.testkit.wine.Wine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Events that an agent gets from a library which plays Windows', by 64-bit and by 32-bit code. The
 * library writes them in C, and destroys what it handed out as soon as the agent's code returns.
 */
class EventConsumerTest {
  private static final String NAME = "live";

  @TempDir private Path folder;

  /** Something that is done with an agent and a library. */
  private interface Question {
    void ask(Agent agent, String library) throws Exception;
  }

  private void with(int bits, Question question) throws Exception {
    boolean is64 = bits == 64;
    WindowsCompiler compiler = is64 ? WindowsCompiler.MINGW_C : WindowsCompiler.MINGW_C_32;
    assumeTrue(
        is64 ? Wine.available() : Wine.available32(), is64 ? Wine.missing() : Wine.missing32());
    assumeTrue(compiler.available(), compiler.missing());
    Wine wine = is64 ? Wine.shared() : Wine.shared32();
    Map<String, String> environment = new HashMap<>(wine.environment());
    environment.put("NTRAIL_STANDIN", PlayedLibrary.windows(folder.resolve("sessions")));
    Path source =
        TestData.projectRoot().resolve("live/src/test/resources/io/ntrail/live/etw/standin.c");
    String library =
        PlayedLibrary.windows(compiler.build(List.of(source), "-shared", "-O1", "-Wl,--kill-at"));
    AgentHost host = new AgentHost.Wine(wine.loader(), environment);
    try (Agent agent =
        Agent.on(host.start(is64 ? MachineType.AMD64 : MachineType.I386), Duration.ofSeconds(30))) {
      question.ask(agent, library);
    }
    assertFalse(Files.exists(folder.resolve("sessions.open")), "a trace was left open");
  }

  private static void start(Agent agent, String library) {
    SessionProperties live =
        new SessionProperties(
            NAME,
            "",
            Guid.ZERO,
            new SessionProperties.Buffers(64, 4, 8),
            SessionMode.REAL_TIME,
            0,
            1,
            0,
            Optional.empty(),
            OptionalLong.empty());
    assertEquals(0, new SessionControl(agent, library, library).start(live).error());
  }

  private void handsOut(String... words) throws IOException {
    Files.writeString(folder.resolve("sessions.events"), String.join("\n", words) + "\n");
  }

  private String wrong() throws IOException {
    Path why = folder.resolve("sessions.why");
    return Files.exists(why) ? Files.readString(why) : "";
  }

  private static EventConsumer.State readAll(EventConsumer consumer, List<Bytes> events)
      throws Exception {
    List<EventConsumer.State> last = new ArrayList<>();
    Await.until(
        "no more events come",
        () -> {
          last.add(
              consumer.read(
                  event -> events.add(Bytes.copyOf(event.array(0, event.length()), "e"))));
          return last.getLast().hasEnded();
        });
    return last.getLast();
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void anEventComesWithAllThatItPointsTo(int bits) throws Exception {
    with(
        bits,
        (agent, library) -> {
          start(agent, library);
          handsOut("stacks 64", "stacks 32", "empty 0", "buffer 0", "gone 0");
          List<Bytes> events = new ArrayList<>();
          try (EventConsumer consumer = EventConsumer.open(agent, library, NAME)) {
            assertTrue(consumer.isRaw());
            assertEquals(NAME, consumer.session().name());
            assertEquals(10_000_000, consumer.session().frequency());
            EventConsumer.State state = readAll(consumer, events);
            assertEquals(new EventConsumer.State(0, 0, true), state);
            // What Windows hands out first is the header of a recording.
            assertEquals(4, events.size());
            Bytes stacks = events.get(1);
            assertEquals(4660, stacks.u32(8));
            assertEquals(40, stacks.u32(12));
            assertTrue(Math.abs(stacks.i64(16) - consumer.session().ticks()) < 600_000_000_0L);
            assertEquals("e13c0d23-ccbc-4e12-931b-d9cc2eee27e4", Guid.read(stacks, 24).toString());
            assertEquals(2, stacks.u8(80));
            assertEquals(5, stacks.u16(82));
            assertEquals(2, stacks.u16(84));
            assertEquals(10, stacks.u16(86));
            assertEquals(1, stacks.u16(90));
            assertEquals(16, stacks.u16(94));
            assertEquals("9c2a37f3-e5fd-5cae-bcd1-43dafeee1ff0", Guid.read(stacks, 96).toString());
            assertEquals(6, stacks.u16(114));
            assertEquals(32, stacks.u16(118));
            assertEquals(0x7FF8_1234_5678L, stacks.i64(128));
            assertEquals(0x7FF7_AABB_CCDDL, stacks.i64(144));
            assertEquals(64, stacks.u32(152));
            assertEquals(7, stacks.u16(160));
            Bytes narrow = events.get(2);
            assertEquals(5, narrow.u16(114));
            assertEquals(20, narrow.u16(118));
            assertEquals(0x7712_3456, narrow.u32(128));
            assertEquals(0x0040_2000, narrow.u32(136));
            // Data begins at a multiple of 8.
            assertEquals(32, narrow.u32(144));
            assertEquals(88, events.get(3).length());
          }
          assertEquals("", wrong());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void eventsThatFindNoRoomAreCountedAndTheOthersAreWhole(int bits) throws Exception {
    with(
        bits,
        (agent, library) -> {
          start(agent, library);
          handsOut("larges 400", "gone 0");
          List<Bytes> events = new ArrayList<>();
          try (EventConsumer consumer = EventConsumer.open(agent, library, NAME)) {
            Await.until(
                "it has handed out all", () -> !Files.exists(folder.resolve("sessions.events")));
            EventConsumer.State state = readAll(consumer, events);
            // Those that 16 MiB have room for: 60,096 bytes each; the header was there before.
            assertEquals(EventConsumer.RING / 60_096, events.size() - 1);
            assertEquals(400, events.size() - 1 + state.lost());
            for (Bytes event : events.subList(1, events.size())) {
              assertEquals(60_088, event.length());
              assertEquals('x', event.u8(60_087));
            }
          }
          assertEquals("", wrong());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void aSessionThatGoesOnIsLetGoOf(int bits) throws Exception {
    with(
        bits,
        (agent, library) -> {
          start(agent, library);
          EventConsumer consumer = EventConsumer.open(agent, library, NAME);
          consumer.close();
          consumer.close();
          assertEquals("", wrong());
          assertEquals(0, new SessionControl(agent, library, library).query(NAME).error());
          // Another one may come.
          EventConsumer.open(agent, library, NAME).close();
          assertEquals("", wrong());
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 32})
  void aSessionThatIsNotThereIsRefused(int bits) throws Exception {
    with(
        bits,
        (agent, library) -> {
          CannotGoOn refused =
              assertThrows(
                  CannotGoOn.class, () -> EventConsumer.open(agent, library, "nobody").close());
          assertTrue(refused.message().contains("(OpenTrace: 4201"), refused.message());
        });
  }
}
