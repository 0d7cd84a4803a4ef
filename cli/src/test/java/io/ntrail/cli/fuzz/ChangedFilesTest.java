package io.ntrail.cli.fuzz;

import io.ntrail.testkit.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A slice of what the fuzz targets try: random changes, in every run of the tests. */
class ChangedFilesTest {
  private static final int RUNS = Boolean.getBoolean("ntrail.long") ? 2_000 : 10;

  @ParameterizedTest
  @EnumSource
  void answersAboutChangedFilesAreSound(FuzzedCommands command) {
    Property.check(RUNS, gen -> command.check(gen.bytes(40)));
  }
}
