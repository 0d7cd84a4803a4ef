package io.ntrail.formats.bytes;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;

/**
 * Files of the program that lie beside its classes.
 *
 * <p>They are read out of the jar of the class. A class loader looks through all modules of the
 * runtime and all jars before that one for each of them, which takes a tenth of the time of a short
 * command.
 */
public final class ResourceFile {
  private ResourceFile() {}

  /**
   * Reads a text in UTF-8.
   *
   * @param beside a class of the package that has the file
   * @param name of the file, relative to the package
   * @throws IllegalStateException if it is not there
   */
  public static String text(Class<?> beside, String name) {
    return texts(beside, List.of(name)).getFirst();
  }

  /** Reads several texts as {@link #text} does, and opens the jar once. */
  public static List<String> texts(Class<?> beside, List<String> names) {
    List<String> texts = new ArrayList<>();
    for (byte[] content : read(beside, names)) {
      texts.add(new String(content, StandardCharsets.UTF_8));
    }
    return texts;
  }

  /**
   * Reads all bytes of a file.
   *
   * @param beside a class of the package that has the file
   * @param name of the file, relative to the package
   * @throws IllegalStateException if it is not there
   */
  public static byte[] bytes(Class<?> beside, String name) {
    return read(beside, List.of(name)).getFirst();
  }

  private static List<byte[]> read(Class<?> beside, List<String> names) {
    Path jar = jar(beside);
    if (jar != null) {
      try {
        return ofJar(jar, beside, names);
      } catch (IOException e) {
        // It is not there any more: the loader may have it open.
      }
    }
    try {
      return ofLoader(beside, names);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<byte[]> ofJar(Path jar, Class<?> beside, List<String> names)
      throws IOException {
    List<byte[]> contents = new ArrayList<>();
    String folder = beside.getPackageName().replace('.', '/') + "/";
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (String name : names) {
        ZipEntry entry = zip.getEntry(folder + name);
        if (entry == null) {
          throw missing(name);
        }
        try (InputStream in = zip.getInputStream(entry)) {
          contents.add(in.readAllBytes());
        }
      }
    }
    return contents;
  }

  private static List<byte[]> ofLoader(Class<?> beside, List<String> names) throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (String name : names) {
      try (InputStream in = beside.getResourceAsStream(name)) {
        if (in == null) {
          throw missing(name);
        }
        contents.add(in.readAllBytes());
      }
    }
    return contents;
  }

  private static IllegalStateException missing(String name) {
    return new IllegalStateException("missing resource " + name);
  }

  /** Returns the jar that a class comes from; null if it comes from elsewhere. */
  private static @Nullable Path jar(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    URL place = source == null ? null : source.getLocation();
    if (place == null || !place.getProtocol().equals("file") || !place.getPath().endsWith(".jar")) {
      return null;
    }
    try {
      return Path.of(place.toURI());
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }
}
