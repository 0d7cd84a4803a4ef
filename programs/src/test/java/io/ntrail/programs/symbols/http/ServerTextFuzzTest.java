package io.ntrail.programs.symbols.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.ntrail.programs.symbols.PointerText;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Arbitrary text from servers and other programs is read or skipped. */
class ServerTextFuzzTest {
  private static final URI ROOT = URI.create("https://server/symbols?key=1");
  private static final Instant NOW = Instant.parse("2026-03-14T08:26:53Z");

  @FuzzTest(maxDuration = "60s")
  void anyBytesMayBeNotesOfWhatIsMissing(byte[] data) {
    NegativeCache known = NegativeCache.read(data);
    assertTrue(known.lines().size() <= 32);
    assertEquals(known, NegativeCache.read(known.text()));
    known.of(ROOT, NOW, Duration.ofHours(24));
    NegativeCache more = known.with(ROOT, NOW, true, "why\t\n" + known);
    assertEquals(more, NegativeCache.read(more.text()));
    assertTrue(more.of(ROOT, NOW, Duration.ofHours(24)).isPresent());
  }

  @FuzzTest(maxDuration = "60s")
  void anyTextMayBeAContentRange(byte[] data) {
    ContentRange.read(new String(data, StandardCharsets.ISO_8859_1))
        .ifPresent(range -> {
          assertTrue(range.first() >= 0 && range.first() <= range.last());
          assertTrue(range.total() < 0 || range.last() < range.total());
        });
  }

  @FuzzTest(maxDuration = "60s")
  void anyTextMayBeNotedAboutABeginning(byte[] data) {
    ResumeInfo.read(new String(data, StandardCharsets.UTF_8))
        .ifPresent(note -> assertEquals(note, ResumeInfo.read(note.text()).orElseThrow()));
  }

  @FuzzTest(maxDuration = "60s")
  void anyTextMayBeALocationOrAName(byte[] data) {
    String text = new String(data, StandardCharsets.UTF_8);
    StoreUrls.resolved(ROOT, text).ifPresent(to -> assertTrue(StoreUrls.isWeb(to)));
    URI file = StoreUrls.of(ROOT, List.of(text, "x"));
    assertEquals(ROOT.getHost(), file.getHost());
    assertTrue(file.getRawPath().startsWith("/symbols/"));
    assertTrue(
        PointerText.of(data).text().lines().count() <= 1 || PointerText.of(data).isWithdrawn());
  }
}
