package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.PdbSymbolizer.Found;
import io.ntrail.formats.pdb.PdbSymbolizer.Kind;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.pdb.SmallPdb;
import io.ntrail.testkit.pdb.SmallPdb.Records;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PDBs written by hand, with content that no sample has alone. */
class ConstructedPdbTest {
  private static final byte[] NONE = {};
  private static final int RVA = 0x1000;

  private static PdbFile open(SmallPdb pdb) {
    return PdbFile.open(InputFile.of(pdb.write(), "small.pdb"));
  }

  private static Found at(PdbFile pdb, long rva) {
    return new PdbSymbolizer(pdb).find(rva).orElseThrow();
  }

  /** Function hot at 100h, of which 10h bytes lie at 800h; then a thunk and a jump. */
  private static SmallPdb program() {
    SmallPdb pdb = new SmallPdb().section(".text", RVA, 0x2000);
    int file = pdb.name("d:\\src\\hot.c");
    Records records =
        new Records()
            .procedure("hot", 1, 0x100, 0x40, new Records())
            .separated(1, 0x800, 0x10, 1, 0x100)
            .thunk("[thunk]: hot", 1, 1, 0x200, 8)
            .procedure("cold", 1, 0x140, 0x20, new Records());
    Records linker =
        new Records().trampoline(1, 0x10, 5, 1, 0x140).trampoline(1, 0x15, 5, 1, 0x300);
    return pdb.module(
            "hot.obj",
            records.toByteArray(),
            NONE,
            SmallPdb.lines(1, 0x100, 0x40, file, 0, 7, 0x10, 9))
        .module("* Linker *", linker.toByteArray(), NONE, NONE)
        .contribution(1, 0x10, 0x20, 1)
        .contribution(1, 0x100, 0x60, 0)
        .contribution(1, 0x200, 8, 0)
        .contribution(1, 0x300, 0x10, 1)
        .contribution(1, 0x800, 0x10, 0)
        .publicFunction("_hot", 1, 0x100)
        .publicFunction("_elsewhere", 1, 0x300);
  }

  @Test
  void codeThatWasSeparatedFromItsFunctionHasTheFunctionsName() {
    PdbFile pdb = open(program());
    Found found = at(pdb, RVA + 0x804);
    assertEquals(Kind.SEPARATED, found.kind());
    assertEquals("hot", found.name());
    assertEquals(
        List.of(RVA + 0x800L, 0x10L, 4L), List.of(found.begin(), found.length(), found.offset()));
    assertEquals(Kind.PUBLIC, at(pdb, RVA + 0x810).kind(), "behind it");
    assertEquals(List.of(), pdb.gaps());
  }

  @Test
  void aFunctionHasItsLines() {
    Found found = at(open(program()), RVA + 0x115);
    assertEquals(Kind.PROCEDURE, found.kind());
    assertEquals("_hot", found.decorated());
    assertEquals(
        List.of(new PdbSymbolizer.Frame("hot", "d:\\src\\hot.c", 9, 0, false, 0)), found.frames());
  }

  /** A function at 100h whose first row has no bytes. */
  private static PdbFile declared(int... pairs) {
    SmallPdb pdb = new SmallPdb().section(".text", RVA, 0x2000);
    int file = pdb.name("d:\\src\\hot.c");
    byte[] symbols = new Records().procedure("hot", 1, 0x100, 0x40, new Records()).toByteArray();
    return open(
        pdb.module("hot.obj", symbols, NONE, SmallPdb.lines(1, 0x100, 0x40, file, pairs))
            .contribution(1, 0x100, 0x40, 0));
  }

  @Test
  void atTheExactStartOfAFunctionTheLineOfItsFirstRowIsMeant() {
    PdbFile pdb = declared(0, 7, 0, 8, 0x10, 9, 0x10, 10);
    assertEquals(7, at(pdb, RVA + 0x100).frames().getLast().line());
    assertEquals(8, at(pdb, RVA + 0x101).frames().getLast().line());
    // Elsewhere the row that has the bytes.
    assertEquals(10, at(pdb, RVA + 0x110).frames().getLast().line());
  }

  @Test
  void aMarkForDebuggersIsNotTheFirstLineOfAFunction() {
    PdbFile pdb = declared(0, 0xF0_0F00, 0, 8, 0x10, 9);
    assertEquals(8, at(pdb, RVA + 0x100).frames().getLast().line());
  }

  @Test
  void aThunkHasItsOwnName() {
    Found found = at(open(program()), RVA + 0x207);
    assertEquals(Kind.THUNK, found.kind());
    assertEquals("[thunk]: hot", found.name());
    assertEquals(List.of(8L, 7L), List.of(found.length(), found.offset()));
  }

  @Test
  void aJumpOfIncrementalLinkingHasTheNameOfItsTarget() {
    PdbFile pdb = open(program().flags(1));
    Found found = at(pdb, RVA + 0x12);
    assertEquals(Kind.THUNK, found.kind());
    assertEquals("cold", found.name());
    assertEquals(
        List.of(RVA + 0x10L, 5L, 2L), List.of(found.begin(), found.length(), found.offset()));
    // Of a target without a procedure that of its public symbol.
    assertEquals("_elsewhere", at(pdb, RVA + 0x15).name());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void contributionsOfBothVersionsTellTheModule(int version) {
    PdbFile pdb = open(program().contributionVersion(version));
    assertEquals(version, pdb.contributions().version());
    assertEquals(5, pdb.contributions().count());
    assertEquals(1, at(pdb, RVA + 0x10).module());
    assertEquals(0, at(pdb, RVA + 0x13F).module());
  }

  @Test
  void blocksAreSymbolsOfTheirFunction() {
    Records inner = new Records();
    int at = 4;
    int blockAt = at + 4 + (35 + 5 + 3 & ~3);
    inner.block("", at, blockAt + 4 + 20, 1, 0x108, 0x10);
    Records records = new Records().procedure("main", 1, 0x100, 0x40, inner);
    PdbFile pdb =
        open(
            new SmallPdb()
                .section(".text", RVA, 0x1000)
                .module("main.obj", records.toByteArray(), NONE, NONE)
                .contribution(1, 0x100, 0x40, 0));
    assertEquals("main", at(pdb, RVA + 0x10A).name());
    List<Symbol> symbols = pdb.symbols(pdb.modules().getFirst()).symbols();
    Symbol.Block block = (Symbol.Block) symbols.get(1);
    assertEquals(
        List.of((long) blockAt, 0x108L, 0x10L),
        List.of(block.at(), block.offset(), block.length()));
    assertEquals(symbols.get(2).at(), block.end());
    assertEquals(symbols.get(3).at(), ((Symbol.Procedure) symbols.getFirst()).end());
  }

  @Test
  void aStrippedPdbHasTheNearestPublicSymbol() {
    PdbFile pdb =
        open(
            new SmallPdb()
                .section(".text", RVA, 0x1000)
                .flags(2)
                .module("a.obj", NONE, NONE, NONE)
                .contribution(1, 0, 0x80, 0)
                .contribution(1, 0x80, 0x80, 0)
                .publicFunction("_first", 1, 0)
                .publicFunction("_second", 1, 0x40));
    assertTrue(pdb.header().orElseThrow().isStripped());
    Found found = at(pdb, RVA + 0x42);
    assertEquals(Kind.PUBLIC, found.kind());
    assertEquals("_second", found.name());
    assertEquals(0x40, at(pdb, RVA + 0x10).length());
    // A name does not go on into what another object brought: it is only the nearest one there.
    assertEquals(Kind.NEAREST, at(pdb, RVA + 0x90).kind());
  }

  /** Moved: 100h to 1500h; 120h eliminated; 130h to 1510h; the section lay at 1000h before. */
  @Test
  void addressesOfARearrangedImageAreTranslatedBothWays() {
    SmallPdb small = program();
    LittleEndian toImage =
        new LittleEndian()
            .u32(RVA + 0x100)
            .u32(RVA + 0x1500)
            .u32(RVA + 0x120)
            .u32(0)
            .u32(RVA + 0x130)
            .u32(RVA + 0x1510)
            .u32(RVA + 0x140)
            .u32(0)
            .u32(RVA + 0x150)
            .u32(RVA + 0x1600)
            .u32(RVA + 0x160)
            .u32(0);
    LittleEndian toOriginal =
        new LittleEndian()
            .u32(RVA + 0x1500)
            .u32(RVA + 0x100)
            .u32(RVA + 0x1510)
            .u32(RVA + 0x130)
            .u32(RVA + 0x1520)
            .u32(0)
            .u32(RVA + 0x1600)
            .u32(RVA + 0x150)
            .u32(RVA + 0x1610)
            .u32(0);
    PdbFile pdb =
        open(
            small
                .debugStream(3, toOriginal.toByteArray())
                .debugStream(4, toImage.toByteArray())
                .debugStream(10, small.sectionTable()));
    Found found = at(pdb, RVA + 0x1512);
    assertEquals("hot", found.name());
    assertEquals(0x32, found.offset());
    assertEquals(9, found.frames().getFirst().line());
    assertTrue(new PdbSymbolizer(pdb).find(RVA + 0x1525).isEmpty(), "nothing was moved there");
    assertEquals(RVA + 0x1500, pdb.toImage(RVA + 0x100, 0x40));
    // The first bytes of cold were eliminated: the first one that was not is where it begins.
    assertEquals(-1, pdb.toImage(RVA + 0x140, 0x10));
    assertEquals(RVA + 0x1600, pdb.toImage(RVA + 0x140, 0x20));
    assertEquals(-1, pdb.toImage(RVA + 0x160, 0x20));
  }
}
