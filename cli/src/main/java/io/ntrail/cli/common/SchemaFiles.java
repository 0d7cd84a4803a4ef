package io.ntrail.cli.common;

import io.ntrail.analysis.etw.events.UserSchemas;
import io.ntrail.cli.text.Terminal;
import io.ntrail.formats.bytes.CannotGoOn;
import io.ntrail.formats.bytes.OutputFile;
import io.ntrail.formats.bytes.SpecialFile;
import io.ntrail.formats.schema.Manifest;
import io.ntrail.formats.schema.Tmf;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import picocli.CommandLine.ParseResult;

/** Reads the files of {@code --manifest} and {@code --tmf}, also packed with gzip. */
public final class SchemaFiles {
  /** Larger files are not event schemas. */
  private static final int MOST_BYTES = 64 << 20;

  private SchemaFiles() {}

  public static UserSchemas read(ParseResult parsed, Terminal terminal) {
    List<Manifest> manifests = new ArrayList<>();
    for (String name : CommonOptions.all(parsed, "--manifest")) {
      Manifest manifest = Manifest.parse(bytes(name), name);
      manifest.problems().forEach(problem -> warn(terminal, problem));
      manifests.add(manifest);
    }
    List<Tmf> formats = new ArrayList<>();
    for (String name : CommonOptions.all(parsed, "--tmf")) {
      for (String file : tmfFiles(name)) {
        Tmf format = Tmf.parse(new String(bytes(file), StandardCharsets.UTF_8), file);
        format.problems().forEach(problem -> warn(terminal, problem));
        formats.add(format);
      }
    }
    return manifests.isEmpty() && formats.isEmpty()
        ? UserSchemas.NONE
        : new UserSchemas(manifests, formats);
  }

  private static void warn(Terminal terminal, String problem) {
    terminal.err().println("warning: " + problem);
  }

  /** A file, or all of a folder: symbol tools write a TMF for each message GUID. */
  private static List<String> tmfFiles(String name) {
    Path path = CommonOptions.path(name);
    if (!Files.isDirectory(path)) {
      return List.of(name);
    }
    try (Stream<Path> files = Files.list(path)) {
      List<String> found =
          files
              .map(Path::toString)
              .filter(file -> file.toLowerCase(Locale.ROOT).matches(".*\\.tmf(\\.gz)?"))
              .sorted()
              .toList();
      if (found.isEmpty()) {
        throw new CannotGoOn("no .tmf file in " + name, "");
      }
      return found;
    } catch (IOException e) {
      throw new CannotGoOn("cannot read " + name + ": " + e.getMessage(), "");
    }
  }

  private static byte[] bytes(String name) {
    SpecialFile.refuse(CommonOptions.path(name), name);
    OutputFile.noteRead(CommonOptions.path(name));
    try (InputStream file =
        new BufferedInputStream(Files.newInputStream(CommonOptions.path(name)))) {
      file.mark(2);
      boolean packed = file.read() == 0x1F && file.read() == 0x8B;
      file.reset();
      try (InputStream in = packed ? new GZIPInputStream(file) : file) {
        byte[] bytes = in.readNBytes(MOST_BYTES + 1);
        if (bytes.length > MOST_BYTES) {
          throw new CannotGoOn(name + " is too large for a manifest or TMF file", "");
        }
        return bytes;
      }
    } catch (NoSuchFileException e) {
      throw CannotGoOn.noSuchFile(name, "");
    } catch (IOException e) {
      throw new CannotGoOn("cannot read " + name + ": " + e.getMessage(), "");
    }
  }
}
