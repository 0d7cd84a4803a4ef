package io.ntrail.live.etw;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.BytesBuilder;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.identity.Guid;
import io.ntrail.live.agent.Agent;
import io.ntrail.live.agent.AgentCall;
import io.ntrail.live.agent.CallOutcome;
import io.ntrail.live.agent.PlayedLibrary;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The library that plays Windows' refuses each argument that is not as it has to be, one at a time:
 * tests of the calls that are made right would fail if one of them broke.
 */
class ControlArgumentsTest {
  private static final int NAME = 0x100;
  private static final int BLOCK = 0x1000;
  private static final int BLOCK_BYTES = 0x78 + 4 * 1024;
  private static final int LIST = 0x4000;
  private static final int CELL = 0x200;

  @TempDir private Path folder;

  private record Played(Agent agent, String library) {
    CallOutcome call(String function, long... arguments) {
      long address = agent.resolve(library, function);
      assertNotEquals(0, address, function);
      CallOutcome outcome = agent.call(AgentCall.of(address, arguments));
      assertEquals(CallOutcome.Kind.DONE, outcome.kind(), function);
      return outcome;
    }

    long put(int at, byte[] bytes) {
      agent.poke(agent.scratch() + at, bytes);
      return agent.scratch() + at;
    }

    /** Puts a block that names a session, with one word of it changed. */
    long block(int at, int word, int value) {
      BytesBuilder block = new BytesBuilder(BLOCK_BYTES);
      block.zeros(BLOCK_BYTES);
      block.setU32(0x00, BLOCK_BYTES).setU32(0x2C, 0x20000);
      block.setU32(0x70, 0x78 + 2 * 1024).setU32(0x74, 0x78);
      if (word >= 0) {
        block.setU32(word, value);
      }
      return put(at, block.toArray());
    }
  }

  private interface Question {
    void ask(Played played);
  }

  private void play(Question question) throws IOException, URISyntaxException {
    PlayedLibrary played =
        PlayedLibrary.of(KernelRecorderTest.class, "standin.c", folder.resolve("sessions"));
    String library = played.name();
    try (Agent agent = played.agent()) {
      question.ask(new Played(agent, library));
    }
  }

  /** Starts the session {@code s}. */
  private static void start(Played played) {
    start(played, "s", "C:\\s.etl");
  }

  private static void start(Played played, String name, String file) {
    SessionProperties properties =
        new SessionProperties(
            name,
            file,
            Guid.ZERO,
            new SessionProperties.Buffers(64, 4, 16),
            SessionMode.SEQUENTIAL,
            10,
            0,
            0,
            Optional.empty(),
            OptionalLong.empty());
    SessionControl control = new SessionControl(played.agent, played.library, played.library);
    assertEquals(0, control.start(properties).error());
  }

  private static long name(Played played, String name) {
    return played.put(NAME, new BytesBuilder(16).utf16z(name).toArray());
  }

  private void refusals(int expected) throws IOException {
    assertEquals(expected, Files.readAllLines(folder.resolve("sessions.why")).size());
  }

  @Test
  void ofControlTrace() throws Exception {
    play(played -> {
      start(played);
      long name = name(played, "s");
      long good = played.block(BLOCK, -1, 0);
      assertEquals(0, played.call("ControlTraceW", 0, name, good, 0).asInt());
      assertFalse(Files.exists(folder.resolve("sessions.why")));
      // The answer has put a path there, which only a flush may have.
      good = played.block(BLOCK, -1, 0);
      assertEquals(4201, played.call("ControlTraceW", 99, name, good, 0).asInt());
      assertEquals(87, played.call("ControlTraceW", 0, 0, good, 0).asInt());
      assertEquals(87, played.call("ControlTraceW", 0, name, 0, 0).asInt());
      assertEquals(87, played.call("ControlTraceW", 0, name, good, 5).asInt());
      int[][] broken = {{0x00, 0x78}, {0x2C, 0}, {0x70, 0x10}, {0x74, 0x10}, {0x74, 0x10000}};
      for (int[] word : broken) {
        long block = played.block(BLOCK, word[0], word[1]);
        assertEquals(87, played.call("ControlTraceW", 0, name, block, 0).asInt());
      }
      // Room for the block, but not for the names in it.
      long small = played.block(BLOCK, 0x74, BLOCK_BYTES - 2);
      assertEquals(234, played.call("ControlTraceW", 0, name, small, 0).asInt());
    });
    refusals(8);
  }

  /** Two agents run at once; one starts sessions, the other finds and stops them. */
  @Test
  void sessionsOfAnyNameAreFoundAndStoppedByAnotherProcess() throws Exception {
    String longest = "n".repeat(1022) + "\u9332";
    List<String> names =
        List.of("\u00dcn\u00ef \"c\u00f6d\u00e9\" 'x' \ud83d\udd34 & %PATH%", longest);
    String file = "C:\\\u9332 \u97f3\\" + "f".repeat(1018) + ".";
    play(one ->
        throughOther(other -> {
          KernelRecorder recorder =
              new KernelRecorder(
                  new SessionControl(other.agent, other.library, other.library),
                  KernelSessionKind.SYSTEM_LOGGER);
          names.forEach(name -> start(one, name, file.substring(0, 1023)));
          assertEquals(
              Set.copyOf(names),
              recorder.all().sessions().stream()
                  .map(SessionState::name)
                  .collect(Collectors.toSet()));
          for (String name : names) {
            assertEquals(file.substring(0, 1023), recorder.status(name).file());
            assertEquals(name, recorder.stop(name).name());
          }
          assertEquals(0, recorder.all().total());
        }));
    assertFalse(Files.exists(folder.resolve("sessions.why")));
    CannotGoOn refused =
        assertThrows(CannotGoOn.class, () -> SessionProperties.named(longest + "n"));
    assertEquals(
        "the name of the session has 1024 characters; Windows takes at most 1023 here",
        refused.message());
  }

  private void throughOther(Question question) {
    try {
      play(question);
    } catch (IOException | URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void ofQueryAllTraces() throws Exception {
    play(played -> {
      start(played);
      long block = played.block(BLOCK, -1, 0);
      long list = played.put(LIST, played.agent.layout().array(block));
      long cell = played.agent.scratch() + CELL;
      assertEquals(0, played.call("QueryAllTracesW", list, 1, cell).asInt());
      assertEquals(1, played.agent.peek(cell, Integer.BYTES).u32(0));
      assertEquals(87, played.call("QueryAllTracesW", 0, 1, cell).asInt());
      assertEquals(87, played.call("QueryAllTracesW", list, 0, cell).asInt());
      assertEquals(87, played.call("QueryAllTracesW", list, 65, cell).asInt());
      assertEquals(87, played.call("QueryAllTracesW", list, 1, 0).asInt());
      played.block(BLOCK, 0x00, 0x20);
      assertEquals(87, played.call("QueryAllTracesW", list, 1, cell).asInt());
      played.put(LIST, new byte[Long.BYTES]);
      assertEquals(87, played.call("QueryAllTracesW", list, 1, cell).asInt());
    });
    refusals(6);
  }

  @Test
  void ofThePrivilege() throws Exception {
    play(played -> {
      long cell = played.put(CELL, new byte[Long.BYTES]);
      assertFalse(played.call("OpenProcessToken", 4, 0x28, cell).isTrue());
      assertFalse(played.call("OpenProcessToken", -1, 0x20, cell).isTrue());
      assertFalse(played.call("OpenProcessToken", -1, 0x28, 0).isTrue());
      assertTrue(played.call("OpenProcessToken", -1, 0x28, cell).isTrue());
      long token = played.agent.peek(cell, Long.BYTES).i64(0);
      long name = name(played, "SeSystemProfilePrivilege");
      assertFalse(played.call("LookupPrivilegeValueW", name, name, cell).isTrue());
      assertTrue(played.call("LookupPrivilegeValueW", 0, name, cell).isTrue());
      long state = played.put(BLOCK, privileges(1, 11, 2));
      long[] good = {token, 0, state, 0, 0, 0};
      assertEquals(0, played.call("AdjustTokenPrivileges", good).error());
      for (int i = 0; i < good.length; i++) {
        long[] broken = good.clone();
        broken[i] = i == 2 ? 0 : good[i] + 4;
        assertEquals(87, played.call("AdjustTokenPrivileges", broken).error(), "argument " + i);
      }
      for (byte[] other :
          List.of(privileges(2, 11, 2), privileges(1, 12, 2), privileges(1, 11, 0))) {
        played.put(BLOCK, other);
        assertEquals(87, played.call("AdjustTokenPrivileges", good).error());
      }
    });
    refusals(13);
  }

  /** Returns TOKEN_PRIVILEGES. */
  private static byte[] privileges(int count, int luid, int attributes) {
    return new BytesBuilder(16).u32(count).u64(luid).u32(attributes).toArray();
  }
}
