package io.ntrail.cli;

import io.ntrail.testkit.profile.HandTable;
import io.ntrail.testkit.profile.HandTables;
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
    return HandTables.all().stream()
        .map(table -> DynamicTest.dynamicTest(table.toString(), () -> check(table)));
  }

  private void check(HandTable table) throws IOException {
    Path file = Recordings.write(folder.resolve("hand.etl"), table.recording());
    ProfileAnswers.check(file, table.query(), table.expected());
  }
}
