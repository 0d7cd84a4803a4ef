package io.ntrail.formats.pe.unwind;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.TestData;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class UnwindChainTest {
  private static final int AT = UnwindImages.BODY;

  private static LittleEndian entry(LittleEndian to, long begin, long end, long info) {
    return to.u32(begin).u32(end).u32(info);
  }

  @Test
  void anEntryWithTheLowBitStandsForAnother() {
    LittleEndian body = new LittleEndian();
    entry(body, 0x5000, 0x5010, AT + 24 + 1);
    entry(body, 0x6000, 0x6010, AT + 12 + 1);
    entry(body, 0x4000, 0x4800, AT + 36);
    body.u32(0x01).u32(0);
    PeImage image = UnwindImages.small(body.toByteArray(), AT, 24);
    FunctionTable table = FunctionTable.of(image);
    RuntimeFunction stored = table.entry(0x5008).orElseThrow();
    assertTrue(stored.indirect());
    assertEquals(AT + 24, stored.unwindInfo());
    RuntimeFunction found = table.find(0x5008).orElseThrow();
    assertEquals(new RuntimeFunction(AT + 24, 0x4000, 0x4800, AT + 36, false), found);
    UnwindChain chain = table.chain(stored);
    assertEquals(Optional.empty(), chain.damage());
    assertEquals(found, chain.primary());
    assertEquals(1, chain.info().version());
  }

  @Test
  void theChainedEntryMayHaveTheLowBitToo() {
    LittleEndian body = new LittleEndian();
    entry(body, 0x5000, 0x5010, AT + 12);
    body.u32(4 << 3 | 1);
    entry(body, 0x4000, 0x4800, AT + 28 + 1);
    entry(body, 0x4000, 0x4900, AT + 40);
    body.u32(0x09).u32(0x7000);
    PeImage image = UnwindImages.small(body.toByteArray(), AT, 12);
    FunctionTable table = FunctionTable.of(image);
    UnwindChain chain = table.chain(table.entries().getFirst());
    assertEquals(Optional.empty(), chain.damage());
    assertEquals(1, chain.depth());
    assertEquals(new RuntimeFunction(AT + 28, 0x4000, 0x4900, AT + 40, false), chain.primary());
    assertEquals(0x7000, chain.last().handler());
  }

  @Test
  void entriesThatStandForOneAnotherInACircleAreDamage() {
    LittleEndian body = new LittleEndian();
    entry(body, 0x5000, 0x5010, AT + 12 + 1);
    entry(body, 0x6000, 0x6010, AT + 1);
    PeImage image = UnwindImages.small(body.toByteArray(), AT, 24);
    FunctionTable table = FunctionTable.of(image);
    UnwindChain chain = table.chain(table.entries().getFirst());
    assertEquals(Optional.of("more than 32 indirect entries in a row"), chain.damage());
    assertEquals(0, chain.depth());
  }

  @Test
  void thirtyTwoLinksAreFollowedAndNoMore() {
    for (int links = 30; links < 36; links++) {
      LittleEndian body = new LittleEndian();
      entry(body, 0x5000, 0x5010, AT + 12);
      for (int i = 0; i < links; i++) {
        body.u32(4 << 3 | 1);
        entry(body, 0x5000, 0x5010, AT + 12 + 16 * (i + 1));
      }
      body.u32(1);
      PeImage image = UnwindImages.small(body.toByteArray(), AT, 12);
      FunctionTable table = FunctionTable.of(image);
      UnwindChain chain = table.chain(table.entries().getFirst());
      assertEquals(links > 32, chain.damage().isPresent(), links + " links");
      assertEquals(Math.min(links, 32), chain.depth());
    }
  }

  @Test
  void aChainThatLeadsToItselfEnds() {
    assumeTrue(TestData.available(), TestData.MISSING);
    PeImage image = UnwindImages.real("pe/hostile/cfi_chained_loop.exe");
    FunctionTable table = FunctionTable.of(image);
    List<UnwindChain> circles =
        table.entries().stream()
            .map(table::chain)
            .filter(chain -> chain.damage().isPresent())
            .toList();
    assertTrue(!circles.isEmpty());
    for (UnwindChain circle : circles) {
      assertEquals(32, circle.depth());
    }
  }

  @Test
  void chainsOfAWindowsLibraryEndAtTheirFunctions() {
    assumeTrue(TestData.available(), TestData.MISSING);
    PeImage image = UnwindImages.real("pe/windows/kernel32.dll.gz");
    FunctionTable table = FunctionTable.of(image);
    assertEquals(1835, table.entries().size());
    int chained = 0;
    int deepest = 0;
    for (RuntimeFunction entry : table.entries()) {
      UnwindChain chain = table.chain(entry);
      assertEquals(Optional.empty(), chain.damage());
      chained += chain.depth() > 0 ? 1 : 0;
      deepest = Math.max(deepest, chain.depth());
      RuntimeFunction primary = chain.primary();
      assertEquals(primary, table.primary(entry));
      assertEquals(Optional.of(primary.begin()), table.entry(primary.begin()).map(e -> e.begin()));
    }
    assertEquals(330, chained);
    assertEquals(2, deepest);
    assertEquals(List.of(), image.gaps());
  }
}
