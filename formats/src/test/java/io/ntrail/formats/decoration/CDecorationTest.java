package io.ntrail.formats.decoration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Names of C functions in 32-bit code, as the compilers' documentation decorates them. */
final class CDecorationTest {
  @ParameterizedTest
  @CsvSource({
    "_main, main",
    "_GetTickCount@0, GetTickCount",
    "@fast@8, fast",
    "vector@@16, vector",
    "exported@12, exported",
    "___register_frame_info, __register_frame_info",
    "__Z4workv, _Z4workv",
  })
  void theNameOfTheSourceIsFound(String decorated, String plain) {
    assertEquals(plain, CDecoration.plain(decorated));
  }

  @ParameterizedTest
  @CsvSource({"main", "?work@@YAXXZ", "_", "@", "@8", "@@8", "a@b", "12", "''"})
  void otherNamesStayAsTheyAre(String name) {
    assertEquals(name, CDecoration.plain(name));
  }
}
