package io.ntrail.cli.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.ntrail.testkit.TestData;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class VersionTest {
  @Test
  void theProgramsIsTheBuilds() throws IOException {
    String pom = Files.readString(TestData.projectRoot().resolve("pom.xml"));
    Matcher version =
        Pattern.compile("<artifactId>ntrail</artifactId>\\s*<version>([^<]+)</version>")
            .matcher(pom);
    assertTrue(version.find());
    assertEquals(version.group(1), Version.NUMBER);
  }
}
