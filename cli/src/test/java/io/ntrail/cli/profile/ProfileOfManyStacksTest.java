package io.ntrail.cli.profile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.testkit.etl.BigProfile;
import io.ntrail.testkit.etl.ProfileTruth;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A recording of 16 CPUs and two sessions with very many stacks, whose keys are defined at its end
 * only, and with processes that come and go: what it adds up to was counted while it was written.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProfileOfManyStacksTest {
  private static final boolean LONG = Boolean.getBoolean("ntrail.long");

  @SuppressWarnings("NullAway.Init") // Set by write().
  private Path file;

  @SuppressWarnings("NullAway.Init") // Set by write().
  private ProfileTruth truth;

  @BeforeAll
  void write(@TempDir Path folder) throws IOException {
    file = folder.resolve("many.etl");
    truth =
        LONG
            ? BigProfile.write(file, 1_000_000_000, 200_000, 17)
            : BigProfile.write(file, 30_000_000, 20_000, 17);
  }

  private JsonReader profile(Object... words) {
    List<Object> all = new ArrayList<>(List.of("profile", file, "--format", "json", "-n", "0"));
    all.addAll(List.of(words));
    Cli.Result result = Cli.run(all.toArray());
    assertEquals(0, result.exit(), result.err());
    return result.json();
  }

  private static void add(Map<String, Long> into, JsonReader profile, String key, String weight) {
    for (JsonReader row : profile.get("rows").array()) {
      long value = row.get(weight).number();
      if (value != 0) {
        into.merge(row.get(key).text(), value, Long::sum);
      }
    }
  }

  private static Map<String, Long> sums(JsonReader profile, String key, String weight) {
    Map<String, Long> sums = new HashMap<>();
    add(sums, profile, key, weight);
    return sums;
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "2", "7"})
  void addsUpToWhatWasWrittenOnAnyCores(String cores) {
    ProfileTruth.Sums all = truth.total();
    JsonReader modules = profile("--by", "module", "--cores", cores);
    assertEquals(all.busy(), modules.get("total").number());
    assertEquals(all.idle(), modules.get("idle").number());
    assertEquals(all.selfByModule(), sums(modules, "module", "self"));
    assertEquals(all.inclusiveByModule(), sums(modules, "module", "inclusive"));
    Map<String, Long> processes = new HashMap<>(all.samplesByProcess());
    assertEquals(processes, sums(profile("--by", "process", "--cores", cores), "process", "self"));
    assertEquals(all.diskNanos(), profile("--metric", "disk").get("total").number());
  }

  @Test
  void isTheSumOfItsTenParts() {
    Map<String, Long> self = new HashMap<>();
    Map<String, Long> inclusive = new HashMap<>();
    long total = 0;
    long idle = 0;
    assertEquals(10, truth.slices().size());
    for (ProfileTruth.Sums slice : truth.slices()) {
      String range = slice.fromNanos() + "ns.." + slice.toNanos() + "ns";
      JsonReader part = profile("--by", "module", "--time", range);
      assertEquals(slice.busy(), part.get("total").number(), range);
      total += part.get("total").number();
      idle += part.get("idle").number();
      add(self, part, "module", "self");
      add(inclusive, part, "module", "inclusive");
    }
    JsonReader whole = profile("--by", "module");
    assertTrue(total > 0);
    assertEquals(whole.get("total").number(), total);
    assertEquals(whole.get("idle").number(), idle);
    assertEquals(sums(whole, "module", "self"), self);
    assertEquals(sums(whole, "module", "inclusive"), inclusive);
  }
}
