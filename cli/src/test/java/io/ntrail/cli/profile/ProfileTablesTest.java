package io.ntrail.cli.profile;

import io.ntrail.cli.harness.Recordings;
import io.ntrail.testkit.profile.WorkedExample;
import io.ntrail.testkit.profile.WorkedExamples;
import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** The tables that a person worked out, asked from the command line. */
class ProfileTablesTest {
  @TempDir private Path folder;

  @TestFactory
  Stream<DynamicTest> handTables() {
    return WorkedExamples.all().stream()
        .map(table -> DynamicTest.dynamicTest(table.toString(), () -> check(table)));
  }

  private void check(WorkedExample table) throws IOException {
    Path file = Recordings.write(folder.resolve("hand.etl"), table.recording());
    ProfileAnswers.check(file, table.query(), table.expected());
  }
}
