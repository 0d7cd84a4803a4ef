package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.Differences;
import io.ntrail.formats.pe.SampleImages;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.BreakpadStackRecords;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Compares frame sizes with those that dump_syms computed from the same unwind data: the space that
 * all codes of a function's chain allocate, and the return address.
 */
class DumpSymsTest {
  @BeforeEach
  void needsTestData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  @ParameterizedTest
  @CsvSource({
    "dumpsyms-basic-opt64.dll,basic-opt64.dll,1462",
    "dumpsyms-basic64-dwarf.dll,basic64-dwarf.dll,49",
    "dumpsyms-dump_syms_regtest64.exe,dump_syms_regtest64.exe,195",
    "dumpsyms-mozwer.dll,mozwer.dll,1547"
  })
  void framesLieWhereDumpSymsSays(String image, String rows, int count) throws IOException {
    FunctionTable table = FunctionTable.of(SampleImages.open("toolchains", image));
    Map<Long, RuntimeFunction> byBegin = new HashMap<>();
    table.entries().forEach(entry -> byBegin.put(entry.begin(), entry));
    Differences differences = new Differences().image(image);
    int compared = 0;
    for (BreakpadStackRecords.Cfi row : BreakpadStackRecords.of(rows).cfi()) {
      RuntimeFunction entry = byBegin.get(row.begin());
      differences.part("0x" + Long.toHexString(row.begin()));
      differences.same("function", true, entry != null);
      if (entry != null) {
        differences.same("size", row.size(), entry.size());
        // One version of the program counts from rsp always, and says so as a change at once.
        boolean fromStackPointer = !row.changes().isEmpty();
        String cfa = fromStackPointer ? row.changes().getLast().cfa() : row.cfa();
        differences.same(".cfa", cfa, frame(table.chain(entry), fromStackPointer));
        differences.same(".ra", ".cfa 8 - ^", row.ra());
        compared++;
      }
    }
    assertEquals("", String.join("\n", differences.found()));
    assertEquals(count, compared);
  }

  private static String frame(UnwindChain chain, boolean fromStackPointer) {
    long room = 8;
    String register = "$rsp";
    for (UnwindChain.Link link : chain.links()) {
      for (UnwindCode code : link.info().prologCodes()) {
        switch (code.operation()) {
          case UWOP_PUSH_NONVOL -> room += 8;
          case UWOP_ALLOC_SMALL, UWOP_ALLOC_LARGE -> room += code.value();
          case UWOP_SET_FPREG -> {
            if (!fromStackPointer) {
              // What was done after it does not move the frame register.
              room = 8 - code.value();
              register = "$" + code.registerName();
            }
          }
          default -> {}
        }
      }
    }
    return register + " " + room + " +";
  }
}
