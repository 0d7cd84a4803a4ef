package io.ntrail.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.ntrail.cli.harness.Cli;
import io.ntrail.cli.harness.JsonReader;
import io.ntrail.cli.harness.JsonSchema;
import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.Property;
import io.ntrail.testkit.profile.ProfileQuery;
import io.ntrail.testkit.profile.RandomProfileRecording;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Exports and comparisons of random recordings against their profiles. */
class ExportPropertyTest {
  private static final int RUNS = Integer.getInteger("ntrail.property.runs", 25);
  private static final int QUERIES = 4;

  @TempDir private Path folder;

  private static Cli.Result run(
      String command, List<Path> files, ProfileQuery query, String... to) {
    List<Object> words = new ArrayList<>(List.of(command));
    words.addAll(files);
    words.addAll(query.words());
    words.addAll(List.of(to));
    return Cli.run(words.toArray());
  }

  @Test
  void sumsOfCollapsedStacksAreThoseOfTheProfile() {
    Property.check(
        RUNS,
        g -> {
          RandomProfileRecording made = RandomProfileRecording.make(g);
          Path file = Recordings.write(folder.resolve("random.etl"), made.recording());
          for (int i = 0; i < QUERIES; i++) {
            ProfileQuery query = made.query(g).by("function");
            Cli.Result profile = run("profile", List.of(file), query, "--format", "json");
            Cli.Result export = run("export", List.of(file), query, "--to", "collapsed");
            assertEquals(profile.exit(), export.exit(), export.err());
            Cli.Result stacks = run("profile", List.of(file), query, "--format", "collapsed");
            assertEquals(stacks.err(), export.err());
            if (profile.exit() == 0) {
              FoldedText folded = FoldedText.of(export.lines());
              assertEquals(profile.json().get("total").number(), folded.total());
              assertEquals(FoldedText.functions(profile.json()), folded.functions());
              assertEquals(export.out(), stacks.out());
            }
          }
        });
  }

  @Test
  void aComparisonHasTheRowsOfBothProfiles() {
    Property.check(
        RUNS,
        g -> {
          RandomProfileRecording first = RandomProfileRecording.make(g);
          RandomProfileRecording second = RandomProfileRecording.make(g);
          Path before = Recordings.write(folder.resolve("before.etl"), first.recording());
          Path after = Recordings.write(folder.resolve("after.etl"), second.recording());
          ProfileQuery query = ProfileQuery.of(first.query(g).metric());
          Cli.Result one = run("profile", List.of(before), query, "--format", "json");
          Cli.Result other = run("profile", List.of(after), query, "--format", "json");
          Cli.Result diff = run("diff", List.of(before, after), query, "--format", "json");
          assertEquals(Math.max(one.exit(), other.exit()), diff.exit(), diff.err());
          if (diff.exit() == 0) {
            JsonReader json = diff.json();
            assertEquals(List.of(), JsonSchema.named("diff").findings(json));
            assertEquals(side(one.json(), "self"), side(json, "beforeSelf"));
            assertEquals(side(one.json(), "inclusive"), side(json, "beforeInclusive"));
            assertEquals(side(other.json(), "self"), side(json, "afterSelf"));
            assertEquals(side(other.json(), "inclusive"), side(json, "afterInclusive"));
          }
        });
  }

  /**
   * Returns the weights that are not 0, by name in lower case: two recordings may spell a module
   * differently.
   */
  private static List<String> side(JsonReader json, String key) {
    return json.get("rows").array().stream()
        .filter(row -> row.get(key).number() != 0)
        .map(row ->
            FoldedText.name(row).toLowerCase(java.util.Locale.ROOT) + " " + row.get(key).number())
        .sorted()
        .toList();
  }
}
