package io.ntrail.analysis.flow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.flow.FlowSettings.Resync;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pt.ClockSettings;
import io.ntrail.formats.pt.Erratum;
import io.ntrail.formats.pt.PacketClock;
import io.ntrail.formats.pt.PacketClock.Rounding;
import io.ntrail.formats.pt.PacketCursor;
import io.ntrail.formats.pt.PacketType;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Instructions and events of the cases that libipt is tested with are those that it expects, where
 * it errs, too.
 */
class LibiptCasesTest {
  private static final Pattern ADDRESS = Pattern.compile("(\\? )?[0-9a-f]{16}");

  /**
   * Lines of which the flow has none: of ticks, which are packets here, see the test of them; of
   * blocks of instructions, as libipt cuts them; of the end of the stream; of changes of code size,
   * which the blocks tell, see the test of them; of interrupts being allowed, of packets for
   * maintenance and of CBR, of which nothing is told; of processors that it does not know; and of
   * errors that it finds while it looks for the place behind another one.
   */
  private static final Pattern LEFT_OUT =
      Pattern.compile(
          "\\[(.*tick|block|end of trace|exec mode.*|interrupts.*|mnt.*|cbr.*"
              + "|.*config error:.*|.*resync error:.*)\\]");

  /**
   * Cases in which libipt tells an error more: it goes on without the trace as far as the code
   * goes, and misses the code before a header; here that is looked for only behind the header,
   * unless the header is compared.
   */
  private static final Set<String> LATER_ERRORS =
      Set.of("ptxed-resync-nomap-psb", "ptxed-resync-psb-nomap-psb");

  private static final Pattern SIZE = Pattern.compile("\\[exec mode: (\\d\\d)-bit.*\\]");

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
  private static LibiptLines lines(LibiptCase one, Set<Erratum> errata, boolean asLibipt) {
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
    return lines;
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
   * Returns the instructions, events and errors that are expected, without those that are not told,
   * and without times and offsets: an error is told at the packet which shows it, here at that
   * which needs the code, in libipt at one before it. In a PWRE libipt takes another bit for that
   * of the hardware than the manual.
   */
  private static List<String> expected(LibiptCase one) {
    return one.flow().stream()
        .filter(line -> line.startsWith("[") || ADDRESS.matcher(line).matches())
        .map(line -> line.replaceFirst("^\\[[0-9a-f]+  ", "[").replaceFirst("(pwre .*) hw", "$1"))
        .map(line -> line.replace("[resumed", "[enabled"))
        .map(line -> line.replaceFirst("^\\[[0-9a-f]+, ([0-9a-f]+: error)", "[$1"))
        .filter(line -> !LEFT_OUT.matcher(line).matches())
        .map(LibiptCasesTest::placeless)
        .toList();
  }

  /** Returns a line without the place of an error that libipt finds before it is at a place. */
  private static String placeless(String line) {
    return line.replaceFirst("^\\[[0-9a-f]+: (error: unexpected packet context)", "[$1");
  }

  private static List<String> withoutErrors(List<String> lines) {
    return lines.stream().filter(line -> !line.contains("error: ")).toList();
  }

  /** Returns the names of the cases whose flow is another one. */
  static Map<String, String> others(List<LibiptCase> cases, boolean asLibipt) {
    Map<String, String> others = new TreeMap<>();
    for (LibiptCase one : cases) {
      List<String> expected = expected(one);
      for (Set<Erratum> errata : processors(one)) {
        List<String> found =
            lines(one, errata, asLibipt).lines().stream().map(LibiptCasesTest::placeless).toList();
        // Some are only of a list of packets, and expect no flow.
        boolean hasErrors =
            !one.flow().isEmpty() && !(asLibipt && LATER_ERRORS.contains(one.name()));
        boolean isSame =
            hasErrors
                ? found.equals(expected)
                : withoutErrors(found).equals(withoutErrors(expected));
        if (!isSame) {
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
        417,
        cases.stream()
            .flatMap(one -> expected(one).stream())
            .filter(line -> line.startsWith("["))
            .count());
  }

  /**
   * It gives up what follows a header that tells another state, up to the next one, and does not
   * tell the address of a PTWRITE that it went behind.
   */
  @Test
  void withoutItsErrorsTwoCasesAreOthers() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    assertEquals(
        Set.of("ptxed-resync-psb-bad_status-psb", "psb-fup-ptw-trig"),
        others(cases(), false).keySet());
  }

  /** Returns the index of an instruction that is expected, and the bits of its code. */
  private static Map<Integer, Integer> codeSizes(LibiptCase one) {
    Map<Integer, Integer> sizes = new TreeMap<>();
    int bits = 0;
    int index = 0;
    for (String line : one.flow()) {
      Matcher size = SIZE.matcher(line);
      if (size.matches()) {
        bits = Integer.parseInt(size.group(1));
      } else if (ADDRESS.matcher(line).matches()) {
        if (bits != 0) {
          sizes.put(index, bits);
        }
        index++;
      }
    }
    return sizes;
  }

  @Test
  void codeIsOfTheSizeThatTheLastChangeTold() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    int changes = 0;
    for (LibiptCase one : cases()) {
      Map<Integer, Integer> expected = codeSizes(one);
      List<Integer> found = new ArrayList<>();
      for (Integer bits : lines(one, processors(one).getFirst(), true).codeSizes()) {
        if (bits != 0) {
          found.add(bits);
        }
      }
      expected.forEach((index, bits) -> assertEquals(bits, found.get(index), one.name()));
      changes += expected.isEmpty() ? 0 : 1;
    }
    assertEquals(8, changes);
  }

  /** libipt tells a tick in the middle of the flow; the packet that it is of has the same time. */
  @Test
  void ticksHaveTheTimeOfThePacketsThatTheyAreOf() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    LibiptCase one =
        cases().stream().filter(each -> each.name().equals("ptxed-tick")).findFirst().orElseThrow();
    List<String> expected =
        one.flow().stream()
            .filter(line -> line.matches("\\[[0-9a-f]{16}  .*\\]"))
            .map(line -> Long.toHexString(Long.parseLong(line.substring(1, 17), 16)))
            .toList();
    List<String> found = new ArrayList<>();
    try (InputFile stream = InputFile.of(one.stream(), one.name())) {
      PacketCursor packets = new PacketCursor(stream, Set.of());
      PacketClock clock = new PacketClock(new ClockSettings(0, 0, 0, 4), Rounding.LIBIPT, Set.of());
      while (packets.next()) {
        clock.take(packets);
        if (!packets.inHeader()
            && Set.of(PacketType.TNT8, PacketType.TIP, PacketType.FUP).contains(packets.type())) {
          found.add(Long.toHexString(clock.tsc()));
        }
      }
    }
    assertEquals(List.of("a008", "a02c", "a03c", "a048"), expected);
    assertEquals(expected, found);
  }
}
