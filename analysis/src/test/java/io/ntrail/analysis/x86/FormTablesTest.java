package io.ntrail.analysis.x86;

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
    byte[] compiled = FormCompiler.compile(FormFiles.read());
    Path file =
        TestData.projectRoot()
            .resolve("analysis/src/main/resources/io/ntrail/analysis/x86")
            .resolve(Cells.RESOURCE);
    if (Boolean.getBoolean("ntrail.rewrite")) {
      Files.write(file, compiled);
    }
    assertArrayEquals(
        compiled,
        Files.readAllBytes(file),
        "forms.bin is out of date: run this test with -Dntrail.rewrite=true");
  }
}
