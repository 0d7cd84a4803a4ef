package io.ntrail.formats.decoration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.decoration.Undecorator.Style;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Undecorated names in the style of llvm-undname 14. */
class UndecoratorTest {
  /** Managed functions: llvm-undname refuses them, or takes the mark for something else. */
  private static final String MANAGED = "$$F";

  /** The rows of a table of names, without its comments. */
  static List<String[]> rows(String file) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    String text = new String(TestData.gunzip("pdb/undname/" + file), StandardCharsets.UTF_8);
    List<String[]> rows = new ArrayList<>();
    for (String line : text.split("\n", -1)) {
      if (!line.isEmpty() && !line.startsWith("#")) {
        rows.add(line.split("\t", -1));
      }
    }
    return rows;
  }

  @Test
  void tenThousandRealNamesMeanWhatLlvmSays() throws IOException {
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    for (String[] row : rows("names.tsv.gz")) {
      Optional<String> full = Undecorator.of(row[0], Style.FULL);
      if (row[1].isEmpty()) {
        continue;
      }
      if (!row[0].contains(MANAGED)) {
        compared++;
        if (!full.equals(Optional.of(row[1]))
            || !Undecorator.of(row[0], Style.NAME).equals(Optional.of(row[2]))) {
          wrong.add(row[0] + " is " + full);
        }
      } else {
        assertTrue(full.isPresent(), row[0]);
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(compared > 10_500, compared + " names");
  }

  @Test
  void allNinetyOneNamesThatLlvmRefusesAreUndecorated() throws IOException {
    List<String> refused = new ArrayList<>();
    List<String> silent = new ArrayList<>();
    for (String[] row : rows("names.tsv.gz")) {
      if (row[1].isEmpty()) {
        refused.add(row[0]);
        if (Undecorator.of(row[0], Style.FULL).isEmpty()
            || Undecorator.of(row[0], Style.NAME).isEmpty()) {
          silent.add(row[0]);
        }
      }
    }
    assertEquals(91, refused.size());
    assertEquals(List.of(), silent);
  }

  @Test
  void handlesReferencesAndArraysOfManagedCodeAreWrittenAsItWritesThem() {
    assertEquals(
        Optional.of("int __clrcall main(cli::array<class System::String ^>^)"),
        Undecorator.of("?main@@$$HYMHP$01EAPE$AAVString@System@@@Z", Style.FULL));
    assertEquals(
        Optional.of("void __clrcall f(cli::array<int, 2>^, int %, cli::pin_ptr<int>)"),
        Undecorator.of("?f@@$$FYMXP$02EAHAE$CAHPE$BAH@Z", Style.FULL));
    assertEquals(
        Optional.of("class System::String ^text"),
        Undecorator.of("?text@@$$Q3PE$AAVString@System@@E$AA", Style.FULL));
    assertEquals(
        Optional.of("private: static void *A::_lock"),
        Undecorator.of("?_lock@A@@$$Q0PEAXEA", Style.FULL));
    assertEquals(
        Optional.of(
            "void __clrcall `anonymous namespace'::"
                + "`dynamic initializer for `public: static int A::Done''(void)"),
        Undecorator.of("???__E?Done@A@@$$Q2HA@@YMXXZ@?A0xf62e0d43@@$$FYMXXZ", Style.FULL));
  }

  @Test
  void constructedNamesMeanWhatLlvmSays() throws IOException {
    List<String> wrong = new ArrayList<>();
    int compared = 0;
    for (String[] row : rows("llvm-tests.tsv.gz")) {
      // One was kept with spaces that the test's own tool does not see.
      if (row.length > 2 && !row[1].endsWith(" ")) {
        compared++;
        String is = Undecorator.of(row[1], Style.FULL).orElse("invalid");
        if (!is.equals(row[2])) {
          wrong.add(row[1] + " is " + is);
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(compared > 800, compared + " names");
  }

  @Test
  void managedFunctionsAreDeclaredAsAllOthers() {
    assertEquals(
        Optional.of("private: void __cdecl A::Initialize(void)"),
        Undecorator.of("?Initialize@A@@$$FAEAAXXZ", Style.FULL));
  }

  @Test
  void namesThatAreNotDecoratedAreNone() {
    for (String name : List.of("", "main", "_ZN1A1fEv", "?", "??", "?f", ".", ".?A", "@f@4")) {
      assertEquals(Optional.empty(), Undecorator.of(name, Style.FULL), name);
    }
  }

  @Test
  void namesThatMultiplyEndSomewhere() {
    String name = "?f@@YAX" + "P6A".repeat(100_000);
    assertEquals(Optional.empty(), Undecorator.of(name, Style.FULL));
    StringBuilder deep = new StringBuilder("?f@@YAXV?$a@");
    for (int i = 0; i < 100; i++) {
      deep.append("V?$a@V1@V1@V1@");
    }
    assertEquals(Optional.empty(), Undecorator.of(deep.toString(), Style.FULL));
  }
}
