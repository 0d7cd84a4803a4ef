package io.ntrail.formats.pe;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.formats.pe.LoadConfig.Field;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.pe.FlagVerdict;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Verdicts of another mitigation checker about images, derived from our reading. */
class FlagVerdictsTest {
  private static final Map<String, Predicate<PeImage>> RULES =
      Map.ofEntries(
          Map.entry("BA2001", image -> image.headers().imageBase() > 0xFFFF_FFFFL),
          Map.entry("BA2008", FlagVerdictsTest::isGuarded),
          Map.entry("BA2009", image -> image.headers().isDll(PeHeaders.DYNAMIC_BASE)),
          Map.entry(
              "BA2010", image -> !image.isExecutable(image.directory(DataDirectory.IMPORT).rva())),
          Map.entry("BA2013", image -> config(image, Field.SECURITY_COOKIE) != 0),
          Map.entry(
              "BA2015",
              image ->
                  image.headers().isDll(PeHeaders.HIGH_ENTROPY_VA) && image.headers().is(0x20)),
          Map.entry("BA2016", image -> image.headers().isDll(PeHeaders.NX_COMPAT)),
          Map.entry("BA2018", FlagVerdictsTest::hasSafeHandlers),
          Map.entry("BA2019", image -> none(image, Section.SHARED | Section.WRITE)),
          Map.entry("BA2021", image -> none(image, Section.EXECUTE | Section.WRITE)),
          Map.entry(
              "BA2025",
              image ->
                  (DebugDirectory.of(image).exDllCharacteristics() & DebugDirectory.CET_COMPAT)
                      != 0),
          Map.entry("BA2029", image -> image.headers().isDll(PeHeaders.FORCE_INTEGRITY)));

  private static long config(PeImage image, Field field) {
    return LoadConfig.of(image).map(config -> config.value(field)).orElse(0L);
  }

  private static boolean isGuarded(PeImage image) {
    return image.headers().isDll(PeHeaders.GUARD_CF)
        && (config(image, Field.GUARD_FLAGS) & LoadConfig.CF_INSTRUMENTED) != 0
        && config(image, Field.GUARD_CF_FUNCTION_COUNT) != 0;
  }

  private static boolean hasSafeHandlers(PeImage image) {
    return image.headers().isDll(PeHeaders.NO_SEH)
        || LoadConfig.of(image).flatMap(LoadConfig::safeSehHandlers).isPresent();
  }

  private static boolean none(PeImage image, int flags) {
    return image.sections().stream().noneMatch(section -> section.is(flags));
  }

  @Test
  void everyVerdictFollowsFromTheImage() {
    assumeTrue(TestData.available(), TestData.MISSING);
    Differences differences = new Differences();
    int decided = 0;
    for (FlagVerdict verdict : FlagVerdict.all()) {
      Predicate<PeImage> rule = RULES.get(verdict.rule());
      // Of compiler warnings an image says nothing; what a rule is not for may be either way.
      if (rule == null || verdict.verdict().equals("NotApplicable")) {
        continue;
      }
      decided++;
      differences
          .image(verdict.sample().name())
          .part(verdict.rule())
          .same(
              "verdict",
              verdict.verdict(),
              rule.test(SampleImages.open(verdict.sample())) ? "Pass" : "Fail");
    }
    assertEquals("", String.join("\n", differences.found()));
    assertEquals(30, decided);
  }
}
