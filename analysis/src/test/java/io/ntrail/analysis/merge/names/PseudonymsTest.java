package io.ntrail.analysis.merge.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.testkit.Property;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Pseudonyms of any names: different ones for different names, of the same length everywhere. */
class PseudonymsTest {
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz";

  private static List<String> pseudonyms(List<String> names) {
    byte[] kinds = new byte[names.size()];
    Arrays.fill(kinds, (byte) PseudonymTable.PATH);
    PseudonymTable table = new PseudonymTable(names, kinds);
    new Pseudonyms(new byte[32]).name(table);
    List<String> out = new ArrayList<>();
    for (int name = 0; name < table.size(); name++) {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < table.length(name); i++) {
        text.append(table.pseudonym(name, i));
      }
      out.add(text.toString());
    }
    return out;
  }

  private static int utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  @Test
  void differentNamesHaveDifferentPseudonymsOfTheirLength() {
    String alphabet = "abcxyz0123 -_.()\u00e4\u00f6\u0436\u03b1\u05d1\u0e05\u4e2d\u6587";
    Property.check(
        100,
        g -> {
          Set<String> names = new TreeSet<>();
          int count = 1 + g.below(200);
          for (int i = 0; i < count; i++) {
            StringBuilder name = new StringBuilder("a");
            int length = 1 + g.below(12);
            for (int j = 0; j < length; j++) {
              name.append(alphabet.charAt(g.below(alphabet.length())));
            }
            names.add(name + "z");
          }
          List<String> from = List.copyOf(names);
          List<String> to = pseudonyms(from);
          assertEquals(from.size(), new HashSet<>(to).size());
          for (int i = 0; i < to.size(); i++) {
            assertEquals(from.get(i).length(), to.get(i).length());
            assertEquals(utf8(from.get(i)), utf8(to.get(i)), from.get(i));
            assertFalse(names.contains(to.get(i)), to.get(i));
          }
        });
  }

  @Test
  void aCharacterBeyondTheFirst65536KeepsItsLength() {
    String name = "emoji \ud83d\ude00 folder";
    String pseudonym = pseudonyms(List.of(name)).getFirst();
    assertEquals(utf8(name), utf8(pseudonym));
    assertFalse(pseudonym.contains("\ude00"));
  }

  @Test
  void manyNamesOfTwoLettersStillHaveDifferentPseudonyms() {
    Set<String> names = new TreeSet<>();
    for (int i = 0; i < 400; i++) {
      names.add("" + LETTERS.charAt(i / 26) + LETTERS.charAt(i % 26));
    }
    Set<String> pseudonyms = new HashSet<>(pseudonyms(List.copyOf(names)));
    assertEquals(names.size(), pseudonyms.size());
    assertTrue(pseudonyms.stream().noneMatch(names::contains));
  }

  @Test
  void moreNamesThanPseudonymsAreRefused() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 26 * 26; i++) {
      names.add("" + LETTERS.charAt(i / 26) + LETTERS.charAt(i % 26));
    }
    CannotGoOn refused = assertThrows(CannotGoOn.class, () -> pseudonyms(names));
    assertEquals(
        "there are more names of 2 characters in this recording than pseudonyms of that length",
        refused.getMessage());
  }

  @Test
  void moreNamesThanCanBeReplacedAtOnceAreRefused() {
    NameCollector collector = new NameCollector();
    for (int i = 0; i < NameCollector.MOST_NAMES; i++) {
      collector.name("name" + i, PseudonymTable.PATH);
    }
    assertThrows(CannotGoOn.class, () -> collector.name("one more", PseudonymTable.PATH));
  }
}
