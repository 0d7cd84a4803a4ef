package io.ntrail.formats.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.ntrail.formats.bytes.ResourceFile;
import io.ntrail.formats.etl.ProviderList;
import io.ntrail.formats.schema.StatusCodes;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Names by key: few are searched for in the text, of many the whole text is read. */
class NameTableTest {
  /** A table of the program, and how its keys are read and ordered. */
  record Kind<K>(Class<?> beside, String resource, Function<String, K> key, Comparator<K> order) {
    NameTable<K> table() {
      return new NameTable<>(beside, resource, key, order);
    }

    List<String> lines() {
      return ResourceFile.text(beside, resource)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .toList();
    }

    K key(String line) {
      return key.apply(line.substring(0, line.indexOf('\t')));
    }

    @Override
    public String toString() {
      return resource;
    }
  }

  static Stream<Kind<?>> tables() {
    return Stream.of(
        numbers("ntstatus.tsv"),
        numbers("win32.tsv"),
        numbers("hresult.tsv"),
        new Kind<String>(StatusCodes.class, "sids.tsv", sid -> sid, String::compareTo),
        new Kind<String>(ProviderList.class, "providers.tsv", guid -> guid, String::compareTo));
  }

  private static Kind<Integer> numbers(String resource) {
    return new Kind<>(
        StatusCodes.class,
        resource,
        text -> Long.decode(text).intValue(),
        Integer::compareUnsigned);
  }

  @ParameterizedTest
  @MethodSource("tables")
  <K> void theLinesAreInTheOrderOfTheirKeys(Kind<K> kind) {
    List<String> lines = kind.lines();
    for (int i = 1; i < lines.size(); i++) {
      int difference = kind.order().compare(kind.key(lines.get(i - 1)), kind.key(lines.get(i)));
      assertEquals(-1, Integer.signum(difference), lines.get(i));
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  <K> void everyLineAnswersTheFirstQuestions(Kind<K> kind) {
    List<String> lines = kind.lines();
    for (int i = 0; i < lines.size(); i += 100) {
      NameTable<K> fresh = kind.table();
      for (String line : lines.subList(i, Math.min(i + 100, lines.size()))) {
        assertEquals(line.substring(line.indexOf('\t') + 1), fresh.name(kind.key(line)), line);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  <K> void everyLineAnswersWhoAsksMuch(Kind<K> kind) {
    NameTable<K> table = kind.table();
    List<String> lines = kind.lines();
    for (int round = 0; round < 4; round++) {
      for (String line : lines) {
        assertEquals(line.substring(line.indexOf('\t') + 1), table.name(kind.key(line)), line);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("tables")
  <K> void aKeyThatNoLineHasHasNoName(Kind<K> kind) {
    NameTable<K> table = kind.table();
    // Before all, between two, and behind all.
    List<String> unknown =
        kind.resource().equals("sids.tsv") || kind.resource().equals("providers.tsv")
            ? List.of("", "S-1-5-999", "a", "zzz")
            : List.of("0x00A0A0A0", "0x7FFFFFFF", "0xFFFFFFFF");
    for (int round = 0; round < 100; round++) {
      for (String key : unknown) {
        assertNull(table.name(kind.key().apply(key)), key);
      }
    }
  }
}
