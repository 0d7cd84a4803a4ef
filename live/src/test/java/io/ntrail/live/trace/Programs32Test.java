package io.ntrail.live.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.ntrail.formats.decoration.CDecoration;
import io.ntrail.live.plan.PlannedFunction;
import io.ntrail.live.plan.TracePlan;
import io.ntrail.live.target.TargetModule;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The test programs, built for 32 bits: what they want to be traced can be, with exits. */
final class Programs32Test {
  private static final Pattern TRACED = Pattern.compile("TRACED [\\w* ]*?(\\w+)\\(");

  /** Programs of an ordinary run: exceptions of each kind, jumps, fibers. */
  private static final List<String> SOME =
      List.of("throws.cpp", "seh.c", "jump.c", "fibers.c", "counts.c");

  /** Further ones, with -Dntrail.long=true; but for parked.cpp, where one is only a jump. */
  private static final List<String> OTHERS =
      List.of(
          "births.c",
          "crowd.c",
          "family.c",
          "halves.c",
          "leaving.cpp",
          "locked.c",
          "migrate.c",
          "million.c",
          "often.c",
          "scarce.c",
          "spill.c",
          "stepfibers.c",
          "storm.cpp",
          "tails.cpp",
          "tight.cpp",
          "torture.cpp",
          "waits.c");

  private record Everything() implements TracePlan.Selection {
    @Override
    public boolean wants(TargetModule module, String name) {
      return true;
    }

    @Override
    public boolean excludes(TargetModule module, String name) {
      return false;
    }

    @Override
    public boolean mayWant(TargetModule module) {
      return true;
    }
  }

  private static Set<String> wanted(String source) throws IOException {
    Path file = TestData.projectRoot().resolve("live/src/test/programs").resolve(source);
    Set<String> names = new TreeSet<>();
    Matcher matcher = TRACED.matcher(Files.readString(file));
    while (matcher.find()) {
      names.add(matcher.group(1));
    }
    return names;
  }

  @Test
  void whatTheProgramsWantTracedHasExits() throws IOException {
    Map<String, Set<String>> missing = new TreeMap<>();
    boolean isLong = Boolean.getBoolean("ntrail.long");
    List<String> sources =
        Stream.concat(SOME.stream(), isLong ? OTHERS.stream() : Stream.empty()).toList();
    for (String source : sources) {
      Set<String> names = wanted(source);
      TracePlan plan = TracePlan.of(Machine.X86.build(List.of(), source), new Everything());
      plan.functions().stream()
          .filter(PlannedFunction::hasExits)
          .map(function -> CDecoration.plain(function.name()))
          .forEach(names::remove);
      if (!names.isEmpty()) {
        missing.put(source, names);
      }
    }
    assertEquals(Map.of(), missing);
    assertFalse(wanted("throws.cpp").isEmpty());
  }
}
