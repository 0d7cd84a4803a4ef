package io.ntrail.formats.etl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.identity.Guid;
import io.ntrail.formats.schema.SchemaTable;
import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The list of well-known providers, against the shared list of another project. */
class ProviderListTest {
  private static final Pattern LINE =
      Pattern.compile(
          "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\t[\\x21-\\x7e]([\\x20-\\x7e]*[\\x21-\\x7e])?");

  /** Names that the tables of events have for classes, where the list names who writes them. */
  private static final Map<String, String> CALLED_BY_CLASS =
      Map.of(
          "9e814aad-3204-11d2-9a82-006008a86939", "SystemTraceControl",
          "b059b83f-d946-4b13-87ca-4292839dc2f2", "UserLoader",
          "e21d2142-df90-4d93-bbd9-30e63d5a4ad6", "NtdllTrace");

  /** Names that the shared list does not have: of the .NET runtime, and of its libraries. */
  private static final Map<String, String> OWN =
      Map.of(
          "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5", "System.Threading.Tasks.TplEventSource",
          "3b9c9951-3480-4220-9377-9c8e5184f5cd", "KernelRundown",
          "763fd754-7086-4dfe-95eb-c01a46faf4ca", "Microsoft-Windows-DotNETRuntimePrivate",
          "cc2bcbba-16b6-4cf3-8990-d74c2e8af500", "Microsoft-Windows-DotNETRuntimeStress");

  private final ProviderList list = new ProviderList();

  /** First, last, and some that Microsoft's documentation pages show with their GUIDs. */
  @ParameterizedTest
  @CsvSource({
    "0063715b-eeda-4007-9429-ad526f62696e, Microsoft-Windows-Services",
    "22fb2cd6-0e7b-422b-a0c7-2fad1fd0e716, Microsoft-Windows-Kernel-Process",
    "a68ca8b7-004f-d7b6-a698-07e2de0f1f5d, Microsoft-Windows-Kernel-General",
    "dd5ef90a-6398-47a4-ad34-4dcecdef795f, Microsoft-Windows-HttpService",
    "ffdb9886-80f3-4540-aa8b-b85192217ddf, Microsoft-PerfTrack-MSHTML",
  })
  void aWellKnownProviderHasItsName(String guid, String name) {
    assertEquals(name, list.name(Guid.parse(guid)));
  }

  @ParameterizedTest
  @CsvSource({
    "00000000-0000-0000-0000-000000000000",
    "22fb2cd6-0e7b-422b-a0c7-2fad1fd0e717",
    "6f669bfa-816a-4204-a824-47c8e6a00474",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
  })
  void anotherGuidHasNoName(String guid) {
    assertNull(list.name(Guid.parse(guid)));
  }

  @Test
  void everyLineIsAGuidAndANameInTheOrderOfGuids() throws IOException {
    String before = "";
    for (String line : lines()) {
      assertTrue(LINE.matcher(line).matches(), line);
      String guid = line.substring(0, line.indexOf('\t'));
      assertTrue(guid.compareTo(before) > 0, guid);
      before = guid;
    }
  }

  @Test
  void everyLineIsTheAnswerToItsGuid() throws IOException {
    for (Map.Entry<String, String> pair : pairs(lines()).entrySet()) {
      assertEquals(pair.getValue(), list.name(Guid.parse(pair.getKey())), pair.getKey());
    }
  }

  @Test
  void thePairsAreThoseOfTheSharedListAndOurOwn() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Map<String, String> shared = pairs(Files.readAllLines(TestData.file("etl/provider-names.tsv")));
    assertEquals(841, shared.size());
    shared.putAll(OWN);
    assertEquals(shared, pairs(lines()));
  }

  @Test
  void tablesOfEventsCallTheirProvidersAsTheListDoes() throws IOException {
    for (Map.Entry<String, String> pair : pairs(lines()).entrySet()) {
      Guid guid = Guid.parse(pair.getKey());
      for (SchemaTable table : List.of(SchemaTable.kernel(), SchemaTable.clr())) {
        String called = table.provider(guid);
        if (called != null) {
          String expected = CALLED_BY_CLASS.getOrDefault(pair.getKey(), pair.getValue());
          assertEquals(expected, called, pair.getKey());
        }
      }
    }
  }

  private static List<String> lines() throws IOException {
    try (InputStream in = ProviderList.class.getResourceAsStream("providers.tsv")) {
      assertNotNull(in);
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(text.startsWith("# ") && text.endsWith("\n"));
      return text.lines().skip(1).toList();
    }
  }

  private static Map<String, String> pairs(List<String> lines) {
    Map<String, String> pairs = new TreeMap<>();
    for (String line : lines) {
      int tab = line.indexOf('\t');
      pairs.put(line.substring(0, tab), line.substring(tab + 1));
    }
    assertEquals(lines.size(), pairs.size());
    return pairs;
  }
}
