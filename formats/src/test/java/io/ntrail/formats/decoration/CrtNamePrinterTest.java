package io.ntrail.formats.decoration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.formats.decoration.Undecorator.Style;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Undecorated names in the style of the Windows C runtime. */
class CrtNamePrinterTest {
  private static String text(String name, UndnameFlag... leftOut) {
    EnumSet<UndnameFlag> flags = EnumSet.noneOf(UndnameFlag.class);
    flags.addAll(List.of(leftOut));
    return Undecorator.of(name, flags).orElse("none");
  }

  @Test
  void allNamesOfTheRuntimesOwnTextsMeanWhatItSays() throws IOException {
    List<String> wrong = new ArrayList<>();
    List<String[]> rows = UndecoratorTest.rows("undname-msvcrt.tsv.gz");
    for (String[] row : rows) {
      // The runtime gives back what it does not understand.
      String is =
          Undecorator.of(row[0], UndnameFlag.of(Integer.parseInt(row[2], 16))).orElse(row[0]);
      if (!is.equals(row[1])) {
        wrong.add(row[0] + " with " + row[2] + " is " + is);
      }
    }
    assertEquals(List.of(), wrong);
    assertEquals(149, rows.size());
  }

  @Test
  void tenThousandRealNamesAreUndecoratedExceptStaticConstructors() throws IOException {
    List<String> silent = new ArrayList<>();
    List<String> always = new ArrayList<>();
    int refusedByLlvm = 0;
    for (String[] row : UndecoratorTest.rows("names.tsv.gz")) {
      if (Undecorator.of(row[0], Style.CRT).isEmpty()) {
        silent.add(row[0].substring(0, row[0].indexOf('@')));
      } else if (row[1].isEmpty()) {
        refusedByLlvm++;
      }
      if (text(row[0], UndnameFlag.NO_IDENT_CHAR_CHECK).equals("none")) {
        always.add(row[0]);
      }
    }
    assertEquals(89, refusedByLlvm);
    // The runtime refuses points in names.
    assertEquals(List.of("?.cctor", "?.cctor", "?.cctor"), silent);
    assertEquals(List.of(), always);
  }

  @Test
  void eachFlagLeavesOutWhatItIsNamedFor() {
    String name = "?f@C@@UEBAPEAVD@@PEAH@Z";
    assertEquals(
        "public: virtual class D * __ptr64 __cdecl C::f(int * __ptr64)const __ptr64", text(name));
    assertEquals(
        "public: virtual class D * ptr64 cdecl C::f(int * ptr64)const ptr64",
        text(name, UndnameFlag.NO_LEADING_UNDERSCORES));
    assertEquals(
        "public: virtual class D * C::f(int *)const ", text(name, UndnameFlag.NO_MS_KEYWORDS));
    assertEquals(
        "public: virtual __cdecl C::f(int * __ptr64)const __ptr64",
        text(name, UndnameFlag.NO_FUNCTION_RETURNS));
    assertEquals(
        "public: virtual class D * __ptr64 C::f(int * __ptr64)const __ptr64",
        text(name, UndnameFlag.NO_ALLOCATION_LANGUAGE));
    assertEquals(
        "public: virtual class D * __ptr64 __cdecl C::f(int * __ptr64)const ",
        text(name, UndnameFlag.NO_MS_THISTYPE));
    assertEquals(
        "public: virtual class D * __ptr64 __cdecl C::f(int * __ptr64) __ptr64",
        text(name, UndnameFlag.NO_CV_THISTYPE));
    assertEquals(
        "virtual class D * __ptr64 __cdecl C::f(int * __ptr64)const __ptr64",
        text(name, UndnameFlag.NO_ACCESS_SPECIFIERS));
    assertEquals(
        "public: class D * __ptr64 __cdecl C::f(int * __ptr64)const __ptr64",
        text(name, UndnameFlag.NO_MEMBER_TYPE));
    assertEquals("C::f", text(name, UndnameFlag.NAME_ONLY));
    assertEquals(
        "public: virtual class D * __ptr64 __cdecl C::f __ptr64",
        text(name, UndnameFlag.NO_ARGUMENTS, UndnameFlag.NO_CV_THISTYPE));
    assertEquals(
        "public: virtual D * __ptr64 __cdecl C::f(int * __ptr64)const __ptr64",
        text(name, UndnameFlag.NO_ECSU));
    assertEquals(
        "public: virtual class D * __cdecl C::f(int *)const ", text(name, UndnameFlag.NO_PTR64));
    assertEquals("void __cdecl f(void) noexcept", text("?f@@YAXX_E"));
    assertEquals("void __cdecl f(void)", text("?f@@YAXX_E", UndnameFlag.NO_THROW_SIGNATURES));
  }

  @Test
  void bitsWithoutTextAreNotFlags() {
    assertEquals(EnumSet.noneOf(UndnameFlag.class), UndnameFlag.of(0x8 | 0x400 | 0x800));
    assertEquals(
        EnumSet.of(UndnameFlag.NO_MS_THISTYPE, UndnameFlag.NO_CV_THISTYPE), UndnameFlag.of(0x60));
  }

  @Test
  void whatCompilersMakeIsSpelledOut() {
    assertEquals("void __stdcall `eh vector copy constructor iterator'(void)", text("??__C@YGXXZ"));
    assertEquals("`string'", text("??_C@_02PCEFGMJL@hi?$AA@"));
    assertEquals(
        "`struct S & __cdecl f(void)'::`2'::`local static guard'{2}'",
        text("??_B?1??f@@YAAAUS@@XZ@51"));
    assertEquals("B::`RTTI Base Class Descriptor at (8,-1,0,64)'", text("??_R17?0A@EA@B@@8"));
    assertEquals(
        "void __cdecl `dynamic initializer for 'private: static int C::i''(void)",
        text("??__E?i@C@@0HA@@YAXXZ"));
  }

  @Test
  void managedCodeIsWrittenWithItsPointersOf64Bits() {
    assertEquals(
        "int __clrcall main(cli::array<class System::String ^ __ptr64 >^ __ptr64)",
        text("?main@@$$HYMHP$01EAPE$AAVString@System@@@Z"));
  }

  @Test
  void parametersOfTemplatesAreIdentifiedByTheirNumbers() {
    assertEquals("A<`template-parameter-1'>", text("?$A@?0@"));
    assertEquals("A<`non-type-template-parameter3'>", text("?$A@$Q2@"));
    assertEquals("void __cdecl f<`template-parameter17'>(void)", text("??$f@$DBB@@@YAXXZ"));
  }

  @Test
  void namesThatMultiplyEndSomewhere() {
    assertEquals("none", text("?f@@YAX" + "P6A".repeat(100_000)));
    StringBuilder growing = new StringBuilder("?f@@YAXP6AXPAH@Z");
    for (int i = 1; i < 10; i++) {
      growing.append("P6AX").append("0123456789".substring(0, i).repeat(3)).append("@Z");
    }
    assertEquals("none", text(growing + "9999999999@Z"));
    assertEquals("none", text("?f@@YAX" + "H".repeat(32_000) + "@Z"));
  }
}
