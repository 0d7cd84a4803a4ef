package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.Gap;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.PdbSymbolizer.Found;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.testkit.LittleEndian;
import io.ntrail.testkit.pdb.SmallPdb;
import io.ntrail.testkit.pdb.SmallPdb.Records;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Damage of a PDB is told, and gives neither wrong addresses nor fewer symbols in silence. */
class PdbGapsTest {
  private static final byte[] NONE = {};

  /** Function main at 100h, with lines; the name of its file may be somewhere else. */
  private static SmallPdb program(Records inner, int fileShift) {
    SmallPdb pdb = new SmallPdb().section(".text", 0x1000, 0x1000).section(".data", 0x2000, 0x100);
    int file = pdb.name("d:\\src\\main.c") + fileShift;
    byte[] symbols = new Records().procedure("main", 1, 0x100, 0x40, inner).toByteArray();
    return pdb.module("main.obj", symbols, NONE, SmallPdb.lines(1, 0x100, 0x40, file, 0, 7))
        .module("empty.obj", NONE, NONE, NONE)
        .contribution(1, 0x100, 0x40, 0)
        .publicFunction("_main", 1, 0x100)
        .publicFunction("_other", 1, 0x200);
  }

  private static SmallPdb program() {
    return program(new Records(), 0);
  }

  private static PdbFile open(byte[] bytes) {
    return PdbFile.open(InputFile.of(bytes, "small.pdb"));
  }

  /** Writes bytes over those that follow a text, which the file has once. */
  private static byte[] changed(byte[] file, byte[] place, int behind, byte[] bytes) {
    String text = new String(file, StandardCharsets.ISO_8859_1);
    String wanted = new String(place, StandardCharsets.ISO_8859_1);
    int at = text.indexOf(wanted);
    assertTrue(at >= 0 && text.indexOf(wanted, at + 1) < 0, "once");
    System.arraycopy(bytes, 0, file, at + behind, bytes.length);
    return file;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static List<String> gaps(PdbFile pdb) {
    return pdb.gaps().stream().map(Gap::what).toList();
  }

  private static Optional<Found> at(PdbFile pdb, long rva) {
    return new PdbSymbolizer(pdb).find(rva);
  }

  private static List<String> functions(PdbFile pdb) {
    return pdb.modules().stream()
        .flatMap(module -> pdb.symbols(module).procedures().stream())
        .map(Procedure::name)
        .toList();
  }

  @Test
  void aWholePdbHasNoGaps() {
    PdbFile pdb = open(program().write());
    assertEquals("main", at(pdb, 0x1100).orElseThrow().name());
    assertEquals(List.of("main"), functions(pdb));
    assertEquals(List.of(), pdb.gaps());
  }

  @Test
  void aSectionTableOfZerosGivesNoAddresses() {
    byte[] table = program().sectionTable();
    PdbFile pdb = open(changed(program().write(), table, 0, new byte[table.length]));
    assertEquals(-1, pdb.rva(1, 0x100));
    assertEquals(List.of("SECTION_HEADERS"), gaps(pdb));
    assertTrue(at(pdb, 0x100).isEmpty(), "an offset is no address");
  }

  @Test
  void sectionsThatOverlapGiveNoAddresses() {
    PdbFile pdb = open(program().section(".bad", 0x2080, 0x100).write());
    assertEquals(-1, pdb.rva(1, 0x100));
    assertEquals(List.of("SECTION_HEADERS"), gaps(pdb));
  }

  @Test
  void addressesOfARearrangedProgramAreNotThoseOfTheImage() {
    PdbFile pdb = open(program().debugStream(10, new byte[80]).write());
    assertEquals(-1, pdb.rva(1, 0x100));
    assertEquals(List.of("ORIGINAL_SECTION_HEADERS"), gaps(pdb));
  }

  @Test
  void anAddressMapOfZerosGivesNoAddresses() {
    PdbFile pdb = open(program().debugStream(3, new byte[32]).write());
    assertTrue(at(pdb, 0x1100).isEmpty(), "where nothing was moved");
    assertEquals(List.of("OMAP_TO_SOURCE"), gaps(pdb));
  }

  @Test
  void symbolsWithAnUnknownSignatureAreAGapOfTheirModule() {
    byte[] symbols = new Records().procedure("main", 1, 0x100, 0x40, new Records()).toByteArray();
    PdbFile pdb = open(changed(program().write(), symbols, -4, new byte[4]));
    assertEquals(List.of(), functions(pdb));
    assertEquals(List.of("symbols of module 0"), gaps(pdb));
    assertTrue(pdb.gaps().getFirst().why().endsWith("have the signature 0h, not 4h"));
  }

  @Test
  void anInlinedFunctionWithoutNameIsAGap() {
    LittleEndian site = new LittleEndian().u32(4).u32(0).u32(0x1005);
    site.u8(3).u8(0).u8(4).u8(0x10).u8(0).u8(0);
    Records inner = new Records().add(0x114D, site).add(0x114E, new LittleEndian());
    PdbFile pdb = open(program(inner, 0).write());
    assertEquals(2, at(pdb, 0x1105).orElseThrow().frames().size());
    assertTrue(gaps(pdb).contains("symbols of module 0"), gaps(pdb).toString());
  }

  @Test
  void aSourceFileWithoutNameIsAGap() {
    PdbFile pdb = open(program(new Records(), 1000).write());
    assertEquals("", at(pdb, 0x1105).orElseThrow().frames().getFirst().file());
    assertEquals(List.of("files of module 0"), gaps(pdb));
  }

  @Test
  void streamsWhoseNamesAreDamagedAreAGap() {
    byte[] file = changed(program().write(), ascii("/names\0"), -4, new byte[] {-1, -1, -1, -1});
    assertEquals(List.of("names of streams"), gaps(open(file)));
  }

  @Test
  void aPdbWithoutIdentityIsRefused() {
    byte[] version = new LittleEndian().u32(20_000_404).toByteArray();
    byte[] file = changed(program().write(), version, 0, new byte[28]);
    CannotGoOn e = assertThrows(CannotGoOn.class, () -> open(file));
    assertTrue(e.message().endsWith("a PDB stream of version 0"), e.message());
  }

  @Test
  void publicSymbolsWithoutTheirHashAreFoundAmongTheRecords() {
    byte[] head = new LittleEndian().u32(532).u32(8).zeros(20).toByteArray();
    PdbFile pdb = open(changed(program().write(), head, 0, new byte[8]));
    assertEquals(2, pdb.publics().orElseThrow().count());
    assertEquals(List.of("publics"), gaps(pdb));
  }

  @Test
  void aPublicSymbolThatIsNamedTwiceIsAGap() {
    byte[] map = new LittleEndian().u32(0).u32(20).zeros(8).toByteArray();
    PdbFile pdb = open(changed(program().write(), map, 4, new byte[4]));
    assertTrue(pdb.publicSymbol(0).isPresent() && pdb.publicSymbol(1).isEmpty(), "one of two");
    assertEquals(List.of("publics"), gaps(pdb));
  }

  @Test
  void partsThatDoNotFillTheirStreamAreAGap() {
    byte[] head = new LittleEndian().u32(-1).u32(19_990_903).toByteArray();
    PdbFile pdb = open(changed(program().write(), head, 24, new byte[4]));
    assertEquals(List.of("DBI stream"), gaps(pdb));
  }

  @Test
  void publicSymbolsThatTheirMapLeavesOutAreFoundAmongTheRecords() {
    byte[] head = new LittleEndian().u32(532).u32(8).zeros(20).toByteArray();
    PdbFile pdb = open(changed(program().write(), head, 4, new byte[] {4}));
    assertEquals(2, pdb.publics().orElseThrow().count());
    assertEquals(List.of("publics"), gaps(pdb));
    assertTrue(
        pdb.gaps().getFirst().why().endsWith("has 568 bytes, its parts 564"),
        pdb.gaps().toString());
  }

  /** The sizes of the symbols, of the lines of either generation, of the first module. */
  private static byte[] partSizes() {
    byte[] symbols = new Records().procedure("main", 1, 0x100, 0x40, new Records()).toByteArray();
    int lines = SmallPdb.lines(1, 0x100, 0x40, 0, 0, 7).length;
    return new LittleEndian().u32(4L + symbols.length).u32(0).u32(lines).toByteArray();
  }

  @Test
  void linesOfAModuleThatEndBeforeItsStreamAreAGap() {
    PdbFile pdb = open(changed(program().write(), partSizes(), 8, new byte[4]));
    assertEquals(List.of("main"), functions(pdb));
    assertEquals(List.of("parts of module 0"), gaps(pdb));
  }

  @Test
  void symbolsOfAModuleThatEndBeforeItsStreamAreAGap() {
    PdbFile pdb = open(changed(program().write(), partSizes(), 0, new byte[] {4, 0, 0, 0}));
    assertEquals(List.of(), functions(pdb));
    assertEquals(List.of("parts of module 0"), gaps(pdb));
  }
}
