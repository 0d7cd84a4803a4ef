package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.live.trace.Tracing.Outcome;
import io.ntrail.live.trace.Tracing.Settings;
import io.ntrail.testkit.ntr.ReferenceNtrReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Recorded arguments, in registers and on the stack. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ArgumentsTest {
  private static final int ENTRY = 2;
  private static final int ENTRY_ONLY = 10;

  private Programs programs;

  @BeforeAll
  void begin(@TempDir Path folder) {
    programs = new Programs(folder);
  }

  @AfterAll
  void end() {
    if (programs != null) {
      programs.close();
    }
  }

  /** The values of all entries of functions, by the function's name, in their order. */
  private static Map<String, List<List<Long>>> entries(Path recording) throws IOException {
    ReferenceNtrReader plain = ReferenceNtrReader.read(Files.readAllBytes(recording));
    Map<Long, String> names = new HashMap<>();
    plain
        .definitions()
        .forEach((what, text) -> {
          if (what.startsWith("function ")) {
            for (String name : List.of("wide", "wide_entry", "few", "few_entry")) {
              if (text.contains("!" + name + " ")) {
                names.put(Long.parseLong(what.substring(9)), name);
              }
            }
          }
        });
    Map<String, List<List<Long>>> entries = new HashMap<>();
    plain
        .events()
        .values()
        .forEach(events -> {
          for (ReferenceNtrReader.Event event : events) {
            if (event.kind() == ENTRY || event.kind() == ENTRY_ONLY) {
              String name = names.getOrDefault(event.function(), "?");
              entries
                  .computeIfAbsent(name + " " + event.kind(), _ -> new ArrayList<>())
                  .add(event.values());
            }
          }
        });
    return entries;
  }

  private static List<List<Long>> wide(int count) {
    List<List<Long>> all = new ArrayList<>();
    for (long n = 0; n < 3000; n++) {
      List<Long> values = new ArrayList<>(List.of(n, -n));
      for (long i = 2; i <= 10; i++) {
        values.add(n + i);
      }
      values.add(~n);
      all.add(values.subList(0, count));
    }
    return all;
  }

  /** Ten calls, of which the first nine have 0 to 8 words between the home space and the end. */
  private static List<List<Long>> nearTheEnd(int times, boolean known) {
    List<List<Long>> all = new ArrayList<>();
    for (int time = 0; time < times; time++) {
      for (int words = 0; words <= 9; words++) {
        List<Long> values = new ArrayList<>(List.of(101L, 102L, 103L, 104L));
        int there = known && words <= 8 ? words : 0;
        LongStream.iterate(999 + there, n -> n - 1).limit(there).forEach(values::add);
        while (values.size() < 12) {
          values.add(0L);
        }
        all.add(values);
      }
    }
    return all;
  }

  @Test
  void argumentsOnTheStackAreRecordedAsFarAsThereIsOne() throws IOException {
    Outcome traced =
        programs.same(new Settings().exports().recordBytes(128), Programs.build("wide.c"));
    Programs.exact(traced);
    Map<String, List<List<Long>>> entries = entries(traced.recording());
    assertEquals(wide(12), entries.get("wide " + ENTRY));
    assertEquals(wide(12), entries.get("wide_entry " + ENTRY_ONLY));
    assertEquals(nearTheEnd(2, true), entries.get("few " + ENTRY));
    List<List<Long>> entryOnly = new ArrayList<>(nearTheEnd(2, true));
    // Of a stack that the system does not know, nothing is read.
    entryOnly.addAll(nearTheEnd(1, false));
    List<List<Long>> found = entries.getOrDefault("few_entry " + ENTRY_ONLY, List.of());
    assertEquals(sorted(entryOnly), sorted(found));
  }

  /** The order of threads in a file means nothing. */
  private static List<String> sorted(List<List<Long>> values) {
    return values.stream().map(List::toString).sorted().toList();
  }

  @Test
  void onlySoManyArgumentsAreRecordedAsAreWanted() throws IOException {
    Path program = Programs.build("wide.c");
    for (int wanted : new int[] {1, 4, 5, 11}) {
      TraceSettings how =
          new TraceSettings(
              Path.of("a.ntr"), wanted, BufferSettings.fixed(512, false), 64, 0, 0, "test");
      Settings settings =
          new Settings().exports().recordBytes(how.records(Long.BYTES).bytes()).arguments(wanted);
      Outcome traced = programs.same(settings, program);
      Map<String, List<List<Long>>> entries = entries(traced.recording());
      assertEquals(wide(wanted), entries.get("wide " + ENTRY), wanted + " arguments");
      assertEquals(wide(wanted), entries.get("wide_entry " + ENTRY_ONLY), wanted + " arguments");
    }
  }
}
