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
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The instructions of the cases that libipt is tested with are those that it expects. */
class LibiptCasesTest {
  private static final Pattern ADDRESS = Pattern.compile("(\\? )?[0-9a-f]{16}");

  /**
   * Cases whose instructions are others: code of Intel's APX (jmpabs), defects of processors that
   * are not looked for (bdm64, skz84), a PIP that no instruction fits (pip), and a header after
   * which libipt gives up what lies before the next one (bad_status).
   */
  private static final Set<String> NOT_YET =
      new TreeSet<>(
          List.of(
              "bdm64-tnt-cond-xabort",
              "pip-pip_mov_cr3-fail",
              "ptxed-resync-psb-bad_status-psb",
              "skz84",
              "tip-jmpabs",
              "tip_pgd-jmpabs"));

  private static List<AddressFilter> filters(LibiptCase one) {
    int from = one.options().indexOf("--filter:addr0_a");
    int to = one.options().indexOf("--filter:addr0_b");
    return from < 0
        ? List.of()
        : List.of(
            new AddressFilter(
                Long.decode(one.options().get(from + 1)), Long.decode(one.options().get(to + 1))));
  }

  private static List<String> expected(LibiptCase one) {
    return one.flow().stream().filter(line -> ADDRESS.matcher(line).matches()).toList();
  }

  private static List<String> found(LibiptCase one, Set<Erratum> errata) {
    List<String> addresses = new ArrayList<>();
    Resync resync = one.options().contains("--resync-on-error") ? Resync.EVENT : Resync.PSB;
    CodeSize size =
        one.bits() == 64 ? CodeSize.BITS64 : one.bits() == 32 ? CodeSize.BITS32 : CodeSize.BITS16;
    try (InputFile code = InputFile.of(one.code(), one.name());
        InputFile stream = InputFile.of(one.stream(), one.name())) {
      new FlowDecoder(
              new PacketCursor(stream, errata),
              new CodeBlocks(new RawSpace(code, one.address())),
              new FlowSettings(errata, resync, size, filters(one)),
              new FlowSink() {
                @Override
                public void instructions(CodeBlocks blocks, int block, int count, boolean isIn) {
                  long address = blocks.start(block);
                  for (int i = 0; i < count; i++) {
                    addresses.add((isIn ? "? " : "") + "%016x".formatted(address));
                    address += blocks.length(block, i);
                  }
                }

                @Override
                public void event(FlowEvent event, long address) {}

                @Override
                public void error(FlowError error, long offset, long address) {}
              })
          .run();
    }
    return addresses;
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

  @Test
  void instructionsAreThoseThatAreExpected() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<String, String> others = new TreeMap<>();
    int cases = 0;
    for (LibiptCase one : LibiptCase.all()) {
      // Some print numbers only.
      if (one.options().contains("--quiet")) {
        continue;
      }
      cases++;
      for (Set<Erratum> errata : processors(one)) {
        List<String> found = found(one, errata);
        if (!found.equals(expected(one))) {
          others.put(one.name(), errata + " " + one.options() + ": " + found);
        }
      }
    }
    assertEquals(NOT_YET, others.keySet(), others::toString);
    assertEquals(189, cases);
  }
}
