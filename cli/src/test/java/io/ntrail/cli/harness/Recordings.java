package io.ntrail.cli.harness;

import io.ntrail.testkit.etl.EtlWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Puts generated recordings into files, plain and packed. */
public final class Recordings {
  private Recordings() {}

  public static Path write(Path file, EtlWriter recording) throws IOException {
    recording.writeTo(file);
    return file;
  }

  public static Path gzip(Path file, byte[] content) throws IOException {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
      out.write(content);
    }
    return file;
  }

  /** A zip with members in the map's order. */
  public static Path zip(Path file, Map<String, byte[]> members) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(file))) {
      for (Map.Entry<String, byte[]> member : members.entrySet()) {
        out.putNextEntry(new ZipEntry(member.getKey()));
        out.write(member.getValue());
        out.closeEntry();
      }
    }
    return file;
  }
}
