package io.ntrail.formats.decoration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.formats.decoration.Undecorator.Style;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Optional;

/** Any text may be given as a decorated name: nothing is thrown, and what is said has an end. */
class UndecoratorFuzzTest {
  @FuzzTest(maxDuration = "60s")
  void anyTextMayBeGiven(byte[] data) {
    String name = "?" + new String(data, StandardCharsets.ISO_8859_1);
    for (Style style : Style.values()) {
      bounded(Undecorator.of(name, style));
    }
    bounded(Undecorator.of(name, EnumSet.of(UndnameFlag.NO_IDENT_CHAR_CHECK)));
    bounded(Undecorator.of(name, EnumSet.allOf(UndnameFlag.class)));
  }

  private static void bounded(Optional<String> text) {
    String said = text.orElse("");
    assertTrue(said.length() <= 1 << 16, () -> said.length() + " characters");
  }
}
