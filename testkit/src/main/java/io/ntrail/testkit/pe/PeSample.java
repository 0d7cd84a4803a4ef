package io.ntrail.testkit.pe;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipFile;

/**
 * One image of the shared folder.
 *
 * @param group the folder it is of, see {@link PeSamples#GROUPS}
 * @param name its file name, as the tools' outputs spell it
 * @param file the file that holds it: itself, compressed, or an archive
 * @param member its name in the archive, or empty
 */
public record PeSample(String group, String name, Path file, String member) {
  /** The image, unpacked; read anew at every call. */
  public byte[] bytes() {
    try {
      if (!member.isEmpty()) {
        try (ZipFile zip = new ZipFile(file.toFile());
            InputStream in = zip.getInputStream(zip.getEntry(member))) {
          return in.readAllBytes();
        }
      }
      if (file.toString().endsWith(".gz")) {
        try (InputStream in = new GZIPInputStream(Files.newInputStream(file), 1 << 16)) {
          return in.readAllBytes();
        }
      }
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(toString(), e);
    }
  }

  @Override
  public String toString() {
    return group + "/" + name;
  }
}
