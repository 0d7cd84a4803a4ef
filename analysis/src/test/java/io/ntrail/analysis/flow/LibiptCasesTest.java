package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.programs.memory.RawSpace;
import io.ntrail.programs.x86.CodeSize;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pt.LibiptCase;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Instructions and events of the cases that libipt is tested with are those that it expects, where
 * it errs, too.
 */
class LibiptCasesTest {
  private static final Pattern ADDRESS = Pattern.compile("(\\? )?[0-9a-f]{16}");

  /** Lines of errors, of time, of changes of code size and of interrupts being allowed. */
  private static final Pattern LEFT_OUT =
      Pattern.compile(
          "\\[(.*error:.*|.*tick|block|end of trace|exec mode.*|interrupts.*|mnt.*|cbr.*)\\]");

  private static List<AddressFilter> filters(LibiptCase one) {
    int from = one.options().indexOf("--filter:addr0_a");
    int to = one.options().indexOf("--filter:addr0_b");
    return from < 0
        ? List.of()
        : List.of(
            new AddressFilter(
                Long.decode(one.options().get(from + 1)), Long.decode(one.options().get(to + 1))));
  }

  /** Returns the flow as libipt writes it. */
  private static List<String> lines(LibiptCase one, Set<Erratum> errata, boolean asLibipt) {
    Resync resync = one.options().contains("--resync-on-error") ? Resync.EVENT : Resync.PSB;
    CodeSize size =
        one.bits() == 64 ? CodeSize.BITS64 : one.bits() == 32 ? CodeSize.BITS32 : CodeSize.BITS16;
    LibiptLines lines = new LibiptLines(one.options().contains("--event:ip"));
    try (InputFile code = InputFile.of(one.code(), one.name());
        InputFile stream = InputFile.of(one.stream(), one.name())) {
      new FlowDecoder(
              new PacketCursor(stream, errata),
              new CodeBlocks(new RawSpace(code, one.address())),
              new FlowSettings(errata, resync, size, filters(one), asLibipt),
              lines)
          .run();
    }
    return lines.lines();
  }

  private static List<Set<Erratum>> processors(LibiptCase one) {
    List<Set<Erratum>> all = new ArrayList<>();
    for (String processor : one.processors()) {
      String[] parts = processor.split("/", -1);
      Set<Erratum> errata = Erratum.of(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
      if (!all.contains(errata)) {
        all.add(errata);
      }
    }
    return all.isEmpty() ? List.of(Set.of()) : all;
  }

  /**
   * Returns the instructions and events that are expected, without those that are not told, and
   * without times. In a PWRE libipt takes another bit for that of the hardware than the manual.
   */
  private static List<String> expected(LibiptCase one) {
    return one.flow().stream()
        .filter(line -> line.startsWith("[") || ADDRESS.matcher(line).matches())
        .map(line -> line.replaceFirst("^\\[[0-9a-f]+  ", "[").replaceFirst("(pwre .*) hw", "$1"))
        .map(line -> line.replace("[resumed", "[enabled"))
        .filter(line -> !LEFT_OUT.matcher(line).matches())
        .toList();
  }

  /** Returns the names of the cases whose flow is another one. */
  static Map<String, String> others(List<LibiptCase> cases, boolean asLibipt) {
    Map<String, String> others = new TreeMap<>();
    for (LibiptCase one : cases) {
      List<String> expected = expected(one);
      for (Set<Erratum> errata : processors(one)) {
        List<String> found = lines(one, errata, asLibipt);
        if (!found.equals(expected)) {
          others.put(one.name(), "\n" + errata + "\n  " + expected + "\n  " + found + "\n");
        }
      }
    }
    return others;
  }

  /** Returns those that list instructions: some print numbers only. */
  static List<LibiptCase> cases() throws IOException {
    return LibiptCase.all().stream().filter(one -> !one.options().contains("--quiet")).toList();
  }

  @Test
  void instructionsAndEventsAreThoseThatAreExpectedAndInThatOrder() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<String, String> others = others(cases(), true);
    assertEquals(Set.of(), others.keySet(), others::toString);
    List<LibiptCase> cases = cases();
    assertEquals(189, cases.size());
    assertEquals(
        388,
        cases.stream()
            .flatMap(one -> expected(one).stream())
            .filter(line -> line.startsWith("["))
            .count());
  }

  /** It gives up what follows a header that tells another state, up to the next one. */
  @Test
  void withoutItsErrorsOneCaseIsAnother() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assertEquals(Set.of("ptxed-resync-psb-bad_status-psb"), others(cases(), false).keySet());
  }
}
