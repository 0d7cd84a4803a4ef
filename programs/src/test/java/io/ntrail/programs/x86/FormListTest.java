package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The forms are complete: held against the list of another decoder. */
class FormListTest {
  private static final Pattern OPTION = Pattern.compile("dec-opt=(\\S+)");
  private static final Pattern MEMORY_DIGIT = Pattern.compile("!\\(11\\):([01]{3}):bbb");

  /** Names of extensions in the list, to ours. */
  private static final Map<String, String> EXTENSIONS =
      Map.ofEntries(
          Map.entry("ALTINST", "VIA-ALTINST"),
          Map.entry("Cl1invmb", "GEODE-CL1INVMB"),
          Map.entry("Cmpxchg486A", "486A-CMPXCHG"),
          Map.entry("Cyrix", "CYRIX"),
          Map.entry("Cyrix_DMI", "CYRIX-DMI"),
          Map.entry("Cyrix_SMINT_0F7E", "CYRIX-SMINT-0F7E"),
          Map.entry("Jmpe", "IA64-JMPE"),
          Map.entry("KNC", "KNC"),
          Map.entry("Loadall286", "286-LOADALL"),
          Map.entry("Loadall386", "386-LOADALL"),
          Map.entry("MovTr", "386-TEST-REGISTERS"),
          Map.entry("OldFpu", "OLD-FPU"),
          Map.entry("Pcommit", "PCOMMIT"),
          Map.entry("Udbg", "UDBG"),
          Map.entry("Umov", "386-UMOV"),
          Map.entry("Xbts", "386-XBTS"));

  @Test
  void everyFormOfTheSharedListIsOursOrOfARefusedExtension() throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    Set<String> ours =
        FormFiles.read().stream()
            .map(Form::toString)
            .collect(Collectors.toCollection(HashSet::new));
    Set<String> refused =
        FormFiles.text("refused.txt")
            .lines()
            .filter(line -> line.contains("|") && !line.startsWith("#"))
            .map(line -> line.split("\\|", -1)[0].trim())
            .collect(Collectors.toSet());
    List<String> missing = new ArrayList<>();
    int found = 0;
    for (String row : rows()) {
      String[] columns = row.split(", ", -1);
      if (ours.contains(spelledAsOurs(columns))) {
        found++;
      } else if (!refused.contains(extension(columns))) {
        missing.add(row);
      }
    }
    assertEquals(List.of(), missing);
    assertTrue(found > 4400, found + " found");
  }

  @Test
  void everyFormExistsInSomeCodeAndHasItsPlace() {
    for (Form form : FormFiles.read()) {
      boolean somewhere =
          Arrays.stream(CodeSize.values())
              .flatMap(size -> Arrays.stream(CpuVendor.values()).map(v -> Rule.of(form, size, v)))
              .anyMatch(rules -> !rules.isEmpty());
      assertTrue(somewhere, form.toString());
    }
  }

  private static List<String> rows() throws IOException {
    String text =
        new String(
            TestData.gunzip("pe/x86/iced-Encoder-OpCodeInfos.txt.gz"), StandardCharsets.UTF_8);
    return text.lines()
        .filter(line -> !line.isBlank() && !line.startsWith("#") && !line.contains("no-instr"))
        .toList();
  }

  private static String extension(String[] columns) {
    if (columns[0].equals("Popw_CS")) {
      return "8086";
    }
    if (words(columns).contains("fwait")) {
      return "FWAIT";
    }
    Matcher option = OPTION.matcher(columns[10]);
    return option.find() ? EXTENSIONS.getOrDefault(option.group(1), option.group(1)) : "";
  }

  private static List<String> words(String[] columns) {
    return List.of(columns[10].split(" ", -1));
  }

  /** The list's spelling of an opcode turned into the manual's. */
  private static String spelledAsOurs(String[] columns) {
    String opcode =
        columns[8]
            .replace("/vsib", "/r")
            .replace("!(11):rrr:bbb", "/r")
            .replace("!(11):rrr:100", "/r")
            .replace("11:rrr:bbb", "/r");
    Matcher digit = MEMORY_DIGIT.matcher(opcode);
    opcode = digit.replaceAll(m -> "/" + Integer.parseInt(m.group(1), 2));
    List<String> words = words(columns);
    if (!words.contains("do64") && !words.contains("fo64") && !words.contains("intel-fo64")) {
      opcode = opcode.replace("o64", "REX.W");
    }
    return opcode + " | " + columns[9].replace("|", ",") + (columns[9].contains(" ") ? "" : " ");
  }
}
