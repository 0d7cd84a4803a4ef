package io.ntrail.programs.image;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.formats.pe.DataDirectory;
import io.ntrail.formats.pe.PeHeaders;
import io.ntrail.formats.pe.PeImage;
import io.ntrail.formats.pe.Section;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.FlagVerdict;
import io.ntrail.testkit.pe.PeSample;
import io.ntrail.testkit.pe.PeSamples;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Defences against what another checker said of the same images. */
class ImageMitigationsTest {
  /** Rules in our terms. */
  private static final Map<String, Predicate<ParsedImage>> RULES =
      Map.ofEntries(
          Map.entry("BA2001", c -> c.image().headers().imageBase() >= 1L << 32),
          Map.entry("BA2008", c -> c.security().cfg()),
          Map.entry("BA2009", c -> c.security().aslrEffective()),
          Map.entry("BA2010", c -> !importsAreExecutable(c)),
          Map.entry("BA2013", c -> c.security().gs()),
          Map.entry("BA2015", c -> c.security().highEntropyVa() && isLargeAddressAware(c)),
          Map.entry("BA2016", c -> c.security().nx()),
          Map.entry("BA2018", c -> Objects.requireNonNull(c.security().safeSeh())),
          Map.entry("BA2019", c -> none(c, Section.SHARED | Section.WRITE)),
          Map.entry("BA2021", c -> none(c, Section.EXECUTE | Section.WRITE)),
          Map.entry("BA2025", c -> c.security().cet()),
          Map.entry("BA2029", c -> c.security().forceIntegrity()));

  @BeforeEach
  void testData() {
    assumeTrue(TestData.available(), TestData.MISSING);
  }

  private static boolean isLargeAddressAware(ParsedImage contents) {
    return contents.image().headers().is(0x20);
  }

  private static boolean none(ParsedImage contents, int flags) {
    return contents.image().sections().stream().noneMatch(section -> section.is(flags));
  }

  private static boolean importsAreExecutable(ParsedImage contents) {
    PeImage image = contents.image();
    return image
        .section(image.directory(DataDirectory.IMPORT).rva())
        .map(section -> section.is(Section.EXECUTE))
        .orElse(false);
  }

  private static ParsedImage contents(PeSample sample) {
    return ParsedImage.of(PeImage.ofFile(InputFile.of(sample.bytes(), sample.name())));
  }

  @Test
  void everyVerdictOfBinskimIsOurs() {
    Map<String, String> wrong = new TreeMap<>();
    int compared = 0;
    for (FlagVerdict verdict : FlagVerdict.all()) {
      Predicate<ParsedImage> rule = RULES.get(verdict.rule());
      if (rule == null || verdict.verdict().equals("NotApplicable")) {
        continue;
      }
      compared++;
      boolean ours = rule.test(contents(verdict.sample()));
      if (ours != verdict.verdict().equals("Pass")) {
        wrong.put(verdict.sample().name(), "ours: " + ours);
      }
    }
    assertEquals(Map.of(), wrong);
    assertEquals(30, compared);
  }

  @Test
  void safeSehIsOnlyAQuestionWhereHandlersAreOnTheStack() {
    assertNull(contents(PeSamples.of("windows", "kernel32.dll")).security().safeSeh());
    assertEquals(true, contents(PeSamples.of("windows", "KernelBase.dll")).security().safeSeh());
  }

  @Test
  void withoutRelocationsAskingForAslrIsNotEnough() {
    List<PeSample> asking =
        PeSamples.all().stream()
            .filter(sample -> !sample.group().equals("hostile"))
            .filter(ImageMitigationsTest::asksInVain)
            .toList();
    assertFalse(asking.isEmpty());
    for (PeSample sample : asking) {
      assertFalse(contents(sample).security().aslrEffective(), sample.name());
    }
  }

  private static boolean asksInVain(PeSample sample) {
    try {
      ImageMitigations security = contents(sample).security();
      return security.dynamicBase() && !security.relocations();
    } catch (CannotGoOn _) {
      return false;
    }
  }

  @Test
  void aCertificateIsSeenButNotJudged() {
    ParsedImage signed = contents(PeSamples.of("windows", "acpi.sys"));

    assertNotNull(signed.security().signed());
    assertTrue(signed.security().signed());
    assertFalse(signed.image().headers().isDll(PeHeaders.NO_SEH));
  }
}
