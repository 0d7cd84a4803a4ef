package io.ntrail.analysis.etw.weights;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ntrail.analysis.etw.recording.EtwRecording;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.ProcessorTime;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.TestData;
import io.ntrail.testkit.etl.Damage;
import io.ntrail.testkit.etl.SampleRecording;
import io.ntrail.testkit.profile.RandomProfileRecording;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Profiles of spoiled recordings: a refusal, or sums that hold, in little time. See {@link
 * AllProfiles} for what is checked.
 */
class ProfileDamageTest {
  private static final long SEED = 20_260_315;
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");
  private static final Duration PER_CASE = Duration.ofMinutes(2);

  /** Weights of the spoiled copy; -1 if it was refused. */
  private static long weights(byte[] spoiled, String what) {
    try (EtwRecording recording = EtwRecording.of(List.of(InputFile.of(spoiled, what)))) {
      return ProcessorTime.within(PER_CASE, what, () -> AllProfiles.check(recording));
    } catch (CannotGoOn e) {
      assertTrue(!e.message().isEmpty());
      return -1;
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(what + ", seed " + SEED + ": " + e, e);
    }
  }

  private static void spoil(byte[] sound, int cases) {
    SplittableRandom random = new SplittableRandom(SEED);
    long whole = weights(sound, "sound");
    assertTrue(whole > 0);
    int given = 0;
    for (int i = 0; i < cases; i++) {
      int at = random.nextInt(sound.length);
      byte[] spoiled =
          switch (i % 4) {
            case 0 -> Damage.cutAt(sound, at);
            case 1 -> Damage.flipBits(sound, SEED + i, 40, 0, sound.length);
            case 2 -> Damage.garbage(sound, at, Math.min(sound.length - at, 9_000), SEED + i);
            default -> Damage.remove(sound, at, Math.min(sound.length - at, 1 + at % 7_919));
          };
      given += weights(spoiled, "case " + i + " at " + at) > 0 ? 1 : 0;
    }
    assertTrue(given >= cases / 2, given + " of " + cases);
  }

  @Test
  void theSample() {
    spoil(SampleRecording.make().toByteArray(), LONG ? 400 : 8);
  }

  @ParameterizedTest
  @ValueSource(strings = {"perfview-net45-x86-win7", "perfview-net452-x64"})
  void realRecordings(String name) throws IOException {
    assumeTrue(TestData.available(), TestData.MISSING);
    byte[] sound = TestData.gunzip("etl/" + name + ".etl.gz");
    spoil(sound, LONG ? 60 : 2);
  }

  /** Small recordings of everything that is added up, with much damage each. */
  @Test
  void randomActivity() {
    Property.check(
        LONG ? 3_000 : 30,
        g -> {
          byte[] sound = RandomProfileRecording.make(g).recording().toByteArray();
          for (int i = 0; i < 4; i++) {
            int first = Math.min(sound.length, 72);
            weights(Damage.flipBits(sound, g.bits(), 1 << 2 * i, first, sound.length), "flipped");
          }
          assertEquals(weights(sound, "sound"), weights(sound, "sound"));
        });
  }
}
