package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.profile.ProfileQuery;
import io.ntrail.testkit.profile.ProfileTable;
import io.ntrail.testkit.profile.RandomProfileRecording;
import io.ntrail.testkit.profile.ReferenceProfiler;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles of random recordings, worked out a second time. */
class ProfilePropertyTest {
  private static final int RUNS = Integer.getInteger("ntrail.property.runs", 60);
  private static final int QUERIES = 8;

  @TempDir private Path folder;

  @Test
  void equalsTheSecondProfiler() {
    Property.check(
        RUNS,
        g -> {
          RandomProfileRecording made = RandomProfileRecording.make(g);
          Path file = Recordings.write(folder.resolve("random.etl"), made.recording());
          ReferenceProfiler second = ReferenceProfiler.of(made.recording().toByteArray());
          for (int i = 0; i < QUERIES; i++) {
            ProfileQuery query = made.query(g);
            // Where a recording has nothing of a metric the program says so instead.
            ProfileTable whole = second.table(whole(query));
            if (whole.total() != 0 || whole.idle() != 0) {
              ProfileAnswers.check(file, query, second.table(query));
            }
          }
        });
  }

  @Test
  void isTheSameOnAnyNumberOfCores() {
    Property.check(
        10,
        g -> {
          RandomProfileRecording made = RandomProfileRecording.make(g);
          Path file = Recordings.write(folder.resolve("random.etl"), made.recording());
          ProfileQuery query = made.query(g);
          Object[] words = {
            "profile", file, "--metric", query.metric(), "--format", "json", "-n", "0"
          };
          Object[] one = Arrays.copyOf(words, words.length + 2);
          one[words.length] = "--cores";
          one[words.length + 1] = "1";
          Cli.Result expected = Cli.run(one);
          assertTrue(expected.exit() <= 1, expected.err());
          assertEquals(expected, Cli.run(words));
        });
  }

  private static ProfileQuery whole(ProfileQuery query) {
    ProfileQuery whole = ProfileQuery.of(query.metric());
    String source = query.source();
    return source == null ? whole : whole.source(source);
  }
}
