package io.ntrail.analysis.naming;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns for names with their module. */
class QualifiedPatternTest {
  private static final List<String> QUALIFIERS =
      List.of("shop", "Shop", "shop.dll", "sh!op", "İ", "", "sho");
  private static final List<String> NAMES =
      List.of("hash", "Hash", "hash!more", "?hash@@YAXXZ", "", "a!hash", "İx");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "shop!hash", "SHOP!*", "shop!*ash*", "*!hash", "sh?p!hash", "sh!op!hash", "*", "hash",
        "shop.dll!ha?h", "!hash", "shop!", "İ!İ*", "/^shop!h/", "/sh/", "shop!hash!*", "sho*!hash"
      })
  void qualifierAndNameAreMatchedAsIfPutTogether(String text) {
    NamePattern pattern = NamePattern.of(text);
    for (String qualifier : QUALIFIERS) {
      for (String name : NAMES) {
        assertEquals(
            pattern.matches(qualifier + "!" + name),
            pattern.matches(qualifier, name),
            qualifier + "!" + name);
      }
    }
  }

  @Test
  void qualifierIsMatchedWholeAndWithoutCase() {
    NamePattern pattern = NamePattern.of("Shop!h*");
    assertTrue(pattern.matches("sHOP", "Hash"));
    assertFalse(pattern.matches("shopd", "hash"));
    assertFalse(pattern.matches("shop", "rehash"));
  }
}
