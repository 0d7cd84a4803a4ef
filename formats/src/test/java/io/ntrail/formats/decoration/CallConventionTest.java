package io.ntrail.formats.decoration;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Conventions of 32-bit functions, and which recorded words are their arguments. */
class CallConventionTest {
  /** Recorded are ecx, edx and four words of the stack. */
  private static final List<Integer> PLACES = List.of(5, 6, 17, 18, 19, 20);

  @ParameterizedTest
  @CsvSource({
    "_main, cdecl",
    "_run@4, stdcall",
    "CloseHandle@4, stdcall",
    "@fast@12, fastcall",
    "vector@@8, vectorcall",
    "?f@@YAXH@Z, cdecl",
    "?f@@YGHH@Z, stdcall",
    "?f@@YIHHH@Z, fastcall",
    "?get@Box@@QBEHXZ, thiscall",
    // Takes a pointer to a cdecl function.
    "?sort@List@@QAEXP6AHHH@Z@Z, thiscall",
    "_ZNK3Box3getEv, thiscall",
    "__ZNK3Box3getEv, thiscall",
    "_ZNR3Box4takeEv, thiscall",
    "_ZN3BoxC1Ei, thiscall",
    "_ZN3BoxD0Ev, thiscall",
    "_ZN3BoxIiLj4ES_E6InsideD2Ev, thiscall",
    "_ZNSt6vectorIiSaIiEEC2ERKS1_, thiscall",
    "_ZN3BoxaSERKS_, thiscall",
    "_ZNK3BoxcvPKcEv, thiscall",
    "_ZN3BoxcviEv, thiscall",
    "_ZThn8_N3Box3getEv, thiscall",
    // Static members, and functions of namespaces, have names of the same form.
    "_ZN3Box3getEv, cdecl or thiscall assumed",
    "_ZN3BoxixEi, cdecl or thiscall assumed",
    "_ZN3BoxclEv, cdecl or thiscall assumed",
    "_ZNSt6vectorIiSaIiEE9push_backERKi, cdecl or thiscall assumed",
    "_ZZ4mainENKUlvE_clEv, cdecl or thiscall assumed",
    // With an ellipsis all arguments are on the stack; parts are called as GCC likes.
    "_ZNK3Box3putEPKcz, cdecl or thiscall assumed",
    "_ZNK3Box3getEv.part.0, cdecl or thiscall assumed",
    "_ZN3BoxC1Ei.isra.0, cdecl or thiscall assumed",
    "_ZN3BoxnwEj, cdecl",
    "_Z3runi, cdecl",
    "_ZNK3Box3getEv@4, stdcall",
    // Cut off, or not understood.
    "_ZN3Bo, cdecl or thiscall assumed",
    "_ZN99999999999C1Ev, cdecl or thiscall assumed",
    "_ZN3BoxIXsrS_E1xEC1Ev, cdecl or thiscall assumed",
    "_ZN, cdecl or thiscall assumed",
    "CreateFileW, cdecl or stdcall assumed",
    // Parts that GCC made of functions in C, and Rust's names.
    "_f.constprop.0, cdecl or stdcall assumed",
    "_f@8.isra.0, cdecl or stdcall assumed",
    "__RNvCs1234_7mycrate3foo, cdecl or stdcall assumed",
    "__Read, cdecl",
    "?, cdecl or stdcall assumed",
    "a@, cdecl or stdcall assumed",
    "@, cdecl or stdcall assumed",
  })
  void theNameTellsIt(String name, String text) {
    assertEquals(text, CallConvention.of(name).text());
  }

  @ParameterizedTest
  @CsvSource({
    "_lopen, cdecl or stdcall assumed",
    "_ZN3BoxC1Ei, thiscall",
    "_Z3runi, cdecl",
    "_run@4, stdcall",
    "?f@@YAXH@Z, cdecl",
    "CreateFileW, cdecl or stdcall assumed",
  })
  void anUnderscoreThatMayBelongToTheNameTellsNothing(String name, String text) {
    assertEquals(text, CallConvention.ofExport(name).text());
  }

  @ParameterizedTest
  @CsvSource({
    "_main, '2 3 4 5'",
    "_run@4, '2'",
    "_none@0, ''",
    "@fast@12, '0 1 2'",
    "@fast@4, '0'",
    "?get@Box@@QBEHXZ, '0 2 3 4 5'",
    "CreateFileW, '2 3 4 5'",
  })
  void argumentsAreWhereTheConventionHasThem(String name, String indexes) {
    int[] expected =
        indexes.isEmpty()
            ? new int[0]
            : java.util.Arrays.stream(indexes.split(" ")).mapToInt(Integer::parseInt).toArray();
    assertArrayEquals(expected, CallConvention.of(name).arguments(PLACES));
  }

  @Test
  void onlyNamesOfPlusPlusTellThat64BitsAreReturned() {
    assertTrue(CallConvention.returnsWide("?f@@YA_JXZ"));
    assertTrue(CallConvention.returnsWide("?size@Box@@QBE_KXZ"));
    assertFalse(CallConvention.returnsWide("?f@@YAH_J@Z"));
    assertFalse(CallConvention.returnsWide("_time"));
  }
}
