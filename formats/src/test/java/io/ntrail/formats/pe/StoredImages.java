package io.ntrail.formats.pe;

import io.ntrail.formats.bytes.InputFile;
import io.ntrail.testkit.TestData;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipInputStream;

/** The real images of the test data, and what foreign readers print about them. */
public final class StoredImages {
  private StoredImages() {}

  /** Returns true if there are any; for {@code @EnabledIf}. */
  static boolean present() {
    return TestData.available();
  }

  /** The bytes of an image, for example {@code windows/acpi.sys}. */
  static byte[] bytes(String name) {
    try {
      Path plain = TestData.file("pe").resolve(name);
      return Files.exists(plain)
          ? Files.readAllBytes(plain)
          : TestData.gunzip("pe/" + name + ".gz");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An image; its input is not closed, since the test JVM ends. */
  public static PeImage image(String name) {
    return image(bytes(name), name);
  }

  static PeImage image(byte[] bytes, String name) {
    return PeImage.ofFile(InputFile.of(bytes, name));
  }

  /** The file names of a folder, without {@code .gz}. */
  static List<String> names(String folder) {
    try (Stream<Path> files = Files.list(TestData.file("pe/" + folder))) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.startsWith("manifest"))
          .map(name -> name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name)
          .sorted()
          .map(name -> folder + "/" + name)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The hand-made images of corkami, by name. */
  static Map<String, byte[]> corkami() {
    Map<String, byte[]> images = new LinkedHashMap<>();
    try (ZipInputStream zip =
        new ZipInputStream(Files.newInputStream(TestData.file("pe/hostile/corkami-pe.zip")))) {
      for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        if (!entry.isDirectory()) {
          images.put(entry.getName(), zip.readAllBytes());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return images;
  }

  /** Returns the output of llvm-readobj for the images of a folder that it read to the end. */
  public static Map<String, List<String>> readobj(String folder) {
    Map<String, List<String>> blocks = new LinkedHashMap<>();
    List<String> block = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                new ByteArrayInputStream(
                    TestData.gunzip("pe/expected/readobj-" + folder + ".txt.gz")),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("=== ")) {
          block = new ArrayList<>();
          if (line.endsWith(" rc=0")) {
            blocks.put(folder + "/" + line.substring(4, line.length() - 5), block);
          }
        } else {
          block.add(line.strip());
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return blocks;
  }
}
