package io.ntrail.programs.x86;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The tables that the decoder loads are those of the forms. After a change of the forms: {@code mvn
 * test -pl testkit,formats,analysis -Dtest=FormTablesTest -Dsurefire.failIfNoSpecifiedTests=false
 * -Dntrail.rewrite=true}.
 */
class FormTablesTest {
  @Test
  void tablesAreWhatTheFormsSay() throws IOException {
    isUpToDate(DecodeTables.RESOURCE, FormCompiler.compile(FormFiles.read()));
  }

  @Test
  void operandTablesAreWhatTheFormsSay() throws IOException {
    isUpToDate(FormRecords.RESOURCE, RecordCompiler.compile(FormFiles.read(), FormFiles.implied()));
  }

  private static void isUpToDate(String resource, byte[] compiled) throws IOException {
    Path file =
        TestData.projectRoot()
            .resolve("programs/src/main/resources/io/ntrail/programs/x86")
            .resolve(resource);
    if (Boolean.getBoolean("ntrail.rewrite")) {
      Files.write(file, compiled);
    }
    assertArrayEquals(
        compiled,
        Files.readAllBytes(file),
        resource + " is out of date: run this test with -Dntrail.rewrite=true");
  }
}
