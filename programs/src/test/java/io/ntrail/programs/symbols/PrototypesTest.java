package io.ntrail.programs.symbols;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.decoration.CallConvention;
import io.ntrail.formats.identity.CallPrototype;
import io.ntrail.formats.identity.CallPrototype.Convention;
import io.ntrail.formats.pdb.PdbFile;
import io.ntrail.formats.pdb.codeview.FunctionType;
import io.ntrail.formats.pdb.codeview.FunctionType.Kind;
import io.ntrail.formats.pdb.codeview.FunctionType.Value;
import io.ntrail.formats.pdb.codeview.Symbol.Public;
import io.ntrail.formats.pe.CoffSymbols;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.wine.WindowsCompiler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Places of arguments by types, beside the names that Microsoft's compilers gave the functions. */
class PrototypesTest {
  private static final Value INT = new Value(4, Kind.WORD);
  private static final Value CHAR = new Value(1, Kind.WORD);
  private static final Value WIDE = new Value(8, Kind.WORD);
  private static final Value DOUBLE = new Value(8, Kind.FLOAT);
  private static final Value BIG = new Value(12, Kind.STRUCTURE);
  private static final Value UNKNOWN = new Value(0, Kind.STRUCTURE);

  private static final int CDECL = 0;
  private static final int FASTCALL = 4;
  private static final int THISCALL = 0xB;
  private static final int VECTORCALL = 0x18;

  private static List<Integer> places(int convention, Value result, Value... parameters) {
    boolean hasThis = convention == THISCALL;
    FunctionType type =
        new FunctionType(convention, hasThis, List.of(parameters), false, hasThis, false, result);
    return Prototypes.of(type).orElseThrow().places();
  }

  @Test
  void registersTakeTheFirstTwoWordsAndNothingElse() {
    assertEquals(List.of(17, 18, 5, 6, 19), places(FASTCALL, INT, DOUBLE, INT, CHAR, INT));
    assertEquals(List.of(17, 18, 5, 19, 20, 21, 6), places(FASTCALL, INT, WIDE, INT, BIG, CHAR));
  }

  @Test
  void anObjectIsInEcxAndTheAddressOfALargeResultIsTheNextArgument() {
    assertEquals(List.of(5, 17), places(THISCALL, INT, INT));
    assertEquals(List.of(5, 17, 18), places(THISCALL, BIG, INT));
    assertEquals(List.of(17, 18), places(CDECL, BIG, INT));
    assertEquals(List.of(5, 6), places(FASTCALL, BIG, INT));
  }

  @Test
  void floatsOfVectorcallAreInVectorRegisters() {
    assertEquals(List.of(5, 64, 6), places(VECTORCALL, INT, INT, DOUBLE, INT));
  }

  @Test
  void placesEndWhereASizeIsUnknown() {
    FunctionType type =
        new FunctionType(CDECL, false, List.of(INT, UNKNOWN, INT), false, false, false, INT);
    CallPrototype prototype = Prototypes.of(type).orElseThrow();
    assertEquals(List.of(17), prototype.places());
    assertTrue(prototype.mayHaveMore());
  }

  @Test
  void namesTellItWhereThereIsNoType() {
    assertEquals(
        Optional.of(new CallPrototype(Convention.FASTCALL, List.of(5, 6, 17), false, false)),
        Prototypes.of("@f@12"));
    assertEquals(
        Optional.of(new CallPrototype(Convention.STDCALL, List.of(17), false, false)),
        Prototypes.of("_f@4"));
    assertEquals(
        Optional.of(new CallPrototype(Convention.THISCALL, List.of(5), true, true)),
        Prototypes.of("?get@Box@@QAE_JH@Z"));
    assertEquals(Optional.empty(), Prototypes.of("f"));
  }

  @Test
  void namesTellItOfAssemblyCodeWhoseTypesSayNothing() throws IOException {
    String file = "syzygy/test_dll.pdb.gz";
    PdbFile pdb = PdbFile.open(InputFile.of(TestData.gunzip("pdb/" + file), file));
    Public symbol =
        IntStream.range(0, pdb.publics().orElseThrow().count())
            .mapToObj(i -> pdb.publicSymbol(i).orElseThrow())
            .filter(its -> its.name().equals("@_EH4_LocalUnwind@16"))
            .findFirst()
            .orElseThrow();
    assertEquals(
        new CallPrototype(Convention.FASTCALL, List.of(5, 6, 17, 18), false, false),
        Prototypes.of(pdb).get(pdb.toImage(symbol)));
  }

  @Test
  void functionsThatOnlyTheirOwnFileCallsAreNotKnownToFollowTheirNames(@TempDir Path folder)
      throws IOException {
    assumeTrue(WindowsCompiler.MINGW_C_32.available(), WindowsCompiler.MINGW_C_32.missing());
    Path source =
        Files.writeString(
            folder.resolve("local.c"),
            """
            volatile int sink;
            static __attribute__((noinline)) int inner(int a, int b) { return sink + a - b; }
            static __attribute__((noinline, stdcall)) int near(int a, int b) { return sink - a + b; }
            __attribute__((stdcall)) int outer(int a, int b) { return inner(a, b) + near(b, a); }
            __attribute__((fastcall)) int fast(int a) { return sink = a; }
            int main(int n, char **all) { return outer(n, 2) + fast(n); }
            """);
    Path program = WindowsCompiler.MINGW_C_32.build(List.of(source), "-O2");
    Map<String, CallPrototype> prototypes = new HashMap<>();
    byte[] inner;
    try (InputFile file = InputFile.map(program, "local.exe")) {
      PeImage image = PeImage.ofFile(file);
      CoffSymbols symbols = CoffSymbols.of(image);
      Map<Long, CallPrototype> all = Prototypes.of(symbols);
      symbols
          .functions()
          .forEach(its -> {
            if (all.containsKey(its.rva())) {
              prototypes.put(its.name(), all.get(its.rva()));
            }
          });
      long rva =
          symbols.functions().stream()
              .filter(its -> its.name().equals("_inner"))
              .findFirst()
              .orElseThrow()
              .rva();
      inner = image.view().window(rva, 64).array(0, 64);
    }
    // It reads no word of the stack: ret, before any [esp + n].
    String code = HexFormat.of().formatHex(inner);
    assertTrue(
        code.indexOf("c3") > 0 && !code.substring(0, code.indexOf("c3")).contains("24"), code);
    CallPrototype anyOfC = new CallPrototype(Convention.CDECL, List.of(), true, false);
    CallPrototype twoWords = new CallPrototype(Convention.STDCALL, List.of(17, 18), false, false);
    assertEquals(anyOfC, prototypes.get("_main"));
    assertEquals(anyOfC.assumed(), prototypes.get("_inner"));
    assertEquals(twoWords, prototypes.get("_outer@8"));
    assertEquals(twoWords.assumed(), prototypes.get("_near@8"));
    assertEquals(
        new CallPrototype(Convention.FASTCALL, List.of(5), false, false),
        prototypes.get("@fast@4"));
  }

  @Test
  void conventionsAndWordsAreThoseOfTheNamesThatTheCompilerGave() throws IOException {
    Map<Convention, Integer> agreed = new EnumMap<>(Convention.class);
    List<String> different = new ArrayList<>();
    for (String name :
        List.of(
            "llvm/every-function.pdb.gz",
            "seh/x86/xcpt4.pdb.gz",
            "seh/x86/xframe_eh_exe.pdb.gz",
            "sentry/crash.pdb.gz",
            "syzygy/test_dll.pdb.gz",
            "binskim/native2005.pdb.gz")) {
      compare(name, agreed, different);
    }
    // Assembly code, whose procedures have the type of one without parameters.
    assertEquals(
        Set.of(
            "@_EH4_CallFilterFunc@8",
            "@_EH4_TransferToHandler@8",
            "@_EH4_GlobalUnwind@4",
            "@_EH4_LocalUnwind@16"),
        new HashSet<>(different));
    assertEquals(
        Map.of(
            Convention.CDECL, 437,
            Convention.STDCALL, 14,
            Convention.FASTCALL, 13,
            Convention.THISCALL, 49,
            Convention.VECTORCALL, 1),
        agreed);
  }

  /** Adds what agrees: of functions that were folded into one, one name has to. */
  private static void compare(String file, Map<Convention, Integer> agreed, List<String> different)
      throws IOException {
    PdbFile pdb = PdbFile.open(InputFile.of(TestData.gunzip("pdb/" + file), file));
    Map<Long, CallPrototype> prototypes = Prototypes.ofTypes(pdb, Set.of());
    Map<Long, String> others = new HashMap<>();
    Set<Long> same = new HashSet<>();
    for (int i = 0; i < pdb.publics().orElseThrow().count(); i++) {
      Public symbol = pdb.publicSymbol(i).orElseThrow();
      long rva = pdb.toImage(symbol);
      CallPrototype prototype = prototypes.get(rva);
      CallConvention told = CallConvention.of(symbol.name());
      if (prototype == null || !told.isKnown()) {
        continue;
      }
      boolean isSame =
          told.title().equals(prototype.convention().title())
              && (told.words() < 0
                  || prototype.mayHaveMore()
                  || told.words() == prototype.places().size());
      if (!isSame) {
        others.put(rva, symbol.name());
      } else if (same.add(rva)) {
        agreed.merge(prototype.convention(), 1, Integer::sum);
      }
    }
    others.keySet().removeAll(same);
    different.addAll(others.values());
  }
}
