package io.ntrail.formats.bytes;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.ntrail.formats.schema.SchemaTable;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files beside classes, in folders and in jars. */
class ResourceFileTest {
  /** A class that is put into a jar. */
  static final class InJar {}

  @TempDir private Path folder;

  @Test
  void aFileIsReadFromTheFolderOfClasses() {
    assertEquals("# ", ResourceFile.text(SchemaTable.class, "kernel.txt").substring(0, 2));
  }

  @Test
  void aFileIsReadFromTheJarOfItsClass() throws Exception {
    byte[] content = "Grüße\n".getBytes(StandardCharsets.UTF_8);
    // Blanks and percent signs in the path are no part of a URL as they are.
    Path jar = folder.resolve("a b%20c.jar");
    String className = InJar.class.getName().replace('.', '/') + ".class";
    try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(jar))) {
      put(zip, className, classFile(className));
      put(zip, "io/ntrail/formats/bytes/in/some.txt", content);
      put(zip, "io/ntrail/formats/bytes/other.txt", new byte[0]);
    }
    try (URLClassLoader loader = new URLClassLoader(new URL[] {jar.toUri().toURL()}, null)) {
      Class<?> beside = Class.forName(InJar.class.getName(), false, loader);
      assertArrayEquals(content, ResourceFile.bytes(beside, "in/some.txt"));
      assertEquals(
          List.of("", "Grüße\n"), ResourceFile.texts(beside, List.of("other.txt", "in/some.txt")));
      assertThrows(IllegalStateException.class, () -> ResourceFile.bytes(beside, "missing.txt"));
    }
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    IllegalStateException e =
        assertThrows(
            IllegalStateException.class, () -> ResourceFile.text(SchemaTable.class, "none.txt"));
    assertEquals("missing resource none.txt", e.getMessage());
  }

  private static byte[] classFile(String name) throws IOException {
    try (InputStream in = ResourceFileTest.class.getResourceAsStream("/" + name)) {
      return Objects.requireNonNull(in).readAllBytes();
    }
  }

  private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
    zip.putNextEntry(new ZipEntry(name));
    zip.write(content);
    zip.closeEntry();
  }
}
