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
    "CreateFileW, cdecl or stdcall assumed",
    "?, cdecl or stdcall assumed",
    "a@, cdecl or stdcall assumed",
    "@, cdecl or stdcall assumed",
  })
  void theNameTellsIt(String name, String text) {
    assertEquals(text, CallConvention.of(name).text());
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
