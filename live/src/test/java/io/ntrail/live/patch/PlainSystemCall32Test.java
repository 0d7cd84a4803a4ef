package io.ntrail.live.patch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.ntrail.formats.bytes.Bytes;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Stubs of system calls of several 32-bit systems, and what hooks make of them. */
class PlainSystemCall32Test {
  /** Another call of Wine 8. */
  private static final String OTHER = "b818000000ba20c6c07bffd2c20400";

  private static Bytes code(String code) {
    return Bytes.copyOf(HexFormat.of().parseHex(code), "stub");
  }

  @ParameterizedTest
  @CsvSource({
    // Wine 8; Windows 7; Windows 10; WOW64 of Windows 7; WOW64 of Windows 8.
    "b897000000ba20c6c07bffd2c21800, true",
    "b80b010000ba0003fe7fff12c21800, true",
    "b8a3000000e803000000c218008bd40f34c3, true",
    "b82000000033c98d54240464ff15c000000083c404c21800, true",
    "b82000000064ff15c0000000c21800, true",
    // Jumps and calls elsewhere, another number of parameters, what ends too early.
    "e900000000ba20c6c07bffd2c21800, false",
    "b897000000ba20c6c07cffd2c21800, false",
    "b897000000ba20c6c07bffd2c21400, false",
    "b897000000ba20c6c07bffd2c3, false",
    "b897000000ba20c6c07bffd2, false",
    "b8a3000000e803000000c218008bd4e900000000, false",
    "b8a3000000e803000000c21800, false",
    "b8970000, false",
    "'', false",
  })
  void onlyWhatEntersTheSystemAndReturnsIsPlain(String code, boolean isPlain) {
    assertEquals(isPlain, PlainSystemCall32.is(code(code), 24, code(OTHER)));
  }

  @Test
  void anAddressThatAnotherCallHasNotIsNotTheSystems() {
    Bytes code = code("b897000000ba20c6c07bffd2c21800");
    assertFalse(PlainSystemCall32.is(code, 24, code("e900000000ba20c6c07bffd2c20400")));
    assertFalse(PlainSystemCall32.is(code, 24, code("b818000000")));
  }
}
