package io.ntrail.formats.pdb;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pdb.PdbSymbolizer.Found;
import io.ntrail.formats.pdb.PdbSymbolizer.Frame;
import io.ntrail.formats.pdb.PdbSymbolizer.Kind;
import io.ntrail.formats.pdb.codeview.C11Lines;
import io.ntrail.formats.pdb.codeview.InlineSiteLines;
import io.ntrail.formats.pdb.codeview.LineRow;
import io.ntrail.formats.pdb.codeview.Symbol;
import io.ntrail.formats.pdb.codeview.Symbol.InlineSite;
import io.ntrail.formats.pdb.codeview.Symbol.Procedure;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.pdb.PdbSamples;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** Single things that are known about the shared PDBs. */
@EnabledIf("io.ntrail.formats.pdb.Pdbs#present")
class RealPdbsTest {
  @Test
  void linesOfVisualCpp2003AreThoseThatWereCountedByHand() {
    PdbFile pdb = Pdbs.open("binskim/Compiled2003.pdb");
    int rows = 0;
    Set<String> files = new HashSet<>();
    for (PdbModule module : pdb.modules()) {
      Optional<C11Lines> lines = pdb.symbols(module).c11Lines();
      for (LineRow row : lines.map(C11Lines::rows).orElse(List.of())) {
        rows++;
        files.add(lines.orElseThrow().file(row.file()));
      }
    }
    assertEquals(8059, rows);
    assertEquals(142, files.size());
    assertEquals(List.of(), pdb.gaps());
  }

  @Test
  void functionsOfVisualCpp2003HaveTheirLines() {
    PdbFile pdb = Pdbs.open("binskim/Compiled2003.pdb");
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    int withLine = 0;
    int functions = 0;
    for (PdbModule module : pdb.modules()) {
      if (module.c11Bytes() > 0) {
        for (var procedure : pdb.symbols(module).procedures()) {
          Optional<Found> found = addresses.find(pdb.rva(procedure.section(), procedure.offset()));
          functions++;
          withLine += found.filter(f -> f.frames().getFirst().line() > 0).isPresent() ? 1 : 0;
        }
      }
    }
    assertTrue(functions > 500 && withLine > functions * 9 / 10, withLine + " of " + functions);
  }

  @Test
  void labelsThatLieInNoProcedureAreNamed() {
    PdbSymbolizer crash = new PdbSymbolizer(Pdbs.open("sentry/crash.pdb"));
    Found funclet = crash.find(0x38C4).orElseThrow();
    assertEquals(PdbSymbolizer.Kind.LABEL, funclet.kind());
    assertEquals("__unwindfunclet$_main$0", funclet.name());
    // Up to the next label, __unwindfunclet$_main$2.
    assertEquals(List.of(0x38C0L, 8L, 4L), parts(funclet));
    Found handler = crash.find(0x38F8).orElseThrow();
    assertEquals("__ehhandler$_main", handler.name());
    // The last one extends to the end of what the object brought.
    assertEquals(List.of(0x38F3L, 40L, 5L), parts(handler));
    Found assembler =
        new PdbSymbolizer(Pdbs.open("syzygy/test_dll.pdb")).find(0x1D05).orElseThrow();
    assertEquals("found_bx", assembler.name());
    assertTrue(assembler.frames().getFirst().file().endsWith("strchr.asm"), assembler.toString());
  }

  private static List<Long> parts(Found found) {
    return List.of(found.begin(), found.length(), found.offset());
  }

  /**
   * Link-time code generation inlines across modules; the linker changes the case of their names.
   */
  @Test
  void functionsOfOtherModulesThatWereInlinedHaveTheirNames() {
    PdbFile pdb = Pdbs.open("sentry/crash.pdb");
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    Set<String> names = new TreeSet<>();
    int sites = 0;
    for (PdbModule module : pdb.modules()) {
      ModuleSymbols symbols = pdb.symbols(module);
      for (Procedure procedure : symbols.procedures()) {
        for (InlineSite site : symbols.inlineSites(procedure)) {
          if (site.inlinee() >= 0x8000_0000L) {
            sites++;
            long at = InlineSiteLines.of(site.annotations(), 0, 0, 1).getFirst().offset();
            long rva = pdb.rva(procedure.section(), procedure.offset()) + at;
            addresses.find(rva).orElseThrow().frames().forEach(f -> names.add(f.function()));
          }
        }
      }
    }
    assertTrue(sites > 100, "sites: " + sites);
    assertFalse(names.contains("<imported>"), names.toString());
    assertTrue(
        names.contains(
            "std::basic_string<wchar_t,std::char_traits<wchar_t>,"
                + "std::allocator<wchar_t> >::_Tidy_deallocate"),
        names.toString());
  }

  /** The linker's table: E9 and the distance, of which the record says where it leads. */
  @Test
  void jumpsOfIncrementalLinkingLeadWhereTheImageSays() {
    PdbFile pdb = Pdbs.open("llvm/test.pdb");
    PeImage pe = PeImage.ofFile(InputFile.of(PdbSamples.bytes("llvm/test.exe"), "test.exe"));
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    int jumps = 0;
    for (PdbModule module : pdb.modules()) {
      for (Symbol symbol : pdb.symbols(module).symbols()) {
        if (symbol instanceof Symbol.Trampoline jump) {
          jumps++;
          long rva = pdb.rva(jump.section(), jump.offset());
          long target = pdb.rva(jump.targetSection(), jump.targetOffset());
          assertEquals(0xE9, pe.view().window(rva, 1).u8(0));
          assertEquals(target, rva + 5 + pe.view().window(rva + 1, 4).i32(0));
          Found found = addresses.find(rva + 1).orElseThrow();
          assertEquals(PdbSymbolizer.Kind.THUNK, found.kind());
          assertEquals(addresses.find(target).map(Found::name).orElse(""), found.name());
        }
      }
    }
    assertEquals(88, jumps);
  }

  @Test
  void blocksLieInTheirProcedures() {
    int blocks = 0;
    for (String name : List.of("samply/softokn3.pdb", "llvm/test.pdb", "binskim/native2005.pdb")) {
      PdbFile pdb = Pdbs.open(name);
      for (PdbModule module : pdb.modules()) {
        ModuleSymbols symbols = pdb.symbols(module);
        for (Symbol symbol : symbols.symbols()) {
          if (symbol instanceof Symbol.Block block) {
            blocks++;
            Procedure around =
                (Procedure) symbols.function(block.section(), block.offset()).orElseThrow();
            assertTrue(block.at() > around.at() && block.end() < around.end(), block.toString());
            assertTrue(
                block.offset() + block.length() <= around.offset() + around.length(),
                block.toString());
          }
        }
      }
    }
    assertEquals(76 + 1 + 1, blocks);
  }

  @Test
  void addressesOfFastlinkHaveTheirLinesAndPublicSymbols() {
    PdbFile pdb = Pdbs.open("binskim/Native_x64_VS2019_CPlusPlus_DEBUG_FASTLINK.pdb");
    assertEquals(2, pdb.contributions().version());
    assertTrue(pdb.isMinimal());
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    int rows = 0;
    int named = 0;
    for (PdbModule module : pdb.modules()) {
      for (LineRow row : pdb.symbols(module).lines()) {
        // Its last byte: at the start of a function a row without bytes is meant.
        Optional<Found> found =
            addresses.find(pdb.rva(row.section(), row.offset() + Math.max(1, row.length()) - 1));
        if (row.length() > 0 && !row.isMark()) {
          rows++;
          named += found.orElseThrow().kind() != Kind.NEAREST ? 1 : 0;
          assertEquals(row.line(), found.orElseThrow().frames().getLast().line());
        }
      }
    }
    // The functions of the others are known in the object files alone.
    assertEquals(List.of(576, 845), List.of(named, rows));
  }

  @Test
  void copiesOfUnwindDataAreThoseOfTheImage() {
    for (String name : List.of("sysinf/systeminformer", "win10/amdppm", "win7/user32")) {
      PdbFile pdb = Pdbs.open(name + ".pdb");
      String image = name + (name.startsWith("win7") ? ".dll" : ".sys");
      PeImage pe = PeImage.ofFile(InputFile.of(PdbSamples.bytes(image), image));
      for (UnwindDataCopy copy :
          List.of(pdb.functionTable().orElseThrow(), pdb.unwindInformation().orElseThrow())) {
        int length = Math.min(copy.data().length(), 4096);
        if (pdb.omapToImage().isEmpty()) {
          assertArrayEquals(
              pe.view().window(copy.rva(), length).array(0, length),
              copy.data().array(0, length),
              name);
        }
        assertTrue(length > 100, name);
      }
    }
  }

  @Test
  void typesOfParametersAreThoseThatDumpSymsWrote() {
    PdbFile pdb = Pdbs.open("mozilla/basic32.pdb");
    PdbSymbolizer addresses = new PdbSymbolizer(pdb);
    Pattern function =
        Pattern.compile("FUNC (?:m )?([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ ([^(]+)\\((.*)\\)");
    List<String> others = new ArrayList<>();
    int compared = 0;
    for (String line : PdbSamples.lines("mozilla/basic32.sym")) {
      Matcher m = function.matcher(line);
      if (!m.matches()) {
        continue;
      }
      Found found = addresses.find(Long.parseLong(m.group(1), 16)).orElseThrow();
      Optional<List<String>> parameters = pdb.typeNames().parameters(found.type());
      if (found.name().equals(m.group(2)) && parameters.isPresent()) {
        compared++;
        String ours = String.join(", ", parameters.get());
        if (!plain(ours).equals(plain(m.group(3)))) {
          others.add(line + "\n  " + ours);
        }
      }
    }
    System.out.printf("parameter lists: %d of %d alike%n", compared - others.size(), compared);
    assertTrue(compared > 1000, "functions");
    assertTrue(
        others.size() * 500 < compared,
        () ->
            others.size()
                + ":\n"
                + String.join("\n", others.subList(0, Math.min(20, others.size()))));
  }

  /** The text puts const elsewhere, has no volatile, and other words for a few types. */
  private static String plain(String types) {
    return types
        .replace("<NoType>", "...")
        .replace("long long", "__int64")
        .replace("std::nullptr_t", "*")
        .replaceAll("\\b(const|volatile|void)\\b", "")
        .replaceAll("\\s", "");
  }

  /** The rows of a snapshot: function, then rows, then inlined functions, further in. */
  @Test
  void linesOfInlinedFunctionsAreThoseThatSymbolicFound() {
    PdbSymbolizer addresses = new PdbSymbolizer(Pdbs.open("sentry/crash.pdb"));
    Pattern row = Pattern.compile("( +)0x([0-9a-f]+): (.+):(\\d+) \\((.*)\\)");
    Pattern begin = Pattern.compile("( *)> 0x([0-9a-f]+): (.*) \\(0x([0-9a-f]+)\\)");
    int compared = 0;
    List<String> others = new ArrayList<>();
    List<String> lines = PdbSamples.lines("sentry/test_objects__pdb_functions.snap");
    for (String line : lines) {
      Matcher m = row.matcher(line);
      if (!m.matches()) {
        continue;
      }
      String told = m.group(5) + "\\" + m.group(3) + ":" + m.group(4);
      long rva = Long.parseLong(m.group(2), 16);
      // The text has no rows without bytes, of which that of a function's start is meant.
      boolean isStart = addresses.find(rva).filter(found -> found.offset() == 0).isPresent();
      List<Frame> frames =
          addresses.find(isStart ? rva + 1 : rva).map(Found::frames).orElse(List.of());
      compared++;
      // Calls of the same place lie in one another; the depth of the row is that of its function.
      int depth = frames.size() - m.group(1).length() / 2;
      String ours =
          depth < 0 || depth >= frames.size()
              ? ""
              : frames.get(depth).file() + ":" + frames.get(depth).line();
      if (!ours.equals(told)) {
        others.add(line.strip() + " and not " + ours + " of " + frames.size());
      }
    }
    assertTrue(lines.stream().anyMatch(line -> begin.matcher(line).matches()), "functions");
    System.out.printf("rows of inlined functions: %d of %d%n", compared - others.size(), compared);
    assertTrue(compared > 50, "rows");
    assertEquals("", String.join("\n", others));
  }
}
